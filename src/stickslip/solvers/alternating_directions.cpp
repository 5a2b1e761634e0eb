// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/alternating_directions.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {
namespace {

constexpr int kAdmmJudgeEvery = 5;
constexpr double kOverRelaxation = 1.6;
/// The penalty changes where one residual is this many times the other, looked at every so many iterations, by the
/// square root of their ratio but no more than a factor.
constexpr double kOutOfBalance = 5.0;
constexpr int kBalanceEvery = 25;
constexpr double kMaxChange = 10.0;
constexpr double kFirstPenalty = 0.1;
constexpr double kLeastPenalty = 1e-6;
constexpr double kLargestPenalty = 1e6;
/// The rate is that of so many iterations.
constexpr int kRateOver = 20;

}  // namespace

double AlternatingDirections::start(const ConeProblem& problem) {
  delassus_.start();
  return static_cast<double>(delassus_.get(problem).columns().size()) / problem.n_cones();
}

/// Factorises W + rho D.
bool AlternatingDirections::factorize(const ConeProblem& problem) {
  const AssembledDelassus& w = delassus_.get(problem);
  lu_.clear_values();
  std::array<double, kMaxConeDim * kMaxConeDim> diagonal;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const int dim = dims_[i];
    for (int k = w.row_begin()[i]; k < w.row_begin()[i + 1]; ++k) {
      lu_.add(k, w.block(k));
      if (w.columns()[k] != i) continue;
      std::fill_n(diagonal.begin(), dim * dim, 0.0);
      for (int r = 0; r < dim; ++r) diagonal[r * dim + r] = rho_ * first_order_.metric()[problem.cones[i].offset + r];
      lu_.add(k, diagonal.data());
    }
  }
  return lu_.factorize() >= 0;
}

/// z from the present iterate, and y such that -rho D y are the velocities of z.
void AlternatingDirections::begin(const ConeProblem& problem, Iterate& iterate) {
  const std::size_t n = problem.b.size();
  for (auto* vector : {&p_, &z_, &before_, &y_, &right_}) vector->resize(n);
  first_order_.start(problem, iterate);
  dims_.clear();
  for (const Cone& cone : problem.cones) dims_.push_back(cone.dim);
  const AssembledDelassus& w = delassus_.get(problem);
  lu_.analyze(dims_, w.row_begin(), w.columns());
  rho_ = kFirstPenalty;
  std::copy(iterate.p().begin(), iterate.p().end(), z_.begin());
  first_order_.project(z_);
  first_order_.apply(z_, right_);
  for (std::size_t i = 0; i < n; ++i) y_[i] = -(right_[i] + problem.b[i]) / (rho_ * first_order_.metric()[i]);
}

void AlternatingDirections::iterate_once(const ConeProblem& problem) {
  const std::size_t n = problem.b.size();
  const std::span<const double> metric = first_order_.metric();
  for (std::size_t i = 0; i < n; ++i) right_[i] = rho_ * metric[i] * (z_[i] - y_[i]) - problem.b[i];
  p_ = right_;
  lu_.solve(p_);
  before_ = z_;
  for (std::size_t i = 0; i < n; ++i) {
    right_[i] = kOverRelaxation * p_[i] + (1.0 - kOverRelaxation) * z_[i];
    z_[i] = right_[i] + y_[i];
  }
  first_order_.project(z_);
  for (std::size_t i = 0; i < n; ++i) y_[i] += right_[i] - z_[i];
}

/// The penalty that would balance both residuals, or the present one where they are balanced.
double AlternatingDirections::calc_balanced_penalty() {
  for (std::size_t i = 0; i < p_.size(); ++i) right_[i] = p_[i] - z_[i];
  const double primal = std::sqrt(first_order_.calc_metric_product(right_, right_));
  for (std::size_t i = 0; i < p_.size(); ++i) right_[i] = z_[i] - before_[i];
  const double dual = rho_ * std::sqrt(first_order_.calc_metric_product(right_, right_));
  const double ratio = std::sqrt(primal / dual);
  const double out_of_balance = std::sqrt(kOutOfBalance);
  if (!std::isfinite(ratio) || (ratio < out_of_balance && ratio > 1.0 / out_of_balance)) return rho_;
  return std::clamp(rho_ * std::clamp(ratio, 1.0 / kMaxChange, kMaxChange), kLeastPenalty, kLargestPenalty);
}

int AlternatingDirections::run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, double max_promised,
                               const Deadline& deadline, Iterate& iterate) {
  begin(problem, iterate);
  if (!factorize(problem)) return 0;
  int iterations = 0;
  const auto calc_excess = [&] { return iterate.last().absolute / iterate.last().calc_asked(tolerance); };
  double before = calc_excess();
  while (!iterate.best().is_within(tolerance) && iterations < max_iterations && !deadline.passed()) {
    ++iterations;
    iterate_once(problem);
    if (iterations % kAdmmJudgeEvery == 0 || iterations == max_iterations) {
      first_order_.judge(z_, iterate);
    }
    if (iterations % kRateOver == 0 && std::isfinite(max_promised)) {
      const double now = calc_excess();
      const double promised = kRateOver * std::log(now) / std::log(before / now);
      if (now > 1.0 && !(promised > 0.0 && promised <= max_promised)) break;
      before = now;
    }
    if (iterations % kBalanceEvery != 0) continue;
    const double next = calc_balanced_penalty();
    if (next == rho_) continue;
    for (double& value : y_) value *= rho_ / next;
    rho_ = next;
    if (!factorize(problem)) break;
  }
  return iterations;
}

}  // namespace stickslip
