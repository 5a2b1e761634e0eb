// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/newton.h"

#include <gtest/gtest.h>

#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::BallStep;
using test::kMass;
using test::kStepGravity;
using test::kStepLength;
using test::make_balls;
using test::make_point;
using test::SystemStep;

/// A point that touches the floor, with friction 0.5, and its first step.
struct RubbingPoint : SystemStep {
  RubbingPoint(double along, double velocity, double restitution = 0.0)
      : SystemStep(make_point(Vector3(along, -kStepGravity, 0.0), 0.5, restitution)), newton(step) {
    state.u(0) = velocity;
  }
  StepSolve solve(double h = kStepLength) {
    begin(h);
    evaluate(step);
    return newton.solve(step);
  }
  Newton newton;
};

TEST(Newton, FreeFlightTakesOneStep) {
  BallStep ball(make_balls(1, 0.3));
  ball.state.q(2) = 5.0;
  ball.begin(kStepLength);
  evaluate(ball.step);
  Newton newton(ball.step);
  const StepSolve solve = newton.solve(ball.step);
  EXPECT_TRUE(solve.converged);
  EXPECT_EQ(solve.iterations, 1);
  EXPECT_NEAR(ball.step.x.a(2), -kStepGravity, 1e-14);
  EXPECT_EQ(newton.solve(ball.step).iterations, 0);  // solved
}

TEST(Newton, RestIsHeldByTheWeight) {
  RubbingPoint point(0.0, 0.0);
  EXPECT_TRUE(point.solve().converged);
  const Step& step = point.step;
  EXPECT_NEAR(step.x.lambda(0), kMass * kStepGravity, 1e-9);
  EXPECT_NEAR(step.P(0), 5.0 / 9.0 * kStepLength * kMass * kStepGravity,
              1e-12);  // gamma' = 5/9, no force is remembered
  EXPECT_NEAR(step.u.norm(), 0.0, 1e-10);
  EXPECT_TRUE(step.elements[0].states[0].stick_acceleration);
}

TEST(Newton, SlidingIsHeldBackByCoulombsForce) {
  RubbingPoint point(0.0, -3.0);
  EXPECT_TRUE(point.solve().converged);
  EXPECT_NEAR(point.step.x.lambda(1), 0.5 * kMass * kStepGravity, 1e-9);
  EXPECT_NEAR(point.step.x.a(0), 0.5 * kStepGravity, 1e-9);
  EXPECT_FALSE(point.step.elements[0].states[0].stick);
}

/// It comes down at 4 m/s and slides.
struct FallingPoint : RubbingPoint {
  explicit FallingPoint(double slip) : RubbingPoint(0.0, -slip, 0.25) {
    state.q(1) = 1e-3;
    state.u(1) = -4.0;
    step.x.a(1) = -kStepGravity;
    remember();
  }
};

TEST(Newton, AnImpactObeysItsLaws) {
  FallingPoint point(9.0);
  EXPECT_TRUE(point.solve().converged);
  EXPECT_NEAR(point.step.u(1), 0.25 * 4.0, 1e-9);
  const double P = kMass * (1.25 * 4.0 + kStepLength * kStepGravity);  // [N s] what comes, goes, and is pulled down
  EXPECT_NEAR(point.step.P(0), P, 1e-9);
  EXPECT_NEAR(point.step.P(1), 0.5 * P, 1e-9);
  EXPECT_NEAR(point.step.u(0), -9.0 + 0.5 * P / kMass, 1e-9);
}

TEST(Newton, CountsItsWorkAndKeepsToItsShare) {
  FallingPoint point(2.0);  // which the impact stops, but a first step does not know it
  const StepSolve solve = point.solve();
  ASSERT_TRUE(solve.converged);
  ASSERT_GT(solve.iterations, 1);
  EXPECT_GE(point.step.work, 25.0);  // five rows: one of position, two of velocity, two of acceleration
  EXPECT_LE(point.step.work, 25.0 * solve.iterations);
  FallingPoint spent(2.0);
  spent.step.most_work = 1.0;
  const StepSolve part = spent.solve();
  EXPECT_FALSE(part.converged);
  EXPECT_LT(part.iterations, solve.iterations);
}

TEST(Newton, JudgesWhatItIsGiven) {
  RubbingPoint point(0.0, -3.0);
  ASSERT_TRUE(point.solve().converged);
  point.newton.judge(point.step);
  EXPECT_LE(point.step.measure.error(), 1.0);
  point.step.x.a(0) += 1e-6 * kStepGravity;
  point.newton.judge(point.step);
  EXPECT_GT(point.step.measure.error(), 1e3);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
