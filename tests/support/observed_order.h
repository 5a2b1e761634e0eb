// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip::test {

/// What is left of the next term of the error expansion at the steps below.
inline constexpr double kOrderTolerance = 0.05;

/// Runge-Kutta of fourth order with n steps: y' = f(y).
inline Vector integrate(const std::function<Vector(const Vector&)>& f, Vector y, double span, int n) {
  const double h = span / n;
  for (int i = 0; i < n; ++i) {
    const Vector k1 = f(y);
    const Vector k2 = f(y + 0.5 * h * k1);
    const Vector k3 = f(y + 0.5 * h * k2);
    const Vector k4 = f(y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return y;
}

struct Errors {
  double q, u, lambda;
};

/// Runs at each step size, halved from one to the next, and expects the error to fall to a quarter.
inline void expect_second_order(const std::vector<double>& steps, bool with_lambda,
                                const std::function<Errors(double)>& errors_at) {
  Errors last = errors_at(steps[0]);
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const Errors errors = errors_at(steps[i]);
    EXPECT_NEAR(std::log2(last.q / errors.q), 2.0, kOrderTolerance) << "q at " << steps[i] << ": " << errors.q;
    EXPECT_NEAR(std::log2(last.u / errors.u), 2.0, kOrderTolerance) << "u at " << steps[i] << ": " << errors.u;
    if (with_lambda) {
      EXPECT_NEAR(std::log2(last.lambda / errors.lambda), 2.0, kOrderTolerance)
          << "lambda at " << steps[i] << ": " << errors.lambda;
    }
    last = errors;
  }
}

}  // namespace stickslip::test
