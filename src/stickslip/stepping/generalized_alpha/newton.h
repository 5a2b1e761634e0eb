// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/newton_system.h"
#include "stickslip/stepping/generalized_alpha/round_off.h"
#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::generalized_alpha {

/// How a solve of the step's equations went.
struct StepSolve {
  bool converged = false;
  int iterations = 0;  // [-] linear systems solved, or nested or fixed-point iterations
};

/// Semismooth Newton method on the equations of a step (143).
class Newton {
 public:
  /// More than any index sets need to settle, and a dead point of joints, which takes more than 40; where a linkage is
  /// out of reach it would take tens of thousands. [-]
  static constexpr int kMaxIterations = 60;

  explicit Newton(const Step& step) : system_(step), round_off_(step.system.n_u()), base_(step.x), best_(step.x) {}

  /// Iterates from step.x, which must be evaluated. Stops where the step is solved, where the method cycles or stalls,
  /// after kMaxIterations, and where it has had its share of what the step may cost. With `search` steps are shortened
  /// until they lead nearer; a large system's always are.
  StepSolve solve(Step& step, bool search = false);

  /// Evaluates step.x as a solution: with what round-off makes of it, where its residuals are not small without.
  void judge(Step& step);

  /// One Newton step from step.x, evaluated or evaluated with the contacts' multipliers held. False: none was found.
  bool move(Step& step);

 private:
  void search_line(Step& step, double merit);

  NewtonSystem system_;
  RoundOffBounds round_off_;
  Unknowns base_, best_;  // x where a Newton step begins, and where it has led best
  SetHistory history_;
};

}  // namespace stickslip::generalized_alpha
