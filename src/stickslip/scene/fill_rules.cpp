// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/fill_rules.h"

#include <fmt/format.h>

#include <cmath>

#include "stickslip/base/text_lines.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

// The rule of the pile.
constexpr double kCell = 0.25;          // [m] between neighbours' places
constexpr double kLeastRadius = 0.08;   // [m]
constexpr double kRadiusRange = 0.04;   // [m]
constexpr double kOffset = 0.005;       // [m] from its place at most, in each direction
constexpr double kSpareLayers = 3.0;    // [-] of cells, that walls are higher than the spheres
constexpr double kWallThickness = 0.5;  // [m]

/// Number `k` of stream `stream`, in [0, 1): the upper 53 bits of splitmix64's output.
double pile_number(std::uint64_t stream, std::int64_t k) {
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
  std::uint64_t z = stream + 0x9E3779B97F4A7C15U * (static_cast<std::uint64_t>(k) + 1U);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  z ^= z >> 31U;
  return static_cast<double>(z >> 11U) * kUnit;
}

/// A piece of a course along x.
struct Piece {
  double middle;  // [-] bricks from the wall's start
  double length;  // [-] bricks
};

std::vector<Piece> course_of(const BrickWall& wall, bool is_shifted) {
  const auto n = static_cast<double>(wall.counts[0]);
  std::vector<Piece> pieces;
  if (!is_shifted) {
    for (std::int64_t i = 0; i < wall.counts[0]; ++i) pieces.push_back({static_cast<double>(i) + 0.5, 1.0});
    return pieces;
  }
  pieces.push_back({0.5 * wall.bond, wall.bond});
  for (std::int64_t i = 0; i + 1 < wall.counts[0]; ++i) {
    pieces.push_back({wall.bond + (static_cast<double>(i) + 0.5), 1.0});
  }
  pieces.push_back({n - 0.5 * (1.0 - wall.bond), 1.0 - wall.bond});
  return pieces;
}

}  // namespace

std::int64_t count_bricks(const BrickWall& wall) {
  const auto& [along, second, third] = wall.counts;
  const std::int64_t deep = wall.planar ? 1 : second;
  const std::int64_t courses = wall.planar ? second : third;
  const std::int64_t shifted = wall.bond > 0.0 ? courses / 2 : 0;
  return deep * (courses * along + shifted);
}

std::vector<Brick> lay_bricks(const BrickWall& wall) {
  const int up = wall.planar ? 1 : 2;
  const std::int64_t courses = wall.counts[static_cast<std::size_t>(up)];
  const std::int64_t deep = wall.planar ? 1 : wall.counts[1];
  const auto place = [&](int axis, double bricks) {
    return std::fma(bricks, wall.size(axis), wall.origin(axis));  // rounded once
  };
  std::vector<Brick> bricks;
  bricks.reserve(static_cast<std::size_t>(count_bricks(wall)));
  for (std::int64_t course = 0; course < courses; ++course) {
    const std::vector<Piece> pieces = course_of(wall, wall.bond > 0.0 && course % 2 == 1);
    for (std::int64_t y = 0; y < deep; ++y) {
      for (const Piece& piece : pieces) {
        Brick brick;
        brick.size = wall.size;
        brick.size(0) = piece.length * wall.size(0);
        brick.center(0) = place(0, piece.middle);
        if (!wall.planar) brick.center(1) = place(1, static_cast<double>(y) + 0.5);
        brick.center(up) = place(up, static_cast<double>(course) + 0.5);
        bricks.push_back(brick);
      }
    }
  }
  return bricks;
}

Pile::Pile(std::int64_t spheres) : count(spheres), columns(std::lround(std::cbrt(static_cast<double>(spheres)))) {
  const std::int64_t layers = spheres / (columns * columns);
  side = kCell * static_cast<double>(columns);
  height = (static_cast<double>(layers) + kSpareLayers) * kCell;
}

double Pile::radius(std::int64_t i) const {
  return kLeastRadius + kRadiusRange * pile_number(1, i);
}

// Term by term as the rule is written: others who follow it have the same bits.
Vector3 Pile::position(std::int64_t i) const {
  const auto ix = static_cast<double>(i % columns);
  const auto iy = static_cast<double>((i / columns) % columns);
  const std::int64_t layer = i / (columns * columns);
  return {(ix + 0.5) * kCell - side / 2.0 + kOffset * (2.0 * pile_number(2, i) - 1.0),
          (iy + 0.5) * kCell - side / 2.0 + kOffset * (2.0 * pile_number(3, i) - 1.0),
          (static_cast<double>(layer) + 0.5) * kCell + kOffset * (2.0 * pile_number(4, i) - 1.0)};
}

std::array<PileWall, 5> pile_walls(const Pile& pile) {
  const double t = kWallThickness;
  const double from_axis = pile.side / 2.0 + t / 2.0;
  const double middle = pile.height / 2.0;
  const double outer = pile.side + 2.0 * t;
  const Vector3 across_x(t, outer, pile.height);
  const Vector3 across_y(pile.side, t, pile.height);
  return {PileWall{"floor", {0.0, 0.0, -t / 2.0}, {outer, outer, t}},
          PileWall{"left", {-from_axis, 0.0, middle}, across_x}, PileWall{"right", {from_axis, 0.0, middle}, across_x},
          PileWall{"front", {0.0, -from_axis, middle}, across_y}, PileWall{"back", {0.0, from_axis, middle}, across_y}};
}

BodyRows parse_body_rows(std::string_view text, const std::string& name, bool planar, std::size_t most) {
  const std::size_t without_radius = planar ? 6 : 13;
  const std::string allowed =
      planar ? "6 numbers, x, y, angle and their rates, or 7, the radius before them"
             : "13 numbers, position, quaternion w x y z, velocity and angular velocity, or 14, the radius before them";
  BodyRows result;
  TextLines lines(text, name, TextLines::Commas::are_separators);
  std::vector<double> numbers;
  while (lines.next()) {
    numbers.clear();
    for (const TextWord& word : lines.words()) {
      if (numbers.size() > without_radius) break;  // far too many are no better said than one too many
      numbers.push_back(lines.number(word));
    }
    const std::size_t n = lines.words().size();
    if (result.rows.empty()) {
      if (n != without_radius && n != without_radius + 1) lines.fail(fmt::format("{}; here are {}", allowed, n));
      result.have_radius = n > without_radius;
    }
    const std::size_t first = result.have_radius ? 1 : 0;
    if (n != without_radius + first) {
      lines.fail(fmt::format("{} numbers, as in the lines before; here are {}", without_radius + first, n));
    }
    if (result.rows.size() == most) lines.fail(fmt::format("at most {} bodies", most));
    BodyRow row;
    if (result.have_radius) {
      row.radius = numbers[0];
      if (!(row.radius > 0.0)) lines.fail(lines.words()[0], "a radius > 0 [m]");
    }
    const double* next = numbers.data() + first;
    if (planar) {
      row.position = {next[0], next[1], 0.0};
      row.angle = next[2];
      row.velocity = {next[3], next[4], 0.0};
      row.angular_velocity.z() = next[5];
    } else {
      row.position = Eigen::Map<const Vector3>(next);
      row.quaternion = Eigen::Map<const Vector4>(next + 3);
      row.velocity = Eigen::Map<const Vector3>(next + 7);
      row.angular_velocity = Eigen::Map<const Vector3>(next + 10);
      // As far from over- and underflow as quaternions in scenes.
      const double largest = row.quaternion.cwiseAbs().maxCoeff();
      if (largest < 1e-100 || largest > 1e100) {
        lines.fail(lines.words()[first + 3], "a quaternion that can be scaled to length 1: not all zero");
      }
    }
    result.rows.push_back(row);
  }
  return result;
}

std::string write_body_rows(const BodyRows& rows, bool planar) {
  std::string text;
  const auto add = [&text](double x, bool is_first) {
    if (!is_first) text += ',';
    text += write_toml_number(x);
  };
  for (const BodyRow& row : rows.rows) {
    bool is_first = true;
    const auto next = [&](double x) {
      add(x, is_first);
      is_first = false;
    };
    if (rows.have_radius) next(row.radius);
    for (int i = 0; i < (planar ? 2 : 3); ++i) next(row.position(i));
    if (planar) {
      next(row.angle);
    } else {
      for (int i = 0; i < 4; ++i) next(row.quaternion(i));
    }
    for (int i = 0; i < (planar ? 2 : 3); ++i) next(row.velocity(i));
    if (planar) {
      next(row.angular_velocity.z());
    } else {
      for (int i = 0; i < 3; ++i) next(row.angular_velocity(i));
    }
    text += '\n';
  }
  return text;
}

}  // namespace stickslip
