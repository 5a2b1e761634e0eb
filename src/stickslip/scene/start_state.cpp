// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/start_state.h"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "stickslip/scene/orientation.h"

namespace stickslip {
namespace {

/// A straight beam, every control point with the body's velocity.
void start_beam(const SceneBody& source, const Body& body, State& state) {
  const Vector3 along = body.beam->options().length * source.beam->direction.normalized();
  for (int i = 0; i < body.beam->n_control(); ++i) {
    const Vector3 p = source.position + body.beam->greville(i) * along;
    state.q.segment<2>(body.q_offset + 2 * i) = p.head<2>();
    state.u.segment<2>(body.u_offset + 2 * i) = source.velocity.head<2>();
  }
}

}  // namespace

State make_start_state(const Scene& scene, const System& system, const std::vector<Vector3>& centers) {
  State state;
  state.t = scene.time.start;
  state.q = Vector::Zero(system.n_q());
  state.u = Vector::Zero(system.n_u());
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    const SceneBody& source = scene.bodies[k];
    const Body& body = system.bodies()[k];
    if (body.n_u == 0) continue;
    if (body.beam) {
      start_beam(source, body, state);
      continue;
    }
    const int dim = std::min(system.dimension(), 3);
    state.q.segment(body.q_offset, dim) = centers[k].head(dim);
    state.u.segment(body.u_offset, dim) = source.velocity.head(dim);
    if (source.type == BodyType::rigid) {
      state.q.segment<4>(body.q_offset + 3) = quaternion_of(source.orientation);
      state.u.segment<3>(body.u_offset + 3) = source.angular_velocity;
    } else if (source.type == BodyType::planar) {
      const auto* turned = std::get_if<PlanarAngle>(&source.orientation);
      state.q(body.q_offset + 2) = turned == nullptr ? 0.0 : turned->angle;
      state.u(body.u_offset + 2) = source.angular_velocity(2);
    }
  }
  return state;
}

}  // namespace stickslip
