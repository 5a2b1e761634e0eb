// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "stickslip/math/sparse.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// LU factors of a sparse square matrix with partial pivoting, in an order of little fill [Demmel1999]: Eigen's,
/// compiled once.
class SparseLu {
 public:
  SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;
  ~SparseLu();

  /// Factorises a (n, n); false where the factors break down.
  [[nodiscard]] bool factorise(const Eigen::SparseMatrix<double>& a);
  /// x = A^-1 b and x = A^-T b, b (n) or (n, k).
  Vector solve(const Vector& b) const;
  Matrix solve(const Matrix& b) const;
  Vector solve_transposed(const Vector& b) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace stickslip
