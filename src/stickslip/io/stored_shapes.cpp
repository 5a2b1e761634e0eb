// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/stored_shapes.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/geometry/polyline.h"

namespace stickslip {
namespace {

std::vector<double> read_numbers(const Hdf5File& file, const std::string& path) {
  const Hdf5Dataset dataset = file.open_dataset(path);
  std::vector<double> values(static_cast<std::size_t>(dataset.rows() * dataset.width()));
  dataset.read(0, values);
  return values;
}

StoredShapes read_stored_shapes(const Hdf5File& file) {
  StoredShapes shapes;
  if (!file.has("/shapes/vertices")) return shapes;
  const std::vector<std::string> types = file.read_texts("/shapes/type");
  const std::vector<double> vertices = read_numbers(file, "/shapes/vertices");
  const std::vector<double> faces = read_numbers(file, "/shapes/faces");
  const std::vector<double> vertex_offset = read_numbers(file, "/shapes/vertex_offset");
  const std::vector<double> face_offset = read_numbers(file, "/shapes/face_offset");
  std::vector<double> single(types.size(), 0.0);
  if (file.has("/shapes/single_precision")) single = read_numbers(file, "/shapes/single_precision");
  const auto refuse = [&] { throw InputError({file.name(), 0, 0}, "/shapes", "", "shapes whose arrays agree"); };
  if (vertex_offset.size() != types.size() + 1 || face_offset.size() != types.size() + 1 ||
      single.size() != types.size()) {
    refuse();
  }
  for (std::size_t s = 0; s < types.size(); ++s) {
    const bool is_line = types[s] == "polyline";
    if (!is_line && types[s] != "mesh" && types[s] != "height-field") continue;
    const auto is_part = [](double begin, double end, std::size_t n) {
      return begin >= 0.0 && begin <= end && 3.0 * end <= static_cast<double>(n);
    };
    if (!is_part(vertex_offset[s], vertex_offset[s + 1], vertices.size()) ||
        !is_part(face_offset[s], face_offset[s + 1], faces.size())) {
      refuse();
    }
    std::vector<Vector3> points;
    std::vector<std::array<int, 3>> triangles;
    for (auto k = static_cast<std::size_t>(vertex_offset[s]); k < static_cast<std::size_t>(vertex_offset[s + 1]); ++k) {
      points.emplace_back(vertices[3 * k], vertices[3 * k + 1], vertices[3 * k + 2]);
    }
    if (is_line) {
      const std::string checksum = fmt::format("{:016x}", calc_checksum(points));
      shapes.lines.emplace(checksum, std::move(points));
      continue;
    }
    for (auto k = static_cast<std::size_t>(face_offset[s]); k < static_cast<std::size_t>(face_offset[s + 1]); ++k) {
      triangles.push_back(
          {static_cast<int>(faces[3 * k]), static_cast<int>(faces[3 * k + 1]), static_cast<int>(faces[3 * k + 2])});
    }
    const auto mesh = make_triangle_mesh(std::move(points), std::move(triangles), single[s] != 0.0);
    shapes.meshes.emplace(fmt::format("{:016x}", calc_checksum(*mesh)), mesh);
  }
  return shapes;
}

}  // namespace

std::function<const StoredShapes&()> find_stored_shapes(const Hdf5File& file) {
  return [&file, shapes = std::optional<StoredShapes>()]() mutable -> const StoredShapes& {
    if (!shapes) shapes = read_stored_shapes(file);
    return *shapes;
  };
}

}  // namespace stickslip
