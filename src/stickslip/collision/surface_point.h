// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "stickslip/collision/manifold_point.h"
#include "stickslip/collision/solid.h"
#include "stickslip/collision/triangle_surface.h"

namespace stickslip {

/// A point of a surface of many faces, triangles or segments, and of the other solid of the pair, the core: from the
/// surface to the core, in the frame of the surface's body.
struct SurfacePoint {
  FeatureId of_surface = 0, of_core = 0;
  SurfaceFeature surface;  // as in ManifoldPoint
  BallFeature ball;
  bool surface_on_core = false;
  bool may_be_void = false;              // where another point parts the same overlap by a shorter way
  bool is_void = false;                  // for merge()
  double gap = 0.0;                      // [m]
  Vector3 normal = Vector3::Zero();      // (3) [-]
  Vector3 on_surface = Vector3::Zero();  // (3) [m]
};

/// How far a core's point over a patch of faces, of which one has this normal and corner, is at most; middle (3) [m] of
/// the core, all in the surface's frame. What lies on a face up to a sine of 0.1 may be so much higher than the middle,
/// the upper rim of a cylinder more. [m]
inline double calc_reach_over_patch(const Vector3& normal, const Vector3& corner, const Solid& core,
                                    const Vector3& middle) {
  const double over_middle = (is_curved(core.kind) ? 0.5 : 0.1) * core.size;
  return std::abs(normal.dot(middle - corner)) + kPatchAngle * (middle - corner).norm() + over_middle;
}

/// With the surface at `at`, the first or the second of the pair.
inline ManifoldPoint to_manifold_point(const SurfacePoint& found, const Placement& at, bool surface_is_second) {
  ManifoldPoint point;
  point.surface = found.surface;
  point.ball = found.ball;
  point.flipped = found.surface_on_core != surface_is_second;
  point.feature_first = surface_is_second ? found.of_core : found.of_surface;
  point.feature_second = surface_is_second ? found.of_surface : found.of_core;
  point.gap = found.gap;
  const Vector3 normal = at.R * found.normal;
  const Vector3 on_surface = at.apply(found.on_surface);
  const Vector3 on_core = on_surface + found.gap * normal;
  point.normal = surface_is_second ? Vector3(-normal) : normal;
  point.on_first = surface_is_second ? on_core : on_surface;
  point.on_second = surface_is_second ? on_surface : on_core;
  return point;
}

}  // namespace stickslip
