// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/local_solver.h"
#include "stickslip/solvers/newton_accelerator.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// Nonsmooth Gauss-Seidel ([Jean1999], [Acary2008, chapter 13]): cone after cone, in the problem's order, is solved
// exactly (LocalSolver) with all others held, until the residual of the whole problem is at the tolerance. Takes both
// laws and all cones.
//
// Where we deviate, and why:
//   - A problem of one cone is solved directly.
//   - From time to time, as often as its cost is that of the sweeps since the last time, semismooth Newton steps on
//     the whole problem are tried (NewtonAccelerator) and kept if the residual falls. Sweeps settle the status of
//     each contact within a few passes but the rest converges linearly, slowly where contacts are redundant. At
//     the end small problems get such steps as a polish, so that a body at rest stays at rest to round-off and not
//     only to the tolerance; not so where that is 1e-6 or looser. Where joints are and nothing rubs they come first.
//   - Where the changes stop falling (under exact Coulomb friction sweeps can cycle between two solutions of a local
//     problem), the changes are under-relaxed, the more the longer it lasts.
//   - The iterate with the least residual is returned, the starting guess included.
class NsgsSolver final : public ConeSolver {
 public:
  explicit NsgsSolver(const NsgsOptions& options) : options_(options) {}

  std::string_view name() const override { return "nsgs"; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  SolveReport solve_several(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution);
  SolveReport solve_single(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution);
  void accelerate(const ConeProblem& problem, Tolerance tolerance, int max_rows, int max_steps);
  bool step_to_surface(const ConeProblem& problem, double at_base);
  void watch_progress(double change);
  int count_choices(const ConeProblem& problem);

  const NsgsOptions options_;
  Iterate iterate_{options_.stop};
  LocalSolver local_;
  NewtonAccelerator newton_{options_.stop};
  std::vector<double> before_newton_;  // (n) [N s] where the Newton steps began
  std::vector<double> newton_base_;    // (n) [N s] where the present one begins
  double relaxation_ = 1.0;            // [-] share of each change that is made
  int window_sweeps_ = 0;              // [-] sweeps in the present window of watch_progress
  double window_change_ = 0.0;         // [m/s] the least change in it
  double last_window_change_ = 0.0;    // [m/s] and in the one before
};

}  // namespace stickslip
