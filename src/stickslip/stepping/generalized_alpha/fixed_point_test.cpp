// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/fixed_point.h"

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

/// Balls that roll, slide or fall on the floor.
struct BallCase {
  double height;     // [m] over the floor
  Vector3 velocity;  // [m/s]
  Vector3 spin;      // [rad/s]
};
class FixedPoint : public testing::TestWithParam<BallCase> {
 protected:
  static void set_out(BallStep& ball) {
    ball.state.q(2) += GetParam().height;
    ball.state.u << GetParam().velocity, GetParam().spin;
    ball.begin(kStepLength);
    evaluate(ball.step);
  }
};
INSTANTIATE_TEST_SUITE_P(Balls, FixedPoint,
                         testing::Values(BallCase{0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},     // rests
                                         BallCase{0.0, {2.0, 1.0, 0.0}, {0.0, 0.0, 3.0}},     // slides and spins
                                         BallCase{0.0, {1.0, 0.0, 0.0}, {0.0, 2.0, 0.0}},     // rolls
                                         BallCase{1e-3, {1.0, 0.0, -3.0}, {4.0, 0.0, 0.0}},   // falls on the floor
                                         BallCase{1.0, {1.0, 0.0, -3.0}, {4.0, 0.0, 0.0}}));  // flies

TEST_P(FixedPoint, MakesTheStepOfNewtonsMethod) {
  BallStep one(make_balls(1, 0.3, 0.5));
  BallStep other(make_balls(1, 0.3, 0.5));
  set_out(one);
  set_out(other);
  Newton newton(one.step);
  ASSERT_TRUE(newton.solve(one.step).converged);
  Newton inner(other.step);
  ASSERT_TRUE(solve_by_fixed_point(other.step, inner).converged);
  EXPECT_LE((one.step.u - other.step.u).norm(), 1e-8);
  EXPECT_LE((one.step.q - other.step.q).norm(), 1e-10);
  EXPECT_LE((one.step.P - other.step.P).norm(), 1e-7);
  EXPECT_LE((one.step.x.lambda - other.step.x.lambda).norm(), 1e-6);
  EXPECT_EQ(signature(one.step), signature(other.step));
}

TEST(FixedPointIteration, IsNoneWhereTheStepIsSolved) {
  SystemStep point(make_point(Vector3(0.0, -kStepGravity, 0.0), 0.5));
  point.step.x.lambda(0) = kMass * kStepGravity;
  point.remember();
  point.begin(kStepLength);
  evaluate(point.step);
  Newton newton(point.step);
  const StepSolve solve = solve_by_fixed_point(point.step, newton);
  EXPECT_TRUE(solve.converged);
  EXPECT_EQ(solve.iterations, 0);
}

TEST(SmoothEquations, AreSolvedWithTheContactsMultipliersHeld) {
  SystemStep point(make_point(Vector3(0.0, -kStepGravity, 0.0), 0.5));
  point.begin(kStepLength);
  point.step.x.lambda << 5.0, 3.0;
  point.step.x.Lambda << 0.5, -0.25;
  point.step.x.kappa(0) = 0.125;
  Newton newton(point.step);
  EXPECT_TRUE(solve_smooth(point.step, newton));
  const Unknowns& x = point.step.x;
  EXPECT_NEAR(x.a(0), 3.0 / kMass, 1e-14);
  EXPECT_NEAR(x.a(1), 5.0 / kMass - kStepGravity, 1e-14);
  EXPECT_NEAR(x.U(0), -0.25 / kMass, 1e-15);
  EXPECT_NEAR(x.U(1), 0.5 / kMass, 1e-15);
  EXPECT_NEAR(x.Q(0), 0.5 * kStepLength * -0.25 / kMass, 1e-17);  // (127)
  EXPECT_NEAR(x.Q(1), 0.125 / kMass, 1e-16);
  EXPECT_EQ(x.lambda(0), 5.0);
  EXPECT_EQ(x.Lambda(1), -0.25);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
