// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/spg.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/solvers/deadline.h"

namespace stickslip {
namespace {

constexpr int kJudgeEvery = 10;
/// Objectives that a new one is compared with.
constexpr std::size_t kMemory = 10;
/// Share of the expected decrease that is asked for.
constexpr double kSufficient = 1e-4;
/// Bounds of the spectral step, in the metric D.
constexpr double kShortest = 1e-6;
constexpr double kLongest = 1e6;

}  // namespace

std::optional<std::string> SpgSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

SolveReport SpgSolver::solve(const ConeProblem& problem, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  const std::size_t n = problem.b.size();
  first_order_.start(problem, iterate_);
  for (auto* vector : {&p_, &gradient_, &change_, &wp_, &w_change_}) vector->resize(n);
  std::copy(iterate_.p().begin(), iterate_.p().end(), p_.begin());
  project_on_cones(problem, p_);
  first_order_.apply(p_, wp_);
  const bool is_convex = problem.law == FrictionLaw::associated;
  const auto calc_objective = [&] {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += p_[i] * (0.5 * wp_[i] + problem.b[i]);
    return sum;
  };
  std::array<double, kMemory> objectives;
  objectives.fill(calc_objective());
  double alpha = 1.0;
  const Deadline deadline(options_.time_limit, options_.stop);
  while (iterate_.best().relative > options_.tolerance && report.iterations < options_.max_iterations &&
         !deadline.passed()) {
    ++report.iterations;
    first_order_.calc_gradient(wp_, gradient_);
    first_order_.step(p_, alpha, gradient_, change_);
    for (std::size_t i = 0; i < n; ++i) change_[i] -= p_[i];
    first_order_.apply(change_, w_change_);
    const double slope = FirstOrder::calc_product(gradient_, change_);
    const double curvature = FirstOrder::calc_product(change_, w_change_);
    double t = 1.0;
    if (is_convex) {
      const double reference = *std::max_element(objectives.begin(), objectives.end());
      const double present = objectives[(report.iterations - 1) % kMemory];
      if (present + slope + 0.5 * curvature > reference + kSufficient * slope && curvature > 0.0) {
        t = std::min(1.0, -slope / curvature);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      p_[i] += t * change_[i];
      wp_[i] += t * w_change_[i];
    }
    if (is_convex) objectives[report.iterations % kMemory] = calc_objective();
    const double squared = first_order_.calc_metric_product(change_, change_);
    const double squared_w = first_order_.calc_inverse_metric_product(w_change_, w_change_);
    const double spectral = report.iterations % 2 == 0 ? squared / curvature : curvature / squared_w;
    alpha = curvature > 0.0 && squared_w > 0.0 ? std::clamp(spectral, kShortest, kLongest) : kLongest;
    if (report.iterations % kJudgeEvery != 0 && report.iterations != options_.max_iterations) continue;
    std::copy(p_.begin(), p_.end(), iterate_.p().begin());
    iterate_.judge();
    first_order_.apply(p_, wp_);  // free of drift
  }
  iterate_.finish(options_.tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "the spectral gradient steps did not converge";
  }
  return report;
}

}  // namespace stickslip
