// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// The factorisation A = L L^T of a symmetric positive definite band matrix, and solves with it.
class BandedCholesky {
 public:
  BandedCholesky() = default;
  /// A (n, n), of which the diagonal and `bandwidth` diagonals below it are read.
  BandedCholesky(const Matrix& A, int bandwidth);

  /// Whether A was positive definite beyond round-off; only then may solve() be called.
  bool positive_definite() const { return positive_definite_; }
  /// x = A^-1 x in place, for the n values x[0], x[stride], x[2 stride], ...
  void solve(double* x, int stride) const;

 private:
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(bandwidth_ + 1) + static_cast<std::size_t>(i - j);
  }
  double& at(int i, int j) { return band_[index(i, j)]; }
  double at(int i, int j) const { return band_[index(i, j)]; }

  int n_ = 0;
  int bandwidth_ = 0;
  bool positive_definite_ = true;
  std::vector<double> band_;  // row i: L(i, i), L(i, i - 1), ...
};

}  // namespace stickslip
