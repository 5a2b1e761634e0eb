// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/stepping/generalized_alpha/index_sets.h"

namespace stickslip::generalized_alpha {

StepSolve Newton::solve(Step& step, bool search) {
  // Iterations in which the residual falls by less than a tenth. [-] Without a bound a ball in a corner takes more
  // iterations than published and a jammed heap is not solved; if it had to fall by a half, a loop at its dead point
  // would not be made consistent.
  constexpr int kPatience = 8;
  constexpr double kFalls = 0.9;  // [-]
  const Measure& measure = step.measure;
  StepSolve result;
  history_.clear();
  double last_error = std::numeric_limits<double>::infinity();
  const double most_work = std::min(step.most_work, step.work + step.most_work_of_a_call());
  int stalled = 0;
  while (measure.error() > (result.iterations == 0 ? Measure::kContinued : 1.0)) {
    if (!history_.add(signature(step))) return result;
    // Round-off reached: the sets stand and the residual no longer falls. From far away it may take a while to begin;
    // and at a dead point of joints it falls by a third in each iteration.
    stalled = history_.stand() && measure.error() > kFalls * last_error ? stalled + 1 : 0;
    if (stalled >= kPatience || !std::isfinite(measure.error()) || result.iterations >= kMaxIterations ||
        step.work > most_work) {
      return result;
    }
    last_error = measure.error();
    const double merit = measure.merit();
    if (!move(step)) {
      result.converged = measure.error() <= 1.0;
      return result;
    }
    ++result.iterations;
    step.work += static_cast<double>(system_.n_rows()) * system_.n_rows();
    evaluate(step);
    if (search || !system_.is_dense() || !std::isfinite(measure.error())) search_line(step, merit);
    if (measure.error() > 1.0 && std::isfinite(measure.error())) {
      round_off_.set(step, system_);
      step.measure.judge(step);
    }
  }
  result.converged = true;
  return result;
}

void Newton::judge(Step& step) {
  step.measure.forget_round_off(step);
  const double error = evaluate(step);
  if (!(error > 1.0) || !std::isfinite(error)) return;
  system_.calc_derivatives(step);
  round_off_.set(step, system_);
  step.measure.judge(step);
}

bool Newton::move(Step& step) {
  if (!system_.solve(step)) return false;
  base_ = step.x;
  system_.apply(step, 1.0);
  return true;
}

/// With many contacts a whole step changes many index sets at once, each as if the others stayed; and from far away a
/// stiff body's forces can overflow. Shortens the step until the merit falls, or else takes the best of what was tried.
void Newton::search_line(Step& step, double merit) {
  // Shortest step. [-] A shorter one leaves more steps to be made in parts, a longer one more inexact; without a search
  // a squeezed loop is not made consistent by an impact.
  constexpr double kShortest = 0.1;
  const Measure& measure = step.measure;
  double least = std::isfinite(measure.error()) ? measure.merit() : std::numeric_limits<double>::infinity();
  best_ = step.x;
  bool at_best = true;
  for (double factor = 0.5; !(least < merit) && factor >= kShortest; factor *= 0.5) {
    step.x = base_;
    system_.apply(step, factor);
    evaluate(step);
    at_best = std::isfinite(measure.error()) && measure.merit() < least;
    if (!at_best) continue;
    least = measure.merit();
    best_ = step.x;
  }
  if (at_best) return;
  step.x = best_;
  evaluate(step);
}

}  // namespace stickslip::generalized_alpha
