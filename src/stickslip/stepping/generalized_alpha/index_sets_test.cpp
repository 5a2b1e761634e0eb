// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/index_sets.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::BallStep;
using test::kMass;
using test::kStepLength;
using test::kWeight;
using test::make_balls;

/// The ball at a height over the floor and with a velocity at the end of the step, and the multipliers given.
class IndexSets : public testing::Test {
 protected:
  /// velocity, height: at the end of the step. P, lambda: as set.
  StepElement& set_end(double height, const Vector3& velocity, const Vector3& P, const Vector3& lambda,
                       double vertical_acceleration = 0.0) {
    ball.begin(kStepLength);
    step.x.a.setZero();
    step.x.a(2) = vertical_acceleration;
    step.x.U.head<3>() = velocity - step.gamma_step() * step.x.a.head<3>();
    step.x.Q(2) = height - step.beta_step() * step.x.a(2);
    step.x.lambda = lambda;
    step.x.Lambda = P - step.gamma_step() * lambda;
    step.x.kappa(0) = 0.0;
    evaluate(step);
    return step.elements[0];
  }
  BallStep ball{make_balls(1, 0.3)};
  Step& step = ball.step;
};

TEST_F(IndexSets, AboveTheFloorNothingActs) {
  const StepElement& e = set_end(1e-3, Vector3(0.0, 0.0, -1.0), Vector3(0.1, 0.0, 0.0), Vector3(1.0, 0.0, 0.0));
  EXPECT_EQ(e.level, Level::open);  // not in A (130)
  EXPECT_EQ(step.x.lambda(0), 0.0);
  EXPECT_EQ(step.P(0), 0.0);
  EXPECT_EQ(step.kappa_hat(0), 0.0);
}

TEST_F(IndexSets, AnOverlapOfRoundOffClosesNothing) {
  for (const double height : {0.0, -1e-16}) {
    const StepElement& e = set_end(height, Vector3(0.0, 0.0, -1.0), Vector3::Zero(), Vector3::Zero());
    EXPECT_EQ(e.level, Level::open) << height;
  }
}

TEST_F(IndexSets, InTheFloorAndRisingItIsClosedOnPositionLevelAlone) {
  const StepElement& e = set_end(-1e-6, Vector3(0.0, 0.0, 1.0), Vector3::Zero(), Vector3(0.0, 0.0, 0.0));
  EXPECT_EQ(e.level, Level::position);  // in A, not in B (133)
}

TEST_F(IndexSets, HeldByAPercussionButLeavingItHasNoForce) {
  const StepElement& e =
      set_end(0.0, Vector3::Zero(), Vector3(0.1, 0.0, 0.0), Vector3(5.0, 0.0, 0.0), /*vertical_acceleration=*/30.0);
  EXPECT_EQ(e.level, Level::velocity);  // in B, not in C (136)
  EXPECT_EQ(step.x.lambda(0), 0.0);
  EXPECT_NEAR(step.P(0), 0.1, 1e-15);  // excluding the force leaves the percussion
}

TEST_F(IndexSets, FrictionSticksWithinItsRadiusAndSlidesBeyond) {
  const double P = kWeight * kStepLength;
  const StepElement& stuck =
      set_end(0.0, Vector3::Zero(), Vector3(P, 0.29 * P, 0.0), Vector3(kWeight, 0.29 * kWeight, 0.0));
  EXPECT_EQ(stuck.level, Level::acceleration);
  EXPECT_TRUE(stuck.states[0].stick);               // in D_st (139)
  EXPECT_TRUE(stuck.states[0].stick_acceleration);  // in E_st (141)
  const StepElement& starts =
      set_end(0.0, Vector3::Zero(), Vector3(P, 0.29 * P, 0.0), Vector3(kWeight, 0.31 * kWeight, 0.0));
  EXPECT_TRUE(starts.states[0].stick);
  EXPECT_FALSE(starts.states[0].stick_acceleration);  // sticks at the end of the step, and begins to slide there
  const StepElement& slides = set_end(0.0, Vector3(0.5, 0.0, 0.0), Vector3(P, 0.3 * P, 0.0), Vector3::Zero());
  EXPECT_FALSE(slides.states[0].stick);
  EXPECT_NEAR(std::hypot(slides.direction[1], slides.direction[2]), 1.0, 1e-15);
}

TEST(IndexSetsOfAnyProx, ClosedSetsAreTheSame) {
  for (const double r : {1e-3, 1.0, 1e3}) {
    BallStep ball(make_balls(1, 0.3), {.r = r});
    Step& step = ball.step;
    ball.begin(kStepLength);
    step.x.a.setZero();
    step.x.lambda << kWeight, 0.1 * kWeight, 0.0;
    step.x.Lambda = (kStepLength - step.gamma_step()) * step.x.lambda;
    // Where the ball is at rest at the end of the step.
    step.x.U = -step.u_known;
    step.x.Q.setZero();
    step.x.Q(2) = 0.5 - step.q_known(2);
    evaluate(step);
    EXPECT_EQ(step.elements[0].level, Level::acceleration) << r;
    EXPECT_TRUE(step.elements[0].states[0].stick_acceleration) << r;
  }
}

TEST_F(IndexSets, AsIsKeepsMultipliersThatTheSetsExclude) {
  set_end(1e-3, Vector3(0.0, 0.0, -1.0), Vector3::Zero(), Vector3::Zero());
  step.x.Lambda << 0.1, 0.0, 0.0;
  evaluate_as_is(step);
  EXPECT_EQ(step.elements[0].level, Level::velocity);
  EXPECT_EQ(step.x.Lambda(0), 0.1);
  EXPECT_GT(step.measure.error(), 1.0);
}

TEST_F(IndexSets, AStretchIsDroppedInAnImpactOnly) {
  BallStep second(make_balls(1, 0.3), {.friction = GeneralizedAlphaFriction::second_order});
  second.step.x.lambda << kWeight, 0.3 * kWeight, 0.0;
  second.state.u(0) = 1.0;
  second.remember();
  second.begin(kStepLength);
  StepElement& e = second.step.elements[0];
  constexpr double kG = 1.0 / kMass + 0.5 * 0.5 / 0.2;  // [1/kg] 1/m + r^2/J
  const double z = 0.3 * kG * kStepLength * kWeight / 1.0;
  EXPECT_NEAR(e.states[0].stretch.tau, 1.0 - z / 3.0, z * z / 18.0);
  second.step.x.Lambda(0) = 0.99 * kStepLength * kWeight;
  EXPECT_FALSE(drop_stretches(second.step));
  second.step.x.Lambda(0) = 1.01 * kStepLength * kWeight;
  EXPECT_TRUE(drop_stretches(second.step));
  EXPECT_EQ(e.states[0].stretch.tau, 0.0);
}

/// Sets that stand may stand for as long as they do; Newton's method and passes that come back to sets lead in circles.
TEST(SetHistory, SetsThatComeBackTheThirdTimeAreGivenUp) {
  SetHistory history;
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(history.add(1)) << i;
    EXPECT_EQ(history.stand(), i > 0);
  }
  history.clear();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(history.add(1)) << i;
    EXPECT_TRUE(history.add(2)) << i;
  }
  EXPECT_FALSE(history.add(1));
  EXPECT_TRUE(history.add(3));
}

}  // namespace
}  // namespace stickslip::generalized_alpha
