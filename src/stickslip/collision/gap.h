// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "stickslip/collision/features.h"
#include "stickslip/math/jet.h"
#include "stickslip/math/rotation.h"

namespace stickslip {

// The narrow phase: how far a surface and a ball are apart, written once over the scalar S: double for values, Jet for
// exact derivatives.

/// Where the point x (3) [m] of a body is. The origin, where balls have their centres, is not turned.
template <class S>
Vec3<S> place_point(const Vec3<S>& p, const Mat3<S>& R, const Vector3& x) {
  if (x(0) == 0.0 && x(1) == 0.0 && x(2) == 0.0) return p;
  return p + R * constant_vector<S>(x);
}

/// The unit vector along d, and its length; where d vanishes (a ball at a container's centre, coinciding balls) any
/// direction is as good and `fallback` is taken.
template <class S, class Direction>
S normalize_or(Vec3<S>& d, const Direction& fallback) {
  using std::sqrt;
  const S norm2 = d.dot(d);
  if (plain_value(norm2) == 0.0) {
    d = fallback;
    return S(0.0);
  }
  const S norm = sqrt(norm2);
  d = d * (S(1.0) / norm);
  return norm;
}

template <class S>
struct Gap {
  S gap;           // [m] > 0 apart
  Vec3<S> normal;  // (3) [-] world, from the surface to the ball
  S distance;      // [m] >= 0 of the ball's centre from that of the surface or from its axis; a half-space and a
                   // crossing have none: 0
};

/// A direction across a cylinder's or a line's axis, fixed in its body.
inline Vector3 across_axis(const SurfaceFeature& surface) {
  const int other = std::abs(surface.axis(0)) < 0.5 ? 0 : 1;
  return surface.axis.cross(Vector3::Unit(other)).normalized();
}

/// Between a surface of a body with origin p (3) [m] and orientation R (3, 3), and a ball at `center` (3) [m], all in
/// the world; not of a crossing.
template <class S>
Gap<S> calc_gap(const SurfaceFeature& surface, const Vec3<S>& p, const Mat3<S>& R, const Vec3<S>& center,
                double radius) {
  Vec3<S> d = center - place_point<S>(p, R, surface.center);
  switch (surface.kind) {
    case SurfaceKind::half_space: {
      const Vec3<S> n = R * constant_vector<S>(surface.axis);
      return {n.dot(d) - S(radius), n, S(0.0)};
    }
    case SurfaceKind::sphere: {
      const S distance = normalize_or<S>(d, R.col(1));
      return {distance - S(surface.radius + radius), d, distance};
    }
    case SurfaceKind::container_sphere: {
      const S distance = normalize_or<S>(d, R.col(1));
      return {S(surface.radius - radius) - distance, -d, distance};
    }
    case SurfaceKind::container_cylinder:
    case SurfaceKind::line: {
      const Vec3<S> axis = R * constant_vector<S>(surface.axis);
      d = d - axis * axis.dot(d);
      const S distance = normalize_or<S>(d, Vec3<S>(R * constant_vector<S>(across_axis(surface))));
      if (surface.kind == SurfaceKind::line) return {distance - S(surface.radius + radius), d, distance};
      return {S(surface.radius - radius) - distance, -d, distance};
    }
    case SurfaceKind::crossing:
      break;
  }
  return {};
}

/// The same of a ball of a body with origin p_b and orientation R_b, whose `center` (3) [m] it finds. Of a crossing
/// that is where the ball's line comes nearest to the surface's, the normal is that of both lines, and the gap along
/// it: less than zero where they have passed each other. The lines must not be parallel.
template <class S>
Gap<S> calc_gap(const SurfaceFeature& surface, const Vec3<S>& p, const Mat3<S>& R, const BallFeature& ball,
                const Vec3<S>& p_b, const Mat3<S>& R_b, Vec3<S>& center) {
  center = place_point<S>(p_b, R_b, ball.center);
  if (surface.kind != SurfaceKind::crossing) return calc_gap<S>(surface, p, R, center, ball.radius);
  const Vec3<S> along = R * constant_vector<S>(surface.axis);
  const Vec3<S> along_b = R_b * constant_vector<S>(ball.axis);
  const Vec3<S> d = center - place_point<S>(p, R, surface.center);
  Vec3<S> normal = along.cross(along_b);
  const S sine2 = normal.dot(normal);  // of unit vectors
  const S cosine = along.dot(along_b);
  // d + y along_b is across both at y = (c (d . along) - d . along_b) / (1 - c^2).
  const S y = (cosine * along.dot(d) - along_b.dot(d)) / sine2;
  center = center + along_b * y;
  normalize_or<S>(normal, along);
  return {normal.dot(d) - S(surface.radius + ball.radius), normal, S(0.0)};
}

}  // namespace stickslip
