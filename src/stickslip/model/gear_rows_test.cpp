// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

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

constexpr int kGear = 2;             // into System::joints()
constexpr double kGearRatio = -1.7;  // [-]

/// Three bodies with two joints between them, by the bodies' letters (see make_body()): 0 to 1, and `from` to 2.
struct GearCase {
  std::string name;
  bool planar;
  std::string bodies;
  int from;
  JointType first, second;
};

std::string gear_case_name(const testing::TestParamInfo<GearCase>& info) {
  return info.param.name;
}

JointOptions make_half(const GearCase& c, int i, int first, int second, JointType type) {
  JointOptions joint;
  joint.name = i == 0 ? "one" : "two";
  joint.type = type;
  joint.first = first;
  joint.second = second;
  const double side = i == 0 ? 1.0 : -1.0;
  joint.on_first.at = Vector3(0.2 * side, -0.1, c.planar ? 0.0 : 0.3);
  joint.on_second.at = Vector3(-0.15, 0.25 * side, c.planar ? 0.0 : -0.1);
  const Vector3 axis = c.planar ? Vector3::UnitZ() : Vector3(1.0, 2.0 * side, -1.0).normalized();
  joint.on_first.axes = axis_angle_matrix(axis, 0.4);
  joint.on_second.axes = axis_angle_matrix(axis, 0.9 * side);
  return joint;
}

System make_geared(const GearCase& c) {
  SystemBuilder builder(c.planar, Vector3(0, -9.81, 0));
  std::vector<int> bodies;
  for (const char letter : c.bodies) {
    bodies.push_back(builder.add_body(make_body(letter, "body" + std::to_string(bodies.size()), c.planar)));
  }
  const int one = builder.add_joint(make_half(c, 0, bodies[0], bodies[1], c.first));
  const int two = builder.add_joint(make_half(c, 1, bodies[static_cast<std::size_t>(c.from)], bodies[2], c.second));
  EXPECT_EQ(builder.add_gear("gear", {{one, two}, kGearRatio, {0.3, -0.2}}), kGear);
  return builder.build();
}

double gear_position_at(const System& system, const RandomState& s) {
  JointVector g;
  system.calc_joint_position(kGear, s.t, s.q, g);
  return g(0);
}

double gear_gamma_at(const System& system, const RandomState& s) {
  JointVector gamma;
  system.calc_joint_velocity(kGear, s.t, s.q, s.u, gamma);
  return gamma(0);
}

/// W, over all velocities.
Vector gear_direction_at(const System& system, const RandomState& s) {
  const Joint& joint = system.joints()[kGear];
  Vector w = Vector::Zero(system.n_u());
  for (const Side side : {Side::first, Side::second}) {
    const Attachment& at = joint.side(side);
    RowMatrix J(1, at.n_u);
    system.calc_joint_jacobian(kGear, s.t, s.q, side, J);
    w.segment(at.u_offset, at.n_u) += J.row(0).transpose();
  }
  return w;
}

double gear_gamma_dot_at(const System& system, const RandomState& s) {
  JointVector zeta;
  system.calc_joint_acceleration_bias(kGear, s.t, s.q, s.u, zeta);
  return gear_direction_at(system, s).dot(s.a) + zeta(0);
}

/// Whether an angle is close to where it wraps, or the direction in which it is read nearly along its axis.
bool near_gear_singular(const System& system, const RandomState& s) {
  for (int j = 0; j < 2; ++j) {
    const Joint& joint = system.joints()[static_cast<std::size_t>(j)];
    if (!joint.turns()) continue;
    if (std::abs(system.calc_joint_coordinate(j, s.t, s.q)) > 3.0) return true;
    if (!joint.spatial) continue;
    const Matrix3 first = system.calc_pose(joint.first, s.t, s.q).R_WB * joint.options.on_first.axes;
    const Matrix3 second = system.calc_pose(joint.second, s.t, s.q).R_WB * joint.options.on_second.axes;
    constexpr double kNear = 0.9;  // [-] cosine
    if (std::abs(first.col(2).dot(second.col(0))) > kNear) return true;
  }
  return false;
}

class GearKinematics : public testing::TestWithParam<GearCase> {};

constexpr int kGearTrials = 10;

TEST_P(GearKinematics, PositionVelocityAndAccelerationAreThoseOfTheCoordinates) {
  const System system = make_geared(GetParam());
  std::mt19937 generator(1);
  for (int trial = 0; trial < kGearTrials; ++trial) {
    const RandomState s = random_state(system, generator, near_gear_singular);
    const JointCoordinate one = system.calc_joint_coordinate(0, 0, s.t, s.q, s.u);
    const JointCoordinate two = system.calc_joint_coordinate(1, 0, s.t, s.q, s.u);
    EXPECT_NEAR(gear_position_at(system, s), two.coordinate + 0.2 - kGearRatio * (one.coordinate - 0.3), 1e-14);
    EXPECT_NEAR(gear_gamma_at(system, s), two.rate - kGearRatio * one.rate, 1e-13);
    const RandomState plus = moved(system, s, kCentralStep);
    const RandomState minus = moved(system, s, -kCentralStep);
    const double rate = (gear_position_at(system, plus) - gear_position_at(system, minus)) / (2.0 * kCentralStep);
    EXPECT_NEAR(gear_gamma_at(system, s), rate, kCentralError * (1.0 + std::abs(rate)));
    const double second_rate = (gear_gamma_at(system, plus) - gear_gamma_at(system, minus)) / (2.0 * kCentralStep);
    EXPECT_NEAR(gear_gamma_dot_at(system, s), second_rate, kCentralError * (1.0 + std::abs(second_rate)));
  }
}

TEST_P(GearKinematics, PowerOfTheReactionsIsThatOfTheCoordinates) {
  const System system = make_geared(GetParam());
  std::mt19937 generator(2);
  for (int trial = 0; trial < kGearTrials; ++trial) {
    const RandomState s = random_state(system, generator, near_gear_singular);
    RandomState still = s;
    still.u.setZero();
    EXPECT_NEAR(gear_direction_at(system, s).dot(s.u), gear_gamma_at(system, s) - gear_gamma_at(system, still), 1e-13);
  }
}

TEST_P(GearKinematics, DerivativesMatchDifferences) {
  const System system = make_geared(GetParam());
  const Joint& joint = system.joints()[kGear];
  const JointVector lambda = JointVector::Constant(1, 0.7);
  std::mt19937 generator(3);
  JointDerivatives d;
  for (int trial = 0; trial < 3; ++trial) {
    const RandomState s = random_state(system, generator, near_gear_singular);
    system.calc_joint_derivatives(kGear, s.t, s.q, s.u, s.a, lambda, d);
    const auto slope_of = [&](Vector RandomState::*of, int k, auto&& f) {
      RandomState plus = s;
      RandomState minus = s;
      (plus.*of)(k) += kCentralStep;
      (minus.*of)(k) -= kCentralStep;
      const decltype(f(s)) slope = (f(plus) - f(minus)) * (0.5 / kCentralStep);
      return slope;
    };
    for (const Side side : {Side::first, Side::second}) {
      const Attachment& at = joint.side(side);
      const int q0 = side == Side::first ? 0 : joint.first.n_q;
      const int u0 = side == Side::first ? 0 : joint.first.n_u;
      for (int k = 0; k < at.n_q; ++k) {
        const auto over = [&](auto&& f) { return slope_of(&RandomState::q, at.q_offset + k, f); };
        const double g = over([&](const RandomState& x) { return gear_position_at(system, x); });
        const double gamma = over([&](const RandomState& x) { return gear_gamma_at(system, x); });
        const double rate = over([&](const RandomState& x) { return gear_gamma_dot_at(system, x); });
        const auto near = [](double x) { return 10.0 * kCentralError * (1.0 + std::abs(x)); };
        EXPECT_NEAR(d.g_q(0, q0 + k), g, near(g));
        EXPECT_NEAR(d.gamma_q(0, q0 + k), gamma, near(gamma));
        EXPECT_NEAR(d.gamma_dot_q(0, q0 + k), rate, near(rate));
        const Vector force = over([&](const RandomState& x) -> Vector { return 0.7 * gear_direction_at(system, x); });
        Vector exact = Vector::Zero(system.n_u());
        exact.segment(joint.first.u_offset, joint.first.n_u) = d.force_q.col(q0 + k).head(joint.first.n_u);
        exact.segment(joint.second.u_offset, joint.second.n_u) = d.force_q.col(q0 + k).tail(joint.second.n_u);
        EXPECT_LT((exact - force).norm(), near(force.norm()));
      }
      for (int k = 0; k < at.n_u; ++k) {
        const double rate = slope_of(&RandomState::u, at.u_offset + k,
                                     [&](const RandomState& x) { return gear_gamma_dot_at(system, x); });
        EXPECT_NEAR(d.gamma_dot_u(0, u0 + k), rate, 10.0 * kCentralError * (1.0 + std::abs(rate)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, GearKinematics,
    testing::Values(GearCase{"wheels_in_a_plane", true, "fpp", 0, JointType::revolute, JointType::revolute},
                    GearCase{"rack_in_a_plane", true, "fpp", 0, JointType::revolute, JointType::prismatic},
                    GearCase{"in_series_in_a_plane", true, "fpp", 1, JointType::revolute, JointType::revolute},
                    GearCase{"wheels", false, "frr", 0, JointType::revolute, JointType::revolute},
                    GearCase{"wheels_on_a_moving_base", false, "mrr", 0, JointType::revolute, JointType::revolute},
                    GearCase{"rack", false, "mrr", 0, JointType::revolute, JointType::prismatic},
                    GearCase{"in_series", false, "frr", 1, JointType::prismatic, JointType::revolute},
                    GearCase{"on_one_body", false, "rfm", 0, JointType::revolute, JointType::prismatic}),
    gear_case_name);

TEST(Gear, RefusesWhatItCannotCouple) {
  const auto message = [](const GearCase& c, const JointGear& gear) {
    SystemBuilder builder(c.planar, Vector3::Zero());
    std::vector<int> bodies;
    for (const char letter : c.bodies) {
      bodies.push_back(builder.add_body(make_body(letter, "body" + std::to_string(bodies.size()), c.planar)));
    }
    builder.add_joint(make_half(c, 0, bodies[0], bodies[1], c.first));
    builder.add_joint(make_half(c, 1, bodies[0], bodies[2], c.second));
    try {
      builder.add_gear("gear", gear);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const GearCase wheels = {"", false, "frr", 0, JointType::revolute, JointType::revolute};
  EXPECT_NE(message(wheels, {{0, 1}, 0.0, {}}).find("ratio"), std::string::npos);
  EXPECT_NE(message(wheels, {{0, 2}, 1.0, {}}).find("two joints"), std::string::npos);
  EXPECT_NE(message(wheels, {{1, 1}, 1.0, {}}).find("different"), std::string::npos);
  GearCase ball = wheels;
  ball.second = JointType::spherical;
  EXPECT_NE(message(ball, {{0, 1}, 1.0, {}}).find("one coordinate"), std::string::npos);
  GearCase loose = wheels;
  loose.bodies = "rrr";
  EXPECT_NE(message(loose, {{0, 1}, 1.0, {}}).find("body0, body1, body2"), std::string::npos);
  const GearCase beam = {"", true, "fbp", 0, JointType::revolute, JointType::revolute};
  EXPECT_NE(message(beam, {{0, 1}, 1.0, {}}).find("beam"), std::string::npos);
}

}  // namespace
}  // namespace stickslip
