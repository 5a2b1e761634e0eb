// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/de_saxce.h"

#include <algorithm>
#include <cmath>

#include "stickslip/cone/de_saxce_shift.h"

namespace stickslip {
namespace {

/// The inner residual sought, as a share of the outer one: below 1, since they begin as one and the same. [-]
constexpr double kShare = 0.1;

}  // namespace

std::optional<std::string> DeSaxceSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

SolveReport DeSaxceSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  const Deadline deadline(options_.time_limit, options_.stop);
  bool is_copied = false;
  while (!iterate_.best().is_within(tolerance) && report.iterations < options_.max_iterations && !deadline.passed()) {
    if (!is_copied) {
      convex_ = problem;
      convex_.law = FrictionLaw::associated;
      is_copied = true;
    }
    convex_.b.assign(problem.b.begin(), problem.b.end());
    add_de_saxce_shift(problem, iterate_.u(), convex_.b);
    guess_.p.assign(iterate_.p().begin(), iterate_.p().end());
    if (!inner_.start(convex_, guess_)) break;
    newton_.start();
    // In m/s: where friction is large, the velocities b + s that would make it relative are so, too.
    const Tolerance inner = {.absolute = kShare * iterate_.last().absolute};
    const int used = newton_
                         .run(convex_, inner, options_.max_iterations - report.iterations, HUGE_VAL,
                              ProximalNewton::kFirstParameter, deadline, inner_)
                         .iterations;
    if (used == 0) break;  // the shift changes no more
    report.iterations += used;
    inner_.return_to_best();
    std::copy(inner_.p().begin(), inner_.p().end(), iterate_.p().begin());
    iterate_.judge();
  }
  iterate_.finish(tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "the fixed point of the shift did not converge";
  }
  return report;
}

}  // namespace stickslip
