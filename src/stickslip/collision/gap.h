// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "stickslip/collision/ellipsoid_gap.h"
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

/// A direction across a cylinder's or a line's axis, fixed in its body.
inline Vector3 across_axis(const SurfaceFeature& surface) {
  const int other = std::abs(surface.axis(0)) < 0.5 ? 0 : 1;
  return surface.axis.cross(Vector3::Unit(other)).normalized();
}

/// Between a solid cylinder and a ball whose centre is d (3) [m] from the cylinder's: the nearest point of the side, of
/// a cap or of a rim; of a centre inside, what it is nearest to of side and caps.
template <class S>
Gap<S> calc_cylinder_gap(const SurfaceFeature& surface, const Mat3<S>& R, const Vec3<S>& d, double radius) {
  const Vec3<S> axis = R * constant_vector<S>(surface.axis);
  const S height = axis.dot(d);
  Vec3<S> across = d - axis * height;
  const S distance = normalize_or<S>(across, Vec3<S>(R * constant_vector<S>(across_axis(surface))));
  const double sign = plain_value(height) < 0.0 ? -1.0 : 1.0;
  const double above = sign * plain_value(height) - surface.half_length;
  const double beside = plain_value(distance) - surface.radius;
  if (above > 0.0 && beside > 0.0) {
    const Vec3<S> on_rim = across * S(surface.radius) + axis * S(sign * surface.half_length);
    Vec3<S> normal = d - on_rim;
    const S gap = normalize_or<S>(normal, across);
    return {gap - S(radius), normal, distance};
  }
  if (above > beside) return {height * S(sign) - S(surface.half_length + radius), axis * S(sign), distance};
  return {distance - S(surface.radius + radius), across, distance};
}

/// Between a surface of a body with origin p (3) [m] and orientation R (3, 3), and a ball at `center` (3) [m], all in
/// the world; not of a crossing, nor of an ellipsoid on a half-space.
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
    case SurfaceKind::cylinder:
      return calc_cylinder_gap<S>(surface, R, d, radius);
    case SurfaceKind::ellipsoid:
      return calc_ellipsoid_gap<S>(surface.half_axes, R, d, radius);
    case SurfaceKind::crossing:
      break;
  }
  return {};
}

/// The point of an ellipsoid or rim that is farthest against the direction n (3) [-], from its centre; 0 where n is
/// normal to a rim. world
template <class S>
Vec3<S> find_lowest(const Matrix3& half_axes, const Mat3<S>& R, const Vec3<S>& n) {
  using std::sqrt;
  Vec3<S> sum = constant_vector<S>(Vector3::Zero());
  S norm2(0.0);
  for (int i = 0; i < 3; ++i) {
    if (half_axes.col(i).isZero(0.0)) continue;
    const Vec3<S> half_axis = R * constant_vector<S>(half_axes.col(i));
    const S along = half_axis.dot(n);
    sum = sum - half_axis * along;
    norm2 += along * along;
  }
  if (plain_value(norm2) == 0.0) return sum;
  return sum * (S(1.0) / sqrt(norm2));
}

/// Between a half-space, a line or an ellipsoid and an ellipsoid whose centre is d (3) [m] from the surface's; `lowest`
/// (3) [m] is its point of least gap, from its centre.
template <class S>
Gap<S> calc_gap_to_ellipsoid(const SurfaceFeature& surface, const Mat3<S>& R, const Vec3<S>& d,
                             const Matrix3& half_axes, const Mat3<S>& R_b, Vec3<S>& lowest) {
  if (surface.kind == SurfaceKind::half_space) {
    const Vec3<S> n = R * constant_vector<S>(surface.axis);
    lowest = find_lowest<S>(half_axes, R_b, n);
    return {n.dot(Vec3<S>(d + lowest)), n, S(0.0)};
  }
  const auto place_axes = [](const Matrix3& axes, const Mat3<S>& of, Vec3<S>(&placed)[3]) {
    for (int i = 0; i < 3; ++i) placed[i] = of * constant_vector<S>(axes.col(i));
  };
  Vec3<S> b[3];
  place_axes(half_axes, R_b, b);
  if (surface.kind == SurfaceKind::line) {
    return calc_line_ellipsoid_gap<S>(R * constant_vector<S>(surface.axis), surface.radius, b, d, lowest);
  }
  Vec3<S> a[3];
  place_axes(surface.half_axes, R, a);
  return calc_ellipsoids_gap<S>(a, b, d, lowest);
}

/// The same of a ball of a body with origin p_b and orientation R_b, whose `center` (3) [m] it finds; of an ellipsoid
/// or a rim, which has no radius, that is its point of least gap. Of a crossing
/// that is where the ball's line comes nearest to the surface's, the normal is that of both lines, and the gap along
/// it: less than zero where they have passed each other. The lines must not be parallel.
template <class S>
Gap<S> calc_gap(const SurfaceFeature& surface, const Vec3<S>& p, const Mat3<S>& R, const BallFeature& ball,
                const Vec3<S>& p_b, const Mat3<S>& R_b, Vec3<S>& center) {
  center = place_point<S>(p_b, R_b, ball.center);
  if (ball.is_ellipsoid) {
    Vec3<S> lowest;
    const Gap<S> gap = calc_gap_to_ellipsoid<S>(surface, R, center - place_point<S>(p, R, surface.center),
                                                ball.half_axes, R_b, lowest);
    center = center + lowest;
    return gap;
  }
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
