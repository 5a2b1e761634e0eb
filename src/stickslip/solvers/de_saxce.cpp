// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/de_saxce.h"

#include <algorithm>
#include <array>

#include "stickslip/math/cones.h"

namespace stickslip {
namespace {

/// The inner tolerance as a share of the outer residual.
constexpr double kShare = 0.1;

}  // namespace

std::optional<std::string> DeSaxceSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

/// convex_.b = b + s(u) for the u judged last.
void DeSaxceSolver::shift(const ConeProblem& problem) {
  convex_.b.assign(problem.b.begin(), problem.b.end());
  if (problem.law != FrictionLaw::coulomb) return;
  for (const Cone& cone : problem.cones) {
    if (cone.kind != ConeKind::contact) continue;
    std::array<double, kMaxConeDim> opposite = {};
    for (int r = 0; r < cone.dim; ++r) opposite[r] = -iterate_.u()[cone.offset + r];
    int row = 1;
    for (const FrictionBlock& block : problem.friction(cone)) {
      convex_.b[cone.offset] += calc_support(block, opposite.data() + row);
      row += block.dim;
    }
  }
}

SolveReport DeSaxceSolver::solve(const ConeProblem& problem, ConeSolution& solution) {
  SolveReport report;
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  const Deadline deadline(options_.time_limit);
  bool is_copied = false;
  while (iterate_.best().relative > options_.tolerance && report.iterations < options_.max_iterations &&
         !deadline.passed()) {
    if (!is_copied) {
      convex_ = problem;
      convex_.law = FrictionLaw::associated;
      is_copied = true;
    }
    shift(problem);
    guess_.p.assign(iterate_.p().begin(), iterate_.p().end());
    if (!inner_.start(convex_, guess_)) break;
    newton_.start();
    const double tolerance = std::max(kShare * options_.tolerance, kShare * iterate_.last().relative);
    const int used = newton_
                         .run(convex_, tolerance, options_.max_iterations - report.iterations,
                              ProximalNewton::kFirstParameter, deadline, inner_)
                         .iterations;
    if (used == 0) break;  // the shift changes no more
    report.iterations += used;
    inner_.return_to_best();
    std::copy(inner_.p().begin(), inner_.p().end(), iterate_.p().begin());
    iterate_.judge();
  }
  iterate_.finish(options_.tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.passed() ? kTimeIsUp : "the fixed point of the shift did not converge";
  }
  return report;
}

}  // namespace stickslip
