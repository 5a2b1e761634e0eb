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

}  // namespace

void AcceleratedGradient::start(const ConeProblem& problem, Iterate& iterate) {
  const std::size_t n = problem.b.size();
  first_order_.start(problem, iterate);
  for (auto* vector : {&p_, &next_, &y_, &gradient_, &change_, &wp_, &w_next_, &wy_}) vector->resize(n);
  std::copy(iterate.p().begin(), iterate.p().end(), p_.begin());
  project_on_cones(problem, p_);
  first_order_.apply(p_, wp_);
  y_ = p_;
  wy_ = wp_;
  lipschitz_ = 1.0;
  theta_ = 1.0;
  k_ = 0;
}

int AcceleratedGradient::advance(Tolerance tolerance, int max_iterations, const Deadline& deadline, Iterate& iterate) {
  const std::size_t n = p_.size();
  const int first = k_;
  while (!iterate.best().is_within(tolerance) && k_ - first < max_iterations && !deadline.passed()) {
    ++k_;
    const double uphill = step_with_backtracking();
    const double next_theta = 0.5 * theta_ * (std::sqrt(theta_ * theta_ + 4.0) - theta_);
    const double beta = uphill > 0.0 ? 0.0 : theta_ * (1.0 - theta_) / (theta_ * theta_ + next_theta);
    theta_ = uphill > 0.0 ? 1.0 : next_theta;
    for (std::size_t i = 0; i < n; ++i) {
      y_[i] = next_[i] + beta * (next_[i] - p_[i]);
      wy_[i] = w_next_[i] + beta * (w_next_[i] - wp_[i]);
    }
    p_.swap(next_);
    wp_.swap(w_next_);
    if (k_ % FirstOrder::kJudgeEvery != 0 && k_ - first != max_iterations) continue;
    std::copy(p_.begin(), p_.end(), iterate.p().begin());
    iterate.judge();
  }
  return k_ - first;
}

/// next_ and w_next_ from y_; returns the slope of the objective along the whole change from p_: above zero, uphill.
double AcceleratedGradient::step_with_backtracking() {
  first_order_.calc_gradient(wy_, gradient_);
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
  double uphill = 0.0;
  for (std::size_t i = 0; i < next_.size(); ++i) uphill += gradient_[i] * (next_[i] - p_[i]);
  return uphill;
}

}  // namespace stickslip
