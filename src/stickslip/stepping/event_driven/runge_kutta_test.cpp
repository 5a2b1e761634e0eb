// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/runge_kutta.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::event_driven {
namespace {

/// y' = (y_1, -y_0, t^4): a circle and a polynomial.
RungeKutta make_circle() {
  return RungeKutta([](double t, const Vector& y, Vector& rates) {
    rates << y(1), -y(0), t * t * t * t;
    return rates.allFinite();
  });
}

Vector circle_start() {
  Vector y(3);
  y << 0.0, 1.0, 0.0;
  return y;
}

TEST(RungeKutta, IsOfFifthOrderWithAnErrorOfFourthAndAPolynomialOfFourth) {
  std::array<std::array<double, 3>, 2> errors{};  // by step: of the end, as estimated, halfway
  const std::array<double, 2> steps = {0.2, 0.1};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    RungeKutta method = make_circle();
    ASSERT_TRUE(method.start(0.0, circle_start()));
    ASSERT_TRUE(method.step(steps[i]));
    errors[i][0] = std::abs(method.end()(0) - std::sin(steps[i]));
    errors[i][1] = method.error().head(2).norm();
    Vector y;
    method.interpolate(0.5, y);
    errors[i][2] = std::hypot(y(0) - std::sin(0.5 * steps[i]), y(1) - std::cos(0.5 * steps[i]));
    // Exact for polynomials of fifth degree.
    EXPECT_NEAR(method.end()(2), std::pow(steps[i], 5) / 5.0, 1e-16);
  }
  // Local errors: a power of h above the order; of sin, odd, one more.
  EXPECT_GT(std::log2(errors[0][0] / errors[1][0]), 5.8);
  EXPECT_NEAR(std::log2(errors[0][1] / errors[1][1]), 5.0, 0.3);
  EXPECT_NEAR(std::log2(errors[0][2] / errors[1][2]), 5.0, 0.3);
  EXPECT_LT(errors[1][0], 1e-9);
}

TEST(RungeKutta, GoesThroughBothEndsAndSaysWhereThereAreNoRates) {
  RungeKutta method = make_circle();
  ASSERT_TRUE(method.start(0.5, circle_start()));
  ASSERT_TRUE(method.step(0.1));
  Vector y;
  method.interpolate(0.0, y);
  EXPECT_EQ(y, method.start());
  method.interpolate(1.0, y);
  EXPECT_LT((y - method.end()).norm(), 1e-16);

  RungeKutta ends([](double t, const Vector&, Vector& rates) {
    rates.setOnes();
    return t < 1.0;
  });
  ASSERT_TRUE(ends.start(0.5, circle_start()));
  EXPECT_TRUE(ends.step(0.4));
  EXPECT_FALSE(ends.step(0.6));
}

}  // namespace
}  // namespace stickslip::event_driven
