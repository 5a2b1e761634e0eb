// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// The triangles of the convex hull of points, counterclockwise from outside; empty where the points span no volume.
///
/// Points are added one by one and replace the triangles that they are above [Ericson2005, 12.4]. Which side of a
/// triangle a point is on is decided in twice the precision where doubles leave it open, so that the surface closes
/// whatever the points are: in a grid, in one place, nearly in a plane. Points in the plane of a triangle are not above
/// it; some may remain as vertices of triangles in one plane. Takes n^2 tests for n points.
std::vector<std::array<int, 3>> make_exact_hull(std::span<const Vector3> points);

/// The unit normal of a triangle (b - a) x (c - a) to double precision, however thin it is; zero where it is a line.
Vector3 calc_exact_normal(const Vector3& a, const Vector3& b, const Vector3& c);

}  // namespace stickslip
