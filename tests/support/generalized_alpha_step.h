// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/memory.h"
#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::test {

inline constexpr double kStepLength = 0.01;  // [s]
// Of the balls and of the point.
inline constexpr double kMass = 2.0;          // [kg]
inline constexpr double kStepGravity = 10.0;  // [m/s^2]
inline constexpr double kWeight = 20.0;       // [N]

/// A half-space through the origin, below `up`.
inline Body make_floor(const Vector3& up) {
  Body floor;
  floor.name = "floor";
  floor.type = BodyType::fixed;
  floor.shapes = {Shape{.name = "top", .geometry = HalfSpace{.normal = up, .offset = 0.0}}};
  return floor;
}

/// mass [kg]
inline Body make_point_body(double mass) {
  Body point;
  point.name = "point";
  point.type = BodyType::point;
  point.mass = mass;
  point.shapes = {Shape{.name = "tip", .geometry = PointShape{}}};
  return point;
}

/// A ball of 2 kg and radius 1/2 over the floor z = 0 with friction, or as many side by side, touching each other.
inline System make_balls(int n, double friction, double restitution = 0.0,
                         const Matrix3& inertia = 0.2 * Matrix3::Identity()) {
  SystemBuilder builder(false, Vector3(0.0, 0.0, -kStepGravity));
  const int ground = builder.add_body(make_floor(Vector3::UnitZ()));
  for (int i = 0; i < n; ++i) {
    Body ball;
    ball.name = "ball" + std::to_string(i);
    ball.mass = kMass;
    ball.inertia = inertia;
    ball.shapes = {Shape{.name = "hull", .geometry = Sphere{.radius = 0.5}}};
    const int body = builder.add_body(ball);
    const auto touch = [&](int first) {
      ContactPairOptions pair;
      pair.name = "c" + std::to_string(first) + std::to_string(body);
      pair.first = first;
      pair.second = body;
      pair.first_shape = 0;
      pair.second_shape = 0;
      pair.law.friction = friction;
      pair.law.restitution_normal = restitution;
      builder.add_contact(pair);
    };
    touch(ground);
    if (i > 0) touch(body - 1);
  }
  return builder.build();
}

/// A point of 2 kg over the floor y = 0 of a plane; its friction direction is x.
inline System make_point(const Vector3& gravity, double friction, double restitution = 0.0) {
  SystemBuilder builder(true, gravity);
  ContactPairOptions pair;
  pair.name = "contact";
  pair.first = builder.add_body(make_floor(Vector3::UnitY()));
  pair.second = builder.add_body(make_point_body(kMass));
  pair.law.friction = friction;
  pair.law.restitution_normal = restitution;
  builder.add_contact(pair);
  return builder.build();
}

/// A rod of half length and mass one over the floor [Capobianco2021, section 10.4]; its tip touches it, below and
/// to the left of the centre where its angle is between 0 and 90 degrees.
inline System make_rod(double friction, bool guided = false) {
  SystemBuilder builder(true, Vector3(0.0, -kStepGravity, 0.0));
  Body rod;
  rod.name = "rod";
  rod.type = BodyType::planar;
  rod.mass = 1.0;
  rod.inertia(2, 2) = 1.0 / 3.0;
  rod.shapes = {Shape{.name = "tip", .geometry = PointShape{}, .position = Vector3(-1.0, 0.0, 0.0)}};
  ContactPairOptions pair;
  pair.name = "tip";
  pair.first = builder.add_body(make_floor(Vector3::UnitY()));
  pair.second = builder.add_body(rod);
  pair.law.friction = friction;
  builder.add_contact(pair);
  if (guided) {
    JointOptions guide;
    guide.name = "guide";
    guide.type = JointType::prismatic;
    guide.first = pair.first;
    guide.second = pair.second;
    builder.add_joint(guide);
  }
  return builder.build();
}

/// A step of a system, and the state that it begins at: at q = 0, at rest, a = 0 and no forces remembered.
struct SystemStep {
  System system;
  State state;
  generalized_alpha::Step step;

  explicit SystemStep(System s, const GeneralizedAlphaOptions& options = {})
      : system(std::move(s)), step(options, system, {}) {
    state.q.setZero(system.n_q());
    state.u.setZero(system.n_u());
    remember();
  }
  /// Makes x.a and x.lambda what the state remembers, without history.
  void remember() { generalized_alpha::start_memory(step, state); }
  void begin(double h) { generalized_alpha::begin(step, state, h, state.t + h); }
};

/// The same of balls, on the floor.
struct BallStep : SystemStep {
  explicit BallStep(System s, const GeneralizedAlphaOptions& options = {}) : SystemStep(std::move(s), options) {
    for (int i = 0; 7 * i < system.n_q(); ++i) state.q.segment<4>(7 * i) << i, 0.0, 0.5, 1.0;
  }
};

}  // namespace stickslip::test
