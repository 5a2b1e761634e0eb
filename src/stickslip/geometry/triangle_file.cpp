// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/triangle_file.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "stickslip/base/input_error.h"
#include "stickslip/geometry/point_file.h"

namespace stickslip {
namespace {

/// Faces "f a/.. b/.. c/..", of points parse_points() has read.
Triangles read_faces(std::string_view bytes, const std::string& name, const std::vector<Vector3>& points) {
  Triangles triangles;
  int line_number = 0;
  std::size_t n_before = 0;  // points above this line: negative indices count back from here
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string_view line = bytes.substr(begin, end - begin);
    begin = end + 1;
    ++line_number;
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    if (line.starts_with("v ") || line.starts_with("v\t")) ++n_before;
    if (!line.starts_with("f ") && !line.starts_with("f\t")) continue;
    line.remove_prefix(1);
    std::vector<std::size_t> corners;
    while (true) {
      const std::size_t word = line.find_first_not_of(" \t\r");
      if (word == std::string_view::npos || line[word] == '#') break;
      line.remove_prefix(word);
      std::int64_t index = 0;
      const auto [next, error] = std::from_chars(line.data(), line.data() + line.size(), index);
      if (index < 0) index += static_cast<std::int64_t>(n_before) + 1;
      if (error != std::errc{} || index < 1 || index > static_cast<std::int64_t>(points.size())) {
        throw InputError({name, line_number, 0}, "", "", "a face of corners that the file has");
      }
      corners.push_back(static_cast<std::size_t>(index - 1));
      line.remove_prefix(std::min(line.find_first_of(" \t\r"), line.size()));
    }
    if (corners.size() < 3) throw InputError({name, line_number, 0}, "", "", "a face has at least three corners");
    for (std::size_t i = 2; i < corners.size(); ++i) {
      triangles.push_back({points[corners[0]], points[corners[i - 1]], points[corners[i]]});
    }
  }
  return triangles;
}

}  // namespace

Triangles read_triangles(std::string_view bytes, const std::string& name) {
  const PointFileFormat format = point_file_format(name);
  const std::vector<Vector3> points = parse_points(bytes, name, format, false);
  if (format == PointFileFormat::obj) return read_faces(bytes, name, points);
  Triangles triangles;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) triangles.push_back({points[i], points[i + 1], points[i + 2]});
  return triangles;
}

void scale_triangles(const Vector3& scale, Triangles& triangles) {
  const bool mirrors = (scale.array() < 0.0).count() % 2 == 1;
  for (std::array<Vector3, 3>& corners : triangles) {
    for (Vector3& corner : corners) corner = corner.cwiseProduct(scale);
    if (mirrors) std::swap(corners[1], corners[2]);
  }
}

}  // namespace stickslip
