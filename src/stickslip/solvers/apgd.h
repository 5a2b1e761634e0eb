// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/solvers/accelerated_gradient.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// AcceleratedGradient by itself.
class ApgdSolver final : public ConeSolver {
 public:
  explicit ApgdSolver(const ApgdOptions& options) : options_(options) {}

  std::string_view name() const override { return ApgdOptions::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  const ApgdOptions options_;
  Iterate iterate_{options_.stop, false};
  AcceleratedGradient gradient_;
};

}  // namespace stickslip
