// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/banded_cholesky.h"

#include <gtest/gtest.h>

#include <random>

namespace stickslip {
namespace {

TEST(BandedCholesky, SolvesWhatItFactored) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int n = 1; n <= 9; ++n) {
    for (int bandwidth = 0; bandwidth < 4; ++bandwidth) {
      Matrix A = Matrix::Zero(n, n);
      for (int i = 0; i < n; ++i) {
        for (int j = std::max(0, i - bandwidth); j < i; ++j) A(i, j) = A(j, i) = uniform(generator);
        A(i, i) = 8.0;  // dominates: positive definite
      }
      const BandedCholesky factor(A, bandwidth);
      ASSERT_TRUE(factor.positive_definite());
      Matrix x(2, n);  // two right-hand sides interleaved
      for (double& value : x.reshaped()) value = uniform(generator);
      const Matrix b = A * x.transpose();
      Vector solved(2 * n);
      for (int i = 0; i < n; ++i) {
        solved(2 * i) = b(i, 0);
        solved(2 * i + 1) = b(i, 1);
      }
      factor.solve(solved.data(), 2);
      factor.solve(solved.data() + 1, 2);
      EXPECT_LT((solved - x.reshaped()).norm(), 1e-13);
    }
  }
}

TEST(BandedCholesky, NoticesSingularMatrices) {
  Matrix A(3, 3);
  A << 1.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 1.0;
  EXPECT_FALSE(BandedCholesky(A, 1).positive_definite());
}

}  // namespace
}  // namespace stickslip
