// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/solvers/solver_options.h"
#include "stickslip/solvers/spectral_gradient.h"

namespace stickslip {

/// The spectral projected gradient method by itself: spectral_gradient.h.
class SpgSolver final : public ConeSolver {
 public:
  explicit SpgSolver(const SpgOptions& options) : options_(options) {}

  std::string_view name() const override { return SpgOptions::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  const SpgOptions options_;
  Iterate iterate_{options_.stop, false};
  SpectralGradient spectral_gradient_;
};

}  // namespace stickslip
