// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/base/assert.h"
#include "stickslip/model/body.h"
#include "stickslip/model/contact.h"
#include "stickslip/model/planar_side.h"

namespace stickslip {

/// The gap between a surface on a fixed body and a ball on another, in a plane.
struct PlanarGap {
  Vector2 normal;          // (2) [-] world, from the surface to the ball
  double curvature = 0.0;  // [1/m] of the surface through the ball's centre: half-space 0, outer circle > 0, inner < 0
  double gap = 0.0;        // [m]
};

/// Whether planar_gap knows the kind.
inline bool has_planar_gap(GapKind kind) {
  switch (kind) {
    case GapKind::half_space_ball:
    case GapKind::ball_ball:
    case GapKind::container_sphere_ball:
      return true;
    case GapKind::container_cylinder_ball:  // its axis may lie in the plane
    case GapKind::joint_limit:
      return false;
  }
  return false;
}

/// `center` (2) [m] of the ball, world. Where it is the circle's, any normal is as good.
inline PlanarGap planar_gap(const ContactPoint& point, const Body& surface, const Vector2& center) {
  const Vector2 d = center - (surface.pose.p_WB + surface.pose.R_WB * point.center_a).head<2>();
  const auto from_circle = [&](double outside) {
    const double distance = d.norm();
    PlanarGap result;
    result.gap = outside * distance - (point.radius_b + outside * point.radius_a);
    if (distance > 0.0) {
      result.normal = (outside / distance) * d;
      result.curvature = outside / distance;
    } else {
      result.normal = outside * surface.pose.R_WB.col(1).head<2>();
    }
    return result;
  };
  switch (point.kind) {
    case GapKind::half_space_ball: {
      const Vector2 n = (surface.pose.R_WB * point.axis_a).head<2>();
      return {n, 0.0, n.dot(d) - point.radius_b};
    }
    case GapKind::ball_ball:
      return from_circle(1.0);
    case GapKind::container_sphere_ball:
      return from_circle(-1.0);
    case GapKind::container_cylinder_ball:
    case GapKind::joint_limit:
      break;
  }
  STICKSLIP_ASSERT(has_planar_gap(point.kind));
  return {};
}

}  // namespace stickslip
