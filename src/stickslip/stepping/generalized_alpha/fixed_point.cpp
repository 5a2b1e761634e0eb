// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/fixed_point.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/cones.h"
#include "stickslip/stepping/generalized_alpha/equations.h"
#include "stickslip/stepping/generalized_alpha/index_sets.h"

namespace stickslip::generalized_alpha {
namespace {

double move_contact(Step& step, const StepElement& e) {
  const double r_n = r_normal(step, e);
  const double r_f = r_friction(step, e);
  const int n = e.n_friction();
  const double* P = step.P.data() + e.offset;
  double* lambda = step.x.lambda.data() + e.offset;
  std::array<double, kMaxElementDim> next_P = {};
  std::array<double, kMaxElementDim> next_lambda = {};
  const double old_kappa = step.kappa_hat(e.pos_offset);
  const double kappa = std::max(old_kappa - r_n * e.gap[0], 0.0);        // (144)
  if (is_closed(step, e)) {                                              // in A
    next_P[0] = std::max(P[0] - r_n * e.xi[0], 0.0);                     // (145)
    if (r_n * e.xi[0] - P[0] <= 0.0) {                                   // in B
      next_lambda[0] = std::max(lambda[0] - r_n * e.gamma_dot[0], 0.0);  // (146)
    }
    std::array<double, kMaxFrictionDim> argument = {};
    double size2 = 0.0;
    double slip2 = 0.0;
    std::array<double, kMaxFrictionDim> stretched = {};
    std::copy_n(e.xi.data() + 1, n, stretched.data());
    e.stretch.apply(stretched.data());
    for (int i = 0; i < n; ++i) {
      argument[i] = P[1 + i] - r_f * stretched[i];
      size2 += argument[i] * argument[i];
      const double gamma = e.gamma[1 + i];
      slip2 += gamma * gamma;
    }
    project_on_ball(n, e.mu * next_P[0], argument.data(), next_P.data() + 1);
    if (std::sqrt(size2) <= e.mu * next_P[0]) {
      for (int i = 0; i < n; ++i) argument[i] = lambda[1 + i] - r_f * e.gamma_dot[1 + i];
      project_on_ball(n, e.mu * next_lambda[0], argument.data(), next_lambda.data() + 1);
    } else if (slip2 > 0.0) {
      const double scale = -e.mu * next_lambda[0] / std::sqrt(slip2);
      for (int i = 0; i < n; ++i) next_lambda[1 + i] = scale * (e.gamma[1 + i]);
    }
  }
  double moved = std::abs(kappa - old_kappa) * e.diagonal[0] / step.measure.tolerance_position(step, e);
  for (int i = 0; i < e.dim; ++i) {
    moved =
        std::max(moved, std::abs(next_P[i] - P[i]) * e.diagonal[i] * step.h / step.measure.tolerance_velocity(step, e));
    moved = std::max(moved, std::abs(next_lambda[i] - lambda[i]) * e.diagonal[i] * step.h * step.h /
                                step.measure.tolerance_acceleration(step, e));
    lambda[i] = next_lambda[i];
  }
  set_percussions(step, e, next_P.data(), &kappa);
  return moved;
}

/// The largest change of a multiplier as a length over its tolerance.
double move_multipliers(Step& step) {
  double moved = 0.0;
  for (const StepElement& e : step.elements) {
    if (e.kind == ConstraintElement::Kind::contact) moved = std::max(moved, move_contact(step, e));
  }
  return moved;
}

}  // namespace

bool solve_smooth(Step& step, Newton& newton) {
  for (int i = 0; i < Newton::kMaxIterations && evaluate_smooth(step) > 1.0; ++i) {
    if (!newton.move(step)) return false;
  }
  return std::isfinite(step.measure.error());
}

StepSolve solve_by_fixed_point(Step& step, Newton& newton) {
  // The paper's own runs need up to some hundred (with 20 GoldenGeneralizedAlpha.FixedPointFindsTheSameSolutions
  // fails); redundant contacts at tight tolerances a few thousand. Where it does not contract it would go on for ever
  // (FixedPoint.EndsWhereItDoesNotContract).
  constexpr int kMaxIterations = 5000;
  StepSolve result;
  Unknowns held;  // x before the index sets exclude multipliers
  result.converged = step.measure.error() <= 1.0;
  while (!result.converged && result.iterations < kMaxIterations) {
    if (!solve_smooth(step, newton)) break;
    const double moved = move_multipliers(step);
    ++result.iterations;
    if (!(moved <= 1.0)) continue;
    // The index sets see the whole residual; they set excluded multipliers to zero, which is undone if it goes on.
    held = step.x;
    result.converged = evaluate(step) <= 1.0;
    if (!result.converged) step.x = held;
  }
  if (!result.converged) evaluate(step);
  return result;
}

}  // namespace stickslip::generalized_alpha
