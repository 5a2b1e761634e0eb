// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/prox.h"

#include <cmath>

namespace stickslip {

std::optional<std::string> ProxSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

SolveReport ProxSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  newton_.start();
  const Deadline deadline(options_.time_limit, options_.stop);
  report.iterations = newton_
                          .run(problem, tolerance, options_.max_iterations, HUGE_VAL, ProximalNewton::kFirstParameter,
                               deadline, iterate_)
                          .iterations;
  iterate_.finish(tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "the proximal steps did not converge";
  }
  return report;
}

}  // namespace stickslip
