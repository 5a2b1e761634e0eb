// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/solvers/facet_lcp.h"
#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/lcp.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// Cone problems by way of a linear complementarity problem: facet_lcp.h states it, lcp.h solves it. What has planar
// friction, polygons, boxes, half lines and bilateral rows alone is solved exactly; friction discs become polygons, and
// the residual of the problem itself then says how far off that is. Both allocate in each solve: their matrices change
// size with the problem and its pivots.

/// Lemke's method; an iteration is a pivot.
class LemkeSolver final : public ConeSolver {
 public:
  explicit LemkeSolver(const LemkeOptions& options) : options_(options), lcp_(options.facets) {}

  std::string_view name() const override { return "lemke"; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override { return FacetLcp::refuses(problem); }

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  const LemkeOptions options_;
  FacetLcp lcp_;
  Iterate iterate_{options_.stop};
};

/// Semismooth Newton on the Fischer-Burmeister function; an iteration is a Newton step.
class LcpNewtonSolver final : public ConeSolver {
 public:
  explicit LcpNewtonSolver(const LcpNewtonOptions& options) : options_(options), lcp_(options.facets) {}

  std::string_view name() const override { return "lcp-newton"; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override { return FacetLcp::refuses(problem); }

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  const LcpNewtonOptions options_;
  FacetLcp lcp_;
  Iterate iterate_{options_.stop};
};

}  // namespace stickslip
