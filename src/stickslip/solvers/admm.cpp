// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/admm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/solvers/deadline.h"

namespace stickslip {
namespace {

constexpr int kJudgeEvery = 5;
constexpr double kOverRelaxation = 1.6;
/// The penalty changes where one residual is this many times the other, looked at every so many iterations, by the
/// square root of their ratio but no more than a factor.
constexpr double kOutOfBalance = 5.0;
constexpr int kBalanceEvery = 25;
constexpr double kMaxChange = 10.0;
constexpr double kFirstPenalty = 0.1;
constexpr double kLeastPenalty = 1e-6;
constexpr double kLargestPenalty = 1e6;

}  // namespace

std::optional<std::string> AdmmSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

void AdmmSolver::analyze(const ConeProblem& problem) {
  delassus_.assemble(problem);
  dims_.clear();
  for (const Cone& cone : problem.cones) dims_.push_back(cone.dim);
  lu_.analyze(dims_, delassus_.row_begin(), delassus_.columns());
}

/// Factorises W + rho D.
bool AdmmSolver::factorize(const ConeProblem& problem) {
  lu_.clear_values();
  std::array<double, kMaxConeDim * kMaxConeDim> diagonal;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const int dim = dims_[i];
    for (int k = delassus_.row_begin()[i]; k < delassus_.row_begin()[i + 1]; ++k) {
      lu_.add(k, delassus_.block(k));
      if (delassus_.columns()[k] != i) continue;
      std::fill_n(diagonal.begin(), dim * dim, 0.0);
      for (int r = 0; r < dim; ++r) diagonal[r * dim + r] = rho_ * first_order_.metric()[problem.cones[i].offset + r];
      lu_.add(k, diagonal.data());
    }
  }
  return lu_.factorize() >= 0;
}

SolveReport AdmmSolver::solve(const ConeProblem& problem, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  const std::size_t n = problem.b.size();
  for (auto* vector : {&p_, &z_, &before_, &y_, &right_, &gradient_, &wp_}) vector->resize(n);
  const Deadline deadline(options_.time_limit);
  bool is_ready = false;
  while (iterate_.best().relative > options_.tolerance && report.iterations < options_.max_iterations &&
         !deadline.passed()) {
    if (!is_ready) {
      first_order_.start(problem, iterate_);
      analyze(problem);
      rho_ = kFirstPenalty;
      if (!factorize(problem)) break;
      std::copy(iterate_.p().begin(), iterate_.p().end(), z_.begin());
      project_on_cones(problem, z_);
      // y such that -rho D y are the velocities of z.
      first_order_.apply(z_, wp_);
      first_order_.calc_gradient(wp_, gradient_);
      for (std::size_t i = 0; i < n; ++i) y_[i] = -gradient_[i] / (rho_ * first_order_.metric()[i]);
      is_ready = true;
    }
    ++report.iterations;
    // The velocities of z without shift are W p + b for p = z: take them from y, whose normal row holds the shift of
    // the last iteration, by the tangential rows alone.
    for (std::size_t i = 0; i < n; ++i) wp_[i] = -rho_ * first_order_.metric()[i] * y_[i] - problem.b[i];
    first_order_.calc_gradient(wp_, gradient_);
    for (std::size_t i = 0; i < n; ++i) {
      const double shift = gradient_[i] - (wp_[i] + problem.b[i]);
      right_[i] = rho_ * first_order_.metric()[i] * (z_[i] - y_[i]) - problem.b[i] - shift;
    }
    p_ = right_;
    lu_.solve(p_);
    before_ = z_;
    for (std::size_t i = 0; i < n; ++i) {
      right_[i] = kOverRelaxation * p_[i] + (1.0 - kOverRelaxation) * z_[i];
      z_[i] = right_[i] + y_[i];
    }
    project_on_cones(problem, z_);
    for (std::size_t i = 0; i < n; ++i) y_[i] += right_[i] - z_[i];
    if (report.iterations % kJudgeEvery == 0 || report.iterations == options_.max_iterations) {
      std::copy(z_.begin(), z_.end(), iterate_.p().begin());
      iterate_.judge();
    }
    if (report.iterations % kBalanceEvery != 0) continue;
    for (std::size_t i = 0; i < n; ++i) right_[i] = p_[i] - z_[i];
    const double primal = std::sqrt(first_order_.calc_metric_product(right_, right_));
    for (std::size_t i = 0; i < n; ++i) right_[i] = z_[i] - before_[i];
    const double dual = rho_ * std::sqrt(first_order_.calc_metric_product(right_, right_));
    const double ratio = std::sqrt(primal / dual);
    if (!std::isfinite(ratio) || (ratio < std::sqrt(kOutOfBalance) && ratio > 1.0 / std::sqrt(kOutOfBalance))) continue;
    const double next =
        std::clamp(rho_ * std::clamp(ratio, 1.0 / kMaxChange, kMaxChange), kLeastPenalty, kLargestPenalty);
    for (double& value : y_) value *= rho_ / next;
    rho_ = next;
    if (!factorize(problem)) break;
  }
  iterate_.finish(options_.tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.passed() ? kTimeIsUp : "the alternating directions did not converge";
  }
  return report;
}

}  // namespace stickslip
