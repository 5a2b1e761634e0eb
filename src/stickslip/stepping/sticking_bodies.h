// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/step_report.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// Bodies that no joint holds and that stick to others, as what a gripper holds.
///
/// Where positions are put right at the end of a step, bodies with joints move by O(h^2), along the faces that they
/// touch, too. What sticks to them by friction alone is not in that problem and would be left behind by as much in each
/// step: a slip of O(h) in a given time, without a sliding contact. So such bodies follow. With, at each contact that
/// stuck, s the slip in the step from its start on and gap that at its end, a body is moved by the d of least norm, in
/// the metric of its mass, among those of least
///
///   sum |gap + J_N d|^2 + |s + J_T d|^2.
///
/// s is that of the side with the ball (or corner) relative to that with the surface, in the frame of the latter: the
/// way of its body's origin and the turn, as a vector, across the mean of its arms at both ends of the step. So what
/// turns together has none, and rolling has none, but for terms of third order.
///
/// What also sticks to a body that does not move, or moves as prescribed, stays; what sticks to a body that follows,
/// follows that.
class StickingBodies {
 public:
  explicit StickingBodies(const System& system);

  /// Whether there can be any: joints hold some bodies and leave others free.
  bool are_possible() const { return are_possible_; }

  /// Moves them to where they belong in coordinates q, from a step that began at `start` and ended with the bodies
  /// `at`, which follow. `report` tells which of `points` stuck. Whether some moved.
  bool follow(const BodySnapshot& start, const std::vector<ContactPoint>& points, const StepReport& report, Vector& q,
              BodySnapshot& at);

 private:
  /// Of a body in a step: free, not held by joints; one that others follow; one that stays where it is.
  enum class Role : char { free, leads, stays };

  void find_stayers(const std::vector<ContactPoint>& points, const StepReport& report);
  void add_contact(const BodySnapshot& start, const BodySnapshot& at, const ContactPoint& point, Side side);
  Vector3 calc_slip(const BodySnapshot& start, const BodySnapshot& at, const ContactPoint& point) const;
  bool stuck(std::size_t k, const std::vector<ContactPoint>& points, const StepReport& report) const;
  void solve(int body);

  const System& system_;
  std::vector<Role> roles_at_start_;  // (bodies)
  bool are_possible_ = false;
  std::vector<Role> roles_;  // (bodies)
  Vector displacement_;      // (n_u)
  // Normal equations of the body at hand, of d scaled by the roots of M^-1.
  static constexpr int kMaxRows = 6;
  int n_ = 0;  // its velocities
  std::array<double, kMaxRows> scale_;
  std::array<double, kMaxRows * kMaxRows> matrix_;
  std::array<double, kMaxRows> rhs_, solution_;
};

}  // namespace stickslip
