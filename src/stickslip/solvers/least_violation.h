// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/cone/cone_solver.h"
#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// A solver whose answers stay bounded if a problem has no solution, as when walls close on a body. There the violation
// of iterates falls as their percussions grow without bound along directions that W maps to zero, and their round-off
// would shoot a body away.
//
// Problem: find the least violation r, a shift of b with which the laws can be obeyed, and percussions near the least
// that obey them then. Method: two regularised problems with one small parameter e, D the mean diagonal of each W_ii:
//
//   p_1:  u = (W + e D) p + b obeys the laws;           where there is no solution e D p_1 tends to r as e falls: the
//         least element of the range of the laws' operator [Pazy1971]
//   p_2:  u = (W + e D) p + b + e D p_1 obeys them;     bounded as e falls, though not always the least in the norm
//         sum of D p^2, as p_1 may lie to one side of the solutions
//
// where W is positive semidefinite and the law is the associated one. Under the exact law the same problems are solved:
// both have solutions, as W + e D is positive definite, and their limits obey the laws with the velocities u + r.
//
// Deviation: this is only tried if the solver ended far from a solution, with percussions far beyond what velocities
// and masses explain, `auto` does not come near one either, and there are at most kMaxRows rows. The answer is taken if
// its violation is about as small with far smaller percussions; an answer within bounds is never replaced. The
// iterations count beyond max_iterations.
class LeastViolationSolver final : public ConeSolver {
 public:
  LeastViolationSolver(std::unique_ptr<ConeSolver> solver, const StopOptions& options);

  std::string_view name() const override { return solver_->name(); }
  double tolerance() const override { return solver_->tolerance(); }
  std::optional<std::string> refuses(const ConeProblem& problem) const override { return solver_->refuses(problem); }

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  double calc_size(const std::vector<double>& p) const;
  double calc_explained(const std::vector<double>& b) const;
  bool has_solution(const ConeProblem& problem, const Deadline& deadline, SolveReport& report) const;
  void bound(const ConeProblem& problem, Tolerance asked, const Deadline& deadline, ConeSolution& solution,
             SolveReport& report) const;

  std::unique_ptr<ConeSolver> solver_;
  double time_limit_;  // [s] of both
  StopToken stop_;
  std::vector<double> start_;      // (n) [N s] the starting guess
  std::vector<double> diagonals_;  // (n) [1/kg] D
};

}  // namespace stickslip
