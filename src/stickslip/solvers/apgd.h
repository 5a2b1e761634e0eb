// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/solvers/first_order.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

// Accelerated projected gradient descent of 1/2 p^T W p + b^T p over K ([Nesterov2004, section 2.2] for contacts in
// [Mazhar2015, algorithm 1]), in the metric of FirstOrder:
//
//   p+ = P_K(y - (1/L) D^-1 u^(y)),    y+ = p+ + beta (p+ - p),
//
// with L from backtracking, tried smaller at each step, and beta from theta+^2 = (1 - theta+) theta^2. The momentum is
// dropped whenever the gradient says that it points uphill ([ODonoghue2015, gradient scheme]).
//
// Deviation: the shift of the exact law is taken anew at each y ([DeSaxce1998]); nothing then guarantees convergence.
// An iteration is one product with W, backtracking besides. Takes all cones.
class ApgdSolver final : public ConeSolver {
 public:
  explicit ApgdSolver(const ApgdOptions& options) : options_(options) {}

  std::string_view name() const override { return ApgdOptions::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;
  [[nodiscard]] SolveReport solve(const ConeProblem& problem, ConeSolution& solution) override;

 private:
  double step_with_backtracking();

  const ApgdOptions options_;
  Iterate iterate_{options_.stop};
  FirstOrder first_order_;
  double lipschitz_ = 1.0;                                // [-] L in the metric D
  std::vector<double> p_, next_, y_, gradient_, change_;  // (n)
  std::vector<double> wp_, w_next_, wy_;                  // (n) [m/s] W times these
};

}  // namespace stickslip
