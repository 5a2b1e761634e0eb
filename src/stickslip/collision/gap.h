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
  S distance;      // [m] >= 0 of the ball's centre from that of the surface or from its axis; a half-space has none: 0
};

/// Between a surface of a body with origin p (3) [m] and orientation R (3, 3), and a ball at `center` (3) [m], all in
/// the world.
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
    case SurfaceKind::container_cylinder: {
      const Vec3<S> axis = R * constant_vector<S>(surface.axis);
      d = d - axis * axis.dot(d);
      const int other = std::abs(surface.axis(0)) < 0.5 ? 0 : 1;  // a direction across the axis
      const Vec3<S> across = R * constant_vector<S>(surface.axis.cross(Vector3::Unit(other)).normalized());
      const S distance = normalize_or<S>(d, across);
      return {S(surface.radius - radius) - distance, -d, distance};
    }
  }
  return {};
}

}  // namespace stickslip
