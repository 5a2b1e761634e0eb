// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/undetermined_forces.h"

#include <gtest/gtest.h>

#include <string>

#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/start.h"
#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::kMass;
using test::kStepGravity;
using test::kStepLength;
using test::kWeight;
using test::SystemStep;

constexpr double kPlateInertia = 0.3;  // [kg m^2]
constexpr double kArm = 0.5;           // [m]

SystemBuilder make_plate(bool with_feet) {
  SystemBuilder builder(true, Vector3(0.0, -kStepGravity, 0.0));
  Body plate;
  plate.name = "plate";
  plate.type = BodyType::planar;
  plate.mass = kMass;
  plate.inertia(2, 2) = kPlateInertia;
  if (with_feet) {
    for (const double side : {-1.0, 1.0}) {
      plate.shapes.push_back({.name = side < 0.0 ? "left foot" : "right foot",
                              .geometry = PointShape{},
                              .position = Vector3(side * kArm, 0.0, 0.0)});
    }
  }
  builder.add_body(test::make_floor(Vector3::UnitY()));
  builder.add_body(plate);
  return builder;
}

void add_joint(SystemBuilder& builder, const std::string& name, JointType type, double at) {
  JointOptions joint;
  joint.name = name;
  joint.type = type;
  joint.first = 0;
  joint.second = 1;
  joint.on_first.at = joint.on_second.at = Vector3(at, 0.0, 0.0);
  builder.add_joint(joint);
}

/// A plate that a weld at its centre and a hinge beside it hold, the weight all on the weld.
struct HeldPlate : SystemStep {
  HeldPlate() : SystemStep(make()) {
    step.x.lambda(1) = kWeight;
    remember();
    begin(kStepLength);
    evaluate(step);
  }
  static System make() {
    SystemBuilder builder = make_plate(false);
    add_joint(builder, "weld", JointType::weld, 0.0);
    add_joint(builder, "hinge", JointType::revolute, kArm);
    return builder.build();
  }
  UndeterminedForces forces{step, ForceChoice::any};
};

/// The hinge takes y of the weight w and the weld w - y, and the torque -d y: the least of
///   (w - y)^2 / m + y^2 (1 / m + d^2 / J) + (d y)^2 / J   is at   y = w / (2 (1 + m d^2 / J)).
constexpr double kOnHinge = kWeight / (2.0 * (1.0 + kMass * kArm * kArm / kPlateInertia));  // [N]

TEST(UndeterminedForces, OfTwoJointsAreOfLeastNorm) {
  HeldPlate plate;
  Step& step = plate.step;
  const Vector r1 = step.r1;
  const Vector P = step.P;
  EXPECT_TRUE(plate.forces.settle_forces(step));
  EXPECT_NEAR(step.x.lambda(1), kWeight - kOnHinge, 1e-12);
  EXPECT_NEAR(step.x.lambda(2), -kArm * kOnHinge, 1e-12);
  EXPECT_NEAR(step.x.lambda(4), kOnHinge, 1e-12);
  EXPECT_NEAR(step.x.lambda(0), 0.0, 1e-13);
  EXPECT_NEAR(step.x.lambda(3), 0.0, 1e-13);
  evaluate(step);
  EXPECT_LE((step.r1 - r1).norm(), 1e-12);  // what moves the plate is what it was
  EXPECT_LE((step.P - P).norm(), 1e-14);
}

TEST(UndeterminedForces, AtTheStartAreTheSame) {
  HeldPlate plate;
  plate.forces.settle_start(plate.step, plate.state);
  EXPECT_NEAR(plate.step.x.lambda(1), kWeight - kOnHinge, 1e-12);
  EXPECT_NEAR(plate.step.x.lambda(4), kOnHinge, 1e-12);
}

/// A plate on two feet that stick, pressed against each other by friction, and elsewhere a joint.
struct StandingPlate : SystemStep {
  static constexpr double kPressed = 3.0;  // [N]
  StandingPlate() : SystemStep(make()) {
    step.x.lambda.head<4>() << 0.5 * kWeight, kPressed, 0.5 * kWeight, -kPressed;
    remember();
    state.q(3) = -3.0;
    begin(kStepLength);
    step.x.Lambda(1) = 0.01;
    step.x.Lambda(3) = -0.01;
    evaluate(step);
  }
  static System make() {
    SystemBuilder builder = make_plate(true);
    ContactPairOptions pair;
    pair.name = "feet";
    pair.first = 0;
    pair.second = 1;
    pair.law.friction = 0.5;
    builder.add_contact(pair);
    JointOptions rod;
    rod.name = "rod";
    rod.type = JointType::distance;
    rod.length = 1.0;
    rod.second = builder.add_body(test::make_point_body(kMass));
    rod.on_first.at = Vector3(-3.0, 1.0, 0.0);
    builder.add_joint(rod);
    return builder.build();
  }
};

TEST(UndeterminedForces, OfContactsAreOfLeastNormWhereThatIsAskedFor) {
  StandingPlate plate;
  Step& step = plate.step;
  ASSERT_TRUE(step.elements[0].states[0].stick_acceleration && step.elements[1].states[0].stick_acceleration);
  UndeterminedForces any(step, ForceChoice::any);
  EXPECT_TRUE(any.settle_forces(step));
  any.settle_percussions(step);
  EXPECT_EQ(step.x.lambda(1), StandingPlate::kPressed);
  UndeterminedForces least(step, ForceChoice::least_norm);
  EXPECT_TRUE(least.settle_forces(step));
  EXPECT_LE((step.x.lambda.head<4>() - Eigen::Vector4d(0.5 * kWeight, 0.0, 0.5 * kWeight, 0.0)).norm(), 1e-12);
}

TEST(UndeterminedForces, OfPercussionsLeaveForcesAlone) {
  StandingPlate plate;
  Step& step = plate.step;
  const Vector lambda = step.x.lambda;
  const double P_N = step.P(0);
  ASSERT_GT(step.P(1), 0.01);
  UndeterminedForces(step, ForceChoice::least_norm).settle_percussions(step);
  EXPECT_NEAR(step.P(1), 0.0, 1e-15);
  EXPECT_NEAR(step.P(3), 0.0, 1e-15);
  EXPECT_NEAR(step.P(0), P_N, 1e-14);
  EXPECT_EQ(step.x.lambda, lambda);
  EXPECT_NEAR(step.P(1), step.known_P(1) + step.gamma_step() * lambda(1) + step.x.Lambda(1), 1e-15);  // (113)
}

/// Nothing is left open by a hinge alone: all bits stay.
TEST(UndeterminedForces, WithoutALoopStayAsTheyAre) {
  SystemBuilder builder = make_plate(false);
  add_joint(builder, "hinge", JointType::revolute, kArm);
  SystemStep pendulum(builder.build());
  pendulum.begin(kStepLength);
  pendulum.step.x.lambda << 0.1, 0.7;
  evaluate(pendulum.step);
  const Vector lambda = pendulum.step.x.lambda;
  UndeterminedForces forces(pendulum.step, ForceChoice::least_norm);
  EXPECT_TRUE(forces.settle_forces(pendulum.step));
  EXPECT_EQ(pendulum.step.x.lambda, lambda);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
