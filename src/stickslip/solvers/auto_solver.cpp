// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/auto_solver.h"

#include <algorithm>
#include <cmath>

#include "stickslip/solvers/gauss_seidel.h"

namespace stickslip {
namespace {

/// Up to these many rows nsgs, whose Newton steps are dense, is quicker than anything sparse.
constexpr int kFewRows = 16;
/// Its sweeps before something else is tried.
constexpr int kFewRowsSweeps = 200;
/// Sweeps at least, before their rate means anything, and how many more they may promise to need.
constexpr int kLeastSweeps = 3;
constexpr double kPromisedSweeps = 8.0;
/// Proximal Newton steps before interior points are tried, and after them.
constexpr int kNewtonSteps = 30;
/// Sweeps between proximal Newton steps that were stuck and new ones.
constexpr int kRestartSweeps = 50;

NsgsOptions make_nsgs_options(const AutoOptions& options) {
  NsgsOptions nsgs;
  static_cast<StopOptions&>(nsgs) = options;
  nsgs.max_iterations = std::min(options.max_iterations, kFewRowsSweeps);
  return nsgs;
}

}  // namespace

AutoSolver::AutoSolver(const AutoOptions& options) : options_(options), nsgs_(make_nsgs_options(options)) {
}

std::optional<std::string> AutoSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

SolveReport AutoSolver::solve(const ConeProblem& problem, ConeSolution& solution) {
  SolveReport report;
  const Deadline deadline(options_.time_limit);
  int used = 0;
  if (problem.n_cones() == 1 || problem.size() <= kFewRows) {
    report = nsgs_.solve(problem, solution);
    report.method = "nsgs";
    if (report.status != Status::inexact || problem.n_cones() == 1) return report;
    used = report.iterations;
    report = {};
  }
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  newton_.start();
  report.method = "certificate";
  if (iterate_.best().relative > options_.tolerance) local_.prepare(problem, iterate_.rows());
  const auto is_open = [&] {
    return iterate_.best().relative > options_.tolerance && used < options_.max_iterations && !deadline.passed();
  };
  if (is_open()) {
    used += sweep_while_quick(problem, options_.max_iterations - used, deadline);
    report.method = "nsgs";
  }
  if (is_open()) {
    used += run_newton(problem, kNewtonSteps, ProximalNewton::kFirstParameter, used, deadline);
    report.method = "prox";
  }
  if (is_open() && InteriorPoint::find_reason_to_refuse(problem) == nullptr) {
    report.method = "ipm";
    used += interior_point_.run(problem, options_.tolerance, options_.max_iterations - used, deadline, iterate_);
    if (is_open()) used += run_newton(problem, kNewtonSteps, ProximalNewton::kPolishParameter, used, deadline);
  }
  while (is_open()) {
    report.method = "prox";
    used += run_newton(problem, options_.max_iterations, ProximalNewton::kFirstParameter, used, deadline);
    for (int k = 0; k < kRestartSweeps && is_open(); ++k, ++used) {  // it was stuck
      sweep_exactly(problem, local_, 1.0, iterate_);
      iterate_.judge();
    }
  }
  report.iterations = used;
  iterate_.finish(options_.tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.passed() ? kTimeIsUp : "sweeps, Newton steps, interior points: none converged";
  }
  return report;
}

/// Proximal Newton steps from the best iterate; returns how many.
int AutoSolver::run_newton(const ConeProblem& problem, int max_steps, double first_parameter, int used,
                           const Deadline& deadline) {
  iterate_.return_to_best();
  const int budget = std::min(max_steps, options_.max_iterations - used);
  return newton_.run(problem, options_.tolerance, budget, first_parameter, deadline, iterate_).iterations;
}

/// Sweeps, each judged; returns how many.
int AutoSolver::sweep_while_quick(const ConeProblem& problem, int max_sweeps, const Deadline& deadline) {
  int sweeps = 0;
  while (sweeps < max_sweeps && iterate_.best().relative > options_.tolerance && !deadline.passed()) {
    const double before = iterate_.last().relative;
    sweep_exactly(problem, local_, 1.0, iterate_);
    iterate_.judge();
    ++sweeps;
    if (sweeps < kLeastSweeps) continue;
    const double rate = iterate_.last().relative / before;
    if (!(rate < 1.0)) break;
    if (std::log(options_.tolerance / iterate_.last().relative) / std::log(rate) > kPromisedSweeps) break;
  }
  return sweeps;
}

}  // namespace stickslip
