// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/newton_accelerator.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// Semismooth Newton on the laws as equations (natural_map.h): [Alart1991] for the exact law, the natural map of the
// cones for the associated one, with a sparse factorisation (BlockLu) and a line search on the residual. Takes all
// cones.
//
// Deviations: a proximal term, as in [Levenberg1944], makes the matrix regular where W is singular; it rises where no
// length of the step lowers the residual, and falls where the full step does. Each iterate is projected on the cones.
// Quick where the starting guess is near; from far it may end in a minimum of the residual that is no solution, which
// the report then says. `prox` is the surer one.
class NewtonAcSolver final : public ConeSolver {
 public:
  explicit NewtonAcSolver(const NewtonAcOptions& options) : options_(options) {}

  std::string_view name() const override { return NewtonAcOptions::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  const NewtonAcOptions options_;
  Iterate iterate_{options_.stop};
  NewtonAccelerator newton_{options_.stop};
  std::vector<double> base_;  // (n) [N s] where a step begins
};

}  // namespace stickslip
