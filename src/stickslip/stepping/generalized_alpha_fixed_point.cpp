// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha_fixed_point.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/cones.h"

namespace stickslip {

StepSolve GeneralizedAlphaFixedPoint::solve(GeneralizedAlphaStep& step, GeneralizedAlphaNewton& newton) {
  // The paper's own runs need up to some hundred; redundant contacts at tight tolerances a few thousand.
  constexpr int kMaxIterations = 5000;
  StepSolve result;
  result.converged = step.error() <= 1.0;
  while (!result.converged && result.iterations < kMaxIterations) {
    if (!solve_smooth(step, newton)) break;
    const double moved = move_multipliers(step);
    ++result.iterations;
    if (!(moved <= 1.0)) continue;
    // The index sets see the whole residual; they set excluded multipliers to zero, which is undone if it goes on.
    held_ = step.x;
    result.converged = step.evaluate() <= 1.0;
    if (!result.converged) step.x = held_;
  }
  if (!result.converged) step.evaluate();
  return result;
}

bool GeneralizedAlphaFixedPoint::solve_smooth(GeneralizedAlphaStep& step, GeneralizedAlphaNewton& newton) {
  constexpr int kMaxNewton = 20;
  for (int i = 0; i < kMaxNewton && step.evaluate_held() > 1.0; ++i) {
    if (!newton.move(step)) return false;
  }
  return std::isfinite(step.error());
}

/// The largest change of a multiplier as a length over its tolerance.
double GeneralizedAlphaFixedPoint::move_multipliers(GeneralizedAlphaStep& step) {
  double moved = 0.0;
  for (const StepElement& e : step.elements) {
    if (e.kind == StepElement::Kind::contact) moved = std::max(moved, move_contact(step, e));
  }
  return moved;
}

double GeneralizedAlphaFixedPoint::move_contact(GeneralizedAlphaStep& step, const StepElement& e) {
  const double r_normal = step.r_normal(e);
  const double r_friction = step.r_friction(e);
  const int n = e.n_friction();
  const double* P = step.P.data() + e.offset;
  double* lambda = step.x.lambda.data() + e.offset;
  std::array<double, kMaxElementDim> next_P = {};
  std::array<double, kMaxElementDim> next_lambda = {};
  const double old_kappa = step.kappa_hat(e.pos_offset);
  const double kappa = std::max(old_kappa - r_normal * e.gap[0], 0.0);        // (144)
  if (r_normal * e.gap[0] - old_kappa <= 0.0) {                               // in A
    next_P[0] = std::max(P[0] - r_normal * e.xi[0], 0.0);                     // (145)
    if (r_normal * e.xi[0] - P[0] <= 0.0) {                                   // in B
      next_lambda[0] = std::max(lambda[0] - r_normal * e.gamma_dot[0], 0.0);  // (146)
    }
    std::array<double, kMaxFrictionDim> argument = {};
    double size2 = 0.0;
    double slip2 = 0.0;
    std::array<double, kMaxFrictionDim> stretched = {};
    std::copy_n(e.xi.data() + 1, n, stretched.data());
    e.stretch.apply(stretched.data());
    for (int i = 0; i < n; ++i) {
      argument[i] = P[1 + i] - r_friction * stretched[i];
      size2 += argument[i] * argument[i];
      const double gamma = e.xi[1 + i] - e.gamma_start[1 + i];
      slip2 += gamma * gamma;
    }
    project_on_ball(n, e.mu * next_P[0], argument.data(), next_P.data() + 1);
    if (std::sqrt(size2) <= e.mu * next_P[0]) {
      for (int i = 0; i < n; ++i) argument[i] = lambda[1 + i] - r_friction * e.gamma_dot[1 + i];
      project_on_ball(n, e.mu * next_lambda[0], argument.data(), next_lambda.data() + 1);
    } else if (slip2 > 0.0) {
      const double scale = -e.mu * next_lambda[0] / std::sqrt(slip2);
      for (int i = 0; i < n; ++i) next_lambda[1 + i] = scale * (e.xi[1 + i] - e.gamma_start[1 + i]);
    }
  }
  double moved = std::abs(kappa - old_kappa) * e.diagonal[0] / step.tolerance_position(e);
  for (int i = 0; i < e.dim; ++i) {
    moved = std::max(moved, std::abs(next_P[i] - P[i]) * e.diagonal[i] * step.h / step.tolerance_velocity(e));
    moved = std::max(
        moved, std::abs(next_lambda[i] - lambda[i]) * e.diagonal[i] * step.h * step.h / step.tolerance_acceleration(e));
    lambda[i] = next_lambda[i];
    step.x.Lambda(e.offset + i) = next_P[i] - step.known_P(e.offset + i) - step.gamma_step() * lambda[i];
  }
  step.x.kappa(e.pos_offset) = kappa - step.known_kappa(e.pos_offset) - step.beta_step() * lambda[0];
  return moved;
}

}  // namespace stickslip
