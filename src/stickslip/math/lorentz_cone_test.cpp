// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/lorentz_cone.h"
#include "tests/support/draw_normal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace stickslip {
namespace {

using test::draw_normal;

constexpr double kProductRoundOff = 1e-14;
/// Central differences of this length, on functions of size one: their error is about its square, and 1e-16 over it.
constexpr double kDifference = 1e-6;
constexpr double kDerivative = 1e-8;

std::vector<double> calc_phi(const std::vector<double>& x, const std::vector<double>& y) {
  const auto dim = static_cast<int>(x.size());
  std::vector<double> phi(dim);
  std::vector<double> by_x(dim * dim);
  std::vector<double> by_y(dim * dim);
  calc_fischer_burmeister(dim, x.data(), y.data(), phi.data(), by_x.data(), by_y.data());
  return phi;
}

TEST(LorentzCone, ProductAndQuotientAreInverse) {
  std::mt19937 random(1);
  for (int dim = 1; dim <= 5; ++dim) {
    std::vector<double> a = draw_normal(dim, random);
    const std::vector<double> b = draw_normal(dim, random);
    a[0] = 3.0 + std::abs(a[0]);
    std::vector<double> product(dim);
    std::vector<double> quotient(dim);
    multiply_jordan(dim, a.data(), b.data(), product.data());
    divide_jordan(dim, a.data(), product.data(), quotient.data());
    for (int r = 0; r < dim; ++r) EXPECT_NEAR(quotient[r], b[r], 10.0 * kProductRoundOff);
  }
}

TEST(LorentzCone, FischerBurmeisterSquaresToTheSum) {
  // (x + y - phi)^2 = x^2 + y^2, and x + y - phi is in L.
  std::mt19937 random(2);
  for (int dim = 1; dim <= 5; ++dim) {
    for (int trial = 0; trial < 20; ++trial) {
      const auto x = draw_normal(dim, random);
      const auto y = draw_normal(dim, random);
      const auto phi = calc_phi(x, y);
      std::vector<double> z(dim);
      for (int r = 0; r < dim; ++r) z[r] = x[r] + y[r] - phi[r];
      EXPECT_GE(calc_determinant(dim, z.data()), -kProductRoundOff);
      std::vector<double> zz(dim);
      std::vector<double> xx(dim);
      std::vector<double> yy(dim);
      multiply_jordan(dim, z.data(), z.data(), zz.data());
      multiply_jordan(dim, x.data(), x.data(), xx.data());
      multiply_jordan(dim, y.data(), y.data(), yy.data());
      for (int r = 0; r < dim; ++r) EXPECT_NEAR(zz[r], xx[r] + yy[r], 100.0 * kProductRoundOff);
    }
  }
}

TEST(LorentzCone, FischerBurmeisterVanishesOnComplementaryPairsOnly) {
  const double s = 1.0 / std::sqrt(2.0);
  const std::vector<std::vector<double>> pairs = {
      {0.0, 0.0, 0.0, 2.0, 1.0, 0.5},        // x = 0, y inside
      {2.0, 1.0, 0.5, 0.0, 0.0, 0.0},        // x inside, y = 0
      {1.0, s, s, 3.0, -3.0 * s, -3.0 * s},  // both on the boundary, opposite
      {1e-9, 1e-9 * s, 1e-9 * s, 3.0, -3.0 * s, -3.0 * s},
      {1.0, 1.0, 0.0, 0.0, 0.0, 0.0},  // x on the boundary, y = 0
      {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
  for (const auto& pair : pairs) {
    for (const double value : calc_phi({pair.begin(), pair.begin() + 3}, {pair.begin() + 3, pair.end()})) {
      EXPECT_NEAR(value, 0.0, 10.0 * kProductRoundOff);
    }
  }
  for (const auto& [x, y] : {std::pair{std::vector{1.0, 2.0, 0.0}, std::vector{0.0, 0.0, 0.0}},  // x outside
                             std::pair{std::vector{1.0, 0.0, 0.0}, std::vector{1.0, 0.0, 0.0}}}) {
    const auto phi = calc_phi(x, y);
    double size = 0.0;
    for (const double value : phi) size = std::max(size, std::abs(value));
    EXPECT_GT(size, 0.1);
  }
}

TEST(LorentzCone, DerivativeAgainstDifferences) {
  std::mt19937 random(3);
  for (int dim = 1; dim <= 5; ++dim) {
    for (int trial = 0; trial < 20; ++trial) {
      const auto x = draw_normal(dim, random);
      const auto y = draw_normal(dim, random);
      std::vector<double> phi(dim);
      std::vector<double> by_x(dim * dim);
      std::vector<double> by_y(dim * dim);
      calc_fischer_burmeister(dim, x.data(), y.data(), phi.data(), by_x.data(), by_y.data());
      for (int j = 0; j < dim; ++j) {
        for (const bool of_x : {true, false}) {
          auto x_more = x, x_less = x, y_more = y, y_less = y;
          (of_x ? x_more : y_more)[j] += kDifference;
          (of_x ? x_less : y_less)[j] -= kDifference;
          const auto more = calc_phi(x_more, y_more);
          const auto less = calc_phi(x_less, y_less);
          for (int i = 0; i < dim; ++i) {
            const double slope = (more[i] - less[i]) / (2.0 * kDifference);
            EXPECT_NEAR((of_x ? by_x : by_y)[i * dim + j], slope, kDerivative);
          }
        }
      }
    }
  }
}

TEST(LorentzCone, DerivativeIsBoundedAtTheKinks) {
  // x o x + y o y on the boundary of L, and zero: entries of the generalised derivative stay of size one.
  for (const auto& [x, y] : {std::pair{std::vector{1.0, 1.0, 0.0}, std::vector{0.0, 0.0, 0.0}},
                             std::pair{std::vector{0.0, 0.0, 0.0}, std::vector{2.0, 0.0, -2.0}},
                             std::pair{std::vector{0.0, 0.0, 0.0}, std::vector{0.0, 0.0, 0.0}}}) {
    std::vector<double> phi(3);
    std::vector<double> by_x(9);
    std::vector<double> by_y(9);
    calc_fischer_burmeister(3, x.data(), y.data(), phi.data(), by_x.data(), by_y.data());
    for (int k = 0; k < 9; ++k) {
      EXPECT_LE(std::abs(by_x[k]), 3.0);
      EXPECT_LE(std::abs(by_y[k]), 3.0);
    }
  }
}

}  // namespace
}  // namespace stickslip
