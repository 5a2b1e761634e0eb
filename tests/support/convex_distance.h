// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip::test {

// How far apart two convex hulls of few points are, by trying everything in long double: slow, and nothing of it is in
// the library.

using Long = long double;
using Long3 = Eigen::Matrix<Long, 3, 1>;

/// The hull of some points: its triangles are all triples of points that have the others on one side.
struct BruteHull {
  std::vector<Long3> points;
  std::vector<std::array<int, 3>> triangles;
  std::vector<Long3> normals;              // outward, one a plane
  std::vector<std::pair<int, int>> edges;  // of points that share two planes
  std::vector<Long3> directions;           // of edges, parallel ones once
};

/// Points in the world; one or two have no planes.
inline BruteHull make_brute_hull(const std::vector<Long3>& points) {
  constexpr Long kOnPlane = 1e-13L;   // [-] of the size: points of a plane were rounded to doubles
  constexpr Long kParallel = 1e-12L;  // [-]
  BruteHull hull;
  hull.points = points;
  const int n = static_cast<int>(points.size());
  if (n == 2) {
    hull.edges = {{0, 1}};
    hull.directions = {(points[1] - points[0]).normalized()};
  }
  if (n < 4) return hull;
  Long size = 0.0L;
  for (const Long3& p : points) size = std::max(size, (p - points[0]).norm());
  std::vector<std::vector<bool>> on;  // by plane
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      for (int k = j + 1; k < n; ++k) {
        Long3 normal = (points[j] - points[i]).cross(points[k] - points[i]);
        if (normal.norm() <= kParallel * size * size) continue;
        normal.normalize();
        Long most = 0.0L;
        Long least = 0.0L;
        std::vector<bool> members(n);
        for (int m = 0; m < n; ++m) {
          const Long height = normal.dot(points[m] - points[i]);
          most = std::max(most, height);
          least = std::min(least, height);
          members[m] = std::abs(height) <= kOnPlane * size;
        }
        if (most > kOnPlane * size && least < -kOnPlane * size) continue;
        hull.triangles.push_back({i, j, k});
        if (most > kOnPlane * size) normal = -normal;
        if (std::find(on.begin(), on.end(), members) != on.end()) continue;
        on.push_back(members);
        hull.normals.push_back(normal);
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      int planes = 0;
      for (const auto& members : on) planes += members[i] && members[j] ? 1 : 0;
      if (planes < 2) continue;
      hull.edges.emplace_back(i, j);
      const Long3 d = (points[j] - points[i]).normalized();
      const bool known = std::any_of(hull.directions.begin(), hull.directions.end(),
                                     [&](const Long3& e) { return e.cross(d).norm() < kParallel; });
      if (!known) hull.directions.push_back(d);
    }
  }
  return hull;
}

/// The gap between the hulls along a direction (unit, from first to second).
inline Long separation_along(const BruteHull& a, const BruteHull& b, const Long3& n) {
  Long top = -std::numeric_limits<Long>::infinity();
  Long bottom = std::numeric_limits<Long>::infinity();
  for (const Long3& p : a.points) top = std::max(top, n.dot(p));
  for (const Long3& p : b.points) bottom = std::min(bottom, n.dot(p));
  return bottom - top;
}

/// The shortest of the vectors that it was offered. Those of features of more dimensions come before others that are as
/// long to 1e-14: a point next to a border has feet on both, whose lengths differ by the square of their difference.
struct Shortest {
  Long3 vector = Long3::Zero();
  Long norm2 = std::numeric_limits<Long>::infinity();
  int dimensions = -1;

  void offer(const Long3& d, int of) {
    constexpr Long kSame = 1e-14L;  // [-]
    const Long candidate = d.squaredNorm();
    const bool shorter = candidate < norm2 * (1.0L - kSame);
    if (!shorter && (candidate > norm2 * (1.0L + kSame) || of <= dimensions)) return;
    vector = d;
    norm2 = candidate;
    dimensions = of;
  }

  /// From the inside of the segment p q to x, times `sign`.
  void offer_segment(const Long3& p, const Long3& q, const Long3& x, Long sign) {
    const Long3 d = q - p;
    const Long along = d.dot(x - p);
    if (along <= 0.0L || along >= d.squaredNorm()) return;
    offer(sign * (x - p - d * (along / d.squaredNorm())), 1);
  }
  void offer_triangle(const Long3& p, const Long3& q, const Long3& r, const Long3& x, Long sign) {
    const Long3 n = (q - p).cross(r - p);
    const Long3 corners[] = {p, q, r};
    for (int k = 0; k < 3; ++k) {
      if ((corners[(k + 1) % 3] - corners[k]).cross(x - corners[k]).dot(n) < 0.0L) return;
    }
    offer(sign * n * (n.dot(x - p) / n.squaredNorm()), 2);
  }
};

struct BruteGap {
  Long gap;      // < 0 in overlap: minus the length of the least translation that parts them
  Long3 normal;  // from first to second
};

/// Over all pairs of features. Two segments or points that meet have a gap of 0 and no normal.
inline BruteGap calc_brute_gap(const BruteHull& a, const BruteHull& b) {
  BruteGap deepest{-std::numeric_limits<Long>::infinity(), Long3::Zero()};
  const auto try_axis = [&](const Long3& n) {
    const Long separation = separation_along(a, b, n);
    if (separation > deepest.gap) deepest = {separation, n};
  };
  for (const Long3& n : a.normals) try_axis(n);
  for (const Long3& n : b.normals) try_axis(-n);
  for (const Long3& d : a.directions) {
    for (const Long3& e : b.directions) {
      const Long3 n = d.cross(e);
      if (n.norm() < 1e-15L) continue;
      try_axis(n.normalized());
      try_axis(-n.normalized());
    }
  }
  const bool flat = a.normals.empty() && b.normals.empty();
  if (!flat && deepest.gap <= 0.0L) return deepest;
  Shortest best;
  const auto offer_points = [&best](const BruteHull& hull, const Long3& x, Long sign) {
    const auto& p = hull.points;
    for (const auto& t : hull.triangles) best.offer_triangle(p[t[0]], p[t[1]], p[t[2]], x, sign);
    for (const auto& e : hull.edges) best.offer_segment(p[e.first], p[e.second], x, sign);
    for (const Long3& y : p) best.offer(sign * (x - y), 0);
  };
  for (const Long3& x : a.points) offer_points(b, x, -1.0L);
  for (const Long3& x : b.points) offer_points(a, x, 1.0L);
  for (const auto& e : a.edges) {
    const Long3 d = a.points[e.second] - a.points[e.first];
    for (const auto& f : b.edges) {
      const Long3 g = b.points[f.second] - b.points[f.first];
      const Long3 c = d.cross(g);
      if (!(c.squaredNorm() > 0.0L)) continue;
      const Long3 r = b.points[f.first] - a.points[e.first];
      const Long s = r.cross(g).dot(c) / c.squaredNorm();
      const Long t = (s * d - r).dot(g) / g.squaredNorm();
      if (s < 0.0L || s > 1.0L || t < 0.0L || t > 1.0L) continue;
      best.offer(r + t * g - s * d, 2);
    }
  }
  const Long distance = best.vector.norm();
  return {distance, distance > 0.0L ? Long3(best.vector / distance) : Long3(0.0L, 0.0L, 0.0L)};
}

}  // namespace stickslip::test
