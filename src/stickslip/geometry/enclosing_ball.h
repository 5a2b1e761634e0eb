// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>

#include "stickslip/geometry/shape.h"

namespace stickslip {

struct EnclosingBall {
  Vector3 center = Vector3::Zero();  // (3) [m]
  double radius = 0.0;               // [m]
};

/// The least ball round all shapes of a body, in its frame, points included; half-spaces and containers have no
/// outside and are left out. Nothing where no other shape is left. Its radius is at most 1e-9 too large, relatively,
/// never too small.
///
/// The least ball round few points grows by one point at a time, the one of all shapes that is farthest from its
/// centre, until none is outside [Gartner1999]: of up to five points the least ball is that of some of them which
/// holds the others. A round shape's farthest point is found exactly, so it needs no facets.
std::optional<EnclosingBall> calc_enclosing_ball(std::span<const Shape> shapes, bool planar);

}  // namespace stickslip
