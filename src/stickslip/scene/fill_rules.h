// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

// Where the rules of [[fill]] put bodies, apart from how a scene states them.

// --- bricks

/// A wall of bricks whose lower corner is `origin`: counts[0] bricks along x, counts[1] deep along y, counts[2] courses
/// up along z; in a plane counts[1] courses up along y. Every other course, from the second on, is shifted by `bond`
/// bricks along x and closed by a piece of `bond` at its start and one of 1 - `bond` at its end.
struct BrickWall {
  std::array<std::int64_t, 3> counts = {1, 1, 1};  // [-] each >= 1; the third is 1 in a plane
  Vector3 size = Vector3::Zero();                  // (3) [m] of a brick; z is 0 in a plane
  Vector3 origin = Vector3::Zero();                // (3) [m]
  double bond = 0.5;                               // [-] in [0, 1); 0: bricks stand one above the other
  bool planar = false;
};

struct Brick {
  Vector3 center = Vector3::Zero();  // (3) [m]
  Vector3 size = Vector3::Zero();    // (3) [m]
};

/// Number of bricks and pieces. [-] The counts' product must be far from overflow.
std::int64_t count_bricks(const BrickWall& wall);

/// Course by course from below, in each along y, then along x. A centre is rounded once, so that faces that touch are
/// apart by no more than round-off in two centres, and by nothing where origin, size and bond are short binary
/// fractions.
std::vector<Brick> lay_bricks(const BrickWall& wall);

// --- the pile of the granular benchmark

/// `count` spheres above one another in n columns by n, n = round(cbrt(count)), each of its own radius and a little off
/// its place, in a box without a lid whose floor is at z = 0 and whose axis is x = y = 0. Nothing is drawn from a
/// state: sphere i is a function of i alone.
struct Pile {
  explicit Pile(std::int64_t count);

  std::int64_t count;                      // [-] >= 1
  std::int64_t columns;                    // [-] n
  double side = 0.0;                       // [m] of the box, inside
  double height = 0.0;                     // [m] of its walls
  double radius(std::int64_t i) const;     // [m]
  Vector3 position(std::int64_t i) const;  // (3) [m]
};

inline constexpr double kPileDensity = 1000.0;  // [kg/m^3] of the spheres

/// A box that does not move, of a pile.
struct PileWall {
  std::string_view name;
  Vector3 center = Vector3::Zero();  // (3) [m]
  Vector3 size = Vector3::Zero();    // (3) [m]
};

/// Floor and four walls, half a metre thick; they stand on the floor and do not overlap.
std::array<PileWall, 5> pile_walls(const Pile& pile);

// --- bodies from a file

/// The start of a body, as a line of a file states it.
struct BodyRow {
  double radius = 0.0;                         // [m] where rows have one
  Vector3 position = Vector3::Zero();          // (3) [m]
  Vector4 quaternion = Vector4::UnitX();       // (4) [-] any length but zero; in space
  double angle = 0.0;                          // [rad] in a plane
  Vector3 velocity = Vector3::Zero();          // (3) [m/s]
  Vector3 angular_velocity = Vector3::Zero();  // (3) [rad/s] in the body's frame; in a plane z
  bool operator==(const BodyRow&) const = default;
};

struct BodyRows {
  bool have_radius = false;
  std::vector<BodyRow> rows;
  bool operator==(const BodyRows&) const = default;
};

/// Reads a text of one body a line, numbers with commas or blanks between, lines with # skipped: radius, position (3),
/// quaternion w x y z, velocity (3), angular velocity in the body's frame (3); in a plane radius, x, y, angle, their
/// rates. All lines have a radius, or none has. `name` stands in messages. Throws InputError with line and column.
BodyRows parse_body_rows(std::string_view text, const std::string& name, bool planar, std::size_t most);

/// The same rows as text; numbers read back as the same.
std::string write_body_rows(const BodyRows& rows, bool planar);

}  // namespace stickslip
