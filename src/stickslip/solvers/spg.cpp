// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/spg.h"

#include <cmath>

#include "stickslip/solvers/deadline.h"

namespace stickslip {

std::optional<std::string> SpgSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

SolveReport SpgSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  const Deadline deadline(options_.time_limit, options_.stop);
  report.iterations = spectral_gradient_.run(problem, tolerance, options_.max_iterations, deadline, iterate_);
  iterate_.finish(tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "the spectral gradient steps did not converge";
  }
  return report;
}

}  // namespace stickslip
