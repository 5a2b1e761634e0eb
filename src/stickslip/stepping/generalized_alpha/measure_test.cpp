// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/measure.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>

#include "stickslip/math/round_off.h"
#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::BallStep;
using test::kStepGravity;
using test::kStepLength;
using test::make_balls;

constexpr double kTolerance = 1e-6;  // [-]

/// Two balls, bodies 1 and 2 beside the floor, of which one flies at 3 m/s and one falls from rest, without contacts.
class Measured : public testing::Test {
 protected:
  Measured() {
    ball.state.q(2) = 5.0;
    ball.state.q(7 + 2) = 9.0;
    ball.state.u(0) = 3.0;
    ball.begin(kStepLength);
    for (int i = 0; i < 2; ++i) step.x.a(6 * i + 2) = -kStepGravity;
    evaluate(step);
  }
  double deviation() const { return kStepLength * kStepLength * kStepGravity; }
  double displacement() const {
    return kStepLength * 3.0 + deviation();
  }  // of the first; its fall is not in its speed of 3 m/s

  BallStep ball{make_balls(2, 0.3), {.rho_inf = 1.0, .tolerance = kTolerance}};
  Step& step = ball.step;
};

TEST_F(Measured, AFreeFallIsSolved) {
  EXPECT_LE(step.measure.error(), 1e-6);
  EXPECT_NEAR(step.measure.deviation(), deviation(), 1e-12);
}

TEST_F(Measured, ResidualsAreLengthsOverTheDisplacementOfTheirBody) {
  // Accelerations off by 2 tolerances of the deviation; at the same time velocities, over the displacement, hardly.
  step.r1(7) = 2.0 * (2.0 * kTolerance * kStepGravity);  // mass times what a is off by, of the second ball
  step.measure.judge(step);
  EXPECT_NEAR(step.measure.error(), 2.0, 1e-6);
  step.r1(7) = 0.0;
  const double speed = measure_motion(step.system, 1, step.u.data());
  step.r2(0) = 2.0 * (3.0 * kTolerance * (speed + kStepLength * kStepGravity));
  step.measure.judge(step);
  EXPECT_NEAR(step.measure.error(), 3.0, 1e-6);
  step.r2(0) = 0.0;
  step.r3(1) = 2.0 * (4.0 * kTolerance * (kStepLength * speed + deviation()));
  step.measure.judge(step);
  EXPECT_NEAR(step.measure.error(), 4.0, 1e-6);
}

TEST_F(Measured, RoundOffIsExcusedUpToAHundredthOfTheDisplacement) {
  step.r1(1) = 2.0 * 1e-3 * kStepGravity;  // a thousand tolerances
  step.measure.judge(step);
  EXPECT_GT(step.measure.error(), 900.0);
  step.measure.set_round_off(step, 1, 2e-3 * kStepGravity, 0.0, 0.0, 0.0);
  step.measure.judge(step);
  EXPECT_LT(step.measure.error(), 1.0);
  step.r1(1) = 2.0 * 1e6;
  step.measure.set_round_off(step, 1, 1e9, 0.0, 0.0, 0.0);
  step.measure.judge(step);
  EXPECT_GT(step.measure.error(), 1e3);
  step.measure.forget_round_off(step);
  EXPECT_EQ(step.measure.round_off(1).acceleration, 0.0);
}

TEST_F(Measured, RoundOffOfPercussionsIsExcusedUpToAMillionthOfTheDisplacement) {
  step.measure.set_round_off(step, 1, 0.0, 1e9, 0.0, 0.0);
  EXPECT_LE(step.measure.round_off(1).velocity, 1.001e-6 * displacement() / kStepLength);
  EXPECT_GE(step.measure.round_off(1).velocity, 0.999e-6 * displacement() / kStepLength);
}

TEST_F(Measured, CoordinatesAreRoundedAsTheLargestOfTheirBody) {
  EXPECT_EQ(step.measure.coordinate_round_off()(6), kSumRoundOff * 9.0);
  EXPECT_EQ(step.measure.coordinate_round_off()(0), kSumRoundOff * 5.0);
  EXPECT_EQ(step.measure.coordinate_round_off()(3), kSumRoundOff);
}

TEST_F(Measured, AnIterateGoneAstrayIsNoScale) {
  // The scales of a step are at most a hundred times what its start values give.
  step.x.a(2) = -1e9;
  evaluate(step);
  EXPECT_LE(step.measure.deviation(), 100.0 * (displacement() + deviation()) * (1.0 + 1e-12));
  EXPECT_GT(step.measure.error(), 1e3);
}

/// Each value of x that is not finite shows in the error, where masses are diagonal and where they are not.
TEST(Measure, WhatIsNotFiniteIsNotSolved) {
  for (const double product : {0.0, 0.05}) {  // [kg m^2] of inertia
    Matrix3 inertia = 0.2 * Matrix3::Identity();
    inertia(0, 1) = inertia(1, 0) = product;
    BallStep resting(make_balls(2, 0.3, 0.0, inertia), {.rho_inf = 1.0, .tolerance = kTolerance});
    EXPECT_EQ(resting.system.has_diagonal_mass(), product == 0.0);
    resting.begin(kStepLength);
    Step& step = resting.step;
    Unknowns start = step.x;
    start.Q(2) = start.Q(6) = start.Q(8) = -1e-6;  // overlaps: what is open bears nothing, and is cleared
    // The traps of these tests would stop at what is to be seen here.
    std::fenv_t traps;
    std::feholdexcept(&traps);
    for (Vector Unknowns::*part :
         {&Unknowns::a, &Unknowns::U, &Unknowns::Q, &Unknowns::kappa, &Unknowns::Lambda, &Unknowns::lambda}) {
      for (Eigen::Index i = 0; i < (start.*part).size(); ++i) {
        for (const double value : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
          step.x = start;
          (step.x.*part)(i) = value;
          EXPECT_TRUE(std::isinf(evaluate(step))) << i << ", " << value;
        }
      }
    }
    std::fesetenv(&traps);
  }
}

}  // namespace
}  // namespace stickslip::generalized_alpha
