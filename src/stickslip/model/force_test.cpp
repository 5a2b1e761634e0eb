// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>

#include "stickslip/base/input_error.h"
#include "stickslip/math/rotation.h"
#include "stickslip/model/system.h"
#include "tests/support/random_mechanics.h"

namespace stickslip {
namespace {

struct Instant {
  double t;
  Vector q, u;
};

Instant random_bent_instant(const System& system, std::mt19937& generator) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Instant s{0.3 + uniform(generator), Vector(system.n_q()), Vector(system.n_u())};
  for (double& x : s.q) x = uniform(generator);
  for (double& x : s.u) x = uniform(generator);
  for (const Body& b : system.bodies()) {
    if (!b.beam) continue;  // near its straight shape, so that its tangent is not degenerate
    const double G = b.beam->options().length;
    for (int i = 0; i < b.beam->n_control(); ++i) {
      s.q(b.q_offset + 2 * i) = G * b.beam->greville(i) + 0.05 * G * s.q(b.q_offset + 2 * i);
      s.q(b.q_offset + 2 * i + 1) *= 0.1 * G;
    }
  }
  system.normalize(s.t, s.q);
  return s;
}

Vector all_forces(const System& system, const Instant& s) {
  Vector h(system.n_u());
  system.calc_applied_forces(s.t, s.q, s.u, h);
  system.add_gyroscopic_forces(s.u, h);
  return h;
}

/// dh/dx, x the coordinate or velocity that `coordinate` picks.
template <class Coordinate>
Vector slope_over(const System& system, const Instant& s, Coordinate&& coordinate) {
  const auto at = [&](double step) {
    Instant moved = s;
    coordinate(moved) += step;
    return all_forces(system, moved);
  };
  return (8.0 * (at(test::kFourthStep) - at(-test::kFourthStep)) -
          (at(2.0 * test::kFourthStep) - at(-2.0 * test::kFourthStep))) /
         (12.0 * test::kFourthStep);
}

void expect_derivatives_match(const System& system, int n_blocks) {
  std::vector<ForceBlock> blocks = system.make_force_blocks();
  EXPECT_EQ(blocks.size(), static_cast<std::size_t>(n_blocks));
  std::mt19937 generator(1);
  for (int trial = 0; trial < 10; ++trial) {
    const Instant s = random_bent_instant(system, generator);
    system.calc_force_derivatives(s.t, s.q, s.u, blocks);
    Matrix over_q = Matrix::Zero(system.n_u(), system.n_q());
    Matrix over_u = Matrix::Zero(system.n_u(), system.n_u());
    for (const ForceBlock& b : blocks) {
      if (b.over_q.size() > 0) over_q.block(b.row.u_offset, b.col.q_offset, b.row.n_u, b.col.n_q) += b.over_q;
      if (b.over_u.size() > 0) over_u.block(b.row.u_offset, b.col.u_offset, b.row.n_u, b.col.n_u) += b.over_u;
    }
    for (int j = 0; j < system.n_q(); ++j) {
      const Vector slope = slope_over(system, s, [j](Instant& at) -> double& { return at.q(j); });
      EXPECT_LT((over_q.col(j) - slope).norm(), test::kFourthError * (1.0 + slope.norm())) << "q " << j;
    }
    for (int j = 0; j < system.n_u(); ++j) {
      const Vector slope = slope_over(system, s, [j](Instant& at) -> double& { return at.u(j); });
      EXPECT_LT((over_u.col(j) - slope).norm(), test::kFourthError * (1.0 + slope.norm())) << "u " << j;
    }
  }
}

Body body_of(BodyType type, const std::string& name) {
  Body b;
  b.name = name;
  b.type = type;
  b.mass = 1.3;
  b.inertia = Vector3(0.4, 0.5, 0.6).asDiagonal();
  return b;
}

Body beam_body(int degree, int elements) {
  Body b;
  b.name = "beam";
  b.type = BodyType::beam;
  BeamOptions o;
  o.length = 1.5;
  o.axial_stiffness = 3.0;
  o.bending_stiffness = 0.4;
  o.line_density = 0.7;
  o.degree = degree;
  o.elements = elements;
  b.beam.emplace(o);
  return b;
}

Spring spring_between(int first, int second, double z) {
  Spring s;
  s.first = first;
  s.second = second;
  s.at_first = Vector3(2.0, 0.3, z);  // far enough apart that the line never degenerates
  s.at_second = Vector3(-2.5, 0.1, -z);
  s.stiffness = 0.8;
  s.damping = 0.3;
  s.rest = 0.5;
  return s;
}

Load load_on(int body, bool body_frame, double z) {
  Load l;
  l.body = body;
  l.at = Vector3(0.2, -0.3, z);
  l.force = {Expression(0.4), Expression::parse("sin(t)"), Expression(z)};
  l.torque = {Expression(z), Expression(-z), Expression(0.5)};
  l.body_frame = body_frame;
  return l;
}

TEST(ForceDerivatives, SpatialSpringsLoadsAndGyroscopicTerms) {
  SystemBuilder builder(false, Vector3(0.0, 0.0, -9.81));
  const int a = builder.add_body(body_of(BodyType::rigid, "a"));
  const int b = builder.add_body(body_of(BodyType::rigid, "b"));
  const int ground = builder.add_body(body_of(BodyType::fixed, "ground"));
  const int point = builder.add_body(body_of(BodyType::point, "point"));
  builder.add_force({"two", spring_between(a, b, 0.2), {}, {}});
  builder.add_force({"ground", spring_between(ground, a, 0.2), {}, {}});
  Spring undamped = spring_between(b, point, 0.2);
  undamped.damping = 0.0;
  builder.add_force({"point", undamped, {}, {}});
  builder.add_force({"world", load_on(a, false, 0.4), {}, {}});
  builder.add_force({"body", load_on(b, true, 0.4), {}, {}});
  builder.add_force({"none", load_on(point, false, 0.4), {}, {}});
  const System system = builder.build();
  expect_derivatives_match(system, 2 + 4 + 1 + 4 + 1 + 1);
  const std::vector<ForceBlock> blocks = system.make_force_blocks();
  EXPECT_EQ(blocks[0].over_q.size(), 0);
  EXPECT_EQ(blocks[7].over_u.size(), 0);
}

TEST(ForceDerivatives, PlanarSpringsLoadsAndBeams) {
  for (const int degree : {2, 3, 5}) {
    SystemBuilder builder(true, Vector3(0.0, -9.81, 0.0));
    const int a = builder.add_body(body_of(BodyType::planar, "a"));
    const int beam = builder.add_body(beam_body(degree, 3));
    Spring spring = spring_between(a, beam, 0.0);
    spring.parameter_second = 0.6;
    builder.add_force({"beam", spring, {}, {}});
    builder.add_force({"body", load_on(a, true, 0.0), {}, {}});
    Load follower = load_on(beam, true, 0.0);
    follower.parameter = 1.0;
    builder.add_force({"follower", follower, {}, {}});
    expect_derivatives_match(builder.build(), 3 + 4 + 1 + 1);
  }
}

TEST(Forces, SpringOfNoLengthPullsNowhere) {
  SystemBuilder builder(true, Vector3::Zero());
  const int a = builder.add_body(body_of(BodyType::point, "a"));
  const int b = builder.add_body(body_of(BodyType::point, "b"));
  Spring s = spring_between(a, b, 0.0);
  s.at_first = s.at_second = Vector3::Zero();
  builder.add_force({"spring", s, {}, {}});
  const System system = builder.build();
  Vector h(4);
  system.calc_applied_forces(0.0, Vector::Zero(4), Vector::Zero(4), h);
  EXPECT_EQ(h.norm(), 0.0);
  std::vector<ForceBlock> blocks = system.make_force_blocks();
  system.calc_force_derivatives(0.0, Vector::Zero(4), Vector::Zero(4), blocks);
  for (const ForceBlock& block : blocks) EXPECT_TRUE(block.over_q.allFinite());
}

}  // namespace
}  // namespace stickslip
