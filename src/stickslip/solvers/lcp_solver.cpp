// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/lcp_solver.h"

#include <type_traits>

namespace stickslip {

template <class OptionsOf>
const char* LcpMethod<OptionsOf>::describe_failure() const {
  if (outcome_ == LcpOutcome::ray) return "ended on a ray, which is no proof that there is no solution";
  if (outcome_ == LcpOutcome::singular) return "a basis was singular to working accuracy";
  if (outcome_ == LcpOutcome::gave_up) return "the iterations did not converge";
  return lcp_.is_approximate() ? "solved with polygons in place of friction discs" : "solved, but not to the tolerance";
}

template <class OptionsOf>
int LcpMethod<OptionsOf>::run(const ConeProblem& problem, Tolerance tolerance, int max_iterations,
                              const Deadline& deadline, Iterate& iterate) {
  constexpr double kInnerTolerance = 0.1;  // [-] share of the tolerance on the cone problem, which is judged otherwise
  lcp_.build(problem, stop_);
  LcpResult result;
  if constexpr (std::is_same_v<OptionsOf, LemkeOptions>) {
    result = solve_by_lemke(lcp_.m(), lcp_.q(), max_iterations, deadline);
  } else {
    result = solve_by_newton(lcp_.m(), lcp_.q(), Vector::Zero(lcp_.q().size()),
                             kInnerTolerance * iterate.last().calc_share(tolerance), max_iterations, deadline);
  }
  outcome_ = result.outcome;
  lcp_.recover(result.z, iterate.p());
  iterate.judge();
  return result.iterations;
}

template class LcpMethod<LemkeOptions>;
template class LcpMethod<LcpNewtonOptions>;

}  // namespace stickslip
