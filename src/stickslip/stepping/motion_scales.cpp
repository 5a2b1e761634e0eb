// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/motion_scales.h"

#include <algorithm>
#include <cmath>

namespace stickslip {

MotionScales calc_motion_scales(const System& system, const BodySizes& sizes, const BodySnapshot& at,
                                const Vector& force) {
  MotionScales scales;
  scales.length = sizes.least();
  scales.acceleration = system.gravity().norm();
  double speed = 0.0;
  double mass = 0.0;
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    const Body& body = system.bodies()[i];
    const int b = static_cast<int>(i);
    if (body.motion) speed = std::max(speed, at[b].v.norm());
    if (body.n_u == 0) continue;
    const auto u = at.u().segment(body.u_offset, body.n_u);
    const auto h = force.segment(body.u_offset, body.n_u);
    speed = std::max(speed, std::sqrt(u.dot(system.mass(b) * u) / body.mass));
    scales.acceleration = std::max(scales.acceleration, std::sqrt(h.dot(system.inverse_mass(b) * h) / body.mass));
    mass += body.mass;
  }
  if (mass > 0.0) scales.mass = mass;
  scales.speed = std::max(speed, std::sqrt(scales.acceleration * scales.length));
  if (!(scales.speed > 0.0)) scales.speed = 1.0;  // nothing moves, and nothing makes it
  return scales;
}

}  // namespace stickslip
