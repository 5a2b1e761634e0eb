// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "stickslip/solvers/iterate.h"

namespace stickslip {

/// Whether solutions minimise 1/2 p^T W p + b^T p in K: under the associated law, or without friction.
bool has_objective(const ConeProblem& problem);

/// What first-order methods share: a metric D and the projection that imposes the laws of contact in it. An iterate is
/// p+ = P(p - alpha D^-1 u), u = W p + b, whose fixed points are the solutions.
///
/// D is diagonal and as near to that of W as a projection allows, which makes masses of any ratio look alike: one value
/// for the normal row of a contact, one for each of its friction blocks, one for a ball. P is, in this metric,
///   - under the associated law the nearest point of the cone;
///   - under the exact one, contact by contact, the nearest normal percussion first, p_N = max(0, x_N), then that of
///     each block in p_N D_b [Alart1991]. The cone with De Saxce's shift has the same solutions, but s(u) = mu |u_T|
///     has its kink at u_T = 0, where sticking contacts end, and takes more iterations.
class FirstOrder {
 public:
  /// Iterations of gradients between two judgements.
  static constexpr int kJudgeEvery = 10;

  /// Takes the problem that `iterate` has started on, and its StopToken.
  void start(const ConeProblem& problem, const Iterate& iterate);

  /// wp = W p. Shapes (n). [m/s] Throws Interrupted where it is to end.
  void apply(std::span<const double> p, std::span<double> wp);
  /// u = wp + b. Shapes (n). [m/s]
  void calc_velocity(std::span<const double> wp, std::span<double> u) const;
  /// p = P(p). Shape (n). [N s]
  void project(std::span<double> p) const;
  /// result = P(p - step D^-1 u). Shapes (n). [N s]
  void step(std::span<const double> p, double step, std::span<const double> u, std::span<double> result) const;

  /// Makes p the present iterate and judges it. Shape (n). [N s]
  void judge(std::span<const double> p, Iterate& iterate);
  /// The least residual (Residual::defect) of those judged so and of where start() began. [m/s]
  double least_defect() const { return least_defect_; }

  /// a^T D b, a^T D^-1 b and a^T b. Shapes (n).
  double calc_metric_product(std::span<const double> a, std::span<const double> b) const;
  double calc_inverse_metric_product(std::span<const double> a, std::span<const double> b) const;
  static double calc_product(std::span<const double> a, std::span<const double> b);
  /// Multiply-adds of a factorisation (BlockLu) that take as long as an iteration: a product with W, a projection.
  static double count_operations(const ConeProblem& problem);
  /// D. (n) [1/kg]
  std::span<const double> metric() const { return metric_; }

 private:
  void set_metric(const Cone& cone, const double* diagonal, double* metric) const;
  void project_on_nearest(const Cone& cone, const double* metric, double* p) const;
  void project_by_normal(const Cone& cone, double* p) const;

  StopToken stop_;
  const ConeProblem* problem_ = nullptr;
  std::vector<double> metric_;  // (n) [1/kg]
  std::vector<double> work_;    // of W p
  double least_defect_ = 0.0;   // [m/s]
};

}  // namespace stickslip
