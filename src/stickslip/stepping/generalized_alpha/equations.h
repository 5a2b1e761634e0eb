// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/model/state.h"
#include "stickslip/stepping/generalized_alpha/step.h"

/// The equations of [Capobianco2021] for one step, and nothing else: what is known before it, what follows from the
/// unknowns, the residual of the balances. The laws of contact are in index_sets.h.
namespace stickslip::generalized_alpha {

/// What is known of (73), (95), (102), (113) and (125) before the step. The memory of `state` and start_lambda must be
/// of the elements that the step has.
void set_known(Step& step, const State& state);

/// u' (73), q' (125) and h(t', q', u').
void calc_motion(Step& step);

/// xi = gamma(t', q', u') + e gamma(t', q', u) of an element (88), whose rows must be those at q'.
void calc_xi(Step& step, StepElement& e);

/// P (95), (113) and kappa_hat (102) of an element.
void calc_multipliers(Step& step, const StepElement& e);
/// The inverse: Lambda and kappa by which an element gets percussions P (dim) and kappa_hat (n_pos) with x.lambda.
void set_percussions(Step& step, const StepElement& e, const double* P, const double* kappa_hat);

/// The balances (127): R1 = M a - h - W lambda, R2 = M U - W Lambda, R3 = M Q - W_pos kappa - dt/2 W_vel Lambda.
void calc_residuals(Step& step);

/// result (n_q) += B(q_start) y, y (n_u).
void add_coordinate_map(const Step& step, const Vector& y, Vector& result);

}  // namespace stickslip::generalized_alpha
