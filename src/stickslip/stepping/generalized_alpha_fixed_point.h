// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/stepping/generalized_alpha_newton.h"
#include "stickslip/stepping/generalized_alpha_step.h"

namespace stickslip {

/// The fixed-point iteration of the paper [Capobianco2021 eqs. 144-146], for comparison with Newton's method: with the
/// contacts' multipliers held, Newton's method solves the smooth equations; then the multipliers follow by
///   kappa_hat' = -min(r g - kappa_hat, 0),   P_N' = -min(r xi_N - P_N, 0) on A,   lambda_N' likewise on B,
///   P_F' = -prox(r xi_F - P_F) with the new radius mu P_N', and lambda_F' by the set of the argument,
/// and so on until nothing moves.
class GeneralizedAlphaFixedPoint {
 public:
  explicit GeneralizedAlphaFixedPoint(const GeneralizedAlphaStep& step) : held_(step.x) {}

  /// Iterates from step.x until error() <= 1; `newton` solves the smooth equations.
  StepSolve solve(GeneralizedAlphaStep& step, GeneralizedAlphaNewton& newton);

 private:
  bool solve_smooth(GeneralizedAlphaStep& step, GeneralizedAlphaNewton& newton);
  double move_multipliers(GeneralizedAlphaStep& step);
  double move_contact(GeneralizedAlphaStep& step, const StepElement& e);

  StepUnknowns held_;  // x before the index sets exclude multipliers
};

}  // namespace stickslip
