// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <type_traits>

#include "stickslip/math/jet.h"
#include "stickslip/math/rotation.h"
#include "stickslip/math/types.h"

namespace stickslip {

template <class S>
struct Gap {
  S gap;           // [m] > 0 apart
  Vec3<S> normal;  // (3) [-] world, from the surface to the ball
  S distance;      // [m] >= 0 of the ball's centre from that of the surface or from its axis; a half-space, an
                   // ellipsoid and a crossing have none: 0
};

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

/// The point of an ellipsoid with radii r that is nearest to y, both along its axes, is x_i = r_i^2 y_i / (t + r_i^2)
/// with the largest root t of sum (r_i y_i / (t + r_i^2))^2 = 1; it is known to round-off. [m^2]
double find_ellipsoid_foot(const Vector3& r, const Vector3& y);

/// The normal n (3) [-] that parts a line through the origin along `along` (3) [-] and an ellipsoid with the half axes
/// B (3, 3) [m] round d (3) [m]: the maximum of n . d - |B^T n| over all n across the line. It is the nearest point of
/// an ellipse, the ellipsoid as seen along the line.
Vector3 find_normal_of_line(const Vector3& along, const Matrix3& B, const Vector3& d);

/// The normal n that parts two ellipsoids with the half axes A and B, the second d (3) [m] from the first: the maximum
/// of f(n) = n . d - |A^T n| - |B^T n|, by Newton's method on the sphere, damped where f would not grow. Where they are
/// apart there is one maximum; in overlap a near one is found.
Vector3 find_normal_of_ellipsoids(const Matrix3& A, const Matrix3& B, const Vector3& d);

/// The gradient of |B^T n|, and its value.
template <class S>
S calc_support(const Vec3<S> (&half_axes)[3], const Vec3<S>& n, Vec3<S>& gradient) {
  using std::sqrt;
  S norm2(0.0);
  gradient = constant_vector<S>(Vector3::Zero());
  for (const Vec3<S>& half_axis : half_axes) {
    const S along = half_axis.dot(n);
    norm2 += along * along;
    gradient = gradient + half_axis * along;
  }
  const S norm = sqrt(norm2);
  gradient = gradient * (S(1.0) / norm);
  return norm;
}

template <class S>
Vector3 plain_vector(const Vec3<S>& x) {
  return {plain_value(x(0)), plain_value(x(1)), plain_value(x(2))};
}

/// Steps of Newton's method with the matrix of the plain values: each makes derivatives of one more order exact.
inline constexpr int kDerivativeSteps = 2;

/// Between a line through the origin along `along`, rounded by `radius`, and an ellipsoid with the half axes b round
/// d; `lowest` is the ellipsoid's point there, from its centre.
template <class S>
Gap<S> calc_line_ellipsoid_gap(const Vec3<S>& along, double radius, const Vec3<S> (&b)[3], const Vec3<S>& d,
                               Vec3<S>& lowest) {
  Matrix3 B;
  for (int i = 0; i < 3; ++i) B.col(i) = plain_vector<S>(b[i]);
  const Vector3 start = find_normal_of_line(plain_vector<S>(along), B, plain_vector<S>(d));
  Vec3<S> n = constant_vector<S>(start);
  n = n - along * along.dot(n);
  normalize_or<S>(n, constant_vector<S>(start));
  Vec3<S> gradient;
  S support = calc_support<S>(b, n, gradient);
  if constexpr (!std::is_same_v<S, double>) {
    // f'' of f(phi), n(phi) = n cos(phi) + t sin(phi).
    const Vector3 t = plain_vector<S>(along).cross(start);
    const double h = plain_value(support);
    const double h_dot = t.dot(plain_vector<S>(gradient));
    const double second =
        -start.dot(plain_vector<S>(d)) - ((B.transpose() * t).squaredNorm() - h * h) / h + h_dot * h_dot / h;
    for (int step = 0; step < kDerivativeSteps; ++step) {
      const Vec3<S> across = along.cross(n);
      const S slope = across.dot(Vec3<S>(d - gradient));
      n = n - across * (slope * S(1.0 / second));
      normalize_or<S>(n, constant_vector<S>(start));
      support = calc_support<S>(b, n, gradient);
    }
  }
  lowest = -gradient;
  return {n.dot(d) - support - S(radius), n, S(0.0)};
}

/// The second derivative of f over two directions across n, less f: that of f on the sphere. (2, 2)
Eigen::Matrix2d calc_curvature(const Matrix3& A, const Matrix3& B, const Vector3& d, const Vector3& n,
                               const Eigen::Matrix<double, 3, 2>& across);

/// Between two ellipsoids with the half axes a and b, the second d from the first; `lowest` as above.
template <class S>
Gap<S> calc_ellipsoids_gap(const Vec3<S> (&a)[3], const Vec3<S> (&b)[3], const Vec3<S>& d, Vec3<S>& lowest) {
  Matrix3 A, B;
  for (int i = 0; i < 3; ++i) {
    A.col(i) = plain_vector<S>(a[i]);
    B.col(i) = plain_vector<S>(b[i]);
  }
  const Vector3 start = find_normal_of_ellipsoids(A, B, plain_vector<S>(d));
  Vec3<S> n = constant_vector<S>(start);
  Vec3<S> of_a, of_b;
  S supports = calc_support<S>(a, n, of_a) + calc_support<S>(b, n, of_b);
  if constexpr (!std::is_same_v<S, double>) {
    Eigen::Matrix<double, 3, 2> across;
    across.col(0) = start.unitOrthogonal();
    across.col(1) = start.cross(Vector3(across.col(0)));
    const Eigen::Matrix2d inverse = calc_curvature(A, B, plain_vector<S>(d), start, across).inverse();
    const Vec3<S> u = constant_vector<S>(across.col(0));
    const Vec3<S> v = constant_vector<S>(across.col(1));
    for (int step = 0; step < kDerivativeSteps; ++step) {
      Vec3<S> slope = d - of_a - of_b;
      slope = slope - n * (n.dot(d) - supports);
      const S along_u = u.dot(slope);
      const S along_v = v.dot(slope);
      n = n - u * (along_u * S(inverse(0, 0)) + along_v * S(inverse(0, 1))) -
          v * (along_u * S(inverse(1, 0)) + along_v * S(inverse(1, 1)));
      normalize_or<S>(n, constant_vector<S>(start));
      supports = calc_support<S>(a, n, of_a) + calc_support<S>(b, n, of_b);
    }
  }
  lowest = -of_b;
  return {n.dot(d) - supports, n, S(0.0)};
}

/// Between an ellipsoid with these half axes (3, 3) [m] in its body's frame R and a ball whose centre is d (3) [m] from
/// its own, inside or outside.
template <class S>
Gap<S> calc_ellipsoid_gap(const Matrix3& half_axes, const Mat3<S>& R, const Vec3<S>& d, double radius) {
  using std::sqrt;
  const Vector3 r = half_axes.colwise().norm();
  Vec3<S> axes[3];
  S y[3];
  Vector3 plain;
  for (int i = 0; i < 3; ++i) {
    axes[i] = R * constant_vector<S>(half_axes.col(i) / r(i));
    y[i] = axes[i].dot(d);
    plain(i) = plain_value(y[i]);
  }
  const double root = find_ellipsoid_foot(r, plain);
  Eigen::Index least = 0;
  r.minCoeff(&least);
  const double most_inside = -r(least) * r(least);
  S t(root);
  S m[3];  // normal of the surface at the nearest point: x_i / r_i^2
  if (root > most_inside) {
    if constexpr (!std::is_same_v<S, double>) {
      // A step of Newton's method from the root makes the first derivatives exact, a second one the second derivatives.
      for (int step = 0; step < 2; ++step) {
        S sum(-1.0);
        S slope(0.0);
        for (int i = 0; i < 3; ++i) {
          const S beyond = t + S(r(i) * r(i));
          const S part = y[i] * S(r(i)) / beyond;
          sum += part * part;
          slope += part * part / beyond;
        }
        t = t + sum / (slope * S(2.0));
      }
    }
    for (int i = 0; i < 3; ++i) m[i] = y[i] / (t + S(r(i) * r(i)));
  } else {
    // Deep inside, on the plane across the least axis: the nearest point is on either side of it.
    S rest(1.0);
    for (int i = 0; i < 3; ++i) {
      const double beyond = root + r(i) * r(i);
      m[i] = beyond > 0.0 ? S(y[i] * S(1.0 / beyond)) : S(0.0);
      rest -= m[i] * m[i] * S(r(i) * r(i));
    }
    const double inside = plain_value(rest);
    m[least] = inside > 0.0 ? S(sqrt(rest) * S(1.0 / r(least))) : S(0.0);
  }
  Vec3<S> normal = axes[0] * m[0] + axes[1] * m[1] + axes[2] * m[2];
  const S norm = normalize_or<S>(normal, axes[least]);
  return {t * norm - S(radius), normal, S(0.0)};
}

}  // namespace stickslip
