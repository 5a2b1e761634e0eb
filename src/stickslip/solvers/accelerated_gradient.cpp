// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/accelerated_gradient.h"

#include <algorithm>
#include <cmath>

namespace stickslip {
namespace {

/// L is multiplied by these where a step was too long, and at the start of each step.
constexpr double kBacktrack = 2.0;
constexpr double kStepRelax = 0.9;
constexpr int kMaxBacktracks = 30;
/// Momentum is dropped if the change of a step has grown to this many times the least since it was dropped last. [-]
/// With 2 large piles under the exact law lose their momentum too often, with 16 they are not solved.
constexpr double kMostGrowth = 4.0;

}  // namespace

void AcceleratedGradient::start(const ConeProblem& problem, Iterate& iterate) {
  const std::size_t n = problem.b.size();
  first_order_.start(problem, iterate);
  for (auto* vector : {&p_, &next_, &y_, &gradient_, &change_, &wp_, &w_next_, &wy_}) vector->resize(n);
  std::copy(iterate.p().begin(), iterate.p().end(), p_.begin());
  first_order_.project(p_);
  first_order_.apply(p_, wp_);
  y_ = p_;
  wy_ = wp_;
  has_objective_ = has_objective(problem);
  lipschitz_ = 1.0;
  theta_ = 1.0;
  k_ = 0;
}

int AcceleratedGradient::advance(Tolerance tolerance, int max_iterations, const Deadline& deadline, Iterate& iterate) {
  const std::size_t n = p_.size();
  const int first = k_;
  while (!iterate.best().is_within(tolerance) && k_ - first < max_iterations && !deadline.passed()) {
    ++k_;
    step_with_backtracking();
    const bool is_astray = has_gone_astray();
    const double next_theta = 0.5 * theta_ * (std::sqrt(theta_ * theta_ + 4.0) - theta_);
    const double beta = is_astray ? 0.0 : theta_ * (1.0 - theta_) / (theta_ * theta_ + next_theta);
    theta_ = is_astray ? 1.0 : next_theta;
    for (std::size_t i = 0; i < n; ++i) {
      y_[i] = next_[i] + beta * (next_[i] - p_[i]);
      wy_[i] = w_next_[i] + beta * (w_next_[i] - wp_[i]);
    }
    p_.swap(next_);
    wp_.swap(w_next_);
    if (k_ % FirstOrder::kJudgeEvery != 0 && k_ - first != max_iterations) continue;
    first_order_.judge(p_, iterate);
  }
  return k_ - first;
}

/// next_ and w_next_ from y_.
void AcceleratedGradient::step_with_backtracking() {
  first_order_.calc_velocity(wy_, gradient_);
  lipschitz_ *= kStepRelax;
  for (int k = 0; k < kMaxBacktracks; ++k) {
    first_order_.step(y_, 1.0 / lipschitz_, gradient_, next_);
    first_order_.apply(next_, w_next_);
    // The quadratic is below its model: d^T W d <= L d^T D d for d = next - y.
    double curvature = 0.0;
    for (std::size_t i = 0; i < next_.size(); ++i) {
      change_[i] = next_[i] - y_[i];
      curvature += change_[i] * (w_next_[i] - wy_[i]);
    }
    if (!(curvature > lipschitz_ * first_order_.calc_metric_product(change_, change_))) break;
    lipschitz_ *= kBacktrack;
  }
}

/// Whether the momentum, next_ - p_, points uphill: by the gradient at y_, and where the steps are those of no
/// objective by D (y - next) in its place, or where that grows.
bool AcceleratedGradient::has_gone_astray() {
  if (has_objective_) {
    double slope = 0.0;
    for (std::size_t i = 0; i < next_.size(); ++i) slope += gradient_[i] * (next_[i] - p_[i]);
    return slope > 0.0;
  }
  const std::span<const double> metric = first_order_.metric();
  double slope = 0.0, squared = 0.0;
  for (std::size_t i = 0; i < next_.size(); ++i) {
    const double gradient = y_[i] - next_[i];
    slope += metric[i] * gradient * (next_[i] - p_[i]);
    squared += metric[i] * gradient * gradient;
  }
  least_change_ = theta_ < 1.0 ? std::min(least_change_, squared) : squared;
  return slope > 0.0 || squared > kMostGrowth * kMostGrowth * least_change_;
}

}  // namespace stickslip
