// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// The convex hull of points, by Qhull.
struct ConvexHull {
  std::vector<int> vertices;               // indices of the points that are corners, increasing
  std::vector<std::array<int, 3>> facets;  // corners of each simplex of the surface; planar: edges, third is -1
};

/// Largest coordinate of a hull's points: the fifth power of it, as in an inertia, is a number. [m]
inline constexpr double kMaxHullCoordinate = 1e60;

/// Throws InputError when the points span no volume (no area when `planar`, which reads x and y only), or when a
/// coordinate is not finite or above kMaxHullCoordinate. Where the points are, near the origin or far from it, and how
/// large they are changes nothing but round-off in the coordinates themselves.
ConvexHull make_convex_hull(std::span<const Vector3> points, bool planar);

/// The points that are corners of the hull, in the order given, each once: without those inside it, in its faces and
/// on its edges. Throws as make_convex_hull() does.
std::vector<Vector3> find_hull_corners(std::span<const Vector3> points, bool planar);

}  // namespace stickslip
