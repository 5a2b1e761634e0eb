// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/math/sparse_lu.h"

namespace stickslip {

/// Linear systems A x = b, sparse and perhaps singular, as those of Newton steps with many contacts, which are
/// redundant in every heap with friction. Solved as (A + epsilon I) x = b by LU factors with partial pivoting in an
/// order of little fill [Demmel1999], followed by iterative refinement on A, which converges to a solution of A x = b
/// where there is one. What the null space leaves open is small where b is in the range, up to round-off in b over
/// epsilon. A should be scaled so that its diagonal is about one.
class SparseSolver {
 public:
  /// Epsilon where rank is not known. Round-off in b moves what does not matter by as much over this; weaker directions
  /// that matter are found by refinement. [-]
  static constexpr double kRegular = 1e-8;

  /// Begins a system of n rows.
  void clear(int n);
  /// Values of one place add up.
  void add(int row, int column, double value);
  /// x (n) from b (n), which may be the same. regular: epsilon >= 0. False where the factors break down.
  [[nodiscard]] bool solve(double regular, const double* b, double* x);

 private:
  std::vector<Eigen::Triplet<double, int>> values_;
  Eigen::SparseMatrix<double> matrix_, regular_;
  SparseLu lu_;
  Vector right_, change_;
  int n_ = 0;
};

}  // namespace stickslip
