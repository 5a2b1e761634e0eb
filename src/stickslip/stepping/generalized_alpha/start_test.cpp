// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/start.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/generalized_alpha_step.h"
#include "tests/support/sweep_solver.h"

namespace stickslip::generalized_alpha {
namespace {

using test::BallStep;
using test::kMass;
using test::kStepGravity;
using test::kStepLength;
using test::kWeight;
using test::make_balls;
using test::SystemStep;

constexpr double kBallFriction = 0.3;                                                 // [-]
constexpr double kBallInertia = 0.2;                                                  // [kg m^2]
constexpr double kBallRadius = 0.5;                                                   // [m]
constexpr double kBallSlip = 1.0 / kMass + kBallRadius * kBallRadius / kBallInertia;  // [1/kg] G_FF

/// A ball at the start of a run.
class Start : public testing::Test {
 protected:
  const StepElement& contact() const { return step.elements[0]; }
  BallStep ball{make_balls(1, kBallFriction)};
  Step& step = ball.step;
  test::SweepSolver solver;
  Instant instant{ball.system, solver};
};

TEST_F(Start, AboveTheFloorItFalls) {
  ball.state.q(2) = 2.0;
  ball.state.u << 1.0, 2.0, 3.0, 4.0, 5.0, 6.0;
  EXPECT_TRUE(solve_start(step, ball.state, instant));
  EXPECT_LE((step.x.a - Vector{{0.0, 0.0, -kStepGravity, 0.0, 0.0, 0.0}}).norm(), 1e-13);
  EXPECT_EQ(step.x.lambda.norm(), 0.0);
  EXPECT_EQ(contact().level, Level::open);
}

TEST_F(Start, AtRestTheFloorBearsIt) {
  EXPECT_TRUE(solve_start(step, ball.state, instant));
  EXPECT_LE(step.x.a.norm(), 1e-9);
  EXPECT_NEAR(step.x.lambda(0), kWeight, 1e-8);
  EXPECT_NEAR(step.x.lambda.tail<2>().norm(), 0.0, 1e-8);
  EXPECT_EQ(contact().level, Level::velocity);
  EXPECT_TRUE(contact().states[0].stick);
}

TEST_F(Start, SlidingItIsHeldBackAndTurned) {
  ball.state.u(0) = 2.0;
  EXPECT_TRUE(solve_start(step, ball.state, instant));
  EXPECT_NEAR(step.x.a(0), -kBallFriction * kStepGravity, 1e-9);
  EXPECT_NEAR(step.x.a(4), kBallRadius * kBallFriction * kWeight / kBallInertia, 1e-8);
  EXPECT_NEAR(step.x.lambda(0), kWeight, 1e-8);
  EXPECT_NEAR(step.x.lambda.tail<2>().norm(), kBallFriction * kWeight, 1e-8);
  EXPECT_FALSE(contact().states[0].stick);
  EXPECT_NEAR(std::abs(contact().xi[1]) + std::abs(contact().xi[2]), 2.0, 1e-13);
}

TEST_F(Start, LeavingTheFloorItFalls) {
  ball.state.u(2) = 0.5;
  EXPECT_TRUE(solve_start(step, ball.state, instant));
  EXPECT_NEAR(step.x.a(2), -kStepGravity, 1e-13);
  EXPECT_EQ(contact().level, Level::open);
}

/// Friction takes mu G m g off the slip in a unit of time.
TEST_F(Start, SticksWhatStopsWithinTheFirstStep) {
  const double loss = kStepLength * kBallFriction * kBallSlip * kWeight;  // [m/s]
  for (const double share : {0.9, 1.1}) {
    ball.state.u(0) = share * loss;
    ASSERT_TRUE(solve_start(step, ball.state, instant));
    EXPECT_FALSE(contact().states[0].stick);
    ball.remember();
    EXPECT_EQ(settle_start(step, ball.state, kStepLength, instant), share < 1.0);
    EXPECT_EQ(contact().states[0].stick, share < 1.0);
    EXPECT_NEAR(step.x.lambda.tail<2>().norm(), share < 1.0 ? 0.0 : kBallFriction * kWeight, 1e-8);
  }
}

TEST(SetJoints, GivesTheRowsOfJointsAtTheInstant) {
  SystemBuilder builder(true, Vector3(0.0, -kStepGravity, 0.0));
  Body arm;
  arm.name = "arm";
  arm.type = BodyType::planar;
  arm.mass = kMass;
  arm.inertia(2, 2) = kBallInertia;
  JointOptions hinge;
  hinge.name = "hinge";
  hinge.first = builder.add_body(test::make_floor(Vector3::UnitY()));
  hinge.second = builder.add_body(arm);
  hinge.on_second.at = Vector3(-0.5, 0.0, 0.0);
  builder.add_joint(hinge);
  SystemStep pendulum(builder.build());
  pendulum.state.t = 7.0;
  pendulum.state.q << 0.5, 0.0, 0.0;
  pendulum.state.u << 0.25, 1.0, 3.0;
  set_joints(pendulum.step, pendulum.state);
  EXPECT_EQ(pendulum.step.t_end, 7.0);
  const StepElement& e = pendulum.step.elements[0];
  EXPECT_TRUE(e.evaluated);
  EXPECT_NEAR(e.gamma[0], 0.25, 1e-15);
  EXPECT_NEAR(e.gamma[1], 1.0 - 0.5 * 3.0, 1e-15);
  EXPECT_NEAR(e.diagonal[0], 1.0 / kMass, 1e-15);
  EXPECT_NEAR(e.diagonal[1], 1.0 / kMass + 0.25 / kBallInertia, 1e-14);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
