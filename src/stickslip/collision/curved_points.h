// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "stickslip/collision/manifold_point.h"
#include "stickslip/collision/solid.h"

namespace stickslip {

// What the points of cylinders and ellipsoids are made of.

/// [-] Sine of the angle up to which a cap lies on a plane; as of faces (manifold.cpp).
inline constexpr double kCapLies = 0.1;
/// [-] Sine of the angle below which the lowest point of a rim turns with it too fast to be a smooth function of the
/// poses: it is frozen as a point of the body. A cap that lies so flat does not roll.
inline constexpr double kLowestTurns = 1e-4;
/// [-] Sine of the angle below which all points of a rim are equally low: heights differ by less than this part of the
/// radius, which gaps need not tell.
inline constexpr double kFlatCap = 1e-12;
/// [rad] Where the lowest point of a flat cap is taken to be: in the middle of two fixed ones.
inline constexpr double kFlatLowest = std::numbers::pi / kRimPoints;

/// The side of a cylinder among its faces; its caps are the faces 0, below, and 1.
inline constexpr int kSideFace = 2;
/// The end of a cylinder, or its cap or rim, on the side of `along` [-] of its middle.
constexpr int end_along(double along) {
  return along < 0.0 ? 0 : 1;
}

inline Vector3 part_across(const Vector3& x, const Vector3& axis) {
  return x - x.dot(axis) * axis;
}

/// Two features between which there is a gap, where their bodies are.
struct CurvedFeatures {
  const SurfaceFeature& surface;
  const BallFeature& ball;
  FeatureId of_surface, of_ball;
};

/// Adds the point of a surface on the first solid and a ball on the second, or the other way round.
void add_curved_point(const CurvedFeatures& features, bool surface_on_second, const Placement& first,
                      const Placement& second, double within, std::vector<ManifoldPoint>& points);

/// A rim of a cylinder as a flat ellipsoid; end 0 (below) or 1.
BallFeature rim_of(const Solid& cylinder, int end);

/// An ellipsoid as a ball.
BallFeature ellipsoid_ball(const Solid& ellipsoid);

/// What of a rim touches a plane with the normal `up` (3) [-], body frame: f(ball, feature, point), `point` (3) [m] of
/// the body. The lowest point and, of a cap that lies on the plane, the fixed points of the rim, if that is_on(point)
/// what it touches. Of a cap that rolls the lowest point stands in the place of the fixed one next to it. A flat cap
/// has a lowest point, too: a step that tips it over needs the rim between the fixed ones.
template <class IsOn, class F>
void for_rim_points(const Solid& cylinder, int end, const Vector3& up_in_body, const IsOn& is_on, const F& f) {
  const Vector3 up = cylinder.axes.transpose() * up_in_body;
  const double sine = std::hypot(up(0), up(1));
  const bool lies = sine < kCapLies && (up(2) > 0.0) == (end == 0);
  int replaced = -1;
  if (lies || sine >= kFlatCap) {
    BallFeature rim = rim_of(cylinder, end);
    const double turn = sine < kFlatCap ? kFlatLowest : std::atan2(-up(1), -up(0));
    const Vector3 lowest =
        rim.center + cylinder.half(0) * (std::cos(turn) * cylinder.axes.col(0) + std::sin(turn) * cylinder.axes.col(1));
    if (is_on(lowest)) {
      if (sine < kLowestTurns) {
        rim = {};
        rim.center = lowest;
      } else if (lies) {
        replaced = static_cast<int>(std::lround((turn / (2.0 * std::numbers::pi) + 1.0) * kRimPoints)) % kRimPoints;
      }
      f(rim, make_feature(FeatureKind::edge, end), lowest);
    }
  }
  for (int k = 0; lies && k < kRimPoints; ++k) {
    if (k == replaced) continue;
    BallFeature vertex;
    vertex.center = cylinder.vertices[end * kRimPoints + k];
    if (is_on(vertex.center)) f(vertex, make_feature(FeatureKind::vertex, end * kRimPoints + k), vertex.center);
  }
}

}  // namespace stickslip
