// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/stepping/generalized_alpha/newton.h"
#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::generalized_alpha {

/// The fixed-point iteration of the paper [Capobianco2021 eqs. 144-146], for comparison with Newton's method: with the
/// contacts' multipliers held, Newton's method solves the smooth equations; then the multipliers follow by
///   kappa_hat' = -min(r g - kappa_hat, 0),   P_N' = -min(r xi_N - P_N, 0) on A,   lambda_N' likewise on B,
///   P_F' = -prox(r xi_F - P_F) with the new radius mu P_N', and lambda_F' by the set of the argument,
/// and so on until nothing moves. From step.x, evaluated, until it is solved.
StepSolve solve_by_fixed_point(Step& step, Newton& newton);

/// The smooth equations alone, by Newton's method from step.x, with the contacts' multipliers held. False: no end that
/// is finite.
bool solve_smooth(Step& step, Newton& newton);

}  // namespace stickslip::generalized_alpha
