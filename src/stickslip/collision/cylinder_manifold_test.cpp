// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/cylinder_manifold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/collision/manifold.h"
#include "tests/support/dense_separation.h"
#include "tests/support/random_solids.h"

namespace stickslip {
namespace {

/// [-] What gaps are promised to, of the smaller and the larger size.
constexpr double kExactOfSmaller = 1e-9;
constexpr double kExactOfLarger = 1e-12;
/// [-] What normals are promised to where the gap is above this part of the smaller size.
constexpr double kNormalKnown = 1e-6;
constexpr double kClearGap = 1e-6;
/// [-] Of the larger size: round-off of the search's separations, and of the placements.
constexpr double kSearched = 1e-15;
/// [-] Share of the gaps that the search finds at least: where edges meet it may stop short of them.
constexpr double kFound = 0.7;

Solid solid_from(const ShapeGeometry& geometry) {
  return make_solid(Shape{"shape", geometry, Vector3::Zero(), Matrix3::Identity()}, false);
}

std::vector<ManifoldPoint> points_between(const Solid& first, const Placement& first_at, const Solid& second,
                                          const Placement& second_at, double within = HUGE_VAL) {
  std::vector<ManifoldPoint> points;
  NarrowPhase().calc_manifold(first, first_at, second, second_at, within, points);
  return points;
}

enum class Against { capsule, box, convex, ellipsoid, cylinder };
const std::vector<Against> kAllAgainst = {Against::capsule, Against::box, Against::convex, Against::ellipsoid,
                                          Against::cylinder};

std::string name_of_other(Against against) {
  const std::vector<std::string> names = {"capsule", "box", "convex", "ellipsoid", "cylinder"};
  return names[static_cast<std::size_t>(against)];
}

class CylinderPairs {
 public:
  explicit CylinderPairs(unsigned seed) : draw(seed) {}

  Cylinder cylinder(double size) {
    // Of all proportions, from coins to needles.
    const double slope = std::pow(10.0, draw.uniform(-1.5, 1.5));
    const double radius = 0.5 * size / std::hypot(1.0, slope);
    return {radius, 2.0 * radius * slope};
  }
  Solid other(Against against, double size) {
    Shape shape;
    switch (against) {
      case Against::capsule:
        return make_solid(draw.shape(test::Form::capsule, size), false);
      case Against::box:
        return make_solid(draw.shape(test::Form::box, size), false);
      case Against::convex:
        return make_solid(draw.shape(test::Form::convex, size), false);
      case Against::ellipsoid:
        shape.geometry =
            Ellipsoid{0.5 * size * Vector3(draw.uniform(0.1, 1.0), draw.uniform(0.1, 1.0), draw.uniform(0.1, 1.0))};
        break;
      case Against::cylinder:
        shape.geometry = cylinder(size);
        break;
    }
    if (draw.index(2) == 0) {
      shape.position = 0.3 * size * draw.normal();
      shape.rotation = draw.rotation();
    }
    return make_solid(shape, false);
  }
  /// At random; or with the axes of both parallel or across, to round-off or nearly.
  Matrix3 rotation(const Matrix3& R, const Solid& first, const Solid& second) {
    const int kind = draw.index(3);
    if (kind == 0) return draw.rotation();
    const double tilt = draw.index(2) == 0 ? 0.0 : std::pow(10.0, draw.uniform(-14.0, -1.0));
    const double quarter = 0.5 * std::numbers::pi;
    const Matrix3 turned = axis_angle_matrix(Vector3::UnitX(), quarter * draw.index(2)) *
                           axis_angle_matrix(Vector3::UnitZ(), draw.index(2) == 0 ? quarter : draw.uniform(0.0, 6.0)) *
                           axis_angle_matrix(draw.axis(), tilt);
    return R * first.axes * turned * second.axes.transpose();
  }

  test::DrawSolids draw;
};

/// Where two solids are whose gap is about `gap`.
struct Drawn {
  Solid cylinder, other;
  Placement cylinder_at, other_at;
  double smaller, larger, gap;
};

Vector3 farthest_along(const Solid& solid, const Placement& at, const Vector3& direction) {
  const Vector3 local = at.R.transpose() * direction;
  const Vector3 x = is_curved(solid.kind) ? find_farthest(solid, local) : solid.vertices[find_support(solid, local)];
  return at.apply(x) + solid.radius * direction;
}

Drawn draw_pair(CylinderPairs& pairs, Against against) {
  test::DrawSolids& draw = pairs.draw;
  const double size = std::pow(10.0, draw.uniform(-3.0, 1.0));
  const double other = std::clamp(size * std::pow(10.0, draw.uniform(-3.0, 3.0)), 1e-3, 10.0);
  Drawn drawn;
  drawn.cylinder = solid_from(pairs.cylinder(size));
  drawn.other = pairs.other(against, other);
  drawn.smaller = std::min(drawn.cylinder.size, drawn.other.size);
  drawn.larger = std::max(drawn.cylinder.size, drawn.other.size);
  drawn.cylinder_at = {drawn.larger * draw.normal(), draw.rotation()};
  drawn.other_at.R = pairs.rotation(drawn.cylinder_at.R, drawn.cylinder, drawn.other);
  // Along an axis, a direction across it, or at random; from a point of the surface, somewhere beside it.
  Vector3 out = draw.normal().normalized();
  const Matrix3 axes = drawn.cylinder_at.R * drawn.cylinder.axes;
  const int way = draw.index(4);
  if (way == 0) out = axes.col(2);
  if (way == 1) out = (out - out.dot(axes.col(2)) * axes.col(2)).normalized();
  const double gaps[] = {0.0, draw.uniform(-1e-9, 1e-9), draw.uniform(-1e-3, 1e-2), draw.uniform(-1e-3, 1e-2)};
  drawn.gap = gaps[draw.index(4)] * drawn.smaller;
  drawn.other_at.p = farthest_along(drawn.cylinder, drawn.cylinder_at, out) + drawn.gap * out -
                     farthest_along(drawn.other, drawn.other_at, -out);
  if (way < 2) {
    // Somewhere over the cap or the side.
    const Vector3 aside = drawn.cylinder.size * draw.uniform(0.0, 0.5) * draw.normal();
    drawn.other_at.p -= aside - aside.dot(out) * out;
  }
  return drawn;
}

void compare_with_dense(int n_pairs, unsigned seed, Against against) {
  SCOPED_TRACE(name_of_other(against));
  CylinderPairs pairs(seed);
  int found = 0;
  for (int k = 0; k < n_pairs; ++k) {
    const Drawn d = draw_pair(pairs, against);
    const double exact = kExactOfSmaller * d.smaller + kExactOfLarger * d.larger +
                         1e-15 * (d.cylinder_at.p.norm() + d.other_at.p.norm());
    test::Real3 best;
    const auto gap = static_cast<double>(test::dense_separation(d.cylinder, d.cylinder_at, d.other, d.other_at, best));
    for (const bool cylinder_first : {true, false}) {
      const auto points = cylinder_first ? points_between(d.cylinder, d.cylinder_at, d.other, d.other_at)
                                         : points_between(d.other, d.other_at, d.cylinder, d.cylinder_at);
      ASSERT_FALSE(points.empty()) << k;
      // What any direction parts the two by is no more than the gap; along the normal of a point that has it it is as
      // much. Others may have the same gap to round-off.
      const double least = test::nearest_point(points).gap;
      found += least - gap <= exact ? 1 : 0;
      ASSERT_GE(least, gap - exact) << k << " sizes " << d.cylinder.size << ' ' << d.other.size << " drawn " << d.gap;
      Vector3 normal;
      double off_along = HUGE_VAL;
      for (const ManifoldPoint& each : points) {
        if (each.gap > least + exact) continue;
        const Vector3 n = cylinder_first ? each.normal : Vector3(-each.normal);
        const double along =
            n.dot(farthest_along(d.other, d.other_at, -n)) - n.dot(farthest_along(d.cylinder, d.cylinder_at, n));
        if (std::abs(along - least) >= off_along) continue;
        off_along = std::abs(along - least);
        normal = n;
      }
      ASSERT_LT(off_along, 2.0 * exact) << k << " sizes " << d.cylinder.size << ' ' << d.other.size;
      ASSERT_NEAR(normal.norm(), 1.0, 1e-14);
      for (const ManifoldPoint& each : points) {
        ASSERT_LT((each.on_second - each.on_first - each.gap * each.normal).norm(), exact);
      }
      // The search knows a direction to the root of the round-off of its separations.
      if (gap > kClearGap * d.smaller && std::abs(least - gap) <= kSearched * d.larger) {
        const double off = (normal - best.cast<double>()).norm();
        const double known = std::sqrt(2.0 * kSearched * d.larger / gap);
        ASSERT_LT(off, kNormalKnown + known) << k << " gap " << gap / d.smaller;
      }
    }
  }
  ASSERT_GT(found, 2 * kFound * n_pairs) << "the search itself";
}

Placement placed(const Vector3& p, const Matrix3& R = Matrix3::Identity()) {
  return {p, R};
}

std::ptrdiff_t count_touching(const std::vector<ManifoldPoint>& points) {
  return std::ranges::count_if(points, [](const ManifoldPoint& p) { return std::abs(p.gap) < 1e-12; });
}

TEST(CylinderManifold, CapsAndSidesOnABoxHaveTheBorderOfWhatTheyShare) {
  const Solid box = solid_from(Box{Vector3(2.0, 2.0, 1.0)});
  const Solid cylinder = solid_from(Cylinder{0.3, 0.8});
  const Matrix3 lying = axis_angle_matrix(Vector3::UnitY(), 0.5 * std::numbers::pi);
  // A cap inside the face, across its border, and on a corner.
  EXPECT_EQ(count_touching(points_between(box, {}, cylinder, placed({0.1, 0.2, 0.9}))), kRimPoints + 1);
  const auto across_border = points_between(box, {}, cylinder, placed({1.0, 0.0, 0.9}));
  EXPECT_GE(count_touching(across_border), 4);
  double widest = 0.0;
  for (const ManifoldPoint& p : across_border) {
    EXPECT_LE(p.on_first(0), 1.0 + 1e-12);
    EXPECT_LE((p.on_first - Vector3(1.0, 0.0, 0.5)).norm(), 0.3 + 1e-12);
    if (p.on_first(0) > 1.0 - 1e-9) widest = std::max(widest, std::abs(p.on_first(1)));
  }
  EXPECT_NEAR(widest, 0.3, 1e-12) << "where the rim passes the border";
  EXPECT_GE(count_touching(points_between(box, {}, cylinder, placed({1.2, 1.2, 0.9}))), 3);
  EXPECT_GE(count_touching(points_between(box, {}, cylinder, placed({1.29, 0.0, 0.9}))), 3) << "a small segment";
  // A small box on a cap: its corners.
  const Solid small = solid_from(Box{Vector3(0.1, 0.1, 0.1)});
  EXPECT_EQ(count_touching(points_between(cylinder, {}, small, placed({0.05, 0.0, 0.45}))), 4);
  // A side on a face: its ends, or where it passes the border; on an edge across it one point; a needle across a cap.
  const auto ends = points_between(box, {}, cylinder, placed({0.1, 0.0, 0.8}, lying));
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_NEAR(std::abs(ends[0].on_first(0) - ends[1].on_first(0)), 0.8, 1e-12);
  const auto cut = points_between(box, {}, cylinder, placed({0.9, 0.0, 0.8}, lying));
  ASSERT_EQ(cut.size(), 2U);
  EXPECT_NEAR(std::abs(cut[0].on_first(0) - cut[1].on_first(0)), 0.5, 1e-12);
  EXPECT_EQ(count_touching(cut), 2);
  const Solid capsule = solid_from(Capsule{0.1, 1.0});
  const Matrix3 across = axis_angle_matrix(Vector3::UnitX(), 0.5 * std::numbers::pi);
  EXPECT_EQ(points_between(capsule, placed({0.0, 0.0, 0.4}, across), cylinder, placed({0.1, 0.0, 0.0}, lying)).size(),
            1U)
      << "crossed";
  EXPECT_EQ(count_touching(points_between(capsule, placed({0.4, 0.0, 0.1}), cylinder, {})), 2) << "side by side";
  EXPECT_EQ(count_touching(points_between(capsule, placed({0.1, 0.0, 0.5}, lying), cylinder, {})), 2) << "on the cap";
}

TEST(CylinderManifold, CylindersOnEachOtherHaveTheBorderOfWhatTheyShare) {
  const Solid one = solid_from(Cylinder{0.3, 0.8});
  const Solid other = solid_from(Cylinder{0.3, 0.4});
  const Solid coin = solid_from(Cylinder{0.1, 0.02});
  const Matrix3 lying = axis_angle_matrix(Vector3::UnitY(), 0.5 * std::numbers::pi);
  const Matrix3 across = axis_angle_matrix(Vector3::UnitX(), 0.5 * std::numbers::pi);
  // A cap on a cap: in the middle, turned, inside, and across its rim.
  EXPECT_EQ(count_touching(points_between(one, {}, other, placed({0.0, 0.0, 0.6}))), kRimPoints + 1);
  const Matrix3 turned = axis_angle_matrix(Vector3::UnitZ(), 0.3);
  EXPECT_EQ(count_touching(points_between(one, {}, other, placed({0.0, 0.0, 0.6}, turned))), kRimPoints + 1);
  EXPECT_EQ(count_touching(points_between(one, {}, coin, placed({0.1, 0.1, 0.41}))), kRimPoints + 1);
  const auto lens = points_between(one, {}, other, placed({0.5, 0.0, 0.6}));
  EXPECT_GE(count_touching(lens), 4);
  double widest = 0.0;
  for (const ManifoldPoint& p : lens) {
    EXPECT_LE(p.on_first.head<2>().norm(), 0.3 + 1e-3);
    EXPECT_LE((p.on_first - Vector3(0.5, 0.0, 0.4)).head<2>().norm(), 0.3 + 1e-3);
    widest = std::max(widest, std::abs(p.on_first(1)));
  }
  EXPECT_NEAR(widest, std::sqrt(0.3 * 0.3 - 0.25 * 0.25), 1e-12) << "where the rims cross";
  // Sides: along each other, across, along a cap, and the end of one on the side of the other.
  const auto along = points_between(one, {}, other, placed({0.6, 0.0, 0.3}));
  EXPECT_EQ(count_touching(along), 2);
  ASSERT_EQ(along.size(), 2U);
  EXPECT_NEAR(std::abs(along[0].on_first(2) - along[1].on_first(2)), 0.3, 1e-12);
  EXPECT_EQ(points_between(one, placed({0.0, 0.0, 0.0}, lying), other, placed({0.0, 0.0, 0.6}, across)).size(), 1U);
  EXPECT_EQ(count_touching(points_between(one, {}, other, placed({0.0, 0.0, 0.7}, lying))), 2);
  const auto end_on = points_between(one, placed({0.0, 0.0, 0.0}, lying), other, placed({0.0, 0.0, 0.5}));
  EXPECT_NEAR(test::nearest_point(end_on).gap, 0.0, 1e-12);
}

/// Gaps change no faster than the bodies move, over rims, sides, caps, edges and through overlap.
TEST(CylinderManifold, GapsDoNotJumpAlongPaths) {
  CylinderPairs pairs(7);
  for (const Against against : kAllAgainst) {
    SCOPED_TRACE(name_of_other(against));
    for (int path = 0; path < 20; ++path) {
      const Solid cylinder = solid_from(pairs.cylinder(1.0));
      const Solid other = pairs.other(against, 0.7);
      const Matrix3 R = pairs.rotation(Matrix3::Identity(), cylinder, other);
      const Vector3 from = 0.6 * pairs.draw.normal();
      const Vector3 to = 0.6 * pairs.draw.normal();
      constexpr int kLooks = 100;
      const double step = (to - from).norm() / kLooks;
      double before = NAN;
      for (int k = 0; k <= kLooks; ++k) {
        const double gap =
            test::nearest_point(points_between(cylinder, {}, other, {from + (to - from) * k / kLooks, R})).gap;
        if (k > 0) {
          ASSERT_LE(std::abs(gap - before), step + 1e-9) << path << ' ' << k;
        }
        before = gap;
      }
    }
  }
}

TEST(CylinderManifold, PointsAreFoundAgainByTheirFeatures) {
  CylinderPairs pairs(9);
  NarrowPhase narrow;
  for (const Against against : kAllAgainst) {
    for (int k = 0; k < 50; ++k) {
      const Drawn d = draw_pair(pairs, against);
      for (const ManifoldPoint& p : points_between(d.cylinder, d.cylinder_at, d.other, d.other_at)) {
        const auto again =
            narrow.calc_point(d.cylinder, d.cylinder_at, d.other, d.other_at, p.feature_first, p.feature_second);
        ASSERT_TRUE(again);
        EXPECT_EQ(again->gap, p.gap) << name_of_other(against) << ' ' << k;
        EXPECT_EQ(again->on_second, p.on_second);
      }
    }
  }
}

/// The rims of these overlap and cross twice within a few degrees: of two maxima close together the larger counts.
TEST(CylinderManifold, RimsThatCrossTwiceCloseTogetherHaveTheLargerSeparation) {
  struct Draw {
    unsigned seed;
    int index;
  };
  for (const Draw& at : {Draw{78, 2468}, Draw{78, 4693}, Draw{5, 571}, Draw{5, 624}, Draw{6, 551}, Draw{6, 1272}}) {
    CylinderPairs pairs(at.seed);
    for (int k = 0; k < at.index; ++k) draw_pair(pairs, Against::cylinder);
    const Drawn d = draw_pair(pairs, Against::cylinder);
    test::Real3 best;
    const auto gap = static_cast<double>(test::dense_separation(d.cylinder, d.cylinder_at, d.other, d.other_at, best));
    const double exact = kExactOfSmaller * d.smaller + 2.0 * kExactOfLarger * d.larger;
    EXPECT_GE(test::nearest_point(points_between(d.cylinder, d.cylinder_at, d.other, d.other_at)).gap, gap - exact)
        << at.seed << ' ' << at.index;
  }
}

/// Upright ones beside each other, in every direction, tilted by nothing, by round-off and by little more.
TEST(CylinderManifold, ParallelOnesAreApartByTheirSides) {
  constexpr double kRadius = 0.05;
  constexpr double kHalf = 0.05;
  constexpr double kDistance = 0.12;
  constexpr int kDirections = 48;
  const Solid cylinder = solid_from(Cylinder{kRadius, 2.0 * kHalf});
  for (const double tilt : {0.0, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8}) {
    for (int k = 0; k < kDirections; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / kDirections;
      const Vector3 beside = kDistance * Vector3(k % 12 == 6 ? 0.0 : std::cos(angle), std::sin(angle), 0.0);
      for (int n = 0; n < kDirections; ++n) {
        const double turned = 2.0 * std::numbers::pi * (n + 0.25 * (n % 4)) / kDirections;
        const Vector3 axis(n % 12 == 6 ? 0.0 : std::cos(turned), std::sin(turned), 0.0);
        const Placement first{Vector3(0.0, 0.12, 0.05), Matrix3::Identity()};
        const Placement second{first.p + beside, Eigen::AngleAxisd(tilt, axis.normalized()).toRotationMatrix()};
        const double gap = test::nearest_point(points_between(cylinder, first, cylinder, second)).gap;
        EXPECT_NEAR(gap, beside.norm() - 2.0 * kRadius, 1e-15 + 2.0 * kHalf * tilt) << tilt << " " << k << " " << n;
      }
    }
  }
}

TEST(CylinderManifold, GapsAreTheLargestSeparation) {
  unsigned seed = 31;
  for (const Against against : kAllAgainst) compare_with_dense(250, seed++, against);  // a search takes milliseconds
}
TEST(SlowCylinderManifold, GapsAreTheLargestSeparation) {
  unsigned seed = 41;
  for (const Against against : kAllAgainst) compare_with_dense(100000, seed++, against);
}

}  // namespace
}  // namespace stickslip
