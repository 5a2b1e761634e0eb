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

/// A joint of a case, by the indices of its bodies.
struct CoupledJoint {
  int first, second;
  JointType type;
  double coefficient = 1.0, start = 0.0;
};

/// Bodies by their letters (see make_body()), and what is coupled; two joints are a gear, more a coupling.
struct CouplingCase {
  std::string name;
  bool planar;
  std::string bodies;
  std::vector<CoupledJoint> joints;
};

std::string coupling_case_name(const testing::TestParamInfo<CouplingCase>& info) {
  return info.param.name;
}

JointOptions make_coupled_joint(const CouplingCase& c, std::size_t i) {
  const CoupledJoint& source = c.joints[i];
  JointOptions joint;
  joint.name = "joint" + std::to_string(i);
  joint.type = source.type;
  joint.first = source.first;
  joint.second = source.second;
  const double side = i % 2 == 0 ? 1.0 : -1.0;
  joint.on_first.at = Vector3(0.2 * side, -0.1, c.planar ? 0.0 : 0.3);
  joint.on_second.at = Vector3(-0.15, 0.25 * side, c.planar ? 0.0 : -0.1);
  const Vector3 axis = c.planar ? Vector3::UnitZ() : Vector3(1.0, 2.0 * side, -1.0).normalized();
  joint.on_first.axes = axis_angle_matrix(axis, 0.4);
  joint.on_second.axes = axis_angle_matrix(axis, 0.9 * side);
  return joint;
}

struct CoupledSystem {
  System system;
  int coupling;  // into System::joints()
};

CoupledSystem make_coupled(const CouplingCase& c) {
  SystemBuilder builder(c.planar, Vector3(0, -9.81, 0));
  for (std::size_t i = 0; i < c.bodies.size(); ++i) {
    builder.add_body(make_body(c.bodies[i], "body" + std::to_string(i), c.planar));
  }
  std::vector<JointTerm> terms;
  for (std::size_t i = 0; i < c.joints.size(); ++i) {
    terms.push_back({builder.add_joint(make_coupled_joint(c, i)), c.joints[i].coefficient, c.joints[i].start});
  }
  const JointType type = terms.size() == 2 ? JointType::gear : JointType::coupling;
  const int index = builder.add_coupling("coupling", type, terms);
  return {builder.build(), index};
}

double coupling_position_at(const CoupledSystem& c, const RandomState& s) {
  JointVector g;
  c.system.calc_joint_position(c.coupling, s.t, s.q, g);
  return g(0);
}

double coupling_gamma_at(const CoupledSystem& c, const RandomState& s) {
  JointVector gamma;
  c.system.calc_joint_velocity(c.coupling, s.t, s.q, s.u, gamma);
  return gamma(0);
}

/// W, over all velocities.
Vector coupling_direction_at(const CoupledSystem& c, const RandomState& s) {
  const Joint& joint = c.system.joints()[c.coupling];
  Vector w = Vector::Zero(c.system.n_u());
  for (int k = 0; k < joint.n_sides(); ++k) {
    const Attachment& at = joint.side(k);
    RowMatrix J(1, at.n_u);
    c.system.calc_joint_jacobian(c.coupling, s.t, s.q, k, J);
    if (at.n_u > 0) w.segment(at.u_offset, at.n_u) += J.row(0).transpose();
  }
  return w;
}

double coupling_gamma_dot_at(const CoupledSystem& c, const RandomState& s) {
  JointVector zeta;
  c.system.calc_joint_acceleration_bias(c.coupling, s.t, s.q, s.u, zeta);
  return coupling_direction_at(c, s).dot(s.a) + zeta(0);
}

/// Whether an angle is close to where it wraps, or the direction in which it is read nearly along its axis.
bool near_coupling_singular(const System& system, const RandomState& s) {
  for (std::size_t j = 0; j < system.joints().size(); ++j) {
    const Joint& joint = system.joints()[j];
    if (!joint.turns()) continue;
    if (std::abs(system.calc_joint_coordinate(static_cast<int>(j), s.t, s.q)) > 3.0) return true;
    if (!joint.spatial) continue;
    const Matrix3 first = system.calc_pose(joint.first, s.t, s.q).R_WB * joint.options.on_first.axes;
    const Matrix3 second = system.calc_pose(joint.second, s.t, s.q).R_WB * joint.options.on_second.axes;
    constexpr double kNear = 0.9;  // [-] cosine
    if (std::abs(first.col(2).dot(second.col(0))) > kNear) return true;
  }
  return false;
}

class CouplingKinematics : public testing::TestWithParam<CouplingCase> {};

constexpr int kCouplingTrials = 10;

TEST_P(CouplingKinematics, PositionVelocityAndAccelerationAreThoseOfTheCoordinates) {
  const CoupledSystem c = make_coupled(GetParam());
  std::mt19937 generator(1);
  for (int trial = 0; trial < kCouplingTrials; ++trial) {
    const RandomState s = random_state(c.system, generator, near_coupling_singular);
    double position = 0.0;
    double rate = 0.0;
    for (std::size_t i = 0; i < GetParam().joints.size(); ++i) {
      const CoupledJoint& joint = GetParam().joints[i];
      const JointCoordinate at = c.system.calc_joint_coordinate(static_cast<int>(i), s.t, s.q, s.u);
      position += joint.coefficient * (at.coordinate - joint.start);
      rate += joint.coefficient * at.rate;
    }
    EXPECT_NEAR(coupling_position_at(c, s), position, 1e-14);
    EXPECT_NEAR(coupling_gamma_at(c, s), rate, 1e-13);
    const RandomState plus = moved(c.system, s, kCentralStep);
    const RandomState minus = moved(c.system, s, -kCentralStep);
    const double moved_by = (coupling_position_at(c, plus) - coupling_position_at(c, minus)) / (2.0 * kCentralStep);
    EXPECT_NEAR(coupling_gamma_at(c, s), moved_by, kCentralError * (1.0 + std::abs(moved_by)));
    const double second_rate = (coupling_gamma_at(c, plus) - coupling_gamma_at(c, minus)) / (2.0 * kCentralStep);
    EXPECT_NEAR(coupling_gamma_dot_at(c, s), second_rate, kCentralError * (1.0 + std::abs(second_rate)));
  }
}

TEST_P(CouplingKinematics, PowerOfTheForcesIsThatOfTheCoordinates) {
  const CoupledSystem c = make_coupled(GetParam());
  std::mt19937 generator(2);
  for (int trial = 0; trial < kCouplingTrials; ++trial) {
    const RandomState s = random_state(c.system, generator, near_coupling_singular);
    RandomState still = s;
    still.u.setZero();
    const double power = coupling_gamma_at(c, s) - coupling_gamma_at(c, still);
    EXPECT_NEAR(coupling_direction_at(c, s).dot(s.u), power, 1e-13);
  }
}

/// Of all bodies together, summed over the terms.
struct WholeDerivatives {
  Vector g_q, gamma_q, gamma_dot_q, gamma_dot_u;
  Matrix force_q;
};

WholeDerivatives calc_whole_derivatives(const CoupledSystem& c, const RandomState& s, double lambda) {
  const Eigen::Index n_q = c.system.n_q();
  const Eigen::Index n_u = c.system.n_u();
  WholeDerivatives sum{Vector::Zero(n_q), Vector::Zero(n_q), Vector::Zero(n_q), Vector::Zero(n_u),
                       Matrix::Zero(n_u, n_q)};
  JointDerivatives d;
  for (const JointTerm& term : c.system.joints()[c.coupling].options.terms) {
    c.system.calc_term_derivatives(term, s.t, s.q, s.u, s.a, JointVector::Constant(1, lambda), d);
    const Joint& joint = c.system.joints()[term.joint];
    for (const Attachment* at : {&joint.first, &joint.second}) {
      const int q0 = at == &joint.first ? 0 : joint.first.n_q;
      const int u0 = at == &joint.first ? 0 : joint.first.n_u;
      sum.g_q.segment(at->q_offset, at->n_q) += d.g_q.row(0).segment(q0, at->n_q).transpose();
      sum.gamma_q.segment(at->q_offset, at->n_q) += d.gamma_q.row(0).segment(q0, at->n_q).transpose();
      sum.gamma_dot_q.segment(at->q_offset, at->n_q) += d.gamma_dot_q.row(0).segment(q0, at->n_q).transpose();
      sum.gamma_dot_u.segment(at->u_offset, at->n_u) += d.gamma_dot_u.row(0).segment(u0, at->n_u).transpose();
      for (const Attachment* on : {&joint.first, &joint.second}) {
        const int row = on == &joint.first ? 0 : joint.first.n_u;
        sum.force_q.block(on->u_offset, at->q_offset, on->n_u, at->n_q) += d.force_q.block(row, q0, on->n_u, at->n_q);
      }
    }
  }
  return sum;
}

TEST_P(CouplingKinematics, DerivativesMatchDifferences) {
  const CoupledSystem c = make_coupled(GetParam());
  constexpr double kLambda = 0.7;
  std::mt19937 generator(3);
  for (int trial = 0; trial < 3; ++trial) {
    const RandomState s = random_state(c.system, generator, near_coupling_singular);
    const WholeDerivatives d = calc_whole_derivatives(c, s, kLambda);
    const auto slope_of = [&](Vector RandomState::*of, int k, auto&& f) {
      RandomState plus = s;
      RandomState minus = s;
      (plus.*of)(k) += kCentralStep;
      (minus.*of)(k) -= kCentralStep;
      const decltype(f(s)) slope = (f(plus) - f(minus)) * (0.5 / kCentralStep);
      return slope;
    };
    const auto near = [](double x) { return 10.0 * kCentralError * (1.0 + std::abs(x)); };
    for (int k = 0; k < c.system.n_body_q(); ++k) {
      const auto over = [&](auto&& f) { return slope_of(&RandomState::q, k, f); };
      const double g = over([&](const RandomState& x) { return coupling_position_at(c, x); });
      const double gamma = over([&](const RandomState& x) { return coupling_gamma_at(c, x); });
      const double rate = over([&](const RandomState& x) { return coupling_gamma_dot_at(c, x); });
      EXPECT_NEAR(d.g_q(k), g, near(g));
      EXPECT_NEAR(d.gamma_q(k), gamma, near(gamma));
      EXPECT_NEAR(d.gamma_dot_q(k), rate, near(rate));
      const Vector force = over([&](const RandomState& x) -> Vector { return kLambda * coupling_direction_at(c, x); });
      EXPECT_LT((d.force_q.col(k) - force).norm(), near(force.norm()));
    }
    for (int k = 0; k < c.system.n_u(); ++k) {
      const double rate =
          slope_of(&RandomState::u, k, [&](const RandomState& x) { return coupling_gamma_dot_at(c, x); });
      EXPECT_NEAR(d.gamma_dot_u(k), rate, near(rate));
    }
  }
}

constexpr JointType kTurns = JointType::revolute;
constexpr JointType kSlides = JointType::prismatic;
constexpr double kOfCoupling = 1.7;  // [-]

CouplingCase gear_case(const char* name, bool planar, const char* bodies, CoupledJoint one, CoupledJoint two) {
  one.coefficient = kOfCoupling;
  two.coefficient = 1.0;
  one.start = 0.3;
  two.start = -0.2;
  return {name, planar, bodies, {one, two}};
}

INSTANTIATE_TEST_SUITE_P(
    All, CouplingKinematics,
    testing::Values(gear_case("wheels_in_a_plane", true, "fpp", {0, 1, kTurns}, {0, 2, kTurns}),
                    gear_case("rack_in_a_plane", true, "fpp", {0, 1, kTurns}, {0, 2, kSlides}),
                    gear_case("in_series_in_a_plane", true, "fpp", {0, 1, kTurns}, {1, 2, kTurns}),
                    gear_case("wheels_on_a_free_base_in_a_plane", true, "ppp", {1, 0, kTurns}, {1, 2, kTurns}),
                    gear_case("wheels", false, "frr", {0, 1, kTurns}, {0, 2, kTurns}),
                    gear_case("wheels_on_a_moving_base", false, "mrr", {0, 1, kTurns}, {0, 2, kTurns}),
                    gear_case("rack", false, "mrr", {0, 1, kTurns}, {0, 2, kSlides}),
                    gear_case("in_series", false, "frr", {0, 1, kSlides}, {1, 2, kTurns}),
                    gear_case("on_one_body", false, "rfm", {0, 1, kTurns}, {0, 2, kSlides}),
                    gear_case("fingers_of_a_free_hand", false, "rrr", {0, 1, kSlides}, {0, 2, kSlides}),
                    gear_case("between_four_bodies", false, "rrrr", {0, 1, kTurns}, {2, 3, kTurns}),
                    CouplingCase{"three_shafts_on_a_free_base_in_a_plane",
                                 true,
                                 "pppp",
                                 {{0, 1, kTurns, 1.0, 0.1}, {0, 2, kTurns, -2.5, 0.0}, {0, 3, kSlides, 0.4, -0.3}}},
                    CouplingCase{"three_shafts_on_a_free_base",
                                 false,
                                 "rrrr",
                                 {{0, 1, kTurns, 1.0, 0.1}, {0, 2, kTurns, -2.5, 0.0}, {0, 3, kSlides, 0.4, -0.3}}},
                    CouplingCase{"a_chain",
                                 false,
                                 "rrrf",
                                 {{0, 1, kTurns, 1.0, 0.1}, {1, 2, kTurns, 2.0, 0.0}, {3, 0, kTurns, 0.5, 0.2}}}),
    coupling_case_name);

TEST(Coupling, ActsOnAllBodiesOfItsJointsThoseThatMoveFirst) {
  const CoupledSystem c = make_coupled(
      {"", false, "frmr", {{0, 1, kTurns, 1.0, 0.0}, {2, 3, kTurns, 1.0, 0.0}, {3, 1, kSlides, -1.0, 0.0}}});
  const Joint& joint = c.system.joints()[c.coupling];
  std::vector<int> bodies;
  for (int k = 0; k < joint.n_sides(); ++k) bodies.push_back(joint.side(k).body);
  EXPECT_EQ(bodies, (std::vector<int>{1, 3, 0, 2}));
  EXPECT_EQ(joint.first.body, 3);
  EXPECT_EQ(joint.second.body, 1);
  EXPECT_EQ(joint.dim, 1);
}

TEST(Coupling, RefusesWhatItCannotCouple) {
  const auto message = [](CouplingCase c, const std::vector<JointTerm>& terms, JointType second = kTurns) {
    SystemBuilder builder(c.planar, Vector3::Zero());
    for (std::size_t i = 0; i < c.bodies.size(); ++i) {
      builder.add_body(make_body(c.bodies[i], "body" + std::to_string(i), c.planar));
    }
    c.joints = {{0, 1, kTurns, 0.0, 0.0}, {0, 2, second, 0.0, 0.0}};
    for (std::size_t i = 0; i < 2; ++i) builder.add_joint(make_coupled_joint(c, i));
    try {
      builder.add_coupling("gear", JointType::gear, terms);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const CouplingCase wheels = {"", false, "frr", {}};
  EXPECT_NE(message(wheels, {{0, 0.0}, {1, 1.0}}).find("ratio"), std::string::npos);
  EXPECT_NE(message(wheels, {{0, 1.0}, {2, 1.0}}).find("joints that there are"), std::string::npos);
  EXPECT_NE(message(wheels, {{1, 1.0}, {1, 1.0}}).find("twice"), std::string::npos);
  EXPECT_NE(message(wheels, {}).find("joints"), std::string::npos);
  EXPECT_NE(message(wheels, {{0, 1.0}, {1, 1.0}}, JointType::spherical).find("one coordinate"), std::string::npos);
  EXPECT_NE(message({"", true, "fbp", {}}, {{0, 1.0}, {1, 1.0}}).find("beam"), std::string::npos);
  EXPECT_EQ(message({"", false, "rrr", {}}, {{0, 1.0}, {1, 1.0}}), "");
}

}  // namespace
}  // namespace stickslip
