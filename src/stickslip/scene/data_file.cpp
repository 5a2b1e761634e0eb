// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/data_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>

#include "stickslip/geometry/convex_hull.h"
#include "stickslip/geometry/height_field.h"
#include "stickslip/geometry/point_file.h"
#include "stickslip/geometry/polyline.h"
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
  const auto made = document.files.find(given);
  if (made != document.files.end()) return {path.string(), made->second};
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
  std::vector<Vector3> points = parse_data_file(reader, key, [&](const std::string& bytes, const std::string& name) {
    return parse_points(bytes, name, point_file_format(name), planar);
  });
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

namespace {

/// The one that the key `stored` names; null: the result has none such.
std::shared_ptr<const TriangleMesh> find_stored_mesh(const TableReader& reader, const std::string& allowed) {
  const auto& meshes = reader.context().document.stored_shapes().meshes;
  const auto found = meshes.find(reader.string("stored", allowed));
  return found != meshes.end() ? found->second : nullptr;
}

std::vector<Vector3> read_line_file(const TableReader& reader) {
  return parse_data_file(reader, "file", [](const std::string& bytes, const std::string& name) {
    return parse_points(bytes, name, PointFileFormat::points, true);
  });
}

}  // namespace

Polyline read_polyline(const TableReader& reader) {
  const bool has_file = reader.has("file");
  const bool has_points = reader.has("points");
  const bool closed = reader.boolean_or("closed", false);
  ReadContext& context = reader.context();
  std::string path;
  std::vector<Vector3> points;
  if (has_file && has_points) reader.fail("file", "either points or file");
  if (has_file) {
    const fs::path file = fs::path(reader.string("file", "the name of a file with lines x y"));
    path = fs::absolute(context.document.folder(reader.find("file")->mark) / file).string();
  }
  if (has_points) {
    points = reader.rows("points", "at least 2 points [[x, y], ...] [m]", 2, "m");
  } else if (context.document.stored_shapes) {
    const std::string allowed = "the checksum of a polyline of the result";
    const auto& lines = context.document.stored_shapes().lines;
    const auto found = lines.find(reader.string("stored", allowed));
    if (found == lines.end()) reader.fail("stored", allowed);
    points = found->second;
  } else if (has_file) {
    points = read_line_file(reader);
  } else {
    reader.require("points", "points or file");
  }
  try {
    Polyline line = make_polyline(points, closed);
    line.file = path;
    return line;
  } catch (const InputError& error) {
    const std::string given = fmt::format("{} ({} given)", error.allowed(), points.size());
    reader.fail(has_points ? "points" : has_file ? "file" : "stored", given);
  }
}

Mesh read_mesh(const TableReader& reader) {
  Mesh mesh;
  mesh.file = reader.string("file", "the name of a file .stl or .obj");
  mesh.scale = read_scale(reader);
  ReadContext& context = reader.context();
  if (context.document.stored_shapes) {
    mesh.surface = find_stored_mesh(reader, "the checksum of a mesh of the result");
    if (!mesh.surface) reader.fail("stored", "the checksum of a mesh of the result");
    return mesh;
  }
  if (point_file_format(mesh.file) == PointFileFormat::points) reader.fail("file", "a file .stl or .obj");
  const fs::path path = context.document.folder(reader.find("file")->mark) / fs::path(mesh.file);
  std::shared_ptr<const TriangleMesh>& known =
      context.meshes[{path.string(), {mesh.scale(0), mesh.scale(1), mesh.scale(2)}}];
  mesh.file = fs::absolute(path).string();
  if (!known) {
    Triangles triangles = parse_data_file(reader, "file", &read_triangles);
    scale_triangles(mesh.scale, triangles);
    try {
      known = make_triangle_mesh(triangles, point_file_format(mesh.file) == PointFileFormat::stl);
    } catch (const InputError& error) {
      reader.fail("file", fmt::format("{} (triangles given: {})", error.allowed(), triangles.size()));
    }
  }
  mesh.surface = known;
  return mesh;
}

namespace {

std::array<int, 2> read_cells(const TableReader& reader) {
  const std::string allowed =
      fmt::format("two whole numbers [nx, ny], each 1 or more, of at most {} nodes", kMaxFieldNodes);
  reader.require("cells", allowed);
  const std::array<double, 2> cells = reader.pair_of_numbers("cells", kAnyNumber, "-");
  for (const double n : cells) {
    if (!(n >= 1.0 && n <= static_cast<double>(kMaxFieldNodes)) || n != std::floor(n)) reader.fail("cells", allowed);
  }
  if ((cells[0] + 1.0) * (cells[1] + 1.0) > static_cast<double>(kMaxFieldNodes)) reader.fail("cells", allowed);
  return {static_cast<int>(cells[0]), static_cast<int>(cells[1])};
}

Heights calc_heights(const TableReader& reader, const HeightField& field) {
  const Expression height = reader.place_expression("height");
  Heights heights;
  for (std::size_t k = 0; k < 2; ++k) heights.nodes[k] = static_cast<std::size_t>(field.cells[k]) + 1;
  heights.z.reserve(heights.nodes[0] * heights.nodes[1]);
  for (int j = 0; j <= field.cells[1]; ++j) {
    for (int i = 0; i <= field.cells[0]; ++i) {
      const std::array<double, 3> at = {0.0, field.size[0] * (static_cast<double>(i) / field.cells[0] - 0.5),
                                        field.size[1] * (static_cast<double>(j) / field.cells[1] - 0.5)};
      heights.z.push_back(height.value(std::span<const double>(at)));
    }
  }
  return heights;
}

}  // namespace

Mesh read_height_field(const TableReader& reader) {
  Mesh mesh;
  HeightField field;
  field.size = reader.pair_of_numbers("size", kPositive, "m");
  ReadContext& context = reader.context();
  const bool has_file = reader.has("file");
  if (has_file) {
    const fs::path path = fs::path(reader.string("file", "the name of a file .csv or .npy"));
    mesh.file = fs::absolute(context.document.folder(reader.find("file")->mark) / path).string();
  } else if (reader.has("height")) {
    const std::string& text = reader.string("height", "an expression of x and y [m]: the height at the nodes");
    mesh.file = text.starts_with('=') ? text : "=" + text;
  }
  if (context.document.stored_shapes) {
    const std::string allowed = "the checksum of a height-field of the result";
    field.cells = read_cells(reader);
    mesh.surface = find_stored_mesh(reader, allowed);
    if (!mesh.surface || !is_field_mesh(*mesh.surface, field)) reader.fail("stored", allowed);
    mesh.field = field;
    return mesh;
  }
  if (has_file && reader.has("height")) reader.fail("height", "either height and cells or file");
  if (has_file && reader.has("cells") && !reader.has("stored"))
    reader.fail("cells", "no cells beside file, which says how many there are");
  if (!has_file && !reader.has("height")) reader.require("height", "height and cells, or file");
  Heights heights;
  if (has_file) {
    if (!is_height_file(reader.string("file", "the name of a file .csv or .npy"))) {
      reader.fail("file", "a file .csv or .npy");
    }
    heights = parse_data_file(reader, "file", &parse_heights);
    for (std::size_t k = 0; k < 2; ++k) field.cells[k] = static_cast<int>(heights.nodes[k]) - 1;
  } else {
    field.cells = read_cells(reader);
    heights = calc_heights(reader, field);
  }
  try {
    mesh.surface = make_field_mesh(field.size, heights);
  } catch (const InputError& error) {
    reader.fail(has_file ? "file" : "height", error.what());
  }
  mesh.field = field;
  return mesh;
}

void inline_hull_files(ReadContext& context, TomlValue& body, const std::string& path) {
  TomlValue::Table* table = body.table();
  TomlValue* shapes = table == nullptr ? nullptr : find_value(*table, "shapes");
  if (shapes == nullptr || shapes->table() == nullptr) return;
  for (TomlEntry& shape : *shapes->table()) {
    if (shape.value.table() == nullptr) continue;
    const TomlValue* type = find_value(*shape.value.table(), "type");
    const auto is_type = [&](std::string_view name) {
      return type != nullptr && type->string() != nullptr && *type->string() == name;
    };
    const bool is_line = is_type("polyline");
    if ((!is_line && !is_type("convex")) || find_value(*shape.value.table(), "file") == nullptr) continue;
    const TableReader reader(context, shape.value, fmt::format("{}.shapes.{}", path, shape.key));
    if (reader.has("points")) continue;  // read_body() says that one of both is enough
    const TomlValue points = value_of(is_line ? read_line_file(reader) : read_hull_file(reader, "file"),
                                      reader.dimension(), reader.find("file")->mark);
    for (TomlEntry& entry : *shape.value.table()) {
      if (entry.key != "file") continue;
      entry.key = "points";
      entry.value = points;
    }
    std::erase_if(*shape.value.table(), [](const TomlEntry& entry) { return entry.key == "scale"; });
  }
}

}  // namespace stickslip
