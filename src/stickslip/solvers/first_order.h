// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "stickslip/solvers/iterate.h"

namespace stickslip {

/// What first-order methods share. They work in the metric D = diag(w_i), w_i the mean diagonal of W_ii: a scalar for
/// each cone, which no cone changes under, and which makes masses of any ratio look alike. In it the gradient of
/// 1/2 p^T W p + (b + s)^T p is D^-1 u^ with u^ = W p + b + s, s De Saxce's shift under the exact law and zero under
/// the associated one.
class FirstOrder {
 public:
  /// Iterations of gradients between two judgements.
  static constexpr int kJudgeEvery = 10;

  /// Takes the problem that `iterate` has started on, and its StopToken.
  void start(const ConeProblem& problem, const Iterate& iterate);

  /// wp = W p. Shapes (n). [m/s] Throws Interrupted where it is to end.
  void apply(std::span<const double> p, std::span<double> wp);
  /// u_hat = wp + b + s. Shapes (n). [m/s]
  void calc_gradient(std::span<const double> wp, std::span<double> u_hat) const;
  /// result = P_K(p - step D^-1 u_hat). Shapes (n). [N s]
  void step(std::span<const double> p, double step, std::span<const double> u_hat, std::span<double> result) const;

  /// a^T D b, a^T D^-1 b and a^T b. Shapes (n).
  double calc_metric_product(std::span<const double> a, std::span<const double> b) const;
  double calc_inverse_metric_product(std::span<const double> a, std::span<const double> b) const;
  static double calc_product(std::span<const double> a, std::span<const double> b);
  /// Multiply-adds of a factorisation (BlockLu) that take as long as an iteration: a product with W, a projection.
  static double count_operations(const ConeProblem& problem);
  /// w_i of each row. (n) [1/kg]
  std::span<const double> metric() const { return metric_; }

 private:
  StopToken stop_;
  const ConeProblem* problem_ = nullptr;
  std::vector<double> metric_;  // (n) [1/kg]
  std::vector<double> work_;    // of W p
};

}  // namespace stickslip
