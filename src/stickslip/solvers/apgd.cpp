// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/apgd.h"

#include <cmath>

#include "stickslip/solvers/deadline.h"

namespace stickslip {

std::optional<std::string> ApgdSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

SolveReport ApgdSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  const Deadline deadline(options_.time_limit, options_.stop);
  gradient_.start(problem, iterate_);
  report.iterations = gradient_.advance(tolerance, options_.max_iterations, deadline, iterate_);
  iterate_.finish(tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "the accelerated gradient steps did not converge";
  }
  return report;
}

}  // namespace stickslip
