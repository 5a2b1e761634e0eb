// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/newton_ac.h"

#include <algorithm>
#include <limits>

#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/line_search.h"

namespace stickslip {
namespace {

/// Bounds of the proximal term, as a share of the diagonal, and what it is multiplied by.
constexpr double kAcLeastProximal = 1e-10;
constexpr double kAcLargestProximal = 1e2;
constexpr double kAcRise = 30.0;
constexpr double kAcFall = 0.1;
/// Halvings of a step that does not lower the residual.
constexpr int kAcMaxHalvings = 4;

}  // namespace

std::optional<std::string> NewtonAcSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

SolveReport NewtonAcSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  newton_.start();
  double proximal = kAcLeastProximal;
  const Deadline deadline(options_.time_limit, options_.stop);
  while (!iterate_.best().is_within(tolerance) && report.iterations < options_.max_iterations &&
         proximal <= kAcLargestProximal && !deadline.passed()) {
    ++report.iterations;
    base_.assign(iterate_.p().begin(), iterate_.p().end());
    const double before = iterate_.last().absolute;
    std::optional<double> length;
    if (newton_.calc_step(problem, iterate_.rows(), base_, iterate_.u(), proximal, std::numeric_limits<int>::max())) {
      length = halve_until_lower(before, kAcMaxHalvings, [&](double trial) {
        newton_.apply_step(problem, trial, base_, iterate_.p());
        iterate_.judge();
        return iterate_.last().absolute;
      });
    }
    if (length) {
      if (*length == 1.0) proximal = std::max(kAcLeastProximal, kAcFall * proximal);
      continue;
    }
    proximal *= kAcRise;
    std::copy(base_.begin(), base_.end(), iterate_.p().begin());
    iterate_.judge();
  }
  iterate_.finish(tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "the Newton steps did not converge";
  }
  return report;
}

}  // namespace stickslip
