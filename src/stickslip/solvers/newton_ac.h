// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/solvers/deadline.h"
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
class AlartCurnier {
 public:
  using Options = NewtonAcOptions;
  static constexpr bool kKeepsBlocks = true;
  static constexpr const char* kFailure = "the Newton steps did not converge";
  explicit AlartCurnier(const Options& options) : newton_(options.stop) {}
  int run(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
          Iterate& iterate);

 private:
  NewtonAccelerator newton_;
  std::vector<double> base_;  // (n) [N s] where a step begins
};

}  // namespace stickslip
