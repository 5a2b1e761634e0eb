// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/disjoint_sets.h"
#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"
#include "stickslip/solvers/assembled_delassus.h"
#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// A solver that keeps islands independent. An island is a set of cones that W connects, directly or through others,
// such as a squeezed body or a distant stack. W is block diagonal over islands, so a problem is solved if each of its
// islands is, and most methods solve them at once. If one island has no solution this fails: steps have one length for
// all, and percussions that grow without bound set the scale by which the rest is judged.
//
// Method: solve the problem as a whole; if that fails, solve each unsolved island by itself, from the guess. The report
// is that of the worst island. A single unsolved island is left as it is. Iterations are counted over all solves,
// `effort` is of the first.
class IslandSolver final : public ConeSolver {
 public:
  IslandSolver(std::unique_ptr<ConeSolver> solver, const StopOptions& options);

  std::string_view name() const override { return solver_->name(); }
  double tolerance() const override { return solver_->tolerance(); }
  std::optional<std::string> refuses(const ConeProblem& problem) const override { return solver_->refuses(problem); }

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  int find_islands(const ConeProblem& problem);
  void set_island(const ConeProblem& problem, int island);
  void take_part(const ConeProblem& problem, const std::vector<double>& p);
  void find_unsolved(const ConeProblem& problem, int n, double asked, const ConeSolution& solution);
  void solve_islands(const ConeProblem& problem, int n, Tolerance tolerance, const Deadline& deadline,
                     ConeSolution& solution, SolveReport& report);

  std::unique_ptr<ConeSolver> solver_;
  double time_limit_;  // [s] after which no island is begun; also the limit of each island
  StopToken stop_;
  AssembledDelassus assembled_;
  struct Squared {
    double defect = 0.0, missed = 0.0;  // [m^2/s^2] absolute and missed of Residual, squared
  };
  DisjointSets sets_{0};
  std::vector<int> first_;        // (keys of W) cone
  std::vector<Squared> squared_;  // (islands)
  std::vector<int> island_of_;    // (cones)
  std::vector<int> cones_;        // of the island that is solved
  std::vector<int> place_;        // (cones) among them
  std::vector<int> columns_, dims_;
  std::vector<double> values_;
  std::vector<int> unsolved_;
  std::vector<double> start_;  // (n) [N s] the starting guess
  ConeProblem island_;
  ConeSolution of_island_;
};

}  // namespace stickslip
