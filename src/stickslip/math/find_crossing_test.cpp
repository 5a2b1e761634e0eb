// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/find_crossing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace stickslip {
namespace {

TEST(FindCrossing, IsJustBeyondTheZero) {
  for (const double zero : {1e-9, 0.1, 0.7, 0.999}) {
    for (const double power : {1.0, 3.0, 9.0}) {  // of the ninth: flat at the zero
      int tries = 0;
      const auto calc = [&](double x) {
        ++tries;
        return std::copysign(std::pow(std::abs(zero - x), power), zero - x);
      };
      const double found = find_crossing(calc, 0.0, std::pow(zero, power), 1.0, 4e-16);
      EXPECT_GT(found, zero);
      EXPECT_NEAR(found, zero, power == 1.0 ? 4e-16 : 1e-7) << power;
      EXPECT_LE(tries, 201);
    }
  }
}

/// The less of two that cross zero together, as a velocity and its distance to the edge of a polygon do.
TEST(FindCrossing, IsFoundWhereSlopesDiffer) {
  for (const double zero : {0.3, 0.712}) {
    for (const double slope : {0.05, 0.2, 5.0, 100.0}) {
      const double found = find_crossing([&](double x) { return std::min(zero - x, slope * (zero - x)); }, 0.0,
                                         std::min(zero, slope * zero), 1.0, 4e-16);
      EXPECT_NEAR(found, zero, 8e-16) << zero << ' ' << slope;
    }
  }
}

TEST(FindCrossing, OfAJumpIsTheJump) {
  const double found = find_crossing([](double x) { return x > 0.3 ? -1.0 : 1.0; }, 0.0, 1.0, 1.0, 1e-12);
  EXPECT_GT(found, 0.3);
  EXPECT_LE(found, 0.3 + 1e-12);
}

TEST(FindCrossing, IsTheEndWhereThereIsNone) {
  EXPECT_EQ(find_crossing([](double x) { return 2.0 - x; }, 0.0, 2.0, 1.0, 1e-12), 1.0);
}

}  // namespace
}  // namespace stickslip
