// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/constraints/body_snapshot.h"
#include "stickslip/constraints/constraint_set.h"
#include "stickslip/model/state.h"

namespace stickslip {

/// The impact that makes the velocities which a run starts from ones that its joints allow:
///
///   M (u+ - u) = J^T p,   J u+ + tau = 0 over all joints at (t, q),
///
/// p of least norm in the metric of their own W_rr where joints are redundant, of least squares where they contradict
/// each other. A scheme on velocities needs it where a half step with u comes first: joints that are closed by two
/// hinges, say, then drift apart by different ways, and what drifted apart cannot turn any more.
///
/// Contacts take no part: theirs is an impact of the step, by their law. Nor does dry friction, which is bounded and
/// bears nothing at an instant.
class StartImpact {
 public:
  explicit StartImpact(const System& system, StopToken stop = {}) : system_(system), stop_(stop), at_(system) {}

  /// Makes state.u consistent and books the energy that this takes; false, and nothing changed, where it is so already,
  /// as far as the digits go with which scenes are written. `constraints` is gathered anew.
  bool act(ConstraintSet& constraints, State& state);

  /// What a step starts from: the state, in the first step of a run with velocities that joints allow. Valid until the
  /// next call.
  const State& settle(ConstraintSet& constraints, const State& state);

  /// Adds what joints did in the impact, if settle() made one, to the reactions of report.joints, as forces over a step
  /// of length h.
  void add_reactions(double h, StepReport& report) const;

 private:
  bool is_off(const ConstraintSet& constraints, int cone, const Vector& u) const;
  Vector solve(const ConstraintSet& constraints, Eigen::Index n) const;

  const System& system_;
  StopToken stop_;
  BodySnapshot at_;
  const std::vector<ContactPoint> no_points_;
  std::vector<double> percussions_;  // (n) [N s]
  State settled_;
  bool is_settled_ = false;
};

}  // namespace stickslip
