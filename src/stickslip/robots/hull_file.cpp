// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/hull_file.h"

#include <fmt/format.h>

#include <cctype>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/geometry/convex_hull.h"
#include "stickslip/geometry/point_file.h"
#include "stickslip/geometry/triangle_file.h"
#include "stickslip/robots/xml_tree.h"
#include "stickslip/scene/data_file.h"

namespace stickslip {

std::string hull_file_ending(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  std::string ending(dot == std::string_view::npos ? "" : name.substr(dot + 1));
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

std::string check_hull_file(const std::filesystem::path& path, const Vector3& scale) {
  try {
    const std::string bytes = read_model_file(path, {path.string(), 0, 0}, kMaxDataBytes);
    std::vector<Vector3> points = parse_points(bytes, path.string(), point_file_format(path.string()), false);
    for (Vector3& point : points) point = point.cwiseProduct(scale);
    const std::size_t n = find_hull_corners(points, false).size();
    if (n > kMaxHullCorners) return fmt::format("a hull of at most {} corners; this has {}", kMaxHullCorners, n);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool is_mesh_file(const std::filesystem::path& path, const Vector3& scale) {
  try {
    const std::string bytes = read_model_file(path, {path.string(), 0, 0}, kMaxDataBytes);
    Triangles triangles = read_triangles(bytes, path.string());
    scale_triangles(scale, triangles);
    make_triangle_mesh(triangles, point_file_format(path.string()) == PointFileFormat::stl);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

}  // namespace stickslip
