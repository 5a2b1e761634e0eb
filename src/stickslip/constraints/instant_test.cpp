// SPDX-License-Identifier: BSD-3-Clause
// What an instant is made of. What is found at it: tests/analytic/instant_test.cpp.
#include "stickslip/constraints/instant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/no_solver.h"
#include "tests/support/random_mechanics.h"

namespace stickslip {
namespace {

using test::make_body;
using test::moved;
using test::NoSolver;
using test::random_state;
using test::RandomState;
using Kind = ConstraintSet::Kind;

constexpr double kEverything = 1e9;  // [m], [-] gaps up to which all contacts are closed

Shape shape(ShapeGeometry geometry, const Vector3& position) {
  Shape s;
  s.name = "s";
  s.geometry = std::move(geometry);
  s.position = position;
  return s;
}

void add_contact(SystemBuilder& builder, int first, int second, int first_shape = -1, int second_shape = -1,
                 double contensou = 0.0) {
  ContactPairOptions pair;
  pair.name = "c" + std::to_string(first) + std::to_string(second);
  pair.first = first;
  pair.second = second;
  pair.first_shape = first_shape;
  pair.second_shape = second_shape;
  pair.law.friction = 0.3;
  pair.law.contensou_radius = contensou;
  builder.add_contact(pair);
}

JointOptions joint(JointType type, int first, int second) {
  JointOptions options;
  options.name = std::string(joint_type_name(type)) + std::to_string(first) + std::to_string(second);
  options.type = type;
  options.first = first;
  options.second = second;
  options.length = 0.7;
  options.on_first.at = Vector3(0.2, -0.1, 0.0);
  options.on_second.at = Vector3(-0.15, 0.25, 0.0);
  options.on_first.parameter = 0.15;
  options.on_second.parameter = 0.3;
  return options;
}

void add_dry_friction(SystemBuilder& builder, int first, int second, std::optional<Vector3> axis) {
  Force force;
  force.name = "dry" + std::to_string(first) + std::to_string(second);
  force.law = DryFriction{.first = first,
                          .second = second,
                          .at_first = Vector3(0.1, 0.2, 0.0),
                          .at_second = Vector3(-0.3, 0.1, 0.0),
                          .parameter_first = 0.4,
                          .parameter_second = 0.2,
                          .bound = 1.5,
                          .axis = axis};
  builder.add_force(force);
}

/// Two rigid bodies and a point between a moving table and the ground: balls, corners and what they touch, rods, dry
/// friction.
System make_spatial() {
  SystemBuilder builder(false, Vector3(0.0, 0.0, -9.81));
  Body ground = make_body('f', "ground", false);
  Body table = make_body('m', "table", false);
  table.shapes = {shape(HalfSpace{.normal = Vector3::UnitZ(), .offset = 0.0}, Vector3::Zero())};
  Body first = make_body('r', "first", false);
  first.shapes = {shape(Sphere{.radius = 0.3}, Vector3(0.1, -0.15, 0.2))};
  Body second = make_body('r', "second", false);
  second.shapes = {shape(Sphere{.radius = 0.2}, Vector3(-0.2, 0.1, 0.1)),
                   shape(Box{.size = Vector3(0.3, 0.2, 0.4)}, Vector3::Zero())};
  const int on_ground = builder.add_body(ground);
  const int on_table = builder.add_body(table);
  const int one = builder.add_body(first);
  const int two = builder.add_body(second);
  const int point = builder.add_body(make_body('.', "point", false));
  add_contact(builder, on_table, one, 0, 0, 0.1);
  add_contact(builder, on_table, two);
  add_contact(builder, one, two, 0, 0);
  builder.add_joint(joint(JointType::distance, one, two));
  builder.add_joint(joint(JointType::distance, on_table, point));
  add_dry_friction(builder, one, two, std::nullopt);
  add_dry_friction(builder, on_ground, one, Vector3::UnitX());
  return builder.build();
}

/// Planar bodies and a beam, with every joint there is, driven and limited, and balls on each other.
System make_planar() {
  SystemBuilder builder(true, Vector3(0.0, -9.81, 0.0));
  Body table = make_body('m', "table", true);
  table.shapes = {shape(HalfSpace{.normal = Vector3::UnitY(), .offset = 0.0}, Vector3::Zero())};
  Body first = make_body('p', "first", true);
  first.shapes = {shape(Sphere{.radius = 0.3}, Vector3(0.1, -0.15, 0.0))};
  Body second = make_body('p', "second", true);
  second.shapes = {shape(Sphere{.radius = 0.2}, Vector3(-0.2, 0.1, 0.0))};
  const int on_table = builder.add_body(table);
  const int one = builder.add_body(first);
  const int two = builder.add_body(second);
  const int beam = builder.add_body(make_body('b', "beam", true));
  add_contact(builder, on_table, one);
  add_contact(builder, on_table, two);
  add_contact(builder, one, two);
  JointOptions driven = joint(JointType::revolute, on_table, one);
  driven.motion = Expression::parse("0.3*sin(4*t)");
  builder.add_joint(driven);
  JointOptions limited = joint(JointType::prismatic, one, two);
  limited.limits = JointLimits{-0.1, 0.1, 0.0};
  limited.friction = 2.0;
  builder.add_joint(limited);
  JointOptions turning = joint(JointType::revolute, one, two);
  turning.limits = JointLimits{-0.2, 0.2, 0.0};
  turning.friction = 1.0;
  builder.add_joint(turning);
  builder.add_joint(joint(JointType::weld, two, beam));
  builder.add_joint(joint(JointType::distance, one, beam));
  builder.add_joint(joint(JointType::knife_edge, on_table, two));
  add_dry_friction(builder, one, beam, std::nullopt);
  add_dry_friction(builder, on_table, two, Vector3::UnitX());
  return builder.build();
}

/// Whether differences say nothing: balls or the points of a distance close together, a beam that is crumpled.
bool near_singular(const System& system, const RandomState& s) {
  for (const ContactPoint& point : system.contact_points()) {
    if (point.joint >= 0 || system.surfaces()[point.surface].kind != SurfaceKind::sphere) continue;
    const double radii = system.surfaces()[point.surface].radius + system.balls()[point.ball].radius;
    if (system.calc_gap(point, s.t, s.q) + radii < 0.8) return true;
  }
  JointVector g;
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    const Joint& at = system.joints()[j];
    system.calc_joint_position(static_cast<int>(j), s.t, s.q, g);
    if (at.options.type == JointType::distance && g(0) + at.options.length < 0.6) return true;
    for (const Side side : {Side::first, Side::second}) {
      const Attachment& place = at.side(side);
      Eigen::Vector2d tangent = Eigen::Vector2d::Zero();
      for (int i = 0; i < place.n_control; ++i) tangent += place.slope[i] * s.q.segment<2>(place.q_offset + 2 * i);
      if (place.n_control > 0 && tangent.norm() < 1.0) return true;
    }
  }
  return false;
}

/// gamma of all rows.
std::vector<double> gamma_at(const System& system, const RandomState& s) {
  BodySnapshot at(system);
  ConstraintSet set(system, {}, false);
  set.gather(at.take(s.t, s.q, &s.u), system.contact_points(), kEverything, 1.0);
  return {set.gamma().begin(), set.gamma().end()};
}

class Kinematics : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(, Kinematics, testing::Values(false, true));

TEST_P(Kinematics, AccelerationsAreTheRatesOfVelocities) {
  const System system = GetParam() ? make_planar() : make_spatial();
  NoSolver solver;
  Instant instant(system, solver);
  BodySnapshot at(system);
  ConstraintSet set(system, {}, false);
  std::mt19937 generator(7);
  for (int trial = 0; trial < 20; ++trial) {
    const RandomState s = random_state(system, generator, near_singular);
    at.take(s.t, s.q, &s.u);
    instant.take(at, system.contact_points(), {}, {.gap = kEverything});
    set.gather(at, system.contact_points(), kEverything, 1.0);
    ASSERT_EQ(instant.constraints().size(), set.size());
    std::vector<double> exact(instant.zeta().begin(), instant.zeta().end());
    set.add_relative_velocities(s.a, exact);
    const std::vector<double> before = gamma_at(system, moved(system, s, -test::kCentralStep));
    const std::vector<double> after = gamma_at(system, moved(system, s, test::kCentralStep));
    for (int row = 0; row < set.size(); ++row) {
      const double rate = (after[row] - before[row]) / (2.0 * test::kCentralStep);
      EXPECT_NEAR(exact[row], rate, test::kCentralError * (10.0 + std::abs(rate))) << "row " << row;
    }
  }
}

/// A ball on a floor, its centre at a height, with a velocity.
class Ball : public testing::Test {
 protected:
  Ball() : system_(make()), instant_(system_, solver_), at_(system_) {}

  void take(double height, const Vector3& velocity, const InstantTolerances& tolerances = {}) {
    q_ << 0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0;
    u_ << velocity, 0.0, 0.0, 0.0;
    instant_.take(at_.take(0.0, q_, &u_), system_.contact_points(), {}, tolerances);
  }

  static System make() {
    SystemBuilder builder(false, Vector3(0.0, 0.0, -9.81));
    Body floor;
    floor.name = "floor";
    floor.type = BodyType::fixed;
    floor.shapes = {shape(HalfSpace{.normal = Vector3::UnitZ(), .offset = 0.0}, Vector3::Zero())};
    Body ball;
    ball.name = "ball";
    ball.mass = 1.0;
    ball.inertia = 0.1 * Matrix3::Identity();
    ball.shapes = {shape(Sphere{.radius = 0.5}, Vector3::Zero())};
    const int first = builder.add_body(floor);
    add_contact(builder, first, builder.add_body(ball));
    return builder.build();
  }

  System system_;
  NoSolver solver_;
  Instant instant_;
  BodySnapshot at_;
  Vector q_ = Vector::Zero(7), u_ = Vector::Zero(6);
};

TEST_F(Ball, ModesFollowFromGapAndVelocity) {
  take(0.5 + 1e-6, Vector3::Zero());
  EXPECT_EQ(instant_.constraints().count(), 0);
  take(0.5 + 1e-10, Vector3::Zero());
  ASSERT_EQ(instant_.constraints().count(), 1);
  EXPECT_EQ(instant_.mode(0), InstantMode::sticking);
  EXPECT_FALSE(instant_.jumps(0));
  take(0.5, Vector3(0.3, -0.4, 0.0));
  EXPECT_EQ(instant_.mode(0), InstantMode::sliding);
  take(0.5, Vector3(0.3, -0.4, 0.1));
  EXPECT_EQ(instant_.mode(0), InstantMode::separating);
  take(0.5, Vector3(0.3, -0.4, -0.1));
  EXPECT_TRUE(instant_.jumps(0));
}

TEST_F(Ball, TolerancesAreTheCallers) {
  take(0.5 + 1e-6, Vector3(1e-6, 0.0, 0.0), {.gap = 1e-5, .speed = 1e-5});
  ASSERT_EQ(instant_.constraints().count(), 1);
  EXPECT_EQ(instant_.mode(0), InstantMode::sticking);
  take(0.5, Vector3(1e-6, 0.0, 0.0));
  EXPECT_EQ(instant_.mode(0), InstantMode::sliding);
}

TEST_F(Ball, WhatAccelerationsWouldStopIsHeld) {
  take(0.5, Vector3(0.3, 0.0, 0.0));
  Vector a = Vector::Zero(6);
  a(0) = -10.0;
  EXPECT_FALSE(instant_.hold_what_stops(a, 0.02));
  EXPECT_EQ(instant_.mode(0), InstantMode::sliding);
  EXPECT_TRUE(instant_.hold_what_stops(a, 0.04));
  EXPECT_EQ(instant_.mode(0), InstantMode::sticking);
}

TEST_F(Ball, WithItsContactOpenedItFalls) {
  take(0.5, Vector3::Zero());
  instant_.open_contacts();
  EXPECT_EQ(instant_.solve().status, Status::ok);
  EXPECT_EQ(instant_.a()(2), -9.81);
  EXPECT_EQ(instant_.gamma_dot()[0], -9.81);
}

/// Says that all is well, and gives no forces.
class Liar final : public ConeSolver {
 public:
  std::string_view name() const override { return "liar"; }
  double tolerance() const override { return 1e-10; }
  std::optional<std::string> refuses(const ConeProblem&) const override { return {}; }
  SolveReport do_solve(const ConeProblem& problem, Tolerance /*tolerance*/, ConeSolution& solution) override {
    solution = {.p = std::vector<double>(problem.size(), 0.0), .u = problem.b};
    return {};
  }
};

TEST_F(Ball, WhatTheSolverSaysIsJudged) {
  take(0.5, Vector3::Zero());
  Liar solver;
  Instant instant(system_, solver);
  instant.take(at_, system_.contact_points());
  const InstantReport report = instant.solve();
  EXPECT_EQ(report.solve.status, Status::ok);
  EXPECT_EQ(report.status, Status::inexact);
  EXPECT_GT(report.residual.absolute, 1.0);
}

TEST_F(Ball, VelocitiesThatAreNotFiniteFail) {
  take(0.5, Vector3(std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0));
  EXPECT_EQ(instant_.solve().status, Status::failed);
}

}  // namespace
}  // namespace stickslip
