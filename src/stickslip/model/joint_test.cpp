// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "stickslip/base/input_error.h"
#include "stickslip/math/rotation.h"
#include "stickslip/model/system.h"
#include "tests/support/random_mechanics.h"

namespace stickslip {
namespace {

using test::kCentralError;
using test::kCentralStep;
using test::make_body;
using test::moved;
using test::random_state;
using test::RandomState;

struct JointCase {
  std::string name;
  bool planar;
  JointType type;
  std::string motion;
  char first, second;  // see make_body()
};

std::string joint_case_name(const testing::TestParamInfo<JointCase>& info) {
  return info.param.name;
}

System make_jointed(const JointCase& c) {
  SystemBuilder builder(c.planar, Vector3(0, -9.81, 0));
  JointOptions joint;
  joint.name = "joint";
  joint.type = c.type;
  joint.first = builder.add_body(make_body(c.first, "first", c.planar));
  joint.second = builder.add_body(make_body(c.second, "second", c.planar));
  if (!c.motion.empty()) joint.motion = Expression::parse(c.motion);
  joint.coordinate_origin = 0.1;
  joint.length = 0.7;
  joint.pitch = 0.6;
  joint.radius = 0.4;
  joint.on_first.at = Vector3(0.2, -0.1, c.planar ? 0.0 : 0.3);
  joint.on_second.at = Vector3(-0.15, 0.25, c.planar ? 0.0 : -0.1);
  joint.on_first.axes = axis_angle_matrix(Vector3::UnitZ(), 0.4);
  joint.on_second.axes = axis_angle_matrix(Vector3::UnitZ(), -0.2);
  if (!c.planar) {
    joint.on_first.axes = axis_angle_matrix(Vector3(1, 2, -1).normalized(), 0.4);
    joint.on_second.axes = axis_angle_matrix(Vector3(-1, 0.5, 1).normalized(), 0.9);
  }
  joint.on_first.parameter = 0.15;  // within the first element of beams, whose range begins their coordinates
  joint.on_second.parameter = 0.3;
  builder.add_joint(joint);
  return builder.build();
}

JointVector position_at(const System& system, const RandomState& s) {
  JointVector g;
  system.calc_joint_position(0, s.t, s.q, g);
  return g;
}

/// Whether the direction in which an angle of a joint in space is read is nearly along the axis of the angle.
bool has_vague_angle(const System& system, const RandomState& s) {
  const Joint& joint = system.joints()[0];
  const Matrix3 first = system.calc_pose(joint.first, s.t, s.q).R_WB * joint.options.on_first.axes;
  const Matrix3 second = system.calc_pose(joint.second, s.t, s.q).R_WB * joint.options.on_second.axes;
  const JointType type = joint.options.type;
  const bool of_axes = type == JointType::universal || type == JointType::rolling;
  constexpr double kNear = 0.9;  // [-] cosine
  return std::abs(first.col(2).dot(second.col(of_axes ? 2 : 0))) > kNear;
}

/// Whether differences say nothing: the points of a distance close together, an angle close to where it wraps.
bool near_joint_singular(const System& system, const RandomState& s) {
  const Joint& joint = system.joints()[0];
  const JointVector g = position_at(system, s);
  for (const Side side : {Side::first, Side::second}) {
    const Attachment& at = joint.side(side);
    Eigen::Vector2d tangent = Eigen::Vector2d::Zero();
    for (int i = 0; i < at.n_control; ++i) tangent += at.slope[i] * s.q.segment<2>(at.q_offset + 2 * i);
    if (at.n_control > 0 && tangent.norm() < 1.0) return true;
  }
  if (joint.options.type == JointType::distance) return g(0) + joint.options.length < 0.6;
  constexpr double kWraps = 0.4;  // [-] of the pitch
  if (joint.options.type == JointType::screw && std::abs(g(2)) > kWraps * joint.options.pitch) return true;
  if (joint.spatial) return has_vague_angle(system, s);
  return joint.n_angle_rows > 0 && std::abs(g(joint.dim - 1)) > 3.0;
}

JointVector gamma_at(const System& system, const RandomState& s) {
  JointVector gamma;
  system.calc_joint_velocity(0, s.t, s.q, s.u, gamma);
  return gamma;
}

/// W^T v, both sides.
JointVector jacobian_times(const System& system, const RandomState& s, const Vector& v) {
  const Joint& joint = system.joints()[0];
  JointVector result = JointVector::Zero(joint.dim);
  for (const Side side : {Side::first, Side::second}) {
    const Attachment& at = joint.side(side);
    RowMatrix J(joint.dim, at.n_u);
    system.calc_joint_jacobian(0, s.t, s.q, side, J);
    result += J * v.segment(at.u_offset, at.n_u);
  }
  return result;
}

Vector force_at(const System& system, const RandomState& s, const JointVector& lambda) {
  const Joint& joint = system.joints()[0];
  Vector f = Vector::Zero(system.n_u());
  for (const Side side : {Side::first, Side::second}) {
    const Attachment& at = joint.side(side);
    RowMatrix J(joint.dim, at.n_u);
    system.calc_joint_jacobian(0, s.t, s.q, side, J);
    f.segment(at.u_offset, at.n_u) += J.transpose() * lambda;
  }
  return f;
}

JointVector gamma_dot_at(const System& system, const RandomState& s) {
  JointVector zeta;
  system.calc_joint_acceleration_bias(0, s.t, s.q, s.u, zeta);
  return jacobian_times(system, s, s.a) + zeta;
}

JointVector some_lambda(const System& system) {
  JointVector lambda(system.joints()[0].dim);
  for (int i = 0; i < lambda.size(); ++i) lambda(i) = 0.7 - 0.5 * i;
  return lambda;
}

class JointKinematics : public testing::TestWithParam<JointCase> {};

constexpr int kTrials = 20;

TEST_P(JointKinematics, VelocityIsThePositionsRate) {
  const System system = make_jointed(GetParam());
  const int n = system.joints()[0].n_position_rows;
  if (n == 0) GTEST_SKIP() << "no position";
  std::mt19937 generator(1);
  for (int trial = 0; trial < kTrials; ++trial) {
    const RandomState s = random_state(system, generator, near_joint_singular);
    const JointVector rate =
        (position_at(system, moved(system, s, kCentralStep)) - position_at(system, moved(system, s, -kCentralStep))) /
        (2.0 * kCentralStep);
    EXPECT_LT((gamma_at(system, s) - rate).head(n).norm(), kCentralError * (1.0 + rate.norm()));
    EXPECT_EQ(rate.tail(rate.size() - n).norm(), 0.0);
  }
}

TEST_P(JointKinematics, AccelerationIsTheVelocitysRate) {
  const System system = make_jointed(GetParam());
  std::mt19937 generator(2);
  for (int trial = 0; trial < kTrials; ++trial) {
    const RandomState s = random_state(system, generator, near_joint_singular);
    const JointVector rate =
        (gamma_at(system, moved(system, s, kCentralStep)) - gamma_at(system, moved(system, s, -kCentralStep))) /
        (2.0 * kCentralStep);
    EXPECT_LT((gamma_dot_at(system, s) - rate).norm(), kCentralError * (1.0 + rate.norm()));
  }
}

TEST_P(JointKinematics, PowerOfReactionsIsThatOfForces) {
  const System system = make_jointed(GetParam());
  const Joint& joint = system.joints()[0];
  std::mt19937 generator(3);
  const JointVector lambda = some_lambda(system);
  for (int trial = 0; trial < kTrials; ++trial) {
    RandomState s = random_state(system, generator, near_joint_singular);
    const JointVector gamma = gamma_at(system, s);
    RandomState still = s;
    still.u.setZero();
    const JointVector tau = gamma_at(system, still);
    EXPECT_LT((jacobian_times(system, s, s.u) + tau - gamma).norm(), 1e-13);
    EXPECT_NEAR(lambda.dot(gamma - tau), force_at(system, s, lambda).dot(s.u), 1e-13);
    EXPECT_EQ(system.joint_has_prescribed_motion(0), !GetParam().motion.empty() || GetParam().first == 'm');
    if (!system.joint_has_prescribed_motion(0)) {
      EXPECT_EQ(tau.norm(), 0.0);
    }
    // The reaction on second, at the joint's point, has the same power on second.
    const JointReaction reaction = system.calc_joint_reaction(0, s.t, s.q, lambda);
    const Pose pose = system.calc_pose(joint.second, s.t, s.q);
    const Twist twist = system.calc_twist(joint.second, s.t, s.q, s.u);
    const Vector3 arm = pose.R_WB * joint.options.on_second.at;
    const double power = reaction.force.dot(twist.v_WB + twist.w_WB.cross(arm)) + reaction.torque.dot(twist.w_WB);
    const Attachment& second = joint.second;
    EXPECT_NEAR(
        force_at(system, s, lambda).segment(second.u_offset, second.n_u).dot(s.u.segment(second.u_offset, second.n_u)),
        power, 1e-13);
  }
}

TEST_P(JointKinematics, DerivativesMatchDifferences) {
  const System system = make_jointed(GetParam());
  std::mt19937 generator(4);
  const JointVector lambda = some_lambda(system);
  JointDerivatives d;
  for (int trial = 0; trial < 5; ++trial) {
    const RandomState s = random_state(system, generator, near_joint_singular);
    system.calc_joint_derivatives(0, s.t, s.q, s.u, s.a, lambda, d);
    const Joint& joint = system.joints()[0];
    ASSERT_EQ(d.g_q.cols(), joint.first.n_q + joint.second.n_q);
    for (int j = 0; j < d.g_q.cols(); ++j) {
      const int global = j < joint.first.n_q ? joint.first.q_offset + j : joint.second.q_offset + j - joint.first.n_q;
      RandomState plus = s;
      RandomState minus = s;
      plus.q(global) += kCentralStep;
      minus.q(global) -= kCentralStep;
      const auto slope = [](const auto& p, const auto& m) { return ((p - m) / (2.0 * kCentralStep)).eval(); };
      const JointVector g = slope(position_at(system, plus), position_at(system, minus));
      EXPECT_LT((d.g_q.col(j) - g).norm(), kCentralError * (10 + 10 * g.norm()));
      const JointVector gamma = slope(gamma_at(system, plus), gamma_at(system, minus));
      EXPECT_LT((d.gamma_q.col(j) - gamma).norm(), kCentralError * (10 + 10 * gamma.norm()));
      const JointVector rate = slope(gamma_dot_at(system, plus), gamma_dot_at(system, minus));
      EXPECT_LT((d.gamma_dot_q.col(j) - rate).norm(), kCentralError * (10 + 10 * rate.norm()));
      const Vector force = slope(force_at(system, plus, lambda), force_at(system, minus, lambda));
      Vector exact = Vector::Zero(system.n_u());
      exact.segment(joint.first.u_offset, joint.first.n_u) = d.force_q.col(j).head(joint.first.n_u);
      exact.segment(joint.second.u_offset, joint.second.n_u) = d.force_q.col(j).tail(joint.second.n_u);
      EXPECT_LT((exact - force).norm(), kCentralError * (10 + 10 * force.norm()));
    }
    for (int j = 0; j < d.gamma_dot_u.cols(); ++j) {
      const int global = j < joint.first.n_u ? joint.first.u_offset + j : joint.second.u_offset + j - joint.first.n_u;
      RandomState plus = s;
      RandomState minus = s;
      plus.u(global) += kCentralStep;
      minus.u(global) -= kCentralStep;
      const JointVector rate = (gamma_dot_at(system, plus) - gamma_dot_at(system, minus)) / (2.0 * kCentralStep);
      EXPECT_LT((d.gamma_dot_u.col(j) - rate).norm(), kCentralError * (10 + 10 * rate.norm()));
    }
  }
}

TEST_P(JointKinematics, CoordinateHasItsRateAndFollowsTheMotion) {
  const System system = make_jointed(GetParam());
  const Joint& joint = system.joints()[0];
  std::mt19937 generator(5);
  const auto coordinate = [&system](const RandomState& s) { return system.calc_joint_coordinate(0, s.t, s.q, s.u); };
  for (int trial = 0; trial < kTrials; ++trial) {
    const RandomState s = random_state(system, generator, near_joint_singular);
    const JointCoordinate now = coordinate(s);
    for (int c = joint.n_coordinates; c < kMaxJointCoordinates; ++c) {
      EXPECT_TRUE(std::isnan(system.calc_joint_coordinate(0, c, s.t, s.q, s.u).coordinate));
      EXPECT_TRUE(std::isnan(system.calc_joint_coordinate(0, c, s.t, s.q, s.u).rate));
    }
    for (int c = 1; c < joint.n_coordinates; ++c) {
      const RandomState plus = moved(system, s, kCentralStep);
      const RandomState minus = moved(system, s, -kCentralStep);
      const double rate =
          (system.calc_joint_coordinate(0, c, plus.t, plus.q) - system.calc_joint_coordinate(0, c, minus.t, minus.q)) /
          (2.0 * kCentralStep);
      EXPECT_NEAR(system.calc_joint_coordinate(0, c, s.t, s.q, s.u).rate, rate, kCentralError * (1.0 + std::abs(rate)));
    }
    if (joint.n_coordinates == 0) continue;
    const double rate = (coordinate(moved(system, s, kCentralStep)).coordinate -
                         coordinate(moved(system, s, -kCentralStep)).coordinate) /
                        (2.0 * kCentralStep);
    EXPECT_NEAR(now.rate, rate, kCentralError * (1.0 + std::abs(rate)));
    if (!joint.options.motion) continue;
    const int row = joint.turns() ? joint.dim - 1 : 0;
    const double off = now.coordinate - joint.options.motion->value(s.t);
    EXPECT_NEAR(std::remainder(position_at(system, s)(row) - off, 2.0 * std::numbers::pi), 0.0, 1e-13);
    EXPECT_NEAR(gamma_at(system, s)(row), now.rate - joint.motion_rate.value(s.t), 1e-13);
  }
}

constexpr const char* kMotion = "0.1 + 0.3*sin(2*t) + 0.2*t^2";

INSTANTIATE_TEST_SUITE_P(
    All, JointKinematics,
    testing::Values(JointCase{"revolute", true, JointType::revolute, "", 'p', 'p'},
                    JointCase{"revolute_fixed", true, JointType::revolute, "", 'f', 'p'},
                    JointCase{"revolute_moving", true, JointType::revolute, "", 'm', 'p'},
                    JointCase{"revolute_point", true, JointType::revolute, "", 'p', '.'},
                    JointCase{"revolute_motion", true, JointType::revolute, kMotion, 'p', 'p'},
                    JointCase{"revolute_motion_fixed", true, JointType::revolute, kMotion, 'f', 'p'},
                    JointCase{"revolute_motion_moving", true, JointType::revolute, kMotion, 'm', 'p'},
                    JointCase{"prismatic", true, JointType::prismatic, "", 'p', 'p'},
                    JointCase{"prismatic_moving", true, JointType::prismatic, "", 'm', 'p'},
                    JointCase{"prismatic_motion", true, JointType::prismatic, kMotion, 'p', 'p'},
                    JointCase{"prismatic_motion_fixed", true, JointType::prismatic, kMotion, 'f', 'p'},
                    JointCase{"weld", true, JointType::weld, "", 'p', 'p'},
                    JointCase{"weld_moving", true, JointType::weld, "", 'm', 'p'},
                    JointCase{"distance", true, JointType::distance, "", 'p', 'p'},
                    JointCase{"distance_points", true, JointType::distance, "", '.', '.'},
                    JointCase{"distance_spatial", false, JointType::distance, "", 'r', 'r'},
                    JointCase{"distance_spatial_moving", false, JointType::distance, "", 'm', 'r'},
                    JointCase{"distance_spatial_fixed", false, JointType::distance, "", 'f', '.'},
                    JointCase{"revolute_spatial", false, JointType::revolute, "", 'r', 'r'},
                    JointCase{"revolute_spatial_moving", false, JointType::revolute, "", 'm', 'r'},
                    JointCase{"revolute_spatial_motion", false, JointType::revolute, kMotion, 'r', 'r'},
                    JointCase{"revolute_spatial_motion_moving", false, JointType::revolute, kMotion, 'm', 'r'},
                    JointCase{"revolute_spatial_motion_fixed", false, JointType::revolute, kMotion, 'f', 'r'},
                    JointCase{"prismatic_spatial", false, JointType::prismatic, "", 'r', 'r'},
                    JointCase{"prismatic_spatial_motion", false, JointType::prismatic, kMotion, 'r', 'r'},
                    JointCase{"prismatic_spatial_motion_moving", false, JointType::prismatic, kMotion, 'm', 'r'},
                    JointCase{"spherical", false, JointType::spherical, "", 'r', 'r'},
                    JointCase{"spherical_point", false, JointType::spherical, "", 'r', '.'},
                    JointCase{"cylindrical", false, JointType::cylindrical, "", 'r', 'r'},
                    JointCase{"cylindrical_moving", false, JointType::cylindrical, "", 'm', 'r'},
                    JointCase{"universal", false, JointType::universal, "", 'r', 'r'},
                    JointCase{"universal_moving", false, JointType::universal, "", 'm', 'r'},
                    JointCase{"planar_spatial", false, JointType::planar, "", 'r', 'r'},
                    JointCase{"planar_spatial_moving", false, JointType::planar, "", 'm', 'r'},
                    JointCase{"weld_spatial", false, JointType::weld, "", 'r', 'r'},
                    JointCase{"weld_spatial_moving", false, JointType::weld, "", 'm', 'r'},
                    JointCase{"screw", false, JointType::screw, "", 'r', 'r'},
                    JointCase{"screw_moving", false, JointType::screw, "", 'm', 'r'},
                    JointCase{"screw_motion", false, JointType::screw, kMotion, 'r', 'r'},
                    JointCase{"rolling", false, JointType::rolling, "", 'r', 'r'},
                    JointCase{"rolling_moving", false, JointType::rolling, "", 'm', 'r'},
                    JointCase{"rolling_fixed", false, JointType::rolling, "", 'f', 'r'},
                    JointCase{"knife_edge_spatial", false, JointType::knife_edge, "", 'r', 'r'},
                    JointCase{"knife_edge_spatial_moving", false, JointType::knife_edge, "", 'm', 'r'},
                    JointCase{"knife_edge", true, JointType::knife_edge, "", 'p', 'p'},
                    JointCase{"beam_revolute", true, JointType::revolute, "", 'b', 'p'},
                    JointCase{"beam_knee", true, JointType::revolute, kMotion, 'p', 'b'},
                    JointCase{"beam_clamp", true, JointType::weld, "", 'f', 'b'},
                    JointCase{"beam_weld", true, JointType::weld, "", 'b', 'b'},
                    JointCase{"beam_slider", true, JointType::prismatic, kMotion, 'b', 'p'},
                    JointCase{"beam_rope", true, JointType::distance, "", 'b', '.'},
                    JointCase{"beam_skate", true, JointType::knife_edge, "", 'm', 'b'},
                    JointCase{"knife_edge_moving", true, JointType::knife_edge, "", 'm', 'p'}),
    joint_case_name);

TEST(Joints, AnglesAreRelativeToTheirTargetHoweverFarBodiesTurn) {
  // A wheel driven at 3 rad/s for 1000 s, and put where it should be.
  SystemBuilder builder(true, Vector3::Zero());
  JointOptions joint;
  joint.name = "axle";
  joint.first = builder.add_body(make_body('f', "ground", true));
  joint.second = builder.add_body(make_body('p', "wheel", true));
  joint.motion = Expression::parse("3*t");
  const double start = 4.0;  // [rad] more than half a turn
  Pose pose;
  pose.R_WB = axis_angle_matrix(Vector3::UnitZ(), start);
  joint.on_first = JointFrame::from_world(Pose{Vector3(0.1, 0.2, 0), axis_angle_matrix(Vector3::UnitZ(), 0.2)},
                                          Vector3::Zero(), Matrix3::Identity());
  joint.on_second = JointFrame::from_world(pose, Vector3::Zero(), Matrix3::Identity());
  joint.relative_angle = start - 0.2;
  builder.add_joint(joint);
  const System system = builder.build();
  const Vector3 u(0.0, 0.0, 3.0);
  JointVector g;
  for (const double t : {0.0, 0.3, 1.0, 17.0, 1000.0}) {
    const Vector q = Vector3(0.0, 0.0, start + 3.0 * t + 1e-3);
    constexpr double kRoundOff = 1e-12;  // [rad] of an angle of 3000
    system.calc_joint_position(0, t, q, g);
    EXPECT_NEAR(g(2), 1e-3, kRoundOff);
    EXPECT_LT(g.head(2).norm(), 1e-15);
    EXPECT_NEAR(system.calc_joint_coordinate(0, t, q, u).coordinate, 3.0 * t + 1e-3, kRoundOff);
    EXPECT_EQ(system.calc_joint_coordinate(0, t, q, u).rate, 3.0);
  }
}

TEST(Joints, BuilderRefusesWhatCannotBe) {
  SystemBuilder builder(true, Vector3::Zero());
  const int ground = builder.add_body(make_body('f', "ground", true));
  const int other = builder.add_body(make_body('f', "wall", true));
  const int body = builder.add_body(make_body('p', "body", true));
  const int point = builder.add_body(make_body('.', "point", true));
  JointOptions good;
  good.name = "joint";
  good.first = ground;
  good.second = body;
  const auto refused = [&builder, &good](auto&& change) {
    JointOptions bad = good;
    change(bad);
    EXPECT_THROW(builder.add_joint(bad), InputError);
  };
  refused([&](JointOptions& o) { o.second = ground; });
  refused([&](JointOptions& o) { o.second = other; });
  refused([&](JointOptions& o) { o.on_first.axes *= 2.0; });
  refused([&](JointOptions& o) { o.on_first.at(0) = std::nan(""); });
  refused([&](JointOptions& o) { o.type = JointType::distance; });
  refused([&](JointOptions& o) {
    o.type = JointType::weld;
    o.second = point;
  });
  refused([&](JointOptions& o) {
    o.type = JointType::weld;
    o.motion = Expression(1.0);
  });
  EXPECT_EQ(builder.add_joint(good), 0);
  refused([](JointOptions&) {});  // the name is taken

  SystemBuilder spatial(false, Vector3::Zero());
  good.first = spatial.add_body(make_body('f', "ground", false));
  good.second = spatial.add_body(make_body('r', "body", false));
  const int bead = spatial.add_body(make_body('.', "bead", false));
  const auto refused_in_space = [&spatial, &good](auto&& change) {
    JointOptions bad = good;
    change(bad);
    EXPECT_THROW(spatial.add_joint(bad), InputError);
  };
  refused_in_space([](JointOptions& o) { o.type = JointType::screw; });
  refused_in_space([](JointOptions& o) { o.type = JointType::rolling; });
  refused_in_space([&](JointOptions& o) { o.second = bead; });
  refused_in_space([](JointOptions& o) { o.friction_torque = 1.0; });
  for (const JointType type : {JointType::spherical, JointType::cylindrical, JointType::universal, JointType::planar}) {
    refused_in_space([&](JointOptions& o) {
      o.type = type;
      o.motion = Expression(1.0);
    });
    refused_in_space([&](JointOptions& o) {
      o.type = type;
      o.limits = JointLimits{0.0, 1.0, 0.0};
    });
    good.type = type;
    good.first = ground;
    good.second = body;
    EXPECT_THROW(builder.add_joint(good), InputError) << "of space in a plane";
    good.type = JointType::revolute;
  }
}

}  // namespace
}  // namespace stickslip
