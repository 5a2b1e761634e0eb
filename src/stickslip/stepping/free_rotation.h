// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/model/system.h"

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

/// The same without torque where a step turns the body by the quaternion (1, h omega_m / 2), normalised, omega_m the
/// mean of the angular velocities at both ends: a turn of 2 atan(|omega_m| h / 2).
///
///   J (omega - omega0) = -h omega_m x J omega_m
///
/// With L = J omega that is (I + h/2 omega_m^) L = (I - h/2 omega_m^) L0, so that the turn takes L to L0 exactly: the
/// angular momentum in the world frame and the kinetic energy stay as they are.
FreeRotation solve_mean_rotation(const Matrix3& J, const Matrix3& J_inverse, const Vector3& omega0, double h);

/// A rigid body whose gyroscopic torque need not vanish.
struct Gyroscopic {
  int body;
  int row;                  // of its angular velocity
  Matrix3 inertia;          // (3, 3) [kg m^2] body frame
  Matrix3 inverse_inertia;  // (3, 3) [1/(kg m^2)] body frame
};
std::vector<Gyroscopic> find_gyroscopic(const System& system);
/// What is said where a rotation does not converge.
std::string turns_too_far(const System& system, int body);

/// u_work = u after the gyroscopic torque of a step of h, by solve_mean_rotation(). Returns why it cannot, or nothing.
std::string calc_mean_rotations(const System& system, const std::vector<Gyroscopic>& gyroscopic, const Vector& u,
                                double h, StopToken stop, Vector& u_work);
/// u_move = u_end - (u_work - u) / 2, by which such a step turns: by the mean of the angular velocities before and
/// after the gyroscopic torque, and by all that forces and percussions add.
void calc_mean_velocity(const std::vector<Gyroscopic>& gyroscopic, const Vector& u, const Vector& u_work,
                        const Vector& u_end, Vector& u_move);

}  // namespace stickslip
