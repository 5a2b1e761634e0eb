// SPDX-License-Identifier: BSD-3-Clause
// Forces that depend on the state: what they read, and their derivatives against differences.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "stickslip/model/system.h"

namespace stickslip {
namespace {

constexpr double kDifference = 1e-6;     // [-] step of central differences
constexpr double kOfDifferences = 1e-7;  // [-] what these leave

std::array<StateExpression, 3> expressions_of(const SystemBuilder& builder, const std::array<std::string, 3>& texts) {
  std::array<StateExpression, 3> result;
  for (std::size_t i = 0; i < 3; ++i) result[i] = StateExpression::parse(texts[i], builder.system(), {});
  return result;
}

/// dh/dq and dh/du as sums of all blocks, over the coordinates of bodies.
struct StateDerivatives {
  Matrix over_q, over_u;

  StateDerivatives(const System& system, double t, const Vector& q, const Vector& u)
      : over_q(Matrix::Zero(system.n_u(), system.n_q())), over_u(Matrix::Zero(system.n_u(), system.n_u())) {
    std::vector<ForceBlock> blocks = system.make_force_blocks();
    system.calc_force_derivatives(t, q, u, blocks);
    for (const ForceBlock& b : blocks) {
      if (b.over_q.size() > 0) over_q.block(b.row.u_offset, b.col.q_offset, b.row.n_u, b.col.n_q) += b.over_q;
      if (b.over_u.size() > 0) over_u.block(b.row.u_offset, b.col.u_offset, b.row.n_u, b.col.n_u) += b.over_u;
    }
  }
};

void expect_derivatives(const System& system, double t, const Vector& q, const Vector& u) {
  const StateDerivatives exact(system, t, q, u);
  const auto h_at = [&](const Vector& at_q, const Vector& at_u) {
    Vector h(system.n_u());
    system.calc_applied_forces(t, at_q, at_u, h);
    system.add_gyroscopic_forces(at_u, h);
    return h;
  };
  const double scale = 1.0 + exact.over_q.cwiseAbs().maxCoeff() + exact.over_u.cwiseAbs().maxCoeff();
  for (int j = 0; j < system.n_body_q(); ++j) {
    Vector low = q;
    Vector high = q;
    low(j) -= kDifference;
    high(j) += kDifference;
    const Vector difference = (h_at(high, u) - h_at(low, u)) / (2.0 * kDifference);
    EXPECT_LT((difference - exact.over_q.col(j)).cwiseAbs().maxCoeff(), kOfDifferences * scale) << "q " << j;
  }
  for (int j = 0; j < system.n_u(); ++j) {
    Vector low = u;
    Vector high = u;
    low(j) -= kDifference;
    high(j) += kDifference;
    const Vector difference = (h_at(q, high) - h_at(q, low)) / (2.0 * kDifference);
    EXPECT_LT((difference - exact.over_u.col(j)).cwiseAbs().maxCoeff(), kOfDifferences * scale) << "u " << j;
  }
}

Vector numbers_from(int n, double seed) {
  Vector x(n);
  for (int i = 0; i < n; ++i) x(i) = std::sin(seed + 1.7 * i);
  return x;
}

Body planar_body(const std::string& name) {
  Body body;
  body.name = name;
  body.type = BodyType::planar;
  body.mass = 2.0;
  body.inertia(2, 2) = 0.3;
  return body;
}

Body spatial_body(const std::string& name) {
  Body body;
  body.name = name;
  body.mass = 2.0;
  body.inertia = Vector3(0.3, 0.5, 0.4).asDiagonal();
  return body;
}

TEST(StateForces, DerivativesInThePlaneAgreeWithDifferences) {
  SystemBuilder builder(true, Vector3(0.0, -9.81, 0.0));
  builder.add_body(planar_body("a"));
  builder.add_body(planar_body("b"));
  BeamOptions beam;
  beam.length = 1.0;
  beam.line_density = 1.0;
  beam.axial_stiffness = 100.0;
  beam.bending_stiffness = 1.0;
  beam.elements = 3;
  Body strip;
  strip.name = "strip";
  strip.type = BodyType::beam;
  strip.beam.emplace(beam);
  builder.add_body(strip);
  JointOptions joint;
  joint.name = "elbow";
  joint.first = 0;
  joint.second = 1;
  joint.on_first.at = Vector3(0.2, 0.1, 0.0);
  joint.on_second.at = Vector3(-0.3, 0.0, 0.0);
  joint.force = Expression();
  const int elbow = builder.add_joint(joint);
  joint.name = "slide";
  joint.type = JointType::prismatic;
  joint.force.reset();
  builder.add_joint(joint);
  builder.set_joint_force(elbow, StateExpression::parse("-3*coordinate(slide) - rate(elbow)*coordinate(elbow)^2 + x(a)",
                                                        builder.system(), {}));
  Force load;
  load.name = "load";
  Load law;
  law.body = 1;
  law.at = Vector3(0.1, -0.2, 0.0);
  law.body_frame = true;
  law.force = expressions_of(builder, {"-3*x(a)*vy(b) + sin(t)", "omega(b)*phi(a) - y(strip)", "0"});
  law.torque[2] = StateExpression::parse("-rate(slide) - vx(strip)*coordinate(elbow)", builder.system(), {});
  load.law = law;
  builder.add_force(load);
  const System system = builder.build();
  for (const double seed : {0.1, 1.3, 2.9}) {
    expect_derivatives(system, 0.3, numbers_from(system.n_q(), seed), numbers_from(system.n_u(), seed + 0.5));
  }
}

TEST(StateForces, DerivativesInSpaceAgreeWithDifferences) {
  SystemBuilder builder(false, Vector3(0.0, 0.0, -9.81));
  Body cart;
  cart.name = "cart";
  cart.type = BodyType::moving;
  cart.motion.emplace();
  cart.motion->position[0] = Expression::parse("sin(3*t)");
  builder.add_body(cart);
  builder.add_body(spatial_body("a"));
  builder.add_body(spatial_body("b 2"));
  Body point;
  point.name = "p";
  point.type = BodyType::point;
  point.mass = 1.0;
  builder.add_body(point);
  JointOptions joint;
  joint.name = "j";
  joint.type = JointType::cylindrical;
  joint.first = 1;
  joint.second = 2;
  joint.on_first.at = Vector3(0.2, 0.1, -0.1);
  joint.on_second.at = Vector3(-0.3, 0.0, 0.4);
  builder.add_joint(joint);
  const int index = builder.add_force([&] {
    Force load;
    load.name = "load";
    Load law;
    law.body = 1;
    law.at = Vector3(0.1, -0.2, 0.3);
    law.force =
        expressions_of(builder, {"-x(cart)*vx('b 2')", "omega_y(a)*z(p) - vx(cart)", "coordinate(j, 2)*rate(j)"});
    law.torque = expressions_of(builder, {"omega_x(a)*omega_z('b 2')", "rate(j,2)", "coordinate( j ) - y(p)*vz(p)"});
    law.body_frame = true;
    load.law = law;
    return load;
  }());
  EXPECT_EQ(index, 0);
  const System system = builder.build();
  for (const double seed : {0.1, 1.3, 2.9}) {
    Vector q = numbers_from(system.n_q(), seed);
    system.normalize_quaternions(q);
    system.count_turns(0.3, q);
    expect_derivatives(system, 0.3, q, numbers_from(system.n_u(), seed + 0.5));
  }
}

TEST(StateForces, QuantitiesAreThoseOfTheSystem) {
  SystemBuilder builder(true, Vector3::Zero());
  builder.add_body(planar_body("a"));
  builder.add_body(planar_body("b"));
  const System system = builder.build();
  const Vector q = numbers_from(6, 0.2);
  const Vector u = numbers_from(6, 0.7);
  const auto value = [&](const char* text) {
    return StateExpression::parse(text, system, {{"x", 7.0}}).value(system, 2.0, q, u);
  };
  EXPECT_EQ(value("x(b)"), q(3));
  EXPECT_EQ(value("phi(b)"), q(5));
  EXPECT_EQ(value("vy(a)"), u(1));
  EXPECT_EQ(value("omega(a)"), u(2));
  EXPECT_EQ(value("x + t*x('b')"), 7.0 + 2.0 * q(3));  // a parameter of the same name
}

TEST(StateForces, WhatIsNoQuantityIsRefusedWithItsColumn) {
  SystemBuilder builder(true, Vector3::Zero());
  builder.add_body(planar_body("ball"));
  builder.add_body(planar_body("box"));
  JointOptions joint;
  joint.name = "elbow";
  joint.second = 1;
  builder.add_joint(joint);
  const System system = builder.build();
  struct BadExpression {
    const char* text;
    int column;
    const char* message;
  };
  for (const BadExpression& c :
       {BadExpression{"1 + x(bal)", 7, "no body 'bal'; did you mean 'ball'?"},
        BadExpression{"rate(elbo)", 6, "no joint 'elbo'; did you mean 'elbow'?"},
        BadExpression{"2*coordinate(elbow, 2)", 21, "1 to 1, found 2"},
        BadExpression{"2*sensor(eye)", 3, "sensors are read by what observes a run"},
        BadExpression{"2*sensor(eye, 0)", 15, "the number of what a sensor reads"},
        BadExpression{"2*coordinate(elbow, 0)", 21, "the number of a coordinate"},
        BadExpression{"z(ball)", 1, "bodies in space"},
        BadExpression{"omega_x(ball)", 1, "in the plane there is omega"}, BadExpression{"x(ball, 1)", 9, "only joints"},
        BadExpression{"x()", 3, "expected a name"}, BadExpression{"x('ball)", 3, "a name that ends with '"},
        BadExpression{"x(ball", 7, "expected ')'"},
        BadExpression{"omga(ball)", 1, "unknown name 'omga'; did you mean 'omega'?"},
        BadExpression{"x", 1, "unknown name 'x'"}}) {
    try {
      StateExpression::parse(c.text, system, {});
      ADD_FAILURE() << c.text << " is accepted";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.column(), c.column) << c.text;
      EXPECT_NE(std::string(error.what()).find(c.message), std::string::npos) << c.text << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace stickslip
