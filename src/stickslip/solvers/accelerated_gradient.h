// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/first_order.h"

namespace stickslip {

// Accelerated projected gradient descent of 1/2 p^T W p + b^T p over K ([Nesterov2004, section 2.2] for contacts in
// [Mazhar2015, algorithm 1]), in the metric and with the projection of FirstOrder:
//
//   p+ = P(y - (1/L) D^-1 u(y)),    y+ = p+ + beta (p+ - p),
//
// with L from backtracking, tried smaller at each step, and beta from theta+^2 = (1 - theta+) theta^2. The momentum is
// dropped whenever it points uphill, u(y)^T (p+ - p) > 0 ([ODonoghue2015, gradient scheme]).
//
// Deviation: under the exact law the steps are those of no objective, and momentum may drive them round in circles. It
// is dropped there by the generalised gradient, (y - p+)^T D (p+ - p) > 0, and where |p+ - y| grows; nothing
// guarantees convergence.
//
// An iteration is one product with W, backtracking besides. Takes all cones.
class AcceleratedGradient {
 public:
  /// Begins at the present iterate, begun with the problem.
  void start(const ConeProblem& problem, Iterate& iterate);
  /// Iterates until the best residual is within the tolerance, after max_iterations or the deadline; goes on where
  /// the last call ended. Returns how many iterations it took.
  int advance(Tolerance tolerance, int max_iterations, const Deadline& deadline, Iterate& iterate);
  /// The least residual since start(). [m/s]
  double least_defect() const { return first_order_.least_defect(); }

 private:
  void step_with_backtracking();
  bool has_gone_astray();

  FirstOrder first_order_;
  int k_ = 0;           // [-] iterations since start()
  double theta_ = 1.0;  // [-] of the momentum
  bool has_objective_ = true;
  double lipschitz_ = 1.0;                                // [-] L in the metric D
  double least_change_ = 0.0;                             // |next - y|^2 in D, since momentum was dropped last
  std::vector<double> p_, next_, y_, gradient_, change_;  // (n)
  std::vector<double> wp_, w_next_, wy_;                  // (n) [m/s] W times these
};

}  // namespace stickslip
