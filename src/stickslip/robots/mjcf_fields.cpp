// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/mjcf_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "stickslip/geometry/height_field.h"
#include "stickslip/robots/grey_png.h"
#include "stickslip/robots/robot_attributes.h"
#include "stickslip/scene/data_file.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// What a file's name may have of the name of a field.
std::string file_name_of(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    result += is_plain ? c : '_';
  }
  return result + ".csv";
}

}  // namespace

MjcfFields::MjcfFields(const XmlElement& root, fs::path folder, const MjcfCompiler& compiler,
                       const RobotOptions& options)
    : folder_(std::move(folder)), compiler_(compiler), options_(options) {
  for (const XmlElement& asset : root.children) {
    if (asset.name != "asset") continue;
    for (const XmlElement& field : asset.children) {
      if (field.name != "hfield") continue;
      const XmlAttribute* name = field.find("name");
      const XmlAttribute* file = field.find("file");
      if (name == nullptr && file == nullptr) field.fail("expected a name or a file");
      const std::string known = name != nullptr ? name->value : fs::path(file->value).stem().string();
      const auto [found, is_new] = elements_.try_emplace(known, &field);
      if (!is_new) {
        field.fail("name",
                   fmt::format("\"{}\": another height field has this name, in line {}", known, found->second->line));
      }
    }
  }
}

const RobotMesh& MjcfFields::find(const MjcfAttribute& name) {
  const std::string& value = name.attribute->value;
  const auto known = meshes_.find(value);
  if (known != meshes_.end()) return known->second;
  const auto found = elements_.find(value);
  if (found == elements_.end()) name.element->fail("hfield", fmt::format("\"{}\": no such height field", value));
  return meshes_.emplace(value, read(*found->second, value)).first->second;
}

MjcfFields::Grid MjcfFields::read_file(const XmlElement& element, const XmlAttribute& file) const {
  if (!options_.reads_files) element.fail("file", "no file: none is read here");
  const fs::path given = compiler_.strips_path ? fs::path(file.value).filename() : fs::path(file.value);
  const fs::path path = folder_ / compiler_.asset_folder / given;
  const std::string bytes = read_model_file(path, element.place(file), kMaxDataBytes, "hfield.file");
  Grid grid;
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  if (ending == ".png") {
    try {
      const GreyImage image = read_grey_png(bytes);
      grid.rows = image.rows;
      grid.columns = image.columns;
      for (std::size_t r = grid.rows; r-- > 0;) {  // the image's last row is that of the least y
        for (std::size_t c = 0; c < grid.columns; ++c) grid.z.push_back(image.grey[r * grid.columns + c]);
      }
    } catch (const InputError& error) {
      element.fail("file", error.allowed());
    }
    return grid;
  }
  // nrow, ncol as int32, then so many float32, in the byte order of this machine as the format says.
  std::array<std::int32_t, 2> counts = {0, 0};
  if (bytes.size() >= sizeof(counts)) std::memcpy(counts.data(), bytes.data(), sizeof(counts));
  const bool is_whole = counts[0] > 0 && counts[1] > 0 && (bytes.size() - sizeof(counts)) % sizeof(float) == 0 &&
                        (bytes.size() - sizeof(counts)) / sizeof(float) / static_cast<std::size_t>(counts[0]) ==
                            static_cast<std::size_t>(counts[1]) &&
                        (bytes.size() - sizeof(counts)) / sizeof(float) % static_cast<std::size_t>(counts[0]) == 0;
  if (!is_whole) expect(element, "file", "a grey PNG, or two int32, nrow and ncol, and so many float32");
  grid.rows = static_cast<std::size_t>(counts[0]);
  grid.columns = static_cast<std::size_t>(counts[1]);
  for (std::size_t i = 0; i < grid.rows * grid.columns; ++i) {
    float z = 0.0F;
    std::memcpy(&z, bytes.data() + sizeof(counts) + i * sizeof(float), sizeof(float));
    if (!std::isfinite(z)) expect(element, "file", "finite heights");
    grid.z.push_back(z);
  }
  return grid;
}

MjcfFields::Grid MjcfFields::read_grid(const XmlElement& element) const {
  if (const XmlAttribute* file = element.find("file")) return read_file(element, *file);
  Grid grid;
  const auto count = [&](const char* key) {
    const XmlAttribute* a = element.find(key);
    if (a == nullptr) element.fail(key, "missing: a whole number > 1, or a file");
    const int n = parse_integer(element, *a);
    if (n < 2) expect(element, key, "a whole number > 1");
    return static_cast<std::size_t>(n);
  };
  grid.rows = count("nrow");
  grid.columns = count("ncol");
  if (grid.rows > kMaxFieldNodes / grid.columns) {
    element.fail("nrow", fmt::format("at most {} nodes", kMaxFieldNodes));
  }
  grid.z.assign(grid.rows * grid.columns, 0.0);
  if (const XmlAttribute* elevation = element.find("elevation")) {
    const std::vector<double> numbers = parse_numbers(element, *elevation, 1, std::numeric_limits<std::size_t>::max());
    if (numbers.size() != grid.z.size()) element.fail("elevation", fmt::format("{} numbers", grid.z.size()));
    for (std::size_t r = 0; r < grid.rows; ++r) {  // as a map: its first row is that of the most y
      std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>((grid.rows - 1 - r) * grid.columns), grid.columns,
                  grid.z.begin() + static_cast<std::ptrdiff_t>(r * grid.columns));
    }
  }
  return grid;
}

RobotMesh MjcfFields::read(const XmlElement& element, const std::string& name) {
  const XmlAttribute* given = element.find("size");
  if (given == nullptr) element.fail("size", "missing: four lengths > 0 [m]");
  const std::vector<double> size = parse_numbers(element, *given, 4, 4);
  if (std::ranges::any_of(size, [](double x) { return !(x > 0.0); })) expect(element, "size", "four lengths > 0 [m]");
  const Grid grid = read_grid(element);
  if (grid.rows < 2 || grid.columns < 2) element.fail("two rows and columns or more");
  if (grid.z.size() > kMaxFieldNodes) element.fail(fmt::format("at most {} nodes", kMaxFieldNodes));
  const auto [low, high] = std::ranges::minmax_element(grid.z);
  const double least = *low;
  const double span = *high - least;
  std::string text;
  for (std::size_t r = 0; r < grid.rows; ++r) {
    for (std::size_t c = 0; c < grid.columns; ++c) {
      const double z = grid.z[r * grid.columns + c] - least;
      text += fmt::format("{}{}", c > 0 ? "," : "", span > 0.0 ? size[2] * (z / span) : 0.0);
    }
    text += '\n';
  }
  RobotMesh mesh;
  mesh.field_size = {2.0 * size[0], 2.0 * size[1]};
  mesh.file = file_name_of(name);
  for (int n = 2; files_.contains(mesh.file); ++n) mesh.file = file_name_of(fmt::format("{}-{}", name, n));
  files_.emplace(mesh.file, std::move(text));
  return mesh;
}

}  // namespace stickslip
