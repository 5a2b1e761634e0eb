// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/sundials_integrator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

constexpr SundialsMethod kMethods[] = {SundialsMethod::erk, SundialsMethod::dirk, SundialsMethod::bdf};

/// y_0' = -rate (y_0 - cos t) - sin t, whose solution from 1 is cos t; and the integral of y_0.
SundialsIntegrator make_pulled(SundialsMethod method, double rate, double tolerance) {
  return {method, tolerance, 1e-2 * tolerance, [rate](double t, const Vector& y, Vector& rates) {
            rates(0) = -rate * (y(0) - std::cos(t)) - std::sin(t);
            rates(1) = y(0);
            return true;
          }};
}

const Vector kOfIntegral = Vector::Constant(1, 1e10);  // as good as none

Vector pulled_start() {
  return Vector::Unit(2, 0);
}

class Sundials : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_sundials()) GTEST_SKIP() << "built without SUNDIALS";
  }
};

TEST_F(Sundials, FollowsToTolerancesAndEndsExactly) {
  constexpr double kEnd = 2.0;
  for (const SundialsMethod method : kMethods) {
    for (const double tolerance : {1e-6, 1e-10}) {
      SundialsIntegrator integrator = make_pulled(method, 10.0, tolerance);
      ASSERT_TRUE(integrator.start(0.0, pulled_start(), kOfIntegral, kEnd));
      Vector y;
      while (integrator.time() < kEnd) {
        ASSERT_TRUE(integrator.step()) << integrator.message();
        ASSERT_GT(integrator.time(), integrator.start_time());
        // Local errors add up for as long as they last, 1/rate: 20 steps at most. The polynomial has a few times that.
        const double allowed = 100.0 * tolerance;
        ASSERT_NEAR(integrator.end()(0), std::cos(integrator.time()), allowed);
        const double between = 0.3 * integrator.start_time() + 0.7 * integrator.time();
        integrator.interpolate(between, y);
        ASSERT_NEAR(y(0), std::cos(between), allowed);
      }
      EXPECT_EQ(integrator.time(), kEnd);
      EXPECT_NEAR(integrator.end()(1), std::sin(kEnd), 1000.0 * tolerance) << "the integral goes along, unjudged";
      integrator.interpolate(integrator.start_time(), y);
      EXPECT_EQ(y, integrator.start());
      integrator.interpolate(kEnd, y);
      EXPECT_EQ(y, integrator.end());
    }
  }
}

/// Integrals have tolerances of their own: that of a pulse that the motion does not feel is found.
TEST_F(Sundials, IntegralsAreWithinTheirTolerances) {
  for (const SundialsMethod method : kMethods) {
    SundialsIntegrator integrator(method, 1e-6, 1e-6, [](double t, const Vector& y, Vector& rates) {
      rates(0) = 1e-3 * (1.0 - y(0));
      rates(1) = std::exp(-std::pow((t - 0.5) / 0.05, 2));
      return true;
    });
    ASSERT_TRUE(integrator.start(0.0, Vector::Zero(2), Vector::Constant(1, 1e-9), 1.0));
    while (integrator.time() < 1.0) ASSERT_TRUE(integrator.step()) << integrator.message();
    EXPECT_NEAR(integrator.end()(1), 0.05 * std::sqrt(std::numbers::pi), 1e-7) << static_cast<int>(method);
  }
}

/// 300 numbers, which a matrix would cost as many evaluations: two rates, 1e5 of what is along one direction. By
/// matrices it would be 1200 evaluations by bdf, 17 000 by dirk.
TEST_F(Sundials, ManyNumbersCostNoMatrix) {
  constexpr Eigen::Index kMany = 300;
  const Vector along = Vector::LinSpaced(kMany, 1.0, 2.0).normalized();
  for (const SundialsMethod method : {SundialsMethod::dirk, SundialsMethod::bdf}) {
    SundialsIntegrator integrator(method, 1e-8, 1e-10, [&](double t, const Vector& y, Vector& rates) {
      rates.head(kMany) = -y.head(kMany) - 1e5 * along * (along.dot(y.head(kMany)) - std::cos(t));
      rates(kMany) = y(0);
      return true;
    });
    Vector start(kMany + 1);
    start << Vector::Ones(kMany) + along * (1.0 - along.sum()), 0.0;
    ASSERT_TRUE(integrator.start(0.0, start, kOfIntegral, 1.0));
    while (integrator.time() < 1.0) ASSERT_TRUE(integrator.step()) << integrator.message();
    const Vector across = start.head(kMany) - along * along.dot(start.head(kMany));
    const Vector exact = std::exp(-1.0) * across + along * std::cos(1.0);
    EXPECT_LT((integrator.end().head(kMany) - exact).norm(), 1e-4) << "but for what lags by 1e-5 s";
    EXPECT_LT(integrator.evaluations(), method == SundialsMethod::bdf ? 600 : 12'000);
  }
}

TEST_F(Sundials, ImplicitMethodsDoNotMindStiffness) {
  std::vector<long> evaluations;
  for (const SundialsMethod method : kMethods) {
    SundialsIntegrator integrator = make_pulled(method, 1e5, 1e-8);
    ASSERT_TRUE(integrator.start(0.0, pulled_start(), kOfIntegral, 1.0));
    while (integrator.time() < 1.0) ASSERT_TRUE(integrator.step()) << integrator.message();
    EXPECT_NEAR(integrator.end()(0), std::cos(1.0), 1e-6);
    evaluations.push_back(integrator.evaluations());
  }
  EXPECT_GT(evaluations[0], 1e5) << "six a step of 3.3 / rate";
  EXPECT_LT(evaluations[1], 2000);
  EXPECT_LT(evaluations[2], 1000);
}

TEST_F(Sundials, BeginsAnewWithTheBitsOfOneThatIsNew) {
  for (const SundialsMethod method : kMethods) {
    SundialsIntegrator used = make_pulled(method, 1e3, 1e-9);
    Vector y = pulled_start();
    for (int i = 0; i < 5; ++i) {
      SundialsIntegrator fresh = make_pulled(method, 1e3, 1e-9);
      for (SundialsIntegrator* integrator : {&used, &fresh}) {
        ASSERT_TRUE(integrator->start(0.1 * i, y, kOfIntegral, 0.1 * (i + 1)));
        while (integrator->time() < 0.1 * (i + 1)) ASSERT_TRUE(integrator->step());
      }
      ASSERT_EQ(used.end(), fresh.end()) << i;
      y = used.end();
    }
  }
}

TEST_F(Sundials, SaysWhereItCannotGoOnAndLetsExceptionsPass) {
  for (const SundialsMethod method : kMethods) {
    bool throws = false;
    SundialsIntegrator integrator(method, 1e-8, 1e-10, [&throws](double t, const Vector& y, Vector& rates) {
      if (throws && t > 0.1) throw std::runtime_error("left");
      rates = y;
      return t < 0.5;
    });
    const Vector one = Vector::Ones(1);
    ASSERT_TRUE(integrator.start(0.0, one, Vector(), 1.0));
    bool goes_on = true;
    while (goes_on && integrator.time() < 1.0) goes_on = integrator.step();
    EXPECT_FALSE(goes_on);
    EXPECT_LE(integrator.time(), 0.5);
    EXPECT_GT(integrator.time(), 0.4);
    EXPECT_NE(integrator.message().find("ODE"), std::string::npos) << integrator.message();

    throws = true;
    ASSERT_TRUE(integrator.start(0.0, one, Vector(), 0.4));
    EXPECT_THROW(while (integrator.time() < 0.4 && integrator.step()){}, std::runtime_error);
    throws = false;
    ASSERT_TRUE(integrator.start(0.0, one, Vector(), 0.4));
    while (integrator.time() < 0.4) ASSERT_TRUE(integrator.step());
    EXPECT_NEAR(integrator.end()(0), std::exp(0.4), 1e-6);
  }
}

TEST(WithoutSundials, IntegratorsAreRefusedByName) {
  if (has_sundials()) {
    EXPECT_NO_THROW(require_sundials("cvode", "rk4"));
    return;
  }
  try {
    require_sundials("cvode", "rk4");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cvode"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("scripts/setup"), std::string::npos);
  }
}

}  // namespace
}  // namespace stickslip
