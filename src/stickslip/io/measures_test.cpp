// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/measures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip {
namespace {

/// Two balls of mass 2 above one another on the floor, and a third one beside them, radius 0.5.
struct Column3 {
  Column3() : system(make()) {
    state.t = 1.0;
    state.q = Vector::Zero(system.n_q());
    state.u = Vector::Zero(system.n_u());
    const std::array<Vector3, 3> centres = {Vector3(0, 0, 0.5), Vector3(0, 0, 1.5), Vector3(3, 0, 0.5)};
    for (int i = 0; i < 3; ++i) {
      state.q.segment<3>(7 * i) = centres[static_cast<std::size_t>(i)];
      state.q(7 * i + 3) = 1.0;
    }
    state.u(6 + 2) = -3.0;
    report.step = 0.1;
    report.contacts = {touch(0, 1, Vector3(0, 0, 0), 4.0, 0.0), touch(1, 2, Vector3(0, 0, 1), 2.0, 0.5),
                       touch(0, 3, Vector3(3, 0, 0), 2.0, 0.0)};
    report.contacts.push_back(touch(0, 3, Vector3(3, 0, 0), 9.0, 0.0));
    report.contacts.back().status = ContactStatus::open;
  }

  static System make() {
    SystemBuilder builder(false, Vector3::Zero());
    Body floor;
    floor.name = "floor";
    floor.type = BodyType::fixed;
    builder.add_body(floor);
    for (const char* name : {"low", "high", "aside"}) {
      Body ball;
      ball.name = name;
      ball.mass = 2.0;
      ball.inertia = Matrix3::Identity();
      ball.shapes = {{"hull", Sphere{0.5}}};
      builder.add_body(ball);
    }
    return builder.build();
  }

  /// A contact along z with these percussions along the normal and along x, on b. [N s]
  static ContactReport touch(int a, int b, const Vector3& at, double normal, double friction) {
    ContactReport c;
    c.contact = kDetected;
    c.body_a = a;
    c.body_b = b;
    c.friction_dim = 2;
    c.status = ContactStatus::slip;
    c.position = at;
    c.normal = Vector3::UnitZ();
    c.tangent = Vector3::UnitX();
    c.percussion = {normal, friction};
    return c;
  }

  MeasureOptions of_all() const {
    MeasureOptions options;
    options.has_body = {0, 1, 1, 1};
    options.starts_beyond = {0, 0, 0, 0};
    return options;
  }

  System system;
  State state;
  StepReport report;
};

TEST(Measures, CountBodiesTouchesAndForces) {
  const Column3 scene;
  const Measure m = calc_measure(scene.system, scene.of_all(), scene.state, scene.report, true);
  EXPECT_EQ(m.bodies, 3.0);
  EXPECT_EQ(m.kinetic_energy, 9.0);
  EXPECT_DOUBLE_EQ(m.coordination, 4.0 / 3.0) << "floor and ball, ball, floor";
  EXPECT_DOUBLE_EQ(m.force_mean, 80.0 / 3.0);
  EXPECT_EQ(m.force_max, 40.0);
  EXPECT_DOUBLE_EQ(m.force_deviation, 20.0 * std::sqrt(2.0) / 3.0) << "of 40, 20 and 20";
  EXPECT_EQ(m.fabric, Matrix3(Vector3::UnitZ() * Vector3::UnitZ().transpose()));
  EXPECT_TRUE(m.stress.array().isNaN().all()) << "it needs a box";
  EXPECT_TRUE(std::isnan(m.crossed)) << "it needs a plane";
}

/// The low ball carries 40 N from below and 20 N from above: its arms of half a metre give
/// -0.5 (40 + 20) = -30 N m along z z; friction of 5 N acts on it along -x from above.
TEST(Measures, StressIsTheSumOfArmTimesForce) {
  const Column3 scene;
  MeasureOptions options = scene.of_all();
  options.box = {Vector3(-1, -1, 0), Vector3(1, 1, 1)};
  const Measure m = calc_measure(scene.system, options, scene.state, scene.report, true);
  EXPECT_EQ(m.bodies, 1.0);
  Matrix3 expected = Matrix3::Zero();
  expected(2, 2) = -30.0 / 4.0;
  expected(2, 0) = -0.5 * 5.0 / 4.0;
  EXPECT_LT((m.stress - expected).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(m.force_mean, 30.0) << "of both points in the box, borders included";
}

TEST(Measures, WhatCrossedIsTheSideNowLessThatAtTheStart) {
  const Column3 scene;
  MeasureOptions options = scene.of_all();
  options.plane = {Vector3(0, 0, 1), Vector3(0, 0, -2)};
  options.starts_beyond = {0, 0, 0, 0};
  EXPECT_EQ(calc_measure(scene.system, options, scene.state, scene.report, true).crossed, 2.0);
  EXPECT_EQ(calc_measure(scene.system, options, scene.state, scene.report, true).crossed_mass, 4.0);
  options.starts_beyond = {0, 1, 1, 1};
  EXPECT_EQ(calc_measure(scene.system, options, scene.state, scene.report, true).crossed, -1.0);
}

TEST(Measures, AreUndefinedWhereThereIsNothing) {
  const Column3 scene;
  MeasureOptions options = scene.of_all();
  options.box = {Vector3(10, 10, 10), Vector3(11, 11, 11)};
  const Measure m = calc_measure(scene.system, options, scene.state, scene.report, true);
  EXPECT_EQ(m.bodies, 0.0);
  EXPECT_EQ(m.stress, Matrix3(Matrix3::Zero()));
  for (const double x : {m.coordination, m.force_mean, m.force_max, m.force_deviation, m.fabric(0, 0)}) {
    EXPECT_TRUE(std::isnan(x));
  }
  const Measure at_start = calc_measure(scene.system, scene.of_all(), scene.state, scene.report, false);
  EXPECT_TRUE(std::isnan(at_start.force_mean));
  EXPECT_EQ(at_start.fabric(2, 2), 1.0);
}

}  // namespace
}  // namespace stickslip
