// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

// Points from files, whose convex hull is a shape. Of each format only what says where points are is used:
//   points  lines of x y z, in a planar scene x y, with commas or blanks between; lines with # are skipped
//   obj     Wavefront OBJ: lines "v x y z", further numbers after them (weight, colour) are ignored; faces and the rest
//           are not read, words that the format does not know are refused
//   stl     the corners of all triangles: ASCII ("solid ...", "vertex x y z") or binary (80 bytes of header, the number
//           of triangles in 4 bytes, 50 bytes a triangle, little endian). A file of the length that its own count says
//           is binary, whatever it begins with.
enum class PointFileFormat { points, obj, stl };

/// By the ending of a file's name, in any case: .obj, .stl; anything else is a list of points.
PointFileFormat point_file_format(std::string_view name);

/// Points of a file at most. [-]
inline constexpr std::size_t kMaxFilePoints = 1'000'000;

/// The points in the bytes of a file, in their order, with duplicates [m]; with `planar` z = 0, and only from the
/// format `points`. `name` stands in messages. Throws InputError with the line and column of a mistake.
std::vector<Vector3> parse_points(std::string_view bytes, const std::string& name, PointFileFormat format, bool planar);

}  // namespace stickslip
