// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/jet.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

namespace stickslip {
namespace {

using Dual = Jet<double, 2>;

/// Over (x, y) = (0.7, -1.3).
Dual x() {
  return Dual::variable(0.7, 0);
}
Dual y() {
  return Dual::variable(-1.3, 1);
}

void expect_jet(const Dual& z, double value, double over_x, double over_y) {
  EXPECT_NEAR(z.value(), value, 1e-15);
  EXPECT_NEAR(z.derivative(0), over_x, 1e-15);
  EXPECT_NEAR(z.derivative(1), over_y, 1e-15);
}

TEST(Jet, ConstantsHaveNoDerivatives) {
  expect_jet(Dual(4.0), 4.0, 0.0, 0.0);
  expect_jet(x(), 0.7, 1.0, 0.0);
}

TEST(Jet, ArithmeticFollowsTheRulesOfDifferentiation) {
  expect_jet(x() + y(), -0.6, 1.0, 1.0);
  expect_jet(x() - y(), 2.0, 1.0, -1.0);
  expect_jet(-x() * y(), 0.91, 1.3, -0.7);
  expect_jet(x() / y(), 0.7 / -1.3, 1.0 / -1.3, -0.7 / (1.3 * 1.3));
  Dual z = x();
  z += y();
  z *= x();
  z -= y();
  expect_jet(z, -0.6 * 0.7 + 1.3, 0.7 - 0.6, 0.7 - 1.0);
}

TEST(Jet, ConstantsTakePartInArithmetic) {
  expect_jet(x() + 2.0, 2.7, 1.0, 0.0);
  expect_jet(2.0 + x(), 2.7, 1.0, 0.0);
  expect_jet(y() - 2.0, -3.3, 0.0, 1.0);
  expect_jet(3.0 * x(), 2.1, 3.0, 0.0);
  expect_jet(y() * 3.0, -3.9, 0.0, 3.0);
}

TEST(Jet, FunctionsHaveTheirDerivatives) {
  expect_jet(sqrt(x()), std::sqrt(0.7), 0.5 / std::sqrt(0.7), 0.0);
  expect_jet(sin(x() * y()), std::sin(-0.91), -1.3 * std::cos(-0.91), 0.7 * std::cos(-0.91));
  expect_jet(cos(x() * y()), std::cos(-0.91), 1.3 * std::sin(-0.91), -0.7 * std::sin(-0.91));
}

// f(t) = x(t)^2 sin(y(t)) with x' = 2, y' = 3: f' and its gradient over (x, y), by a jet in time over jets.
TEST(Jet, NestsForRatesOfRates) {
  using InTime = Jet<Dual, 1>;
  InTime at_x(x());
  InTime at_y(y());
  at_x.set_derivative(0, Dual(2.0));
  at_y.set_derivative(0, Dual(3.0));
  const Dual rate = InTime(at_x * at_x * sin(at_y)).derivative(0);
  const double s = std::sin(-1.3);
  const double c = std::cos(-1.3);
  expect_jet(rate, 4.0 * 0.7 * s + 3.0 * 0.49 * c, 4.0 * s + 6.0 * 0.7 * c, 4.0 * 0.7 * c - 3.0 * 0.49 * s);
  expect_jet(InTime(0.5 * at_x).derivative(0), 1.0, 0.0, 0.0);
}

TEST(Jet, VectorsOfJetsMultiply) {
  using Vector3Dual = Eigen::Matrix<Dual, 3, 1>;
  const Vector3Dual a(x(), y(), Dual(2.0));
  const Vector3Dual b(y(), Dual(1.0), x());
  expect_jet(a.dot(b), 0.7 * -1.3 - 1.3 + 1.4, -1.3 + 2.0, 0.7 + 1.0);
  const Vector3Dual c = a.cross(b);
  expect_jet(c(0), -1.3 * 0.7 - 2.0, -1.3, 0.7);
}

}  // namespace
}  // namespace stickslip
