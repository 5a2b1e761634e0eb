// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/ipm.h"

#include <cmath>

namespace stickslip {

std::optional<std::string> IpmSolver::refuses(const ConeProblem& problem) const {
  if (const char* reason = InteriorPoint::find_reason_to_refuse(problem)) return reason;
  return std::nullopt;
}

SolveReport IpmSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  const Deadline deadline(options_.time_limit, options_.stop);
  if (!iterate_.best().is_within(tolerance)) {
    delassus_.start();
    report.iterations = interior_point_.run(problem, tolerance, options_.max_iterations, deadline, iterate_);
    newton_.start();
    report.iterations += newton_
                             .run(problem, tolerance, options_.max_iterations - report.iterations, HUGE_VAL,
                                  ProximalNewton::kPolishParameter, deadline, iterate_)
                             .iterations;
  }
  iterate_.finish(tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "neither interior points nor Newton steps converged";
  }
  return report;
}

}  // namespace stickslip
