// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace stickslip {

/// How the residual of a first-order method falls: as a power of the number of iterations.
class GradientProgress {
 public:
  /// Iterations between two judgements.
  static constexpr int kJudgeEvery = 10;
  /// Iterations before they say how the residual falls: earlier ones foretell ten times what is needed (settled piles
  /// of 1000 and 4000 spheres at 1e-3; 160 do so for the larger one, 320 for none).
  static constexpr int kLeastIterations = 320;

  void clear() { best_.clear(); }
  /// The least relative residual so far, once every kJudgeEvery iterations.
  void add(double best) { best_.push_back(best); }
  /// Whether more than `iterations` in all are needed until the residual is at the tolerance, if it goes on falling
  /// with the power of their number with which it fell since a quarter of them. Never says so before that means
  /// anything.
  bool promises_more_than(double iterations, double tolerance) const;

 private:
  std::vector<double> best_;
};

}  // namespace stickslip
