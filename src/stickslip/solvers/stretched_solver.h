// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/solvers/assembled_delassus.h"

namespace stickslip {

// Any solver for problems with stretches (cone/stretch.h). With u^ = S u they are problems without,
//
//   u^ = (S W) p + S b,   K* contains u^ + s(u^),   u^ + s(u^) perpendicular to p,   p in K,
//
// whose Delassus operator is not symmetric: W is multiplied out in blocks, and its rows are stretched. The answer has
// the residual that calc_residual gives for the original problem. Problems without stretches are passed on unchanged.
// Proofs of convergence by gradients of 1/2 p^T W p or for symmetric W do not hold; docs/solvers.md says what the
// solvers solve.
class StretchedSolver final : public ConeSolver {
 public:
  StretchedSolver(std::unique_ptr<ConeSolver> solver, StopToken stop);

  std::string_view name() const override { return solver_->name(); }
  double tolerance() const override { return solver_->tolerance(); }
  std::optional<std::string> refuses(const ConeProblem& problem) const override { return solver_->refuses(problem); }

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  void set_plain(const ConeProblem& problem);

  std::unique_ptr<ConeSolver> solver_;
  AssembledDelassus assembled_;
  ConeProblem plain_;        // in terms of u^
  std::vector<int> dims_;    // of the columns of a row
  std::vector<double> row_;  // [1/kg] its blocks, one after the other
};

}  // namespace stickslip
