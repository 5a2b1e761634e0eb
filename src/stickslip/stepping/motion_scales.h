// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/body_sizes.h"

namespace stickslip {

/// What a motion is compared with at an instant.
struct MotionScales {
  double length = 1.0;        // [m] the least body
  double speed = 1.0;         // [m/s] of bodies, or of what forces make of them over that length
  double acceleration = 1.0;  // [m/s^2] by forces alone
  double mass = 1.0;          // [kg] of all that moves

  /// Tolerances of energies [J] and of changes of speed by impulses [m/s] that follow from relative and absolute
  /// tolerances of velocities.
  double energy_tolerance(double relative, double absolute) const {
    return mass * speed * speed_tolerance(relative, absolute);
  }
  double speed_tolerance(double relative, double absolute) const { return absolute + relative * speed; }
};

/// `at` taken with velocities, and the applied forces there (n_u) [N, N m].
MotionScales calc_motion_scales(const System& system, const BodySizes& sizes, const BodySnapshot& at,
                                const Vector& force);

}  // namespace stickslip
