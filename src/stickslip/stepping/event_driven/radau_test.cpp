// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/radau.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace stickslip::event_driven {
namespace {

constexpr double kTolerance = 1e-13;

/// A circle in y_0 and y_1, both taken for velocities, and t^4.
Radau make_radau_circle() {
  return Radau(
      [](double t, const Vector& y, Vector& rates) {
        rates << y(1), -y(0), t * t * t * t;
        return rates.allFinite();
      },
      [](Matrix& slopes) { slopes << 0.0, 1.0, -1.0, 0.0; }, 0, 2, kTolerance, kTolerance);
}

TEST(Radau, IsOfFifthOrderWithAnErrorOfThirdAndAPolynomialOfThird) {
  std::array<std::array<double, 3>, 2> errors{};  // by step: of the end, as estimated, halfway
  const std::array<double, 2> steps = {0.2, 0.1};
  Vector start(3);
  start << 0.0, 1.0, 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Radau method = make_radau_circle();
    ASSERT_TRUE(method.start(0.0, start));
    ASSERT_TRUE(method.step(steps[i]));
    errors[i][0] = std::hypot(method.end()(0) - std::sin(steps[i]), method.end()(1) - std::cos(steps[i]));
    errors[i][1] = method.error().head(2).norm();
    Vector y;
    method.interpolate(0.5, y);
    errors[i][2] = std::hypot(y(0) - std::sin(0.5 * steps[i]), y(1) - std::cos(0.5 * steps[i]));
    // Exact for polynomials of fifth degree.
    EXPECT_NEAR(method.end()(2), std::pow(steps[i], 5) / 5.0, 1e-16);
  }
  EXPECT_NEAR(std::log2(errors[0][0] / errors[1][0]), 6.0, 0.3);
  EXPECT_NEAR(std::log2(errors[0][1] / errors[1][1]), 4.0, 0.3);
  EXPECT_NEAR(std::log2(errors[0][2] / errors[1][2]), 4.0, 0.3);
}

/// u' = -1e8 (u - cos t) - sin t goes with cos t, in one step of .1.
TEST(Radau, StiffMotionTakesOneStep) {
  constexpr double kRate = 1e8;
  Radau method(
      [](double t, const Vector& y, Vector& rates) {
        rates(0) = -kRate * (y(0) - std::cos(t)) - std::sin(t);
        return true;
      },
      [](Matrix& slopes) { slopes(0, 0) = -kRate; }, 0, 1, kTolerance, kTolerance);
  ASSERT_TRUE(method.start(0.0, Vector::Ones(1)));
  ASSERT_TRUE(method.step(0.1));
  EXPECT_NEAR(method.end()(0), std::cos(0.1), 1e-12);
  EXPECT_LT(std::abs(method.error()(0)), 1e-12);
}

TEST(Radau, GoesThroughBothEndsAndSaysWhereThereAreNoRates) {
  Radau method = make_radau_circle();
  Vector start(3);
  start << 0.6, 0.8, 0.1;
  ASSERT_TRUE(method.start(0.5, start));
  ASSERT_TRUE(method.step(0.1));
  Vector y;
  method.interpolate(0.0, y);
  EXPECT_LT((y - method.start()).norm(), 1e-15);
  method.interpolate(1.0, y);
  EXPECT_LT((y - method.end()).norm(), 1e-15);

  Radau ends(
      [](double t, const Vector&, Vector& rates) {
        rates.setOnes();
        return t < 1.0;
      },
      [](Matrix& slopes) { slopes.setZero(); }, 0, 3, kTolerance, kTolerance);
  ASSERT_TRUE(ends.start(0.5, start));
  EXPECT_TRUE(ends.step(0.4));
  EXPECT_FALSE(ends.step(0.6));
}

}  // namespace
}  // namespace stickslip::event_driven
