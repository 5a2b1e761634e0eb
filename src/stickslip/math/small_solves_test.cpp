// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "stickslip/math/dense_solve.h"
#include "stickslip/math/positive_roots.h"
#include "stickslip/math/small_matrix.h"
#include "stickslip/math/symmetric_eigen.h"
#include "tests/support/draw_normal.h"

namespace stickslip {
namespace {

using test::draw_normal;

TEST(SymmetricEigen, RebuildsTheMatrix) {
  std::mt19937 random(1);
  for (int n = 1; n <= 8; ++n) {
    for (int k = 0; k < 100; ++k) {
      std::vector<double> a = draw_normal(n * n, random);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) a[i * n + j] = a[j * n + i];
      }
      std::vector<double> work = a, values(n), vectors(n * n);
      calc_symmetric_eigen(n, work.data(), values.data(), vectors.data());
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          double entry = 0.0, unit = 0.0;
          for (int m = 0; m < n; ++m) entry += vectors[i * n + m] * values[m] * vectors[j * n + m];
          for (int m = 0; m < n; ++m) unit += vectors[i * n + m] * vectors[j * n + m];
          EXPECT_NEAR(entry, a[i * n + j], 1e-13);  // some eps times |A|
          EXPECT_NEAR(unit, i == j ? 1.0 : 0.0, 1e-14);
        }
      }
    }
  }
}

TEST(SymmetricEigen, SmallEigenvalueOfAGradedMatrixIsAccurate) {
  // D C D with D = diag(1, 1e-6) and C well conditioned: the small eigenvalue is det / trace to first order.
  std::vector<double> a = {1.0, 0.5e-6, 0.5e-6, 1e-12};
  std::vector<double> values(2), vectors(4);
  calc_symmetric_eigen(2, a.data(), values.data(), vectors.data());
  const double small = std::min(values[0], values[1]);
  EXPECT_NEAR(small / 0.75e-12, 1.0, 1e-11);  // second order term is 1e-12
}

TEST(DenseSolve, SolvesAndRefusesSingular) {
  std::mt19937 random(2);
  for (const int n : {1, 2, 5, 30}) {
    const std::vector<double> a = draw_normal(n * n, random);
    const std::vector<double> x = draw_normal(n, random);
    std::vector<double> rhs(n, 0.0), work = a;
    add_product(n, n, a.data(), x.data(), rhs.data());
    ASSERT_TRUE(solve_dense(n, work.data(), rhs.data()));
    for (int i = 0; i < n; ++i) EXPECT_NEAR(rhs[i], x[i], 1e-10);  // eps times a condition number of about 1e3
  }
  std::vector<double> singular = {1.0, 2.0, 2.0, 4.0}, rhs = {1.0, 1.0};
  EXPECT_FALSE(solve_dense(2, singular.data(), rhs.data()));
}

/// Coefficients of the product of (t - root).
std::vector<double> expand(const std::vector<double>& roots) {
  std::vector<double> c = {1.0};
  for (const double root : roots) {
    c.insert(c.begin(), 0.0);
    for (std::size_t k = 0; k + 1 < c.size(); ++k) c[k] -= root * c[k + 1];
  }
  return c;
}

TEST(PositiveRoots, BracketsEachRootOnce) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> exponent(-3.0, 3.0);
  for (int k = 0; k < 2000; ++k) {
    std::vector<double> roots;
    for (int i = 0; i < 1 + k % kMaxPolynomialDegree; ++i) {
      roots.push_back((random() % 3 == 0 ? -1.0 : 1.0) * std::pow(10.0, exponent(random)));
    }
    std::sort(roots.begin(), roots.end());
    bool close = false;  // roots that round-off in the coefficients may merge
    for (std::size_t i = 1; i < roots.size(); ++i) close |= std::abs(roots[i] / roots[i - 1] - 1.0) < 0.05;
    if (close) continue;
    const auto c = expand(roots);
    std::array<RootInterval, kMaxPolynomialDegree> intervals;
    const int n = isolate_positive_roots(static_cast<int>(roots.size()), c.data(), intervals);
    roots.erase(std::remove_if(roots.begin(), roots.end(), [](double root) { return root < 0.0; }), roots.end());
    ASSERT_EQ(n, static_cast<int>(roots.size()));
    for (int i = 0; i < n; ++i) {
      EXPECT_LE(intervals[i].low, roots[i]);
      EXPECT_GE(intervals[i].high, roots[i]);
    }
  }
}

TEST(PositiveRoots, DoubleRootAndRootAtTheSplit) {
  std::array<RootInterval, kMaxPolynomialDegree> intervals;
  EXPECT_EQ(isolate_positive_roots(2, expand({1.0, 3.0}).data(), intervals), 2);  // 1 is where tau = 1/2
  EXPECT_GE(isolate_positive_roots(2, expand({2.5, 2.5}).data(), intervals), 1);
  EXPECT_NEAR(intervals[0].low, 2.5, 1e-6);
  EXPECT_EQ(isolate_positive_roots(2, expand({-1.0, -2.0}).data(), intervals), 0);
}

}  // namespace
}  // namespace stickslip
