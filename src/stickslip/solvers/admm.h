// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/solvers/alternating_directions.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

/// The alternating direction method of multipliers (AlternatingDirections) by itself. Takes both laws and all cones.
class AdmmSolver final : public ConeSolver {
 public:
  explicit AdmmSolver(const AdmmOptions& options) : options_(options) {}

  std::string_view name() const override { return AdmmOptions::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  const AdmmOptions options_;
  Iterate iterate_{options_.stop};
  AlternatingDirections directions_{options_.stop};
};

}  // namespace stickslip
