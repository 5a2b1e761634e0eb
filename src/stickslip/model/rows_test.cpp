// SPDX-License-Identifier: BSD-3-Clause
// Joints and contacts written out by hand against the general kinematics, whose derivatives are tested by differences.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "stickslip/math/rotation.h"
#include "stickslip/model/contact_rows.h"
#include "stickslip/model/joint_rows.h"
#include "tests/support/random_mechanics.h"

namespace stickslip {
namespace {

using test::make_body;
using test::random_state;
using test::RandomState;

/// Both are exact; angles and curvatures of these states magnify round-off by a hundred at most.
constexpr double kRoundOff = 1e-11;  // [-] relative to one and the largest entry

/// A random state in which the control points of beams lie in a row, so that no tangent is near zero.
RandomState random_state_in_a_row(const System& system, std::mt19937& generator) {
  RandomState s = random_state(system, generator);
  for (const Body& body : system.bodies()) {
    for (int i = 0; body.beam && i < body.n_q; i += 2) s.q(body.q_offset + i) = 0.2 * s.q(body.q_offset + i) + 0.5 * i;
  }
  return s;
}

template <class A, class B>
void expect_equal(const A& hand, const B& general, const std::string& what) {
  ASSERT_EQ(hand.rows(), general.rows()) << what;
  ASSERT_EQ(hand.cols(), general.cols()) << what;
  if (hand.size() == 0) return;
  const double size = std::max(1.0, general.cwiseAbs().maxCoeff());
  EXPECT_LE((hand - general).cwiseAbs().maxCoeff(), kRoundOff * size) << what;
}

System make_joint_system(JointType type, bool driven, char first, char second) {
  SystemBuilder builder(true, Vector3(0, -9.81, 0));
  JointOptions joint;
  joint.name = "joint";
  joint.type = type;
  joint.first = builder.add_body(make_body(first, "first", true));
  joint.second = builder.add_body(make_body(second, "second", true));
  if (driven) joint.motion = Expression::parse("0.3*sin(2*t)");
  joint.length = 0.7;
  joint.on_first.at = Vector3(0.2, -0.1, 0.0);
  joint.on_second.at = Vector3(-0.15, 0.25, 0.0);
  joint.on_first.axes = axis_angle_matrix(Vector3::UnitZ(), 0.4);
  joint.on_second.axes = axis_angle_matrix(Vector3::UnitZ(), -0.2);
  joint.on_first.parameter = 0.15;
  joint.on_second.parameter = 0.3;
  builder.add_joint(joint);
  return builder.build();
}

void compare_joint(const System& system, const RandomState& s, const std::string& what) {
  const Joint& joint = system.joints()[0];
  JointRows rows;
  calc_joint_rows(system, 0, s.t, s.q, s.u, rows);
  JointVector g;
  JointVector gamma;
  JointVector zeta;
  system.calc_joint_position(0, s.t, s.q, g);
  system.calc_joint_velocity(0, s.t, s.q, s.u, gamma);
  system.calc_joint_acceleration_bias(0, s.t, s.q, s.u, zeta);
  expect_equal(rows.g, g, what + " g");
  expect_equal(rows.gamma, gamma, what + " gamma");
  expect_equal(rows.zeta, zeta, what + " zeta");
  for (const Side side : {Side::first, Side::second}) {
    RowMatrix W = RowMatrix::Zero(joint.dim, joint.side(side).n_u);
    system.calc_joint_jacobian(0, s.t, s.q, side, W);
    expect_equal(rows.W[static_cast<std::size_t>(side)], W, what + " W");
  }
  JointVector lambda(joint.dim);
  for (int i = 0; i < joint.dim; ++i) lambda(i) = 1.0 - 0.7 * i;
  JointDerivatives hand;
  JointDerivatives general;
  calc_joint_row_derivatives(system, 0, s.t, s.q, s.u, s.a, lambda, hand);
  system.calc_joint_derivatives(0, s.t, s.q, s.u, s.a, lambda, general);
  expect_equal(hand.g_q, general.g_q, what + " g_q");
  expect_equal(hand.gamma_q, general.gamma_q, what + " gamma_q");
  expect_equal(hand.gamma_dot_q, general.gamma_dot_q, what + " gamma_dot_q");
  expect_equal(hand.gamma_dot_u, general.gamma_dot_u, what + " gamma_dot_u");
  expect_equal(hand.force_q, general.force_q, what + " force_q");
}

TEST(JointRows, AreThoseOfTheGeneralKinematics) {
  std::mt19937 generator(7);
  for (const JointType type : {JointType::revolute, JointType::prismatic, JointType::weld, JointType::distance}) {
    const bool may_be_driven = type == JointType::revolute || type == JointType::prismatic;
    for (const bool driven : {false, true}) {
      if (driven && !may_be_driven) continue;
      std::vector<std::string> pairs = {"fp", "mp", "pp", "pb", "bp", "bb", "fb"};
      if (type == JointType::distance) pairs.insert(pairs.end(), {"f.", ".b"});
      for (const std::string& pair : pairs) {
        const System system = make_joint_system(type, driven, pair[0], pair[1]);
        for (int i = 0; i < 5; ++i) {
          compare_joint(system, random_state_in_a_row(system, generator),
                        std::string(joint_type_name(type)) + (driven ? " driven " : " ") + pair);
        }
      }
    }
  }
}

TEST(JointRows, DistanceJointsInSpaceAreThoseOfTheGeneralKinematics) {
  std::mt19937 generator(9);
  for (const char* pair : {"rr", "fr", "rf", "mr", "rm", "r.", ".r", ".."}) {
    SystemBuilder builder(false, Vector3(0, -9.81, 0));
    JointOptions joint;
    joint.name = "joint";
    joint.type = JointType::distance;
    joint.first = builder.add_body(make_body(pair[0], "first", false));
    joint.second = builder.add_body(make_body(pair[1], "second", false));
    joint.length = 0.7;
    joint.on_first.at = Vector3(0.2, -0.1, 0.3);
    joint.on_second.at = Vector3(-0.15, 0.25, 0.1);
    builder.add_joint(joint);
    const System system = builder.build();
    for (int i = 0; i < 5; ++i) compare_joint(system, random_state(system, generator), std::string("distance ") + pair);
  }
}

TEST(JointRows, JointsInSpaceAreThoseOfTheGeneralKinematics) {
  std::mt19937 generator(10);
  const std::pair<JointType, bool> kinds[] = {
      {JointType::revolute, false},  {JointType::revolute, true},   {JointType::prismatic, false},
      {JointType::prismatic, true},  {JointType::spherical, false}, {JointType::cylindrical, false},
      {JointType::universal, false}, {JointType::planar, false},    {JointType::weld, false}};
  for (const auto& [type, driven] : kinds) {
    for (const std::string pair : {"rr", "fr", "rf", "mr", "rm", ".r", "r."}) {
      if (type != JointType::spherical && pair.find('.') != std::string::npos) continue;
      SystemBuilder builder(false, Vector3(0, -9.81, 0));
      JointOptions joint;
      joint.name = "joint";
      joint.type = type;
      joint.first = builder.add_body(make_body(pair[0], "first", false));
      joint.second = builder.add_body(make_body(pair[1], "second", false));
      joint.on_first.at = Vector3(0.2, -0.1, 0.3);
      joint.on_second.at = Vector3(-0.15, 0.25, 0.1);
      joint.on_first.axes = axis_angle_matrix(Vector3(1, 2, -1).normalized(), 0.4);
      joint.on_second.axes = axis_angle_matrix(Vector3(-1, 0.5, 1).normalized(), 0.9);
      if (driven) joint.motion = Expression::parse("0.1 + 0.3*sin(2*t)");
      builder.add_joint(joint);
      const System system = builder.build();
      for (int i = 0; i < 5; ++i) {
        compare_joint(system, random_state(system, generator),
                      std::string(joint_type_name(type)) + (driven ? " driven " : " ") + pair);
      }
    }
  }
}

void compare_contact(const System& system, const RandomState& s, const std::string& what) {
  const ContactPoint& point = system.contact_points()[0];
  ASSERT_TRUE(has_contact_rows(system, point)) << what;
  const int dim = 1 + system.contacts()[0].friction_dim;
  ContactRows rows;
  calc_contact_rows(system, point, s.q, s.u, rows);
  ContactGeometry geometry;
  system.calc_contact(0, s.t, s.q, geometry);
  const ContactVector gamma = system.calc_contact_velocity(0, geometry, s.t, s.q, s.u);
  const ContactVector zeta = system.calc_contact_acceleration_bias(0, s.t, s.q, s.u);
  EXPECT_NEAR(rows.gap, geometry.gap, kRoundOff) << what;
  for (int i = 0; i < dim; ++i) {
    EXPECT_NEAR(rows.gamma[i], gamma(i), kRoundOff) << what << i;
    EXPECT_NEAR(rows.zeta[i], zeta(i), kRoundOff * std::max(1.0, zeta.norm())) << what << i;
  }
  const Attachment& at = system.side(point, point.flipped ? Side::first : Side::second);
  RowMatrix W = RowMatrix::Zero(dim, at.n_u);
  system.calc_contact_jacobian(0, geometry, s.q, point.flipped ? Side::first : Side::second, W);
  expect_equal(Eigen::Map<const RowMatrix>(rows.W.data(), dim, at.n_u), W, what + " W");
  ContactDerivatives hand;
  ContactDerivatives general;
  const ContactVector lambda(1.0, -0.3, 0.4, 0.2, 0.0, 0.0);
  calc_contact_row_derivatives(system, point, s.t, s.q, s.u, s.a, lambda, hand);
  system.calc_contact_derivatives(0, s.t, s.q, s.u, s.a, lambda, general);
  expect_equal(hand.gap_q, general.gap_q, what + " gap_q");
  expect_equal(hand.gamma_q, general.gamma_q, what + " gamma_q");
  expect_equal(hand.gamma_dot_q, general.gamma_dot_q, what + " gamma_dot_q");
  expect_equal(hand.gamma_dot_u, general.gamma_dot_u, what + " gamma_dot_u");
  expect_equal(hand.force_q, general.force_q, what + " force_q");
}

TEST(ContactRows, AreThoseOfTheGeneralKinematics) {
  struct RowsCase {
    const char* name;
    char body;
    ShapeGeometry surface, ball;
    double contensou;
    bool flipped;
  };
  const Vector3 up = Vector3(0.1, 0.9, 0.0).normalized();
  const std::vector<RowsCase> cases = {
      {"ball on half-space", 'p', HalfSpace{up, 0.1}, Sphere{0.2}, 0.0, false},
      {"ball under half-space", 'p', HalfSpace{up, 0.1}, Sphere{0.2}, 0.0, true},
      {"ball in container", 'p', Sphere{9.0, true}, Sphere{0.2}, 0.0, false},
      {"ball on ball", 'p', Sphere{0.1}, Sphere{0.2}, 0.0, false},
      {"point mass", '.', HalfSpace{up, 0.1}, PointShape{}, 0.0, false},
      {"beam on half-space", 'b', HalfSpace{up, 0.1}, PointShape{1.0}, 0.0, false},
      {"beam in container", 'b', Sphere{9.0, true}, PointShape{0.9}, 0.0, false},
      {"top", 'r', HalfSpace{Vector3(0.1, 0.2, 0.9).normalized(), 0.1}, Sphere{0.2}, 0.05, false},
      {"sphere", 'r', HalfSpace{Vector3(0.1, 0.2, 0.9).normalized(), 0.1}, Sphere{0.2}, 0.0, false},
  };
  std::mt19937 generator(8);
  for (const RowsCase& c : cases) {
    SystemBuilder builder(c.body != 'r', Vector3(0, -9.81, 0));
    Body surface = make_body('f', "surface", true);
    Body ball = make_body(c.body, "ball", true);
    Shape on_ball;
    on_ball.name = "s";
    on_ball.geometry = c.ball;
    if (c.body == 'p' || c.body == 'r') on_ball.position = Vector3(0.2, -0.3, c.body == 'r' ? 0.1 : 0.0);
    ball.shapes.push_back(on_ball);
    surface.shapes.push_back({"s", c.surface});
    ContactPairOptions pair;
    pair.name = "pair";
    pair.first = builder.add_body(c.flipped ? ball : surface);
    pair.second = builder.add_body(c.flipped ? surface : ball);
    pair.law.friction = 0.3;
    pair.law.contensou_radius = c.contensou;
    builder.add_contact(pair);
    const System system = builder.build();
    for (int i = 0; i < 5; ++i) compare_contact(system, random_state_in_a_row(system, generator), c.name);
  }
}

}  // namespace
}  // namespace stickslip
