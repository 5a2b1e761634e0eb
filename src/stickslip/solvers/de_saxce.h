// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/proximal_newton.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// De Saxce's fixed point ([DeSaxce1998], [Cadoux2009], [Acary2011]): the exact law is the associated one for b + s(u),
//
//   p+ solves the associated problem of W, b + s(u(p)),   u(p) = W p + b,
//
// so that a convex solver, here ProximalNewton, is called until the shift s no longer changes. Where it converges, it
// does so linearly, the slower the larger friction is (by mu^2 / (1 + mu^2) where W is a multiple of the identity);
// existence of a fixed point is the existence of a solution. The inner problems are solved to a share of the residual
// of the outer one, in m/s. Under the associated law one inner solve is all. Takes all cones; an iteration is
// one of the inner Newton steps.
class DeSaxceSolver final : public ConeSolver {
 public:
  explicit DeSaxceSolver(const DeSaxceOptions& options) : options_(options) {}

  std::string_view name() const override { return DeSaxceOptions::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  const DeSaxceOptions options_;
  Iterate iterate_{options_.stop};
  ProximalNewton newton_{options_.stop};
  ConeProblem convex_;  // the associated problem with the shift in its b
  ConeSolution guess_;
  Iterate inner_{options_.stop};
};

}  // namespace stickslip
