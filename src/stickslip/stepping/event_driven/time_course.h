// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/math/expression.h"
#include "stickslip/model/system.h"

namespace stickslip::event_driven {

/// What a scene prescribes over time: loads, forces and motions of joints, motions of bodies. A step of an integrator,
/// and the looks for events in it, see an instant here and there; this bounds its length so that between these
/// instants little can happen. Expressions are cheap, so they are looked at every millisecond, and at least ten times
/// in a step; what begins and ends between two looks is not seen.
class TimeCourse {
 public:
  /// The system must outlive this.
  explicit TimeCourse(const System& system);

  /// The largest of h, h / 2, h / 4 ... [s] in which each expression follows the parabola through its values at the
  /// ends and halfway, up to a twentieth of what it changes by; h is not halved beyond a tenth of a millisecond, from
  /// where on the error estimate of the integrator is left to see what it does. y begins with (q, u), at which
  /// expressions of state are held.
  double bound(double t, const Vector& y, double h) const;
  /// [rad/s] The fastest prescribed rotation of a body at t.
  double calc_angular_speed(double t) const;

 private:
  void add(const Expression& expression);
  void add(const StateExpression& expression);

  const System& system_;
  std::vector<const Expression*> expressions_;    // those that depend on time
  std::vector<const StateExpression*> of_state_;  // those that depend on time and state
  std::vector<const Expression*> rates_;          // [rad/s] of rotations
};

}  // namespace stickslip::event_driven
