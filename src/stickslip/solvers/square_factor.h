// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/math/dense_factors.h"
#include "stickslip/math/sparse_lu.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// LU factors of a square matrix with pivoting: dense up to kDenseRows rows, sparse above.
class SquareFactor {
 public:
  /// [-] A dense factorisation of so many rows takes about a millisecond, which sparse ones hardly undercut.
  static constexpr int kDenseRows = 200;

  /// Factorises matrix (n, n); returns false where it is singular.
  [[nodiscard]] bool factorise(const Eigen::SparseMatrix<double>& matrix);
  /// x = matrix^-1 x and x = matrix^-T x, x (n).
  void solve(Vector& x) const;
  void solve_transposed(Vector& x) const;

 private:
  bool is_dense_ = true;
  DenseLu dense_;
  SparseLu sparse_;
};

}  // namespace stickslip
