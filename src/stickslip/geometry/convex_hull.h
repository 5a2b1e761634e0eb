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

/// Throws InputError when the points span no volume (no area when `planar`, which reads x and y only).
ConvexHull make_convex_hull(std::span<const Vector3> points, bool planar);

}  // namespace stickslip
