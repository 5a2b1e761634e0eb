// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/sparse_lu.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip {
namespace {

/// (n, n) with -1 above, 3 + k / n on and -2 below the diagonal, and a one in a corner.
Eigen::SparseMatrix<double> banded(int n) {
  Eigen::SparseMatrix<double> a(n, n);
  for (int k = 0; k < n; ++k) {
    a.insert(k, k) = 3.0 + static_cast<double>(k) / n;
    if (k > 0) a.insert(k - 1, k) = -1.0;
    if (k + 1 < n) a.insert(k + 1, k) = -2.0;
  }
  a.coeffRef(0, n - 1) += 1.0;
  a.makeCompressed();
  return a;
}

TEST(SparseLu, SolvesWithTheMatrixAndItsTranspose) {
  constexpr int kN = 50;
  const Eigen::SparseMatrix<double> a = banded(kN);
  SparseLu lu;
  ASSERT_TRUE(lu.factorise(a));
  Matrix x(kN, 2);
  for (int k = 0; k < kN; ++k) x.row(k) << std::sin(k), std::cos(k);
  const Matrix b = a * x;
  EXPECT_LT((lu.solve(b) - x).norm(), 1e-13);
  EXPECT_LT((lu.solve(Vector(b.col(0))) - x.col(0)).norm(), 1e-13);
  EXPECT_LT((lu.solve_transposed(Vector(a.transpose() * x.col(0))) - x.col(0)).norm(), 1e-13);
}

TEST(SparseLu, SaysWhereTheFactorsBreakDown) {
  Eigen::SparseMatrix<double> a(3, 3);
  a.insert(0, 0) = 1.0;
  a.insert(2, 2) = 1.0;
  a.makeCompressed();
  EXPECT_FALSE(SparseLu().factorise(a));
}

}  // namespace
}  // namespace stickslip
