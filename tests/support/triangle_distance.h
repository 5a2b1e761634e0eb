// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip::test {

// Distances of triangles and segments that do not cross, by trying all features in long double: nothing of it is in the
// library.

using TriangleReal = long double;
using TriangleReal3 = Eigen::Matrix<TriangleReal, 3, 1>;
using TriangleCorners = std::array<TriangleReal3, 3>;

inline TriangleReal distance_of_segments(const TriangleReal3& a, const TriangleReal3& b, const TriangleReal3& c,
                                         const TriangleReal3& d) {
  const auto to_segment = [](const TriangleReal3& x, const TriangleReal3& p, const TriangleReal3& q) {
    const TriangleReal3 along = q - p;
    const TriangleReal square = along.squaredNorm();
    const TriangleReal s = square > 0.0L ? std::clamp<TriangleReal>(along.dot(x - p) / square, 0.0L, 1.0L) : 0.0L;
    return (x - p - s * along).norm();
  };
  TriangleReal least = std::min({to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b)});
  const TriangleReal3 u = b - a;
  const TriangleReal3 v = d - c;
  const TriangleReal3 n = u.cross(v);
  if (n.squaredNorm() == 0.0L) return least;
  const TriangleReal s = (c - a).cross(v).dot(n) / n.squaredNorm();
  const TriangleReal t = (c - a).cross(u).dot(n) / n.squaredNorm();
  if (s >= 0.0L && s <= 1.0L && t >= 0.0L && t <= 1.0L) {
    least = std::min(least, std::abs(n.normalized().dot(c - a)));
  }
  return least;
}

/// Infinity where the foot is not inside.
inline TriangleReal distance_over(const TriangleReal3& x, const TriangleCorners& t) {
  const TriangleReal3 n = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
  for (int i = 0; i < 3; ++i) {
    if ((t[(i + 1) % 3] - t[i]).cross(x - t[i]).dot(n) < 0.0L) return std::numeric_limits<TriangleReal>::infinity();
  }
  return std::abs(n.dot(x - t[0]));
}

inline TriangleReal distance_of_triangles(const TriangleCorners& s, const TriangleCorners& t) {
  TriangleReal least = std::numeric_limits<TriangleReal>::infinity();
  for (int i = 0; i < 3; ++i) {
    least = std::min({least, distance_over(s[i], t), distance_over(t[i], s)});
    for (int j = 0; j < 3; ++j)
      least = std::min(least, distance_of_segments(s[i], s[(i + 1) % 3], t[j], t[(j + 1) % 3]));
  }
  return least;
}

/// Of a point or a segment: a triangle with two or three corners in one place.
inline TriangleReal distance_of_segment(const TriangleReal3& a, const TriangleReal3& b, const TriangleCorners& t) {
  TriangleReal least = std::min(distance_over(a, t), distance_over(b, t));
  for (int j = 0; j < 3; ++j) least = std::min(least, distance_of_segments(a, b, t[j], t[(j + 1) % 3]));
  return least;
}

}  // namespace stickslip::test
