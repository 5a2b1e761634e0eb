// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/langevin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stickslip {
namespace {

TEST(Langevin, HasTheValuesOfItsDefinition) {
  // (cosh x - sinh x / x) / sinh x in long double, by the power series of numerator and denominator: no term cancels.
  for (double x = 1e-8; x < 20.0; x *= 1.07) {
    long double numerator = 0.0L;
    long double denominator = 0.0L;
    long double term = 1.0L;  // x^(2 k) / (2 k)!
    for (int k = 0; k < 60; ++k) {
      numerator += term * (1.0L - 1.0L / (2 * k + 1));
      denominator += term * x / (2 * k + 1);
      term *= static_cast<long double>(x) * x / ((2 * k + 1) * (2 * k + 2));
    }
    const auto expected = static_cast<double>(numerator / denominator);
    EXPECT_NEAR(langevin(x), expected, 1e-12 * expected) << x;
  }
}

TEST(Langevin, HasItsLimits) {
  EXPECT_EQ(langevin(0.0), 0.0);
  EXPECT_EQ(langevin(std::numeric_limits<double>::infinity()), 1.0);
}

}  // namespace
}  // namespace stickslip
