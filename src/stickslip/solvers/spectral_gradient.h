// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "stickslip/solvers/deadline.h"
#include "stickslip/solvers/first_order.h"

namespace stickslip {

// The spectral projected gradient method [Birgin2000] for 1/2 p^T W p + b^T p over K, in the metric and with the
// projection of FirstOrder:
//
//   d = P(p - alpha D^-1 u) - p,    p+ = p + t d,
//
// alpha a Barzilai-Borwein step [Barzilai1988], the short d^T W d / d^T W D^-1 W d, and every kLongEvery-th time the
// long d^T D d / d^T W d; t = 1 unless the objective would exceed the largest of the last kMemory ones, then the exact
// minimum along d.
//
// Deviation: under the exact law with friction there is no objective, t is 1 and nothing guarantees convergence. An
// iteration is one product with W. Takes all cones.
class SpectralGradient {
 public:
  /// Begins at the present iterate, begun with the problem.
  void start(const ConeProblem& problem, Iterate& iterate);
  /// Iterates until the best residual is within the tolerance, after max_iterations or the deadline; goes on where
  /// the last call ended. Returns how many iterations it took.
  int advance(const ConeProblem& problem, Tolerance tolerance, int max_iterations, const Deadline& deadline,
              Iterate& iterate);
  /// The least residual since start(). [m/s]
  double least_defect() const { return first_order_.least_defect(); }

 private:
  /// Objectives that a new one is compared with.
  static constexpr std::size_t kMemory = 10;

  double calc_objective(const ConeProblem& problem) const;
  void iterate_once(const ConeProblem& problem, int k);

  FirstOrder first_order_;
  int k_ = 0;                         // [-] iterations since start()
  std::vector<double> p_, change_;    // (n) [N s]
  std::vector<double> wp_, scratch_;  // (n) [m/s] W p; the gradient, then W times the change
  std::array<double, kMemory> objectives_ = {};
  double alpha_ = 1.0;
  bool has_objective_ = true;
};

}  // namespace stickslip
