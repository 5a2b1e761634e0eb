// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a file of points, as bodies of a fill, as polylines, and as heights: they are read, or they are answered
// with an InputError. Points have a hull of finite mass properties, or they are answered so, too. The first byte says
// which format and which dimension, the others are the file.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/geometry/convex_hull.h"
#include "stickslip/geometry/height_field.h"
#include "stickslip/geometry/mass_properties.h"
#include "stickslip/geometry/point_file.h"
#include "stickslip/geometry/polyline.h"
#include "stickslip/scene/fill_rules.h"

namespace {

using stickslip::PointFileFormat;
using stickslip::Vector3;

void check_hull(std::string_view bytes, PointFileFormat format, bool planar) {
  const std::vector<Vector3> points = stickslip::parse_points(bytes, "fuzz", format, planar);
  stickslip::Convex hull{stickslip::find_hull_corners(points, planar)};
  if (hull.points.size() < (planar ? 3U : 4U) || hull.points.size() > points.size()) std::abort();
  stickslip::Shape shape;
  shape.geometry = std::move(hull);
  const stickslip::MassProperties p = stickslip::calc_mass_properties(std::vector{shape}, 1.0, planar);
  if (!(p.mass >= 0.0) || !std::isfinite(p.mass)) std::abort();
}

void check_rows(std::string_view bytes, bool planar) {
  constexpr std::size_t kMost = 100;  // [-] rows
  const stickslip::BodyRows rows = stickslip::parse_body_rows(bytes, "fuzz", planar, kMost);
  const std::string text = stickslip::write_body_rows(rows, planar);
  if (stickslip::write_body_rows(stickslip::parse_body_rows(text, "again", planar, kMost), planar) != text) {
    std::abort();
  }
}

/// First bytes from here on: the points of a polyline.
constexpr std::uint8_t kLine = 180;

void check_line(std::string_view bytes, bool closed) {
  const std::vector<stickslip::Vector3> points =
      stickslip::parse_points(bytes, "fuzz", stickslip::PointFileFormat::points, true);
  const stickslip::Polyline line = stickslip::make_polyline(points, closed);
  if (line.points->size() + static_cast<std::size_t>(line.n_repeated) != points.size()) std::abort();
  // What was written reads back as the same.
  if (!(stickslip::make_polyline(*line.points, closed) == line)) std::abort();
}

/// First bytes from here on: a file of heights.
constexpr std::uint8_t kHeights = 200;

/// Of a text, or of an array.
void check_heights(std::string_view bytes, bool is_text) {
  const stickslip::Heights heights =
      is_text ? stickslip::parse_height_csv(bytes, "fuzz") : stickslip::parse_height_npy(bytes, "fuzz");
  if (heights.z.size() != heights.nodes[0] * heights.nodes[1] || heights.z.size() > bytes.size()) std::abort();
  const auto mesh = stickslip::make_field_mesh({1.0, 2.0}, heights);
  const std::array<int, 2> cells = {static_cast<int>(heights.nodes[0]) - 1, static_cast<int>(heights.nodes[1]) - 1};
  if (!stickslip::is_field_mesh(*mesh, {{1.0, 2.0}, cells})) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool planar = data[0] % 2 == 1;
  try {
    switch (data[0] >= kHeights ? 4 : data[0] >= kLine ? 5 : data[0] / 2 % 4) {
      case 0:
        check_hull(bytes, PointFileFormat::points, planar);
        break;
      case 1:
        check_hull(bytes, PointFileFormat::obj, planar);
        break;
      case 2:
        check_hull(bytes, PointFileFormat::stl, planar);
        break;
      case 3:
        check_rows(bytes, planar);
        break;
      case 5:
        check_line(bytes, planar);
        break;
      default:
        check_heights(bytes, planar);
    }
  } catch (const stickslip::InputError&) {
  }
  return 0;
}
