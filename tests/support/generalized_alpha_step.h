// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/memory.h"
#include "stickslip/stepping/generalized_alpha/step.h"

namespace stickslip::test {

inline constexpr double kStepLength = 0.01;  // [s]

/// A ball of 2 kg and radius 1/2 over the floor z = 0 with friction, or as many side by side, touching each other.
inline System make_balls(int n, double friction, double restitution = 0.0,
                         const Matrix3& inertia = 0.2 * Matrix3::Identity()) {
  SystemBuilder builder(false, Vector3(0.0, 0.0, -10.0));
  Body floor;
  floor.name = "floor";
  floor.type = BodyType::fixed;
  floor.shapes = {Shape{.name = "top", .geometry = HalfSpace{.normal = Vector3::UnitZ(), .offset = 0.0}}};
  const int ground = builder.add_body(floor);
  for (int i = 0; i < n; ++i) {
    Body ball;
    ball.name = "ball" + std::to_string(i);
    ball.mass = 2.0;
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

/// A step of these balls, and the state that it begins at: at rest on the floor, a = 0 and no forces remembered.
struct BallStep {
  System system;
  State state;
  generalized_alpha::Step step;

  explicit BallStep(System s, const GeneralizedAlphaOptions& options = {})
      : system(std::move(s)), step(options, system, {}) {
    state.q.setZero(system.n_q());
    state.u.setZero(system.n_u());
    for (int i = 0; 7 * i < system.n_q(); ++i) state.q.segment<4>(7 * i) << i, 0.0, 0.5, 1.0;
    remember();
  }
  /// Makes x.a and x.lambda what the state remembers, without history.
  void remember() { generalized_alpha::start_memory(step, state); }
  void begin(double h) { generalized_alpha::begin(step, state, h, state.t + h); }
};

}  // namespace stickslip::test
