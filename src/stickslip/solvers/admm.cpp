// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/admm.h"

#include <cmath>

namespace stickslip {

std::optional<std::string> AdmmSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

SolveReport AdmmSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  const Deadline deadline(options_.time_limit, options_.stop);
  if (!iterate_.best().is_within(tolerance)) {
    directions_.start(problem);
    report.iterations = directions_.run(problem, tolerance, options_.max_iterations, HUGE_VAL, deadline, iterate_);
  }
  iterate_.finish(tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "the alternating directions did not converge";
  }
  return report;
}

}  // namespace stickslip
