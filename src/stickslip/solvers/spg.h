// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/solvers/first_order.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// The spectral projected gradient method [Birgin2000] for 1/2 p^T W p + b^T p over K, in the metric of FirstOrder:
//
//   d = P_K(p - alpha D^-1 u^) - p,    p+ = p + t d,
//
// alpha a Barzilai-Borwein step [Barzilai1988], the long d^T D d / d^T W d and the short d^T W d / d^T W D^-1 W d in
// turn; t = 1 unless the objective would exceed the largest of the last kMemory ones, then the exact minimum along d.
//
// Deviation: under the exact law the shift is taken anew at each p ([DeSaxce1998]); there is no objective then, t is 1
// and nothing guarantees convergence. An iteration is one product with W. Takes all cones.
class SpgSolver final : public ConeSolver {
 public:
  explicit SpgSolver(const SpgOptions& options) : options_(options) {}

  std::string_view name() const override { return SpgOptions::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;
  [[nodiscard]] SolveReport solve(const ConeProblem& problem, ConeSolution& solution) override;

 private:
  const SpgOptions options_;
  Iterate iterate_{options_.stop};
  FirstOrder first_order_;
  std::vector<double> p_, gradient_, change_;  // (n)
  std::vector<double> wp_, w_change_;          // (n) [m/s] W times these
};

}  // namespace stickslip
