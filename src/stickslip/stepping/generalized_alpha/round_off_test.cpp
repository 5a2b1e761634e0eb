// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/round_off.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stickslip/math/round_off.h"
#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::kMass;
using test::kStepGravity;
using test::kStepLength;
using test::SystemStep;

/// [m], [kg], [s] of what is one in the others.
struct Units {
  double length = 1.0, mass = 1.0, time = 1.0;
  double acceleration() const { return length / (time * time); }
  double force() const { return mass * acceleration(); }
};

constexpr double kStiffness = 3.0e6;  // [N/m]

/// A point that lies on the floor 4 m from the origin, where it rubs, with a spring along the floor if there is one.
struct PointInUnits : SystemStep {
  explicit PointInUnits(const Units& units, double stiffness = 0.0)
      : SystemStep(make(units, stiffness)), h(kStepLength * units.time) {
    state.q << 4.0 * units.length, 0.0;
    state.u << 3.0 * units.length / units.time, 0.0;
    step.x.lambda << kMass * kStepGravity * units.force(), -0.5 * kMass * kStepGravity * units.force();
    step.x.a << -0.5 * kStepGravity * units.acceleration(), 0.0;
    remember();
    begin(h);
  }
  static System make(const Units& units, double stiffness) {
    SystemBuilder builder(true, Vector3(0.0, -kStepGravity * units.acceleration(), 0.0));
    ContactPairOptions pair;
    pair.name = "contact";
    pair.first = builder.add_body(test::make_floor(Vector3::UnitY()));
    pair.second = builder.add_body(test::make_point_body(kMass * units.mass));
    pair.law.friction = 0.5;
    builder.add_contact(pair);
    if (stiffness > 0.0) {
      Spring spring;
      spring.first = pair.first;
      spring.second = pair.second;
      spring.stiffness = stiffness * units.force() / units.length;
      spring.rest = 4.0 * units.length;
      builder.add_force({.name = "spring", .law = spring});
    }
    return builder.build();
  }
  /// At the iterate as it is.
  void bound() {
    evaluate(step);
    NewtonSystem newton(step);
    newton.calc_derivatives(step);
    RoundOffBounds(system.n_u()).set(step, newton);
  }
  const RoundOff& of_body() const { return step.measure.round_off(1); }
  const RoundOff& of_contact() const { return step.elements[0].round_off; }
  double h;  // [s]
};

TEST(RoundOff, OfAFreeBodyIsThatOfItsWeight) {
  PointInUnits point{Units{}};
  point.state.q(1) = 1.0;
  point.step.x.lambda.setZero();
  point.step.x.a << 0.0, -kStepGravity;
  point.remember();
  point.begin(kStepLength);
  point.bound();
  EXPECT_NEAR(point.of_body().acceleration, 2.0 * kSumRoundOff * kStepGravity,
              1e-12 * kSumRoundOff);  // of h and of M a
  EXPECT_EQ(point.of_body().velocity, 0.0);
}

/// A coordinate of 4 m is known to so much that the force of the spring is not known better.
TEST(RoundOff, OfAStiffSpringIsThatOfItsEnds) {
  PointInUnits point(Units{}, kStiffness);
  point.state.u.setZero();
  point.step.x.lambda(1) = point.step.x.a(0) = 0.0;
  point.remember();
  point.begin(kStepLength);
  point.bound();
  const double of_spring = kStiffness * kSumRoundOff * 4.0;  // [N]
  EXPECT_NEAR(point.of_body().acceleration, of_spring / kMass, 1e-5 * of_spring);
}

TEST(RoundOff, GrowsWithWhatActs) {
  PointInUnits point{Units{}};
  point.bound();
  const double before = point.of_body().velocity;
  constexpr double kPercussion = 1e4;  // [N s]
  point.step.x.Lambda(0) = kPercussion;
  point.bound();
  // Of P and of Lambda, and of M U, which is zero.
  EXPECT_NEAR(point.of_body().velocity - before, 2.0 * kSumRoundOff * kPercussion / kMass,
              0.1 * kSumRoundOff * kPercussion);
}

/// Powers of two scale without rounding.
TEST(RoundOff, ScalesWithTheUnits) {
  const Units units{1024.0, 0.125, 64.0};
  PointInUnits one(Units{}, kStiffness);
  PointInUnits other(units, kStiffness);
  one.bound();
  other.bound();
  const double speed = units.length / units.time;
  EXPECT_GT(one.of_body().acceleration, 0.0);
  EXPECT_GT(one.of_contact().velocity, 0.0);
  EXPECT_DOUBLE_EQ(other.of_body().acceleration, units.acceleration() * one.of_body().acceleration);
  EXPECT_DOUBLE_EQ(other.of_body().velocity, speed * one.of_body().velocity);
  EXPECT_DOUBLE_EQ(other.of_body().position, units.length * one.of_body().position);
  EXPECT_DOUBLE_EQ(other.of_contact().acceleration, units.acceleration() * one.of_contact().acceleration);
  EXPECT_DOUBLE_EQ(other.of_contact().velocity, speed * one.of_contact().velocity);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
