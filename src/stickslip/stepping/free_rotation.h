// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/math/types.h"

namespace stickslip {

/// The angular velocity at the end of a step of a rigid body without contacts, such that the
/// angular momentum about its centre of mass balances exactly in the world frame:
///
///   R1 = R0 exp(h1 omega0^),  R2 = R1 exp(h2 omega^),  R2 J omega = R0 J omega0 + R1 (h torque).
///
/// In the frame R1: exp(h2 omega^) J omega = m = exp(-h1 omega0^) J omega0 + h torque. With h1 = h2
/// this is the symmetric (trapezoidal Lie-Newmark) rule: momentum to round-off, no energy drift.
struct FreeRotation {
  Vector3 omega = Vector3::Zero();  // (3) [rad/s] body frame at the end of the step
  bool converged = false;           // false: the rotation in one step is too large
};

/// J: inertia (3, 3) [kg m^2]; J_inverse: its inverse; omega0: (3) [rad/s] body frame; angular_impulse: (3) [N m s]
/// h times the torque, components in R1; h1, h2 [s] the two parts of the step.
FreeRotation solve_free_rotation(const Matrix3& J, const Matrix3& J_inverse, const Vector3& omega0,
                                 const Vector3& angular_impulse, double h1, double h2);

}  // namespace stickslip
