// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/point_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>

#include "stickslip/base/input_error.h"
#include "stickslip/base/text_lines.h"

namespace stickslip {
namespace {

constexpr std::size_t kStlHeader = 80;       // [bytes] of any contents
constexpr std::size_t kStlCount = 4;         // [bytes] number of triangles
constexpr std::size_t kStlTriangle = 50;     // [bytes] normal and three corners of three floats each, two bytes more
constexpr std::size_t kStlFirstCorner = 12;  // [bytes] before the first corner of a triangle

/// First words of lines of Wavefront OBJ.
constexpr auto kObjWords = std::to_array<std::string_view>(
    {"v",     "vt",       "vn",       "vp",         "f",         "l",      "p",    "o",    "g",    "s",
     "mg",    "usemtl",   "mtllib",   "usemap",     "maplib",    "cstype", "deg",  "bmat", "step", "curv",
     "curv2", "surf",     "parm",     "trim",       "hole",      "scrv",   "sp",   "end",  "con",  "bevel",
     "lod",   "c_interp", "d_interp", "shadow_obj", "trace_obj", "ctech",  "stech"});
/// And of ASCII STL.
constexpr auto kStlWords =
    std::to_array<std::string_view>({"solid", "facet", "outer", "vertex", "endloop", "endfacet", "endsolid"});

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void add_point(std::vector<Vector3>& points, const Vector3& point, const std::string& name) {
  if (points.size() == kMaxFilePoints) {
    throw InputError({name, 0, 0}, "", "", fmt::format("at most {} points", kMaxFilePoints));
  }
  points.push_back(point);
}

/// The numbers in `words` from `first` on, as many as a point has.
Vector3 point_of(const TextLines& lines, std::size_t first, int dim) {
  Vector3 point = Vector3::Zero();
  for (int i = 0; i < dim; ++i) point(i) = lines.number(lines.words()[first + static_cast<std::size_t>(i)]);
  return point;
}

std::vector<Vector3> parse_list(std::string_view text, const std::string& name, bool planar) {
  TextLines lines(text, name, TextLines::Commas::are_separators);
  const int dim = planar ? 2 : 3;
  std::vector<Vector3> points;
  while (lines.next()) {
    // What is no number at all says more of the file than how many there are.
    const std::size_t n = std::min(lines.words().size(), static_cast<std::size_t>(dim));
    for (std::size_t i = 0; i < n; ++i) static_cast<void>(lines.number(lines.words()[i]));
    if (lines.words().size() != static_cast<std::size_t>(dim)) {
      lines.fail(planar ? "two numbers x y [m], as the scene is planar" : "three numbers x y z [m]");
    }
    add_point(points, point_of(lines, 0, dim), name);
  }
  return points;
}

std::vector<Vector3> parse_obj(std::string_view text, const std::string& name) {
  constexpr std::size_t kMost = 8;  // [-] words: v x y z, then a weight or a colour of up to four
  TextLines lines(text, name, TextLines::Commas::are_letters);
  std::vector<Vector3> points;
  bool goes_on = false;
  while (lines.next()) {
    const bool is_rest = goes_on;
    goes_on = lines.goes_on();
    if (is_rest) continue;
    const TextWord& first = lines.words().front();
    if (!is_one_of(kObjWords, first.text)) lines.fail(first, "a line of Wavefront OBJ: v, vn, vt, f, ...");
    if (first.text != "v") continue;
    if (lines.words().size() < 4 || lines.words().size() > kMost || goes_on) lines.fail("v x y z [m]");
    add_point(points, point_of(lines, 1, 3), name);
  }
  return points;
}

std::vector<Vector3> parse_ascii_stl(std::string_view text, const std::string& name) {
  TextLines lines(text, name, TextLines::Commas::are_letters);
  std::vector<Vector3> points;
  while (lines.next()) {
    const TextWord& first = lines.words().front();
    const std::string word = in_lower_case(first.text);
    if (!is_one_of(kStlWords, word)) lines.fail(first, "a line of ASCII STL: facet, outer, vertex, ...");
    if (word != "vertex") continue;
    if (lines.words().size() != 4) lines.fail("vertex x y z [m]");
    add_point(points, point_of(lines, 1, 3), name);
  }
  return points;
}

std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

bool has_length_of_binary_stl(std::string_view bytes) {
  if (bytes.size() < kStlHeader + kStlCount) return false;
  const std::size_t n = little_endian(bytes, kStlHeader);
  return bytes.size() == kStlHeader + kStlCount + kStlTriangle * n;
}

std::vector<Vector3> parse_binary_stl(std::string_view bytes, const std::string& name) {
  std::vector<Vector3> points;
  const std::size_t n = little_endian(bytes, kStlHeader);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t triangle = kStlHeader + kStlCount + kStlTriangle * k;
    for (std::size_t corner = 0; corner < 3; ++corner) {
      Vector3 point;
      for (std::size_t i = 0; i < 3; ++i) {
        const float x = std::bit_cast<float>(little_endian(bytes, triangle + kStlFirstCorner + 12 * corner + 4 * i));
        if (!std::isfinite(x)) {
          throw InputError({name, 0, 0}, fmt::format("triangle {}", k + 1), "", "corners with finite coordinates");
        }
        point(static_cast<int>(i)) = static_cast<double>(x);
      }
      add_point(points, point, name);
    }
  }
  return points;
}

std::vector<Vector3> parse_stl(std::string_view bytes, const std::string& name) {
  if (has_length_of_binary_stl(bytes)) return parse_binary_stl(bytes, name);
  TextLines lines(bytes, name, TextLines::Commas::are_letters);
  if (lines.next() && in_lower_case(lines.words().front().text) == "solid") return parse_ascii_stl(bytes, name);
  throw InputError({name, 0, 0}, "", "",
                   "STL: a text that begins with solid, or 84 bytes and 50 more for each triangle that they count");
}

}  // namespace

PointFileFormat point_file_format(std::string_view name) {
  const std::string lower = in_lower_case(name);
  if (lower.ends_with(".obj")) return PointFileFormat::obj;
  if (lower.ends_with(".stl")) return PointFileFormat::stl;
  return PointFileFormat::points;
}

std::vector<Vector3> parse_points(std::string_view bytes, const std::string& name, PointFileFormat format,
                                  bool planar) {
  if (planar && format != PointFileFormat::points) {
    throw InputError({name, 0, 0}, "", "", "a list of points x y: OBJ and STL are for spatial scenes");
  }
  switch (format) {
    case PointFileFormat::points:
      return parse_list(bytes, name, planar);
    case PointFileFormat::obj:
      return parse_obj(bytes, name);
    case PointFileFormat::stl:
      return parse_stl(bytes, name);
  }
  return {};
}

}  // namespace stickslip
