// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/math/block_lu.h"
#include "stickslip/solvers/assembled_delassus.h"
#include "stickslip/solvers/first_order.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// The alternating direction method of multipliers ([Boyd2011]; for contacts [Acary2018], [Daviet2020]): with a copy z
// of p that alone has to lie in K,
//
//   p = (W + rho D)^-1 (rho D (z - y) - b - s),    z = P_K(p^ + y),    y += p^ - z,    p^ = a p + (1 - a) z,
//
// in the metric of FirstOrder, a the over-relaxation. W + rho D is factorised once for each rho (BlockLu), which
// residual balancing changes by factors only when primal |p - z| and dual rho |z - z_before| are far apart. An
// iteration is one solve.
//
// Deviation: the shift s of the exact law is taken anew at each iteration, from the velocities -rho D y that belong to
// z. Takes all cones; under the exact law nothing guarantees convergence.
class AdmmSolver final : public ConeSolver {
 public:
  explicit AdmmSolver(const AdmmOptions& options) : options_(options) {}

  std::string_view name() const override { return AdmmOptions::kName; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;
  [[nodiscard]] SolveReport solve(const ConeProblem& problem, ConeSolution& solution) override;

 private:
  void analyze(const ConeProblem& problem);
  bool factorize(const ConeProblem& problem);

  const AdmmOptions options_;
  Iterate iterate_;
  FirstOrder first_order_;
  AssembledDelassus delassus_;
  BlockLu lu_;
  double rho_ = 1.0;  // [-] in the metric D
  std::vector<int> dims_;
  std::vector<double> p_, z_, before_, y_, right_, gradient_, wp_;  // (n)
};

}  // namespace stickslip
