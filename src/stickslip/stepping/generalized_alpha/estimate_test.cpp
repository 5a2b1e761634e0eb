// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/estimate.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "stickslip/stepping/generalized_alpha/equations.h"
#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::BallStep;
using test::kStepLength;
using test::make_balls;

/// A ball high above the floor whose acceleration along x is b t + c t^2, and the step from t = 0 of such a motion.
class OfPolynomials : public testing::TestWithParam<double> {
 protected:
  OfPolynomials() { ball.state.q(2) = 5.0; }

  /// last_h: length of the step before. [s]
  void make_step(double b, double c, double last_h) {
    const Weights& w = step.weights;
    const double h = kStepLength;
    const double offset = w.alpha_m - w.alpha_f;
    const MemoryView memory(ball.system, ball.state.memory);
    memory.a()(0) = 0.0;
    // The average that goes with a parabola for good (71).
    memory.a_bar()(0) = offset * h * b + offset * (w.alpha_m - 0.5) * h * h * 2.0 * c;
    memory.last_a()(0) = -b * last_h + c * last_h * last_h;
    memory.step() = last_h;
    ball.begin(h);
    step.x.a.setZero();
    step.x.a(0) = b * h + c * h * h;
    calc_motion(step);
    calc.calc(ball.state, step, estimate);
  }
  BallStep ball{make_balls(1, 0.3), {.rho_inf = GetParam()}};
  Step& step = ball.step;
  Estimate calc{ball.system};
  StepEstimate estimate;
};
INSTANTIATE_TEST_SUITE_P(RhoInf, OfPolynomials, testing::Values(0.0, 0.5, 0.9, 1.0));

TEST_P(OfPolynomials, PositionErrorIsThatOfTheStep) {
  constexpr double b = 7.0;  // [m/s^3]
  const double h = kStepLength;
  make_step(b, 0.0, h);
  const double error = std::abs(b * h * h * h / 6.0 - step.q(0));
  EXPECT_GT(error, 1e-8);
  EXPECT_NEAR(estimate.position_error, error, 1e-15);
  EXPECT_NEAR(estimate.velocity_error, 0.0, 1e-15);
  EXPECT_NEAR(estimate.acceleration_jump, b * h, 1e-15);
}

TEST_P(OfPolynomials, VelocityErrorIsThatOfTheStep) {
  constexpr double b = 7.0;    // [m/s^3]
  constexpr double c = 300.0;  // [m/s^4]
  const double h = kStepLength;
  for (const double last_h : {h, 0.5 * h, 3.0 * h}) {
    make_step(b, c, last_h);
    const double error = std::abs(b * h * h / 2.0 + c * h * h * h / 3.0 - step.u(0));
    EXPECT_GT(error, 1e-6);
    EXPECT_NEAR(estimate.velocity_error, error, 1e-14) << last_h;
  }
  estimate = {};
  make_step(b, c, 0.0);
  EXPECT_EQ(estimate.velocity_error, 0.0);  // nothing is remembered
}

/// What omega + alpha t + jerk t^2 / 2 of the body's frame turns it by, in parts too short to matter.
Eigen::Quaterniond turn(const Vector3& omega, const Vector3& alpha, const Vector3& jerk, double h) {
  constexpr int kParts = 100;
  Eigen::Quaterniond e = Eigen::Quaterniond::Identity();
  for (int i = 0; i < kParts; ++i) {
    const double t = (i + 0.5) * h / kParts;
    const Vector3 angle = (omega + t * alpha + 0.5 * t * t * jerk) * (h / kParts);
    e = e * Eigen::AngleAxisd(angle.norm(), angle.normalized());
  }
  return e;
}

TEST_P(OfPolynomials, RotationErrorIsThatOfTheQuaternion) {
  const Vector3 omega(6.0, -2.0, 3.0);
  const Vector3 alpha(50.0, 20.0, -40.0);
  const Vector3 jerk(100.0, 50.0, 300.0);
  const double h = 1e-3;
  const MemoryView memory(ball.system, ball.state.memory);
  memory.a().tail<3>() = alpha;
  memory.a_bar().tail<3>() = alpha + (step.weights.alpha_m - step.weights.alpha_f) * h * jerk;
  ball.state.u.tail<3>() = omega;
  ball.begin(h);
  step.x.a.setZero();
  step.x.a.tail<3>() = alpha + h * jerk;
  calc_motion(step);
  calc.calc(ball.state, step, estimate);
  const Eigen::Quaterniond moved(step.q(3), step.q(4), step.q(5), step.q(6));
  const double error = moved.normalized().angularDistance(turn(omega, alpha, jerk, h));
  EXPECT_NEAR(estimate.position_error, std::sqrt(0.2 / 2.0) * error, 0.02 * error);  // J = 0.2 kg m^2, m = 2 kg
}

TEST(Estimate, SaysWhatJumpedAndWhatChanged) {
  BallStep ball(make_balls(1, 0.3));
  ball.begin(kStepLength);
  Step& step = ball.step;
  Estimate calc(ball.system);
  StepEstimate estimate;
  calc_motion(step);
  calc.calc(ball.state, step, estimate);
  EXPECT_FALSE(estimate.velocity_jumped);
  EXPECT_FALSE(estimate.sets_changed);
  EXPECT_EQ(estimate.acceleration_before, 10.0);  // of gravity
  step.elements[0].level = Level::acceleration;
  step.x.U(1) = 0.99 * kImpulsive * kStepLength * 10.0;
  calc.calc(ball.state, step, estimate);
  EXPECT_TRUE(estimate.sets_changed);
  EXPECT_FALSE(estimate.velocity_jumped);
  step.x.U(1) = 1.01 * kImpulsive * kStepLength * 10.0;
  calc.calc(ball.state, step, estimate);
  EXPECT_TRUE(estimate.velocity_jumped);
  EXPECT_DOUBLE_EQ(estimate.velocity_jump, step.x.U(1));
}

}  // namespace
}  // namespace stickslip::generalized_alpha
