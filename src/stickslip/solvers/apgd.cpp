// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/apgd.h"

#include <algorithm>
#include <cmath>

#include "stickslip/solvers/deadline.h"

namespace stickslip {
namespace {

constexpr int kJudgeEvery = 10;
/// L is multiplied by these where a step was too long, and at the start of each step.
constexpr double kBacktrack = 2.0;
constexpr double kRelax = 0.9;
constexpr int kMaxBacktracks = 30;

}  // namespace

std::optional<std::string> ApgdSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

SolveReport ApgdSolver::solve(const ConeProblem& problem, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  const std::size_t n = problem.b.size();
  first_order_.start(problem, iterate_);
  for (auto* vector : {&p_, &next_, &y_, &gradient_, &change_, &wp_, &w_next_, &wy_}) vector->resize(n);
  std::copy(iterate_.p().begin(), iterate_.p().end(), p_.begin());
  project_on_cones(problem, p_);
  first_order_.apply(p_, wp_);
  y_ = p_;
  wy_ = wp_;
  lipschitz_ = 1.0;
  double theta = 1.0;
  const Deadline deadline(options_.time_limit, options_.stop);
  while (iterate_.best().relative > options_.tolerance && report.iterations < options_.max_iterations &&
         !deadline.passed()) {
    ++report.iterations;
    const double uphill = step_with_backtracking();
    const double next_theta = 0.5 * theta * (std::sqrt(theta * theta + 4.0) - theta);
    const double beta = uphill > 0.0 ? 0.0 : theta * (1.0 - theta) / (theta * theta + next_theta);
    theta = uphill > 0.0 ? 1.0 : next_theta;
    for (std::size_t i = 0; i < n; ++i) {
      y_[i] = next_[i] + beta * (next_[i] - p_[i]);
      wy_[i] = w_next_[i] + beta * (w_next_[i] - wp_[i]);
    }
    p_.swap(next_);
    wp_.swap(w_next_);
    if (report.iterations % kJudgeEvery != 0 && report.iterations != options_.max_iterations) continue;
    std::copy(p_.begin(), p_.end(), iterate_.p().begin());
    iterate_.judge();
  }
  iterate_.finish(options_.tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "the accelerated gradient steps did not converge";
  }
  return report;
}

/// next_ and w_next_ from y_; returns the slope of the objective along the whole change from p_: above zero, uphill.
double ApgdSolver::step_with_backtracking() {
  first_order_.calc_gradient(wy_, gradient_);
  lipschitz_ *= kRelax;
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
