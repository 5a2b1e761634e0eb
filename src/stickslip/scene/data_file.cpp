// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/data_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "stickslip/geometry/convex_hull.h"
#include "stickslip/geometry/point_file.h"
#include "stickslip/geometry/triangle_file.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

TomlValue value_of(const std::vector<Vector3>& points, std::size_t dimension, const Mark& mark) {
  TomlValue::Array rows;
  rows.reserve(points.size());
  for (const Vector3& p : points) {
    TomlValue::Array row;
    for (std::size_t i = 0; i < dimension; ++i) row.push_back({p(static_cast<int>(i)), mark});
    rows.push_back({std::move(row), mark});
  }
  return {std::move(rows), mark};
}

}  // namespace

DataFile read_data_file(const TableReader& reader, std::string_view key) {
  const Document& document = reader.context().document;
  const std::string& given = reader.string(key, "the name of a file");
  const Mark& mark = reader.find(key)->mark;
  if (!document.reads_files) reader.fail(key, "no file: none is read here");
  if (given.empty() || given.find('\0') != std::string::npos) reader.fail(key, "the name of a file");
  const fs::path path = document.folder(mark) / fs::path(given);
  std::error_code error;
  // Of a pipe or a device nobody knows whether it ends.
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) reader.fail(key, "an ordinary file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) reader.fail(key, std::string("a file; this one cannot be opened: ") + std::strerror(errno));
  DataFile data{path.string(), {}};
  std::array<char, 65536> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    data.bytes.append(buffer.data(), count);
    if (data.bytes.size() > kMaxDataBytes) {
      reader.fail(key, fmt::format("a file of at most {} MiB", kMaxDataBytes >> 20U));
    }
  }
  if (std::ferror(file.get()) != 0) reader.fail(key, std::string("cannot be read: ") + std::strerror(errno));
  return data;
}

namespace {

/// A number, or one a direction; negative ones mirror.
Vector3 read_scale(const TableReader& reader) {
  const TomlValue* value = reader.find("scale");
  if (value == nullptr) return Vector3::Ones();
  const Vector3 scale = value->array() != nullptr ? reader.vector("scale", "-")
                                                  : Vector3::Constant(reader.number("scale", kAnyNumber, "-"));
  for (int i = 0; i < static_cast<int>(reader.dimension()); ++i) {
    if (scale(i) == 0.0) reader.fail("scale", "a number or one a direction, none of them 0");
  }
  return scale;
}

}  // namespace

std::vector<Vector3> read_hull_file(const TableReader& reader, std::string_view key) {
  const bool planar = reader.dimension() == 2;
  const DataFile file = read_data_file(reader, key);
  std::vector<Vector3> points = parse_points(file.bytes, file.name, point_file_format(file.name), planar);
  const Vector3 scale = read_scale(reader);
  for (Vector3& point : points) point = point.cwiseProduct(scale);
  std::vector<Vector3> corners;
  try {
    corners = find_hull_corners(points, planar);
  } catch (const InputError& error) {
    reader.fail(key, fmt::format("{} (it has {} points)", error.allowed(), points.size()));
  }
  if (corners.size() > kMaxHullCorners) {
    reader.fail(key, fmt::format("a hull of at most {} corners; this has {}", kMaxHullCorners, corners.size()));
  }
  return corners;
}

Mesh read_mesh(const TableReader& reader) {
  Mesh mesh;
  mesh.file = reader.string("file", "the name of a file .stl or .obj");
  mesh.scale = reader.number_or("scale", kPositive, "-", 1.0);
  ReadContext& context = reader.context();
  if (context.document.stored_meshes) {
    mesh.surface = context.document.stored_meshes(reader.string("stored", "the checksum of a mesh of the result"));
    if (!mesh.surface) reader.fail("stored", "the checksum of a mesh of the result");
    return mesh;
  }
  if (point_file_format(mesh.file) == PointFileFormat::points) reader.fail("file", "a file .stl or .obj");
  const fs::path path = context.document.folder(reader.find("file")->mark) / fs::path(mesh.file);
  std::shared_ptr<const TriangleMesh>& known = context.meshes[{path.string(), mesh.scale}];
  mesh.file = fs::absolute(path).string();
  if (!known) {
    const DataFile file = read_data_file(reader, "file");
    Triangles triangles = read_triangles(file.bytes, file.name);
    for (std::array<Vector3, 3>& corners : triangles) {
      for (Vector3& corner : corners) corner *= mesh.scale;
    }
    try {
      known = make_triangle_mesh(triangles, point_file_format(file.name) == PointFileFormat::stl);
    } catch (const InputError& error) {
      reader.fail("file", fmt::format("{} (it has {} triangles)", error.allowed(), triangles.size()));
    }
  }
  mesh.surface = known;
  return mesh;
}

void inline_hull_files(ReadContext& context, TomlValue& body, const std::string& path) {
  TomlValue::Table* table = body.table();
  TomlValue* shapes = table == nullptr ? nullptr : find_value(*table, "shapes");
  if (shapes == nullptr || shapes->table() == nullptr) return;
  for (TomlEntry& shape : *shapes->table()) {
    if (shape.value.table() == nullptr) continue;
    const TomlValue* type = find_value(*shape.value.table(), "type");
    const bool is_convex = type != nullptr && type->string() != nullptr && *type->string() == "convex";
    if (!is_convex || find_value(*shape.value.table(), "file") == nullptr) continue;
    const TableReader reader(context, shape.value, fmt::format("{}.shapes.{}", path, shape.key));
    if (reader.has("points")) continue;  // read_body() says that one of both is enough
    const TomlValue points = value_of(read_hull_file(reader, "file"), reader.dimension(), reader.find("file")->mark);
    for (TomlEntry& entry : *shape.value.table()) {
      if (entry.key != "file") continue;
      entry.key = "points";
      entry.value = points;
    }
    std::erase_if(*shape.value.table(), [](const TomlEntry& entry) { return entry.key == "scale"; });
  }
}

}  // namespace stickslip
