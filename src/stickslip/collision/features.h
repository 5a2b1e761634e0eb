// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "stickslip/geometry/shape.h"

namespace stickslip {

// What a shape offers to touch with: every gap is measured between a surface of one shape and a ball of another. Of
// polytopes and capsules these are their vertices (spheres), edges (lines) and faces (half-spaces).

/// The surfaces there are: each has a gap function to balls (calc_gap). `line`: the outside of a cylinder without ends,
/// the side of a capsule or, with radius 0, an edge. `crossing`: a line that another line touches, that of the ball.
/// `cylinder`: a solid one, with its caps and rims.
enum class SurfaceKind {
  half_space,
  sphere,
  container_sphere,
  container_cylinder,
  line,
  crossing,
  cylinder,
  ellipsoid
};

/// The surface that a shape offers to be touched on.
struct SurfaceFeature {
  SurfaceKind kind = SurfaceKind::half_space;
  Vector3 center = Vector3::Zero();     // (3) [m] body frame: of sphere or cylinder, a point of the plane or the line
  Vector3 axis = Vector3::UnitZ();      // (3) [-] body frame: the plane's normal, the cylinder's or the line's axis
  double radius = 0.0;                  // [m]
  double half_length = 0.0;             // [m] of a solid cylinder
  Matrix3 half_axes = Matrix3::Zero();  // (3, 3) [m] columns, of an ellipsoid, body frame: orthogonal
};

/// A ball (or point, or corner: radius 0) that a shape offers to touch with; of a crossing, a line; on a half-space, a
/// line or an ellipsoid it may be an ellipsoid, or a rim: the flat ellipsoid whose third half axis is 0.
struct BallFeature {
  Vector3 center = Vector3::Zero();  // (3) [m] body frame
  double radius = 0.0;               // [m]
  double parameter = 0.0;            // [-] on a beam: where
  Vector3 axis = Vector3::Zero();    // (3) [-] body frame: of the line of a crossing, with the sense that makes
                                     // surface.axis x axis, in the world, point from surface to ball; else not read
  bool is_ellipsoid = false;
  Matrix3 half_axes = Matrix3::Zero();  // (3, 3) [m] columns, of an ellipsoid, body frame: orthogonal
};

/// How far a solid cylinder or an ellipsoid reaches round the feature's centre. [m] 0 of all else
double calc_extent(const SurfaceFeature& surface);
double calc_extent(const BallFeature& ball);

/// Whether a surface has a ball's bounds. One without is near everything: a half-space, the inside of a container.
/// Polytopes touch it with their corners and capsules with their ends.
bool is_bounded(SurfaceKind kind);

/// The surface of a shape, if it has one.
std::optional<SurfaceFeature> surface_of(const Shape& shape);

/// The balls of a shape: all of it where is_round(), else its corners or ends; of an ellipsoid itself, of a solid
/// cylinder and a mesh none, as what of it touches a half-space depends on where they are; of a polyline none.
std::vector<BallFeature> balls_of(const Shape& shape, bool planar);

/// Whether a shape is a ball or a point, so that bounded surfaces can touch it, too.
bool is_round(const Shape& shape);

}  // namespace stickslip
