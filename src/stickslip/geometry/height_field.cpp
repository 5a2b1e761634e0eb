// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/height_field.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "stickslip/base/input_error.h"
#include "stickslip/base/text_lines.h"

namespace stickslip {
namespace {

constexpr double kMaxHeight = 1e30;  // [m] as of coordinates of meshes
/// [-] Of the square of the longest edge: a smaller triangle is round-off, as in meshes.
constexpr double kNoFieldArea = 1e-15;
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionBytes = 2;  // [bytes] behind the magic

bool ends_with(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  return std::ranges::equal(name.substr(name.size() - ending.size()), ending,
                            [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

/// A word of the header of a NumPy array: a name or a string without its quotes, a number, or a sign.
class HeaderWords {
 public:
  HeaderWords(std::string_view text, const std::string& name) : text_(text), name_(&name) {}

  /// Empty at the end.
  std::string_view next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (at_ == text_.size()) return {};
    const std::size_t begin = at_;
    const char first = text_[at_];
    if (first == '\'' || first == '"') {
      const std::size_t end = text_.find(first, begin + 1);
      if (end == std::string_view::npos) fail("a header as NumPy writes it");
      at_ = end + 1;
      return text_.substr(begin + 1, end - begin - 1);
    }
    const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    do ++at_;
    while (is_part(first) && at_ < text_.size() && is_part(text_[at_]));
    return text_.substr(begin, at_ - begin);
  }
  void expect(std::string_view word) {
    if (next() != word) fail(fmt::format("a header as NumPy writes it, with {}", word));
  }
  [[noreturn]] void fail(const std::string& allowed) const { throw InputError({*name_, 0, 0}, "header", "", allowed); }

 private:
  std::string_view text_;
  const std::string* name_;
  std::size_t at_ = 0;
};

struct NpyHeader {
  std::string_view type;           // "<f8"
  std::optional<bool> by_columns;  // as Fortran
  std::vector<std::size_t> shape;
};

std::vector<std::size_t> parse_shape(HeaderWords& words) {
  std::vector<std::size_t> shape;
  words.expect("(");
  for (std::string_view word = words.next(); word != ")"; word = words.next()) {
    std::size_t n = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (error != std::errc() || end != word.data() + word.size()) words.fail("a shape (ny, nx)");
    shape.push_back(n);
    word = words.next();
    if (word == ")") break;
    if (word != ",") words.fail("a shape (ny, nx)");
  }
  return shape;
}

NpyHeader parse_header(std::string_view text, const std::string& name) {
  HeaderWords words(text, name);
  NpyHeader header;
  words.expect("{");
  for (std::string_view key = words.next(); key != "}"; key = words.next()) {
    words.expect(":");
    if (key == "descr") {
      header.type = words.next();
    } else if (key == "fortran_order") {
      const std::string_view value = words.next();
      if (value != "True" && value != "False") words.fail("fortran_order True or False");
      header.by_columns = value == "True";
    } else if (key == "shape") {
      header.shape = parse_shape(words);
    } else {
      words.fail("descr, fortran_order and shape");
    }
    const std::string_view sign = words.next();
    if (sign == "}") break;
    if (sign != ",") words.fail("a header as NumPy writes it");
  }
  if (!words.next().empty()) words.fail("a header as NumPy writes it");
  if (!header.by_columns || header.type.empty()) words.fail("descr, fortran_order and shape");
  return header;
}

std::uint64_t unsigned_of(std::string_view bytes, bool is_big) {
  std::uint64_t value = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    value = value << 8U | static_cast<unsigned char>(bytes[is_big ? k : bytes.size() - 1 - k]);
  }
  return value;
}

double number_of(std::string_view bytes, bool is_big) {
  const std::uint64_t bits = unsigned_of(bytes, is_big);
  if (bytes.size() == sizeof(float)) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return std::bit_cast<double>(bits);
}

bool is_number_of_nodes(std::size_t nx, std::size_t ny) {
  return nx >= 2 && ny >= 2 && nx <= kMaxFieldNodes && ny <= kMaxFieldNodes / nx;
}

std::string allowed_nodes() {
  return fmt::format("heights at 2 x 2 to {} nodes", kMaxFieldNodes);
}

}  // namespace

bool is_height_file(std::string_view name) {
  return ends_with(name, ".csv") || ends_with(name, ".npy");
}

Heights parse_height_csv(std::string_view bytes, const std::string& name) {
  TextLines lines(bytes, name, TextLines::Commas::are_separators);
  Heights heights;
  while (lines.next()) {
    for (const TextWord& word : lines.words()) {
      if (heights.z.size() == kMaxFieldNodes) lines.fail(word, allowed_nodes());
      heights.z.push_back(lines.number(word));
    }
    if (heights.nodes[1] == 0) heights.nodes[0] = lines.words().size();
    if (lines.words().size() != heights.nodes[0]) {
      lines.fail(fmt::format("{} heights, as in the first line", heights.nodes[0]));
    }
    ++heights.nodes[1];
  }
  if (!is_number_of_nodes(heights.nodes[0], heights.nodes[1])) {
    throw InputError({name, 0, 0}, "", fmt::format("{} x {}", heights.nodes[0], heights.nodes[1]), allowed_nodes());
  }
  return heights;
}

Heights parse_height_npy(std::string_view bytes, const std::string& name) {
  const auto refuse = [&](const std::string& key, const std::string& value, const std::string& allowed) {
    throw InputError({name, 0, 0}, key, value, allowed);
  };
  std::size_t at = kMagic.size() + kVersionBytes;
  if (!bytes.starts_with(kMagic) || bytes.size() < at) refuse("", "", "a file as numpy.save() writes it");
  const int version = static_cast<unsigned char>(bytes[kMagic.size()]);
  if (version < 1 || version > 3) refuse("version", fmt::format("{}", version), "1, 2 or 3");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < at + length_bytes) refuse("header", "", "a whole header");
  const std::uint64_t length = unsigned_of(bytes.substr(at, length_bytes), false);
  at += length_bytes;
  if (bytes.size() - at < length) refuse("header", "", "a whole header");
  const NpyHeader header = parse_header(bytes.substr(at, length), name);
  at += length;
  const bool is_known = header.type == "<f4" || header.type == ">f4" || header.type == "<f8" || header.type == ">f8";
  if (!is_known) refuse("descr", "", "float32 or float64: <f4, >f4, <f8, >f8");
  if (header.shape.size() != 2) {
    refuse("shape", fmt::format("{} dimensions", header.shape.size()), "an array [y, x]");
  }
  const std::size_t n_y = header.shape[0];
  const std::size_t n_x = header.shape[1];
  if (!is_number_of_nodes(n_x, n_y)) refuse("shape", fmt::format("({}, {})", n_y, n_x), allowed_nodes());
  const bool is_big = header.type.front() == '>';
  const std::size_t width = header.type.back() == '4' ? sizeof(float) : sizeof(double);
  const std::size_t n = n_x * n_y;
  if (bytes.size() - at != n * width) {
    refuse("", fmt::format("{} bytes", bytes.size() - at), fmt::format("{} bytes behind the header", n * width));
  }
  Heights heights{{n_x, n_y}, {}, width == sizeof(float)};
  heights.z.reserve(n);
  for (std::size_t j = 0; j < n_y; ++j) {
    for (std::size_t i = 0; i < n_x; ++i) {
      const std::size_t k = *header.by_columns ? i * n_y + j : j * n_x + i;
      const double z = number_of(bytes.substr(at + k * width, width), is_big);
      if (!std::isfinite(z)) refuse(fmt::format("[{}, {}]", j, i), fmt::format("{}", z), "a finite height");
      heights.z.push_back(z);
    }
  }
  return heights;
}

Heights parse_heights(std::string_view bytes, const std::string& name) {
  return ends_with(name, ".npy") ? parse_height_npy(bytes, name) : parse_height_csv(bytes, name);
}

std::shared_ptr<const TriangleMesh> make_field_mesh(const std::array<double, 2>& size, const Heights& heights) {
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->is_single = heights.is_single;
  const auto n_x = static_cast<int>(heights.nodes[0]);
  const auto n_y = static_cast<int>(heights.nodes[1]);
  if (!is_number_of_nodes(heights.nodes[0], heights.nodes[1])) throw InputError(allowed_nodes());
  const auto place = [](double length, int k, int n) { return length * (static_cast<double>(k) / (n - 1) - 0.5); };
  mesh->vertices.reserve(heights.z.size());
  for (int j = 0; j < n_y; ++j) {
    for (int i = 0; i < n_x; ++i) {
      const double z = heights.z[mesh->vertices.size()];
      if (!(std::abs(z) <= kMaxHeight)) {
        throw InputError(fmt::format("finite heights, at most 1e30 m; at node ({}, {}) it is {}", i, j, z));
      }
      mesh->vertices.emplace_back(place(size[0], i, n_x), place(size[1], j, n_y), z + 0.0);  // -0 is 0
    }
  }
  mesh->triangles.reserve(2 * static_cast<std::size_t>(n_x - 1) * static_cast<std::size_t>(n_y - 1));
  for (int j = 0; j + 1 < n_y; ++j) {
    for (int i = 0; i + 1 < n_x; ++i) {
      const int k = j * n_x + i;
      mesh->triangles.push_back({k, k + 1, k + n_x + 1});
      mesh->triangles.push_back({k, k + n_x + 1, k + n_x});
    }
  }
  mesh->n_border = 2 * (n_x - 1 + n_y - 1);
  for (const std::array<int, 3>& t : mesh->triangles) {
    const Vector3& a = mesh->vertices[t[0]];
    const Vector3 across = (mesh->vertices[t[1]] - a).cross(mesh->vertices[t[2]] - a);
    const double longest = std::max({(mesh->vertices[t[1]] - a).squaredNorm(), (mesh->vertices[t[2]] - a).squaredNorm(),
                                     (mesh->vertices[t[2]] - mesh->vertices[t[1]]).squaredNorm()});
    if (!(across.norm() > kNoFieldArea * longest)) {
      throw InputError("heights and lengths so that all triangles have an area");
    }
  }
  return mesh;
}

bool is_field_mesh(const TriangleMesh& mesh, const HeightField& field) {
  Heights heights;
  for (int k = 0; k < 2; ++k) heights.nodes[k] = static_cast<std::size_t>(field.cells[k]) + 1;
  if (!is_number_of_nodes(heights.nodes[0], heights.nodes[1])) return false;
  if (mesh.vertices.size() != heights.nodes[0] * heights.nodes[1]) return false;
  for (const Vector3& x : mesh.vertices) heights.z.push_back(x(2));
  heights.is_single = mesh.is_single;
  return *make_field_mesh(field.size, heights) == mesh;
}

}  // namespace stickslip
