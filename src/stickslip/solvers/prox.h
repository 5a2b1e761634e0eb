// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/solvers/proximal_newton.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

/// The proximal point method around semismooth Newton steps (ProximalNewton) by itself. Takes both laws and all cones.
class ProxSolver final : public ConeSolver {
 public:
  explicit ProxSolver(const ProxOptions& options) : options_(options) {}

  std::string_view name() const override { return ProxOptions::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  const ProxOptions options_;
  Iterate iterate_{options_.stop};
  ProximalNewton newton_{options_.stop};
};

}  // namespace stickslip
