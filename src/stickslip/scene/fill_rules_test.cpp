// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/fill_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

// --- bricks. Faces are where their exact centres and sizes put them, which long double holds to 2^-64.

long double lower_face(const Brick& b, int axis) {
  return static_cast<long double>(b.center(axis)) - static_cast<long double>(b.size(axis)) / 2.0L;
}
long double upper_face(const Brick& b, int axis) {
  return static_cast<long double>(b.center(axis)) + static_cast<long double>(b.size(axis)) / 2.0L;
}

/// Largest distance between faces that should be one, over all courses: neighbours', and the ends of the wall.
double largest_mismatch(const BrickWall& wall) {
  const std::vector<Brick> bricks = lay_bricks(wall);
  const auto start = static_cast<long double>(wall.origin(0));
  const long double end = start + static_cast<long double>(wall.counts[0]) * static_cast<long double>(wall.size(0));
  const int up = wall.planar ? 1 : 2;
  long double worst = 0.0L;
  const auto compare = [&worst](long double a, long double b) { worst = std::max(worst, std::abs(a - b)); };
  for (std::size_t k = 0; k < bricks.size(); ++k) {
    const bool begins = k == 0 || bricks[k].center(0) < bricks[k - 1].center(0);
    const bool ends = k + 1 == bricks.size() || bricks[k + 1].center(0) < bricks[k].center(0);
    compare(lower_face(bricks[k], 0), begins ? start : upper_face(bricks[k - 1], 0));
    if (ends) compare(upper_face(bricks[k], 0), end);
    // Courses: the brick's lower face is the upper face of any brick of the course below.
    const double below = bricks[k].center(up) - wall.size(up);
    for (const Brick& other : bricks) {
      if (std::abs(other.center(up) - below) < 0.25 * wall.size(up)) {
        compare(lower_face(bricks[k], up), upper_face(other, up));
      }
    }
  }
  return static_cast<double>(worst);
}

BrickWall wall_of(const Vector3& size, const Vector3& origin, double bond) {
  BrickWall wall;
  wall.counts = {7, 1, 9};
  wall.size = size;
  wall.origin = origin;
  wall.bond = bond;
  return wall;
}

TEST(Bricks, FacesTouchToTheBitWhereTheirPlacesAreBinaryFractions) {
  for (const double bond : {0.0, 0.25, 0.5, 0.75}) {
    EXPECT_EQ(largest_mismatch(wall_of({0.25, 0.125, 0.0625}, {-3.5, 1.0, 0.25}, bond)), 0.0) << bond;
  }
}

TEST(Bricks, FacesTouchToRoundOffAnywhere) {
  for (const double bond : {0.0, 0.5, 1.0 / 3.0, 0.7}) {
    for (const Vector3& origin : {Vector3(0, 0, 0), Vector3(0.1, -0.3, 0.7), Vector3(-100.3, 7.1, 1e4 / 3.0)}) {
      const BrickWall wall = wall_of({0.25, 0.12, 0.08}, origin, bond);
      // Two centres rounded once each, to half a unit in the last place of the largest coordinate, and a length.
      const double largest = origin.cwiseAbs().maxCoeff() + 2.0;
      EXPECT_LE(largest_mismatch(wall), 2.0 * std::numeric_limits<double>::epsilon() * largest) << bond;
    }
  }
}

TEST(Bricks, EveryOtherCourseIsShiftedAndClosed) {
  const std::vector<Brick> bricks = lay_bricks(wall_of({1.0, 0.5, 0.25}, {0, 0, 0}, 0.25));
  ASSERT_EQ(bricks.size(), 5U * 7U + 4U * 8U);
  EXPECT_EQ(bricks[0].center, Vector3(0.5, 0.25, 0.125));
  EXPECT_EQ(bricks[6].center, Vector3(6.5, 0.25, 0.125));
  EXPECT_EQ(bricks[7].center, Vector3(0.125, 0.25, 0.375));
  EXPECT_EQ(bricks[7].size, Vector3(0.25, 0.5, 0.25));
  EXPECT_EQ(bricks[8].center, Vector3(0.75, 0.25, 0.375));
  EXPECT_EQ(bricks[8].size, Vector3(1.0, 0.5, 0.25));
  EXPECT_EQ(bricks[14].center, Vector3(6.625, 0.25, 0.375));
  EXPECT_EQ(bricks[14].size, Vector3(0.75, 0.5, 0.25));
  EXPECT_EQ(bricks[15].center, Vector3(0.5, 0.25, 0.625));
}

TEST(Bricks, FillTheWallAndNothingElse) {
  BrickWall wall = wall_of({0.3, 0.2, 0.1}, {1, 2, 3}, 0.4);
  wall.counts = {4, 3, 6};
  const std::vector<Brick> bricks = lay_bricks(wall);
  EXPECT_EQ(static_cast<std::int64_t>(bricks.size()), count_bricks(wall));
  double volume = 0.0;
  for (std::size_t i = 0; i < bricks.size(); ++i) {
    volume += bricks[i].size.prod();
    for (std::size_t j = 0; j < i; ++j) {
      const Vector3 apart = (bricks[i].center - bricks[j].center).cwiseAbs() - 0.5 * (bricks[i].size + bricks[j].size);
      EXPECT_GE(apart.maxCoeff(), -1e-15) << i << ' ' << j;  // round-off of coordinates up to 4
    }
  }
  EXPECT_NEAR(volume, 4.0 * 0.3 * 3.0 * 0.2 * 6.0 * 0.1, 1e-13);
}

TEST(Bricks, InAPlaneCoursesGoUpAlongY) {
  BrickWall wall;
  wall.planar = true;
  wall.counts = {3, 4, 1};
  wall.size = {1.0, 0.5, 0.0};
  EXPECT_EQ(largest_mismatch(wall), 0.0);
  const std::vector<Brick> bricks = lay_bricks(wall);
  ASSERT_EQ(bricks.size(), 14U);
  EXPECT_EQ(count_bricks(wall), 14);
  EXPECT_EQ(bricks[3].center, Vector3(0.25, 0.75, 0.0));
}

// --- the pile. Numbers from a program of a dozen lines in another language that follows the rule.

TEST(Pile, IsTheRuleOfTheBenchmarkToTheBit) {
  const Pile pile(1000);
  EXPECT_EQ(pile.columns, 10);
  EXPECT_EQ(pile.side, 2.5);
  EXPECT_EQ(pile.height, 3.25);
  struct Known {
    std::int64_t i;
    double radius;
    Vector3 position;
  };
  const Known known[] = {{0, 0.10266246300689123, {-1.1240881026580192, -1.1288654965794285, 0.12431455817744974}},
                         {1, 0.10983127029050804, {-0.8725085031612617, -1.122997064864071, 0.12892406845999718}},
                         {999, 0.11610875295202325, {1.1231486823498573, 1.1205414033603844, 2.373166215017885}}};
  for (const Known& k : known) {
    EXPECT_EQ(pile.radius(k.i), k.radius) << k.i;
    EXPECT_EQ(pile.position(k.i), k.position) << k.i;
  }
}

TEST(Pile, SpheresAreApartAndWithinTheirBox) {
  for (const std::int64_t count : {1, 2, 7, 64, 500}) {
    const Pile pile(count);
    for (std::int64_t i = 0; i < count; ++i) {
      const Vector3 x = pile.position(i);
      const double r = pile.radius(i);
      EXPECT_LE(x.head<2>().cwiseAbs().maxCoeff() + r, pile.side / 2.0);
      EXPECT_GE(x(2) - r, 0.0);
      EXPECT_LE(x(2) + r, pile.height);
      for (std::int64_t j = 0; j < i; ++j) EXPECT_GT((x - pile.position(j)).norm(), r + pile.radius(j));
    }
  }
}

TEST(Pile, WallsEncloseTheBoxAndDoNotOverlap) {
  const Pile pile(30);
  const auto walls = pile_walls(pile);
  for (std::size_t i = 0; i < walls.size(); ++i) {
    EXPECT_EQ(walls[i].size.minCoeff(), 0.5);
    for (std::size_t j = 0; j < i; ++j) {
      const Vector3 apart = (walls[i].center - walls[j].center).cwiseAbs() - 0.5 * (walls[i].size + walls[j].size);
      EXPECT_GE(apart.maxCoeff(), 0.0);
    }
    const Vector3 inside(0.0, 0.0, pile.height / 2.0);
    const Vector3 apart = (walls[i].center - inside).cwiseAbs() - 0.5 * walls[i].size;
    const double expected = i == 0 ? pile.height / 2.0 : pile.side / 2.0;
    EXPECT_EQ(apart.maxCoeff(), expected);
  }
}

// --- rows

TEST(BodyRows, ReadBackAsTheyWere) {
  const std::string spatial =
      "# N 2 L 1 H 1\n0.1,1,2,3,0.5,0.5,0.5,-0.5,4,5,6,7,8,9\n\n.2 0 0 0 1 0 0 0 0 0 0 0 0 1e-3\n";
  const BodyRows rows = parse_body_rows(spatial, "a.csv", false, 10);
  ASSERT_EQ(rows.rows.size(), 2U);
  EXPECT_TRUE(rows.have_radius);
  EXPECT_EQ(rows.rows[0].radius, 0.1);
  EXPECT_EQ(rows.rows[0].position, Vector3(1, 2, 3));
  EXPECT_EQ(rows.rows[0].quaternion, Vector4(0.5, 0.5, 0.5, -0.5));
  EXPECT_EQ(rows.rows[0].velocity, Vector3(4, 5, 6));
  EXPECT_EQ(rows.rows[0].angular_velocity, Vector3(7, 8, 9));
  EXPECT_EQ(rows.rows[1].angular_velocity, Vector3(0, 0, 1e-3));
  const std::string text = write_body_rows(rows, false);
  EXPECT_EQ(write_body_rows(parse_body_rows(text, "b.csv", false, 10), false), text);

  const BodyRows planar = parse_body_rows("1,2,3,4,5,6\n", "c.csv", true, 10);
  EXPECT_FALSE(planar.have_radius);
  EXPECT_EQ(planar.rows[0].position, Vector3(1, 2, 0));
  EXPECT_EQ(planar.rows[0].angle, 3.0);
  EXPECT_EQ(planar.rows[0].velocity, Vector3(4, 5, 0));
  EXPECT_EQ(planar.rows[0].angular_velocity, Vector3(0, 0, 6));
  EXPECT_EQ(write_body_rows(planar, true), "1.0,2.0,3.0,4.0,5.0,6.0\n");
}

TEST(BodyRows, AreNoMoreThanAllowed) {
  const std::string line = "0,0,0,0,0,0\n";
  EXPECT_EQ(parse_body_rows(line + line, "a.csv", true, 2).rows.size(), 2U);
  EXPECT_THROW(parse_body_rows(line + line + line, "a.csv", true, 2), InputError);
}

}  // namespace
}  // namespace stickslip
