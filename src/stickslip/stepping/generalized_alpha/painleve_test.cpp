// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/painleve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::kStepGravity;
using test::kStepLength;
using test::make_rod;
using test::SystemStep;

constexpr double kShort = 1e-4;  // [s]

/// The tip slides at `speed` along x while the rod turns at `rate`, at an instant.
struct RodStep : SystemStep {
  RodStep(double friction, double angle, double speed, double rate = 0.0, bool guided = false)
      : SystemStep(make_rod(friction, guided)), s(std::sin(angle)), c(std::cos(angle)) {
    state.q << 0.0, s, angle;
    state.u << speed - rate * s, rate * c, rate;
    remember();
    begin(kShort);
  }
  StepElement& tip() { return step.elements[0]; }
  /// [1/kg] (formulations: C.3)
  double A(double friction) const { return 1.0 + 3.0 * c * c - 3.0 * friction * s * c; }
  const double s, c;
};

/// Whether open_by_choice() opens the tip where forces hold it that opens by itself.
bool opens(RodStep& rod, double free_acceleration) {
  evaluate_as_is(rod.step);
  StepElement& e = rod.tip();
  constexpr double kForce = 3.0;  // [N]
  const double A = e.diagonal[0] - e.mu * e.coupling[1] * e.slip[1];
  e.level = Level::acceleration;
  rod.step.x.lambda(0) = kForce;
  e.gamma_dot[0] = free_acceleration + A * kForce;
  open_by_choice(rod.step, e);
  EXPECT_EQ(count_choices(rod.step), e.opened_by_choice ? 1 : 0);
  return e.opened_by_choice;
}

/// The step by Newton's method, and what is chosen then.
void solve_and_choose(RodStep& rod) {
  evaluate(rod.step);
  Newton newton(rod.step);
  StepSolve solve = newton.solve(rod.step);
  Painleve painleve(rod.step);
  painleve.choose(rod.step, rod.state, newton, solve);
  EXPECT_TRUE(solve.converged);
}

/// Below mu = 4/3 the normal force presses the tip apart at all angles, above it pulls at some around tan = 2.
TEST(Painleve, TheCriticalFrictionIsFourThirds) {
  const double worst = std::atan(2.0);
  for (const double direction : {-1.0, 1.0}) {
    RodStep below(1.33, worst, direction);
    EXPECT_FALSE(opens(below, 1.0));
  }
  // Friction presses on where the tip slides away from the centre.
  RodStep above(1.34, worst, -1.0);
  EXPECT_TRUE(opens(above, 1.0));
  EXPECT_EQ(above.tip().level, Level::velocity);
  EXPECT_EQ(above.step.x.lambda(0), 0.0);
  RodStep towards(1.34, worst, 1.0);
  EXPECT_FALSE(opens(towards, 1.0));
  RodStep pressed(1.34, worst, -1.0);
  EXPECT_FALSE(opens(pressed, -1.0));  // without the force it would go into the floor
}

TEST(Painleve, OpensWhereTheNormalResponseIsNegative) {
  for (const double friction : {1.0, 1.5, 2.0, 4.0}) {
    for (int degrees = 5; degrees < 90; degrees += 5) {
      RodStep rod(friction, degrees * std::numbers::pi / 180.0, -1.0);
      const bool opened = opens(rod, 1.0);
      EXPECT_NEAR(rod.tip().diagonal[0], 1.0 + 3.0 * rod.c * rod.c, 1e-13);
      EXPECT_EQ(opened, rod.A(friction) < 0.0) << friction << ", " << degrees;
    }
  }
}

TEST(Painleve, AGuideTakesTheParadoxAway) {
  const double worst = std::atan(2.0);
  RodStep alone(2.0, worst, -1.0);
  EXPECT_TRUE(opens(alone, 1.0));
  RodStep guided(2.0, worst, -1.0, 0.0, true);
  EXPECT_FALSE(opens(guided, 1.0));  // A = 1 / m, as it does not turn
}

/// Two solutions: it slides on with lambda_N = -b / A, b = rate^2 s - g > 0, or opens. The rule takes the second.
TEST(Painleve, ChoosesToOpen) {
  constexpr double kFriction = 2.0;
  constexpr double kRate = -5.0;  // [rad/s]
  RodStep rod(kFriction, std::atan(2.0), -3.0, kRate);
  const double b = kRate * kRate * rod.s - kStepGravity;
  ASSERT_GT(b, 0.0);
  ASSERT_LT(rod.A(kFriction), 0.0);
  Step& step = rod.step;
  const double normal = -b / rod.A(kFriction);
  step.x.lambda << normal, kFriction * normal;
  step.x.a << kFriction * normal, normal - kStepGravity, 3.0 * normal * (kFriction * rod.s - rod.c);
  rod.remember();
  rod.begin(kShort);
  solve_and_choose(rod);
  EXPECT_LE(step.measure.error(), 1.0);
  EXPECT_EQ(step.P(0), 0.0);
  EXPECT_EQ(step.x.lambda(0), 0.0);
  EXPECT_NEAR(step.x.a(1), -kStepGravity, 1e-9);
  EXPECT_EQ(count_choices(step), 1);
}

/// No accelerations obey the laws: the tip stops, with the percussion that takes its velocities, b h and -3 m/s, away:
/// -G^-1 (b h, -3), G^-1 = 1/4 [[1 + 3 s^2, 3 s c], [3 s c, 1 + 3 c^2]].
TEST(Painleve, StopsOnlyWhereNothingElseSolves) {
  constexpr double kFriction = 2.0;
  RodStep rod(kFriction, std::atan(2.0), -3.0);
  ASSERT_LT(rod.A(kFriction), 0.0);
  rod.state.q(1) -= 1e-12;  // an overlap beyond round-off: the tip touches
  rod.remember();
  rod.begin(kShort);
  Step& step = rod.step;
  solve_and_choose(rod);
  EXPECT_TRUE(rod.tip().states[0].stick);
  EXPECT_NEAR(rod.tip().xi[1], 0.0, 1e-8);
  EXPECT_NEAR(step.P(0), 0.25 * 9.0 * rod.s * rod.c, 2e-3);
  EXPECT_NEAR(step.P(1), 0.25 * 3.0 * (1.0 + 3.0 * rod.c * rod.c), 2e-3);
  EXPECT_EQ(count_choices(step), 0);
}

TEST(Painleve, LeavesNothingToChooseBelow) {
  constexpr double kFriction = 1.0;
  RodStep rod(kFriction, std::atan(2.0), -3.0);
  Step& step = rod.step;
  const double normal = kStepGravity / rod.A(kFriction);
  step.x.lambda << normal, kFriction * normal;
  rod.remember();
  rod.begin(kShort);
  evaluate(step);
  Newton newton(step);
  StepSolve solve = newton.solve(step);
  const int iterations = solve.iterations;
  Painleve painleve(step);
  painleve.choose(step, rod.state, newton, solve);
  EXPECT_TRUE(solve.converged);
  EXPECT_EQ(solve.iterations, iterations);
  EXPECT_NEAR(step.x.lambda(0), normal, 1e-2 * normal);
  EXPECT_EQ(count_choices(step), 0);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
