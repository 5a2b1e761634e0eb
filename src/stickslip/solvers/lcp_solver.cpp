// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/lcp_solver.h"

namespace stickslip {
namespace {

/// The LCP is solved to this share of the tolerance on the cone problem, whose residual is measured otherwise. [-]
constexpr double kLcpInnerTolerance = 0.1;

const char* describe(LcpOutcome outcome, bool is_approximate, bool time_is_up) {
  if (outcome == LcpOutcome::ray) return "ended on a ray, which is no proof that there is no solution";
  if (outcome == LcpOutcome::singular) return "a basis was singular to working accuracy";
  if (outcome == LcpOutcome::gave_up) return time_is_up ? kTimeIsUp : "the iterations did not converge";
  if (is_approximate) return "solved with polygons in place of friction discs";
  return "solved, but not to the tolerance";
}

/// What both have in common: `method` solves the LCP.
template <class Method>
SolveReport solve_as_lcp(const ConeProblem& problem, const StopOptions& options, Tolerance tolerance, FacetLcp& lcp,
                         Iterate& iterate, ConeSolution& solution, const Method& method) {
  SolveReport report;
  if (!iterate.begin_solve(problem, solution, report)) return report;
  const Deadline deadline(options.time_limit, options.stop);
  LcpOutcome outcome = LcpOutcome::solved;
  if (!iterate.best().is_within(tolerance)) {
    lcp.build(problem, options.stop);
    const LcpResult result = method(deadline);
    outcome = result.outcome;
    report.iterations = result.iterations;
    lcp.recover(result.z, iterate.p());
    iterate.judge();
  }
  iterate.finish(tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = describe(outcome, lcp.is_approximate(), deadline.is_time_up());
  }
  return report;
}

}  // namespace

SolveReport LemkeSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  return solve_as_lcp(problem, options_, tolerance, lcp_, iterate_, solution, [this](const Deadline& deadline) {
    return solve_by_lemke(lcp_.m(), lcp_.q(), options_.max_iterations, deadline);
  });
}

SolveReport LcpNewtonSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  return solve_as_lcp(problem, options_, tolerance, lcp_, iterate_, solution, [&](const Deadline& deadline) {
    return solve_by_newton(lcp_.m(), lcp_.q(), Vector::Zero(lcp_.q().size()),
                           kLcpInnerTolerance * iterate_.last().calc_share(tolerance), options_.max_iterations,
                           deadline);
  });
}

}  // namespace stickslip
