// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "stickslip/geometry/shape.h"
#include "stickslip/model/contact.h"
#include "stickslip/model/system.h"

namespace stickslip {

// What a shape offers to touch with: every gap is measured between a surface of one shape and a ball of the other.

/// A ball (or corner, radius 0) that a shape offers to touch with.
struct BallFeature {
  Vector3 center;          // (3) [m] body frame
  double radius;           // [m]
  double parameter = 0.0;  // [-] on a beam: where
};

/// The surface that a shape offers to be touched on.
struct SurfaceFeature {
  GapKind kind;
  Vector3 center;  // (3) [m] body frame
  Vector3 axis;    // (3) [-] body frame
  double radius;   // [m]
};

/// Whether a surface has a ball's bounds. One without is near everything: a half-space, the inside of a container.
/// Polytopes touch it with their corners and capsules with their ends.
bool is_bounded(GapKind kind);

/// The surface of a shape, if it has one.
std::optional<SurfaceFeature> surface_of(const Shape& shape);

/// The balls of a shape. `on_flat`: the other side has no bounds.
std::vector<BallFeature> balls_of(const Shape& shape, bool planar, bool on_flat);

/// The balls of `shape` that can touch `surface`.
std::vector<BallFeature> balls_on(const SurfaceFeature& surface, const Shape& shape, bool planar);

/// The contact point between a surface of body `surface_body` and a ball of body `ball_body`; pair, index and id are
/// the caller's. The normal points from the surface to the ball, or where `flipped` the other way.
ContactPoint make_contact_point(const System& system, int surface_body, const SurfaceFeature& surface, int ball_body,
                                const BallFeature& ball, bool flipped);

}  // namespace stickslip
