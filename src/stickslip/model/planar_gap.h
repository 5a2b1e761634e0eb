// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/collision/gap.h"
#include "stickslip/model/body.h"
#include "stickslip/model/planar_side.h"

namespace stickslip {

/// The gap between a surface on a fixed body and a ball on another, in a plane, and how its frame turns.
struct PlanarGap {
  Vector2 normal;          // (2) [-] world, from the surface to the ball
  double curvature = 0.0;  // [1/m] of the surface through the ball's centre: half-space 0, outer circle > 0, inner < 0
  double gap = 0.0;        // [m]
};

/// Whether planar_gap knows the kind.
inline bool has_planar_gap(SurfaceKind kind) {
  switch (kind) {
    case SurfaceKind::half_space:
    case SurfaceKind::sphere:
    case SurfaceKind::container_sphere:
      return true;
    case SurfaceKind::container_cylinder:  // its axis may lie in the plane
    case SurfaceKind::line:
    case SurfaceKind::crossing:
    case SurfaceKind::cylinder:
    case SurfaceKind::ellipsoid:
      return false;
  }
  return false;
}

/// `center` (2) [m] of the ball, world. Where it is the circle's there is no curvature.
inline PlanarGap planar_gap(const SurfaceFeature& surface, const Body& body, const Vector2& center, double radius) {
  const Gap<double> between =
      calc_gap<double>(surface, body.pose.p_WB, body.pose.R_WB, Vector3(center(0), center(1), 0.0), radius);
  PlanarGap result = {between.normal.head<2>(), 0.0, between.gap};
  if (between.distance > 0.0) result.curvature = (surface.kind == SurfaceKind::sphere ? 1.0 : -1.0) / between.distance;
  return result;
}

}  // namespace stickslip
