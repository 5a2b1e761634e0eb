// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "stickslip/geometry/shape.h"

namespace stickslip {

// What a shape offers to touch with: every gap is measured between a surface of one shape and a ball of another.

/// The surfaces there are: each has a gap function to balls (calc_gap).
enum class SurfaceKind { half_space, sphere, container_sphere, container_cylinder };

/// The surface that a shape offers to be touched on.
struct SurfaceFeature {
  SurfaceKind kind = SurfaceKind::half_space;
  Vector3 center = Vector3::Zero();  // (3) [m] body frame: of sphere or cylinder, a point of the plane
  Vector3 axis = Vector3::UnitZ();   // (3) [-] body frame: the plane's normal or the cylinder's axis
  double radius = 0.0;               // [m]
};

/// A ball (or point, or corner: radius 0) that a shape offers to touch with.
struct BallFeature {
  Vector3 center = Vector3::Zero();  // (3) [m] body frame
  double radius = 0.0;               // [m]
  double parameter = 0.0;            // [-] on a beam: where
};

/// Whether a surface has a ball's bounds. One without is near everything: a half-space, the inside of a container.
/// Polytopes touch it with their corners and capsules with their ends.
bool is_bounded(SurfaceKind kind);

/// The surface of a shape, if it has one.
std::optional<SurfaceFeature> surface_of(const Shape& shape);

/// The balls of a shape: all of it where is_round(), else its corners or ends.
std::vector<BallFeature> balls_of(const Shape& shape, bool planar);

/// Whether a shape is a ball or a point, so that bounded surfaces can touch it, too.
bool is_round(const Shape& shape);

}  // namespace stickslip
