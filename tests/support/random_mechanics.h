// SPDX-License-Identifier: BSD-3-Clause
// Bodies and random states on which kinematics are compared with differences or with each other.
#pragma once

#include <random>
#include <string>

#include "stickslip/math/rotation.h"
#include "stickslip/model/system.h"

namespace stickslip::test {

/// Central differences: their step, and their error: h^2 / 6 times third derivatives, and 1e-16 / h.
inline constexpr double kCentralStep = 1e-5;
inline constexpr double kCentralError = 2e-8;
/// Differences of fourth order: h^4 times fifth derivatives, and 1e-16 / h; relative.
inline constexpr double kFourthStep = 1e-4;
inline constexpr double kFourthError = 1e-8;

/// A body of a kind: 'f' fixed, 'm' moving along a path, 'p' planar, 'r' rigid, '.' point, 'b' beam. Of the fixed and
/// the moving one `planar` says whether it stays in the x-y plane and turns about z alone.
inline Body make_body(char kind, const std::string& name, bool planar) {
  Body b;
  b.name = name;
  b.mass = 1.3;
  switch (kind) {
    case 'p':
      b.type = BodyType::planar;
      b.inertia(2, 2) = 0.2;
      break;
    case 'r':
      b.inertia = Vector3(0.4, 0.5, 0.6).asDiagonal();
      break;
    case '.':
      b.type = BodyType::point;
      break;
    case 'b':
      b.type = BodyType::beam;
      b.beam.emplace(BeamOptions{1.2, 100.0, 1.0, 0.7, 3, 3, 0});
      break;
    case 'm': {
      b.type = BodyType::moving;
      Motion m;
      m.position = {Expression::parse("0.3*sin(2*t)"), Expression::parse("0.2*t^2"),
                    Expression::parse(planar ? "0" : "0.1*cos(t)")};
      m.axis = planar ? Vector3(0, 0, 1) : Vector3(1, -2, 0.5).normalized();
      m.angle = Expression::parse("0.4*sin(3*t)");
      m.rotation0 = axis_angle_matrix(planar ? Vector3(0, 0, 1) : Vector3(0, 1, 1).normalized(), 0.3);
      b.motion = m;
      break;
    }
    default:
      b.type = BodyType::fixed;
      b.pose.p_WB = Vector3(0.1, 0.2, planar ? 0.0 : -0.1);
      b.pose.R_WB = axis_angle_matrix(Vector3::UnitZ(), 0.2);
  }
  return b;
}

struct RandomState {
  double t;     // [s]
  Vector q;     // (n_q)
  Vector u, a;  // (n_u)
};

/// Every coordinate in [-1, 1], quaternions of length one.
inline RandomState random_state(const System& system, std::mt19937& generator) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  RandomState s{0.3 + uniform(generator), Vector(system.n_q()), Vector(system.n_u()), Vector(system.n_u())};
  for (Vector* v : {&s.q, &s.u, &s.a}) {
    for (double& x : *v) x = uniform(generator);
  }
  system.normalize(s.t, s.q);
  return s;
}

/// A random state with beams of make_body() near their straight shape, so that their tangent is not degenerate.
inline RandomState random_straight_state(const System& system, std::mt19937& generator) {
  RandomState s = random_state(system, generator);
  for (const Body& b : system.bodies()) {
    if (!b.beam) continue;
    for (int i = 0; i < b.beam->n_control(); ++i) {
      s.q(b.q_offset + 2 * i) = 1.2 * b.beam->greville(i) + 0.05 * s.q(b.q_offset + 2 * i);
      s.q(b.q_offset + 2 * i + 1) *= 0.1;
    }
  }
  return s;
}

/// The first random state which `is_singular(system, state)` does not reject.
template <class IsSingular>
RandomState random_state(const System& system, std::mt19937& generator, const IsSingular& is_singular) {
  RandomState s = random_state(system, generator);
  while (is_singular(system, s)) s = random_state(system, generator);
  return s;
}

/// The state dt later, with velocity u + a dt: midpoint rule on q' = B(q) u, exact to O(dt^3).
inline RandomState moved(const System& system, const RandomState& s, double dt) {
  RandomState r = s;
  Vector rate(system.n_q());
  system.calc_coordinate_rates(s.q, s.u, rate);
  const Vector half = s.q + 0.5 * dt * rate;
  const Vector u_half = s.u + 0.5 * dt * s.a;
  system.calc_coordinate_rates(half, u_half, rate);
  r.q = s.q + dt * rate;
  r.u = s.u + dt * s.a;
  r.t = s.t + dt;
  return r;
}

}  // namespace stickslip::test
