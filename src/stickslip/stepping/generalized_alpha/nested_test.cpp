// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/nested.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "tests/support/generalized_alpha_step.h"
#include "tests/support/sweep_solver.h"

namespace stickslip::generalized_alpha {
namespace {

using test::kMass;
using test::kStepGravity;
using test::kStepLength;
using test::make_point;
using test::make_rod;
using test::SystemStep;

/// A point on an incline, the plane's y axis across it; few and many contacts go different ways.
struct PointOnIncline : SystemStep {
  PointOnIncline(double angle, double friction, double restitution = 0.0)
      : SystemStep(make_point(kStepGravity * Vector3(std::sin(angle), -std::cos(angle), 0.0), friction, restitution)),
        along(kStepGravity * std::sin(angle)),
        across(kStepGravity * std::cos(angle)),
        nested(step, solver) {}
  StepSolve solve(bool many) {
    begin(kStepLength);
    evaluate(step);
    return nested.solve(step, 8, many);
  }
  const double along, across;  // [m/s^2]
  test::SweepSolver solver;
  Nested nested;
};

class OnAnIncline : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Many, OnAnIncline, testing::Bool());

TEST_P(OnAnIncline, SticksUpToTheAngleOfFriction) {
  PointOnIncline point(std::atan(0.49), 0.5);
  EXPECT_TRUE(point.solve(GetParam()).converged);
  EXPECT_NEAR(point.step.x.lambda(0), kMass * point.across, 1e-7);
  EXPECT_NEAR(point.step.x.lambda(1), -kMass * point.along, 1e-7);
  EXPECT_NEAR(point.step.x.a.norm(), 0.0, 1e-7);
  EXPECT_TRUE(point.step.elements[0].states[0].stick_acceleration);
}

TEST_P(OnAnIncline, StartsToSlideBeyond) {
  PointOnIncline point(std::atan(0.6), 0.5);
  EXPECT_TRUE(point.solve(GetParam()).converged);
  EXPECT_NEAR(point.step.x.lambda(0), kMass * point.across, 1e-7);
  EXPECT_NEAR(point.step.x.lambda(1), -0.5 * kMass * point.across, 1e-7);
  EXPECT_NEAR(point.step.x.a(0), point.along - 0.5 * point.across, 1e-7);
  EXPECT_NEAR(point.step.x.a(1), 0.0, 1e-7);
}

TEST_P(OnAnIncline, SlidesUpwardsAgainstItsFriction) {
  PointOnIncline point(std::atan(0.6), 0.5);
  point.state.u(0) = -3.0;
  EXPECT_TRUE(point.solve(GetParam()).converged);
  EXPECT_NEAR(point.step.x.a(0), point.along + 0.5 * point.across, 1e-7);
}

TEST_P(OnAnIncline, AnImpactReturnsWithItsRestitution) {
  PointOnIncline point(0.0, 0.5, 0.25);
  point.state.u << 9.0, -4.0;
  point.state.q(1) = 1e-3;
  EXPECT_TRUE(point.solve(GetParam()).converged);
  EXPECT_NEAR(point.step.u(1), 1.0, 1e-8);
  EXPECT_NEAR(point.step.q(1), 0.0, 1e-10);
  EXPECT_NEAR(point.step.P(1), -0.5 * point.step.P(0), 1e-7);
  EXPECT_NEAR(point.step.u(0), 9.0 - 0.5 * (point.step.P(0) / kMass), 1e-7);
}

TEST_P(OnAnIncline, NothingIsAskedInFlight) {
  PointOnIncline point(0.0, 0.5);
  point.state.q(1) = 1.0;
  const StepSolve solve = point.solve(GetParam());
  EXPECT_TRUE(solve.converged);
  EXPECT_EQ(solve.iterations, 1);
  EXPECT_EQ(point.solver.problems(), 0);
  EXPECT_NEAR(point.step.x.a(1), -kStepGravity, 1e-13);
}

/// A rod whose tip slides: each newton of its normal force has friction that presses it on by three quarters of what it
/// pushes it apart, so that lambda_N = g / A, four times what the first repetition gives.
TEST(NestedSliding, FrictionThatPressesOnIsFoundByNewtonsMethod) {
  SystemStep rod(make_rod(1.0));
  const double s = 2.0 / std::sqrt(5.0);
  const double c = 1.0 / std::sqrt(5.0);
  rod.state.q << 0.0, s, std::atan(2.0);
  rod.state.u << -3.0, 0.0, 0.0;
  constexpr double kShort = 1e-6;  // [s] in which it does not turn
  rod.begin(kShort);
  evaluate(rod.step);
  test::SweepSolver solver;
  Nested nested(rod.step, solver);
  const StepSolve solve = nested.solve(rod.step, 3, false);
  EXPECT_TRUE(solve.converged);
  EXPECT_NEAR(rod.step.x.lambda(0), kStepGravity / (1.0 + 3.0 * c * c - 3.0 * s * c), 1e-3);
}

/// One pass, whatever the sets: the law of impact holds with the percussions.
TEST(NestedSettle, ObeysTheLawOfImpact) {
  PointOnIncline point(0.0, 0.5, 0.25);
  point.state.u << 9.0, -4.0;
  point.begin(kStepLength);
  evaluate(point.step);
  point.nested.settle(point.step);
  evaluate_as_is(point.step);
  EXPECT_NEAR(point.step.u(1), 1.0, 1e-8);
  EXPECT_NEAR(point.step.P(1), -0.5 * point.step.P(0), 1e-7);
  EXPECT_LE(point.step.r2.norm(), 1e-12);
  EXPECT_FALSE(point.nested.is_stuck(0));
  EXPECT_EQ(point.nested.violation(), 0.0);
}

/// A rod on a hinge at its end with a spring and a damper, at rest at an angle, with no accelerations remembered:
/// (I + dt^2 beta' k + dt gamma' d) phi'' = -k phi.
TEST(NestedStiffJoint, PassesContractAtAnyStiffness) {
  constexpr double kInertia = 4.0 / 3.0;  // [kg m^2] about the hinge, of a rod of half length and mass one
  constexpr double kAngle = 1e-4;         // [rad]
  constexpr double kNothing = 1e-300;     // [rad/s^2]
  for (const double ratio : {1e-310, 1e-2, 1.0, 30.0}) {  // h^2 k/I and h d/I
    SystemBuilder builder(true, Vector3::Zero());
    Body rod;
    rod.name = "rod";
    rod.type = BodyType::planar;
    rod.mass = 1.0;
    rod.inertia(2, 2) = 1.0 / 3.0;
    JointOptions hinge;
    hinge.name = "hinge";
    hinge.first = builder.add_body(test::make_floor(Vector3::UnitY()));
    hinge.second = builder.add_body(rod);
    hinge.on_second.at = Vector3(-1.0, 0.0, 0.0);
    hinge.spring = JointSpring{.stiffness = ratio * kInertia / (kStepLength * kStepLength),
                               .damping = ratio * kInertia / kStepLength};
    builder.add_joint(hinge);
    SystemStep pendulum(builder.build());
    pendulum.state.q << std::cos(kAngle), std::sin(kAngle), kAngle;
    pendulum.begin(kStepLength);
    evaluate(pendulum.step);
    test::SweepSolver solver;
    Nested nested(pendulum.step, solver);
    const Step& step = pendulum.step;
    EXPECT_TRUE(nested.solve(pendulum.step, 4, true).converged) << ratio;
    const double inertia =
        kInertia + step.beta_step() * hinge.spring->stiffness + step.gamma_step() * hinge.spring->damping;
    const double expected = -hinge.spring->stiffness * kAngle / inertia;
    EXPECT_NEAR(step.x.a(2), expected, 1e-6 * std::abs(expected) + kNothing) << ratio;
  }
}

/// A force F along x on a bob that hangs at 45 degrees: half of it acts along the way that is free, half is borne.
TEST(NestedJump, IsThatOfTheEquationsOfMotion) {
  constexpr double kForce = 6.0;  // [N]
  SystemBuilder builder(true, Vector3(0.0, -kStepGravity, 0.0));
  JointOptions rod;
  rod.name = "rod";
  rod.type = JointType::distance;
  rod.length = std::sqrt(2.0);
  rod.first = builder.add_body(test::make_floor(Vector3::UnitY()));
  rod.second = builder.add_body(test::make_point_body(kMass));
  builder.add_joint(rod);
  SystemStep pendulum(builder.build());
  pendulum.state.q << 1.0, -1.0;
  pendulum.state.u << 1.0, 1.0;
  pendulum.state.inputs.set_force(pendulum.system, 1, Vector3(kForce, 0.0, 0.0));
  test::SweepSolver solver;
  Nested nested(pendulum.step, solver);
  nested.calc_jump(pendulum.step, pendulum.state);
  EXPECT_NEAR(pendulum.step.x.a(0), 0.5 * kForce / kMass, 1e-12);
  EXPECT_NEAR(pendulum.step.x.a(1), 0.5 * kForce / kMass, 1e-12);
  EXPECT_NEAR(pendulum.step.x.lambda(0), -kForce / std::sqrt(2.0), 1e-12);
  pendulum.state.remembered_inputs = pendulum.state.inputs;
  nested.calc_jump(pendulum.step, pendulum.state);
  EXPECT_EQ(pendulum.step.x.a.norm(), 0.0);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
