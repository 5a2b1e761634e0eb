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

/// (137), (140) of one friction set, of a contact in A with the next normal multipliers.
void move_friction(const Step& step, const StepElement& e, int set, double* next_P, double* next_lambda) {
  const int first = e.friction[set].first;
  const int n = e.friction[set].n;
  const double r = r_friction(step, e, set);
  const double* P = step.P.data() + e.offset + first;
  const double* lambda = step.x.lambda.data() + e.offset + first;
  std::array<double, kMaxFrictionDim> argument = {};
  std::array<double, kMaxFrictionDim> stretched = {};
  double size2 = 0.0;
  double slip2 = 0.0;
  std::copy_n(e.xi.data() + first, n, stretched.data());
  e.states[set].stretch.apply(stretched.data());
  for (int i = 0; i < n; ++i) {
    argument[i] = P[i] - r * stretched[i];
    size2 += argument[i] * argument[i];
    const double gamma = e.gamma[first + i];
    slip2 += gamma * gamma;
  }
  const double radius = friction_radius(step, e, set, next_P[0]);
  const double radius_acceleration = friction_radius_acceleration(e, set, next_lambda[0]);
  project_on_ball(n, radius, argument.data(), next_P + first);
  if (std::sqrt(size2) <= radius) {
    for (int i = 0; i < n; ++i) argument[i] = lambda[i] - r * e.gamma_dot[first + i];
    project_on_ball(n, radius_acceleration, argument.data(), next_lambda + first);
  } else if (slip2 > 0.0) {
    const double scale = -radius_acceleration / std::sqrt(slip2);
    for (int i = 0; i < n; ++i) next_lambda[first + i] = scale * (e.gamma[first + i]);
  }
}

/// The fixed-point update (146) of one contact, by the prox equations (128), (131), (134), (137) and (140).
double move_contact(Step& step, const StepElement& e) {
  const double r_n = r_normal(step, e);
  const double* P = step.P.data() + e.offset;
  double* lambda = step.x.lambda.data() + e.offset;
  std::array<double, kMaxElementDim> next_P = {};
  std::array<double, kMaxElementDim> next_lambda = {};
  const double old_kappa = step.kappa_hat(e.pos_offset);
  const double kappa = std::max(old_kappa - r_n * e.gap[0], 0.0);        // (128)
  if (is_closed(step, e)) {                                              // in A
    next_P[0] = std::max(P[0] - r_n * e.xi[0], 0.0);                     // (131)
    if (r_n * e.xi[0] - P[0] <= 0.0) {                                   // in B
      next_lambda[0] = std::max(lambda[0] - r_n * e.gamma_dot[0], 0.0);  // (134)
    }
    for (int set = 0; set < e.n_sets; ++set) move_friction(step, e, set, next_P.data(), next_lambda.data());
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

/// (145): Newton's method on the smooth equations.
bool solve_smooth(Step& step, Newton& newton) {
  for (int i = 0; i < Newton::kMaxIterations && evaluate_smooth(step) > 1.0; ++i) {
    if (!newton.move(step)) return false;
  }
  return std::isfinite(step.measure.error());
}

StepSolve solve_by_fixed_point(Step& step, Newton& newton) {
  // The paper's own runs need up to some hundred, redundant contacts at tight tolerances a few thousand. Where it does
  // not contract it would go on for ever.
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
