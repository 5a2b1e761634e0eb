// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/b_spline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stickslip/math/gauss_legendre.h"

namespace stickslip {
namespace {

struct Functions {
  std::vector<double> value, first, second;
};

Functions at(const BSpline& spline, int element, double xi) {
  const auto n = static_cast<std::size_t>(spline.degree() + 1);
  Functions f{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  spline.calc_functions(element, xi, f.value.data(), f.first.data(), f.second.data());
  return f;
}

TEST(BSpline, SumsToOneAndDerivativesMatchDifferences) {
  constexpr double kStep = 1e-5;
  for (int degree = 1; degree <= 6; ++degree) {
    for (int elements = 1; elements <= 5; ++elements) {
      const BSpline spline(degree, elements);
      for (const double xi : {0.013, 0.17, 0.37, 0.53, 0.77, 0.98}) {
        const int e = spline.find_element(xi);
        const Functions f = at(spline, e, xi);
        const Functions plus = at(spline, e, xi + kStep);
        const Functions minus = at(spline, e, xi - kStep);
        double sum = 0.0;
        double line = 0.0;
        double slope = 0.0;
        double bend = 0.0;
        for (int i = 0; i <= degree; ++i) {
          const auto k = static_cast<std::size_t>(i);
          sum += f.value[k];
          line += f.value[k] * spline.greville(e + i);
          slope += f.first[k] * spline.greville(e + i);
          bend += f.second[k] * spline.greville(e + i);
          const double scale = std::pow(elements * degree, 3);  // of the third derivative that differences miss
          EXPECT_NEAR(f.first[k], (plus.value[k] - minus.value[k]) / (2.0 * kStep), 1e-9 * scale + 1e-9);
          EXPECT_NEAR(f.second[k], (plus.first[k] - minus.first[k]) / (2.0 * kStep), 1e-8 * scale + 1e-8);
        }
        EXPECT_NEAR(sum, 1.0, 1e-14);
        EXPECT_NEAR(line, xi, 1e-14);  // Greville's points reproduce straight lines
        EXPECT_NEAR(slope, 1.0, 1e-12);
        EXPECT_NEAR(bend, 0.0, 1e-10);
      }
    }
  }
}

TEST(BSpline, QuadraticOnTwoElementsIsTheKnownOne) {
  // Knots 0 0 0 1/2 1 1 1: on the first element (1 - 2x)^2, 2x (2 - 3x), 2 x^2.
  const BSpline spline(2, 2);
  const double x = 0.3;
  const Functions f = at(spline, 0, x);
  EXPECT_NEAR(f.value[0], (1 - 2 * x) * (1 - 2 * x), 1e-15);
  EXPECT_NEAR(f.value[1], 2 * x * (2 - 3 * x), 1e-15);
  EXPECT_NEAR(f.value[2], 2 * x * x, 1e-15);
  EXPECT_NEAR(f.second[1], -12.0, 1e-13);
  EXPECT_EQ(spline.greville(1), 0.25);
  EXPECT_EQ(spline.find_element(1.0), 1);
  EXPECT_EQ(at(spline, 1, 1.0).value[2], 1.0);
}

TEST(GaussLegendre, IntegratesPolynomialsExactly) {
  for (int n = 1; n <= 12; ++n) {
    const std::vector<QuadraturePoint> rule = gauss_legendre(n);
    ASSERT_EQ(rule.size(), static_cast<std::size_t>(n));
    for (int power = 0; power < 2 * n; ++power) {
      double sum = 0.0;
      for (const QuadraturePoint& p : rule) sum += p.weight * std::pow(p.x, power);
      EXPECT_NEAR(sum, 1.0 / (power + 1), 1e-14) << n << " points, power " << power;
    }
    for (std::size_t i = 1; i < rule.size(); ++i) EXPECT_GT(rule[i].x, rule[i - 1].x);
  }
}

}  // namespace
}  // namespace stickslip
