// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/line_manifold.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "stickslip/collision/closest_features.h"
#include "stickslip/collision/manifold.h"
#include "stickslip/geometry/polyline.h"

namespace stickslip {
namespace {

using LineReal = long double;
using LineReal2 = Eigen::Matrix<LineReal, 2, 1>;
using LinePoints = std::vector<LineReal2>;

Solid solid_of_line(const std::vector<Vector3>& points, bool closed) {
  return make_solid(Shape{"line", make_polyline(points, closed)}, true);
}
Solid planar_solid(const ShapeGeometry& geometry) {
  return make_solid(Shape{"solid", geometry}, true);
}
Placement planar_placement(double x, double y, double angle = 0.0) {
  return {Vector3(x, y, 0.0), Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix()};
}

LineReal2 placed_in_plane(const Placement& at, const Vector3& x) {
  return LineReal2((at.p + at.R * x).head<2>().cast<LineReal>());
}

LineReal distance_to_segment(const LineReal2& x, const LineReal2& a, const LineReal2& b) {
  const LineReal2 along = b - a;
  const LineReal share = std::clamp<LineReal>(along.dot(x - a) / along.squaredNorm(), 0.0L, 1.0L);
  return (x - a - share * along).norm();
}

/// Of segments that do not cross.
LineReal distance_of_segments(const LineReal2& a, const LineReal2& b, const LineReal2& c, const LineReal2& d) {
  return std::min(std::min(distance_to_segment(a, c, d), distance_to_segment(b, c, d)),
                  std::min(distance_to_segment(c, a, b), distance_to_segment(d, a, b)));
}

bool are_crossed(const LineReal2& a, const LineReal2& b, const LineReal2& c, const LineReal2& d) {
  const auto side = [](const LineReal2& p, const LineReal2& q, const LineReal2& x) {
    return (q(0) - p(0)) * (x(1) - p(1)) - (q(1) - p(1)) * (x(0) - p(0));
  };
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

/// A convex solid as corners of a core and a radius round it.
struct TestedCore {
  std::string name;
  Solid solid;
  std::vector<Vector3> corners;
  double radius = 0.0;
};

std::vector<TestedCore> make_cores(double size, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0.3, 1.0);
  const double radius = 0.5 * size;
  const double x = radius * uniform(random);
  const double y = radius * uniform(random);
  std::vector<Vector3> hull;
  const int n = 3 + static_cast<int>(random() % 6);
  for (int k = 0; k < n; ++k) {
    const double angle = 2.0 * std::numbers::pi * (k + 0.3 * uniform(random)) / n;
    hull.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0.0);
  }
  return {{"sphere", planar_solid(Sphere{radius}), {Vector3::Zero()}, radius},
          {"point", planar_solid(PointShape{}), {Vector3::Zero()}, 0.0},
          {"box", planar_solid(Box{Vector3(2.0 * x, 2.0 * y, 1.0)}), {{x, y, 0}, {-x, y, 0}, {-x, -y, 0}, {x, -y, 0}}},
          {"convex", planar_solid(Convex{hull}), hull}};
}

/// A line that does not cross itself, and where its free side is.
struct TestedLine {
  std::string name;
  std::vector<Vector3> points;
  bool closed = false;
  bool runs_round = false;  // counter-clockwise: free inside
};

std::vector<TestedLine> make_lines(double size, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<TestedLine> lines = {{"ground", {}, false}, {"solid", {}, true}, {"container", {}, true, true}};
  constexpr int kPoints = 14;
  for (int k = 0; k < kPoints; ++k) {
    const double x = (2.0 * k / (kPoints - 1) - 1.0) + 0.05 * uniform(random);
    lines[0].points.emplace_back(0.5 * size * x, 0.1 * size * uniform(random), 0.0);
    const double angle = 2.0 * std::numbers::pi * k / kPoints;
    const double radius = 0.5 * size * (0.75 + 0.25 * uniform(random));
    lines[1].points.emplace_back(radius * std::cos(angle), -radius * std::sin(angle), 0.0);
    lines[2].points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0.0);
  }
  return lines;
}

/// Whether x is behind the point of an open line that is nearest to it, which is none of its ends.
bool is_behind_nearest(const LinePoints& points, const LineReal2& x, LineReal within) {
  LineReal least = std::numeric_limits<LineReal>::infinity();
  bool is_behind = false;
  const auto left_of = [&](std::size_t k) {
    const LineReal2 along = (points[k + 1] - points[k]).normalized();
    return LineReal2(-along(1), along(0));
  };
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const LineReal distance = distance_to_segment(x, points[k], points[k + 1]);
    if (!(distance < least)) continue;
    least = distance;
    const LineReal2 along = points[k + 1] - points[k];
    const LineReal share = along.dot(x - points[k]) / along.squaredNorm();
    const std::size_t corner = share <= 0 ? k : k + 1;
    const bool is_end = (share <= 0 && k == 0) || (share >= 1 && k + 2 == points.size());
    const bool is_within = share > 0 && share < 1;
    const LineReal2 normal = is_within || is_end ? left_of(k) : LineReal2(left_of(corner - 1) + left_of(corner));
    is_behind = !is_end && normal.dot(x - points[is_within ? k : corner]) < 0;
  }
  return is_behind && least <= within;
}

/// Whether a corner of the core is so by more than `depth`.
bool is_partly_behind(const TestedLine& line, const TestedCore& core, const Placement& at, double depth) {
  LinePoints points;
  for (const Vector3& x : line.points) points.emplace_back(x.head<2>().cast<LineReal>());
  return std::ranges::any_of(core.corners, [&](const Vector3& corner) {
    const LineReal2 x = placed_in_plane(at, corner);
    return is_behind_nearest(points, x, HUGE_VAL) && !is_behind_nearest(points, x, depth);
  });
}

/// The distance of what is on the free side; < 0 where the two cross or the core is in the solid.
double brute_gap(const TestedLine& line, const TestedCore& core, const Placement& at) {
  LinePoints corners, points;
  for (const Vector3& x : core.corners) corners.push_back(placed_in_plane(at, x));
  for (const Vector3& x : line.points) points.emplace_back(x.head<2>().cast<LineReal>());
  LineReal least = std::numeric_limits<LineReal>::infinity();
  const std::size_t n = points.size();
  const std::size_t m = corners.size();
  std::vector<int> crossings(m, 0);  // of a ray upwards from each corner: by their number it is in or out
  for (std::size_t k = 0; k + (line.closed ? 0 : 1) < n; ++k) {
    const LineReal2& a = points[k];
    const LineReal2& b = points[(k + 1) % n];
    for (std::size_t i = 0; i < m; ++i) {
      if (m > 1 && are_crossed(a, b, corners[i], corners[(i + 1) % m])) return -1.0;
      const LineReal2& x = corners[i];
      if ((a(0) > x(0)) != (b(0) > x(0)) && a(1) + (x(0) - a(0)) / (b(0) - a(0)) * (b(1) - a(1)) > x(1)) ++crossings[i];
      least = std::min(least, m > 1 ? distance_of_segments(a, b, corners[i], corners[(i + 1) % m])
                                    : distance_to_segment(corners[i], a, b));
    }
  }
  bool is_solid = true;
  for (std::size_t i = 0; i < m; ++i) {
    const bool is_below = (crossings[i] % 2 == 1) != line.runs_round;
    is_solid &= is_below || (!line.closed && is_behind_nearest(points, corners[i], HUGE_VAL));
    // What comes near to an open line from behind is inside.
    if (!line.closed && is_behind_nearest(points, corners[i], 1.5L * least)) return -1.0;
  }
  return is_solid ? -1.0 : static_cast<double>(least) - core.radius;
}

/// Cores of random sizes that come near to a line along random ways: apart the gap is the distance, and a little deeper
/// the two overlap by no more than that.
void check_line_distances(int n_places, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  NarrowPhase narrow;
  std::vector<ManifoldPoint> found;
  int n_checked = 0;
  for (int k = 0; k < n_places; ++k) {
    const double size = std::pow(10.0, -1.0 + 2.0 * uniform(random));                           // 1 mm to 10 m
    const double other = std::clamp(size * std::pow(10.0, 3.0 * uniform(random)), 1e-3, 10.0);  // ratios to 1e3
    for (const TestedLine& line : make_lines(size, random)) {
      const Solid solid = solid_of_line(line.points, line.closed);
      for (const TestedCore& core : make_cores(line.runs_round ? std::min(other, 0.3 * size) : other, random)) {
        const double smaller = core.solid.size > 0.0 ? std::min(size, core.solid.size) : size;
        const double larger = std::max(size, core.solid.size);
        const double exact = 1e-9 * smaller + 1e-12 * larger;
        const double angle = 3.0 * uniform(random);
        const double aim = std::numbers::pi * uniform(random);
        const Vector3 way(std::cos(aim), line.closed ? std::sin(aim) : -0.2 - std::abs(std::sin(aim)), 0.0);
        const Vector3 start =
            line.runs_round
                ? Vector3(Vector3::Zero())
                : Vector3(0.4 * size * uniform(random) * Vector3(-way(1), way(0), 0) - 2.0 * larger * way.normalized());
        Placement at = planar_placement(start(0), start(1), angle);
        if (!line.closed && at.p(1) - core.solid.size < 0.1 * size) at.p(1) = 0.2 * size + core.solid.size;
        const double target = smaller * (k % 2 == 0 ? 1e-2 : 1e-5) * std::abs(uniform(random));
        double gap = brute_gap(line, core, at);
        if (!line.closed && gap < 0.0) continue;  // round its end
        ASSERT_GT(gap, 0.0) << line.name << " " << core.name << " " << k;
        constexpr int kMaxMoves = 400;
        for (int i = 0; i < kMaxMoves && gap > 1.01 * target && gap < 10.0 * larger; ++i) {
          at.p += (gap - target) * way.normalized();
          gap = brute_gap(line, core, at);
        }
        if (!(gap > 10.0 * exact) || gap > 10.0 * larger) continue;
        ++n_checked;
        const std::string where = line.name + " " + core.name + " " + std::to_string(k);
        const bool line_first = k % 2 == 0;
        // The two are turned and moved together.
        const Placement world =
            planar_placement(larger * uniform(random), larger * uniform(random), 3.0 * uniform(random));
        const auto ask = [&](double within) {
          const Placement core_at{world.apply(at.p), world.R * at.R};
          if (line_first) {
            narrow.calc_manifold(solid, world, core.solid, core_at, within, found);
          } else {
            narrow.calc_manifold(core.solid, core_at, solid, world, within, found);
          }
          const auto nearest = std::ranges::min_element(found, {}, &ManifoldPoint::gap);
          return nearest == found.end() ? nullptr : &*nearest;
        };
        const ManifoldPoint* nearest = ask(k % 3 == 0 ? HUGE_VAL : gap + 2.0 * exact);
        ASSERT_NE(nearest, nullptr) << where << " " << gap;
        ASSERT_NEAR(nearest->gap, gap, exact) << where;
        ASSERT_LE((nearest->on_second - nearest->on_first - nearest->gap * nearest->normal).norm(), exact) << where;
        // Along the normal it is as far: moved back by it, the two are as far apart as they are then.
        const Vector3 to_line = (line_first ? -1.0 : 1.0) * (world.R.transpose() * nearest->normal);
        Placement nearer = at;
        nearer.p += 0.5 * gap * to_line;
        // What comes to the end of an open line from behind is inside for brute_gap().
        const bool is_round_end = !line.closed && is_partly_behind(line, core, nearer, 0.0);
        if (!is_round_end) ASSERT_NEAR(brute_gap(line, core, nearer), 0.5 * gap, std::max(exact, 1e-6 * gap)) << where;
        const double deeper = 1e-3 * smaller * (0.1 + 0.9 * std::abs(uniform(random)));
        at.p += (gap + deeper) * to_line;
        // What goes round the end of an open line is inside with all that is behind its faces.
        if (!line.closed && is_partly_behind(line, core, at, 2.0 * deeper + core.radius)) continue;
        nearest = ask(deeper);
        ASSERT_NE(nearest, nullptr) << where << " " << deeper;
        // Past a corner it may be apart again.
        const double apart = brute_gap(line, core, at);
        if (apart > 0.0) {
          ASSERT_NEAR(nearest->gap, apart, exact) << where;
          continue;
        }
        ASSERT_LT(nearest->gap, 0.0) << where;
        ASSERT_GE(nearest->gap, -deeper - exact) << where;
      }
    }
  }
  EXPECT_GT(n_checked, 6 * n_places);  // of twelve; what goes past is not
}

TEST(LineManifold, GapsAreThoseOfAllSegments) {
  check_line_distances(340, 1);
}

TEST(SlowLineManifold, GapsAreThoseOfAllSegments) {
  check_line_distances(34000, 2);
}

/// The depth of a disc or a point is along the normal of the face that is nearest, at any depth.
TEST(LineManifold, DepthIsAlongTheNormalOfTheFace) {
  const Solid line = solid_of_line({{-3, 0, 0}, {0, 0, 0}, {4, 3, 0}}, false);
  std::vector<ManifoldPoint> points;
  for (const double depth : {1e-9, 1e-3, 0.1, 0.9}) {
    NarrowPhase().calc_manifold(line, {}, planar_solid(Sphere{0.2}), planar_placement(-2.0, -depth), 0.0, points);
    ASSERT_EQ(points.size(), 1U) << depth;
    EXPECT_NEAR(points[0].gap, -depth - 0.2, 1e-14);
    EXPECT_EQ(points[0].normal, Vector3::UnitY());
    NarrowPhase().calc_manifold(line, {}, planar_solid(PointShape{}),
                                planar_placement(2.0 + 0.6 * depth, 1.5 - 0.8 * depth), 0.0, points);
    ASSERT_EQ(points.size(), 1U) << depth;
    EXPECT_NEAR(points[0].gap, -depth, 1e-14);
    EXPECT_LT((points[0].normal - Vector3(-0.6, 0.8, 0)).norm(), 1e-14);
  }
  // Beside its border there is nothing: the end is as far as it is.
  NarrowPhase().calc_manifold(line, {}, planar_solid(Sphere{0.2}), planar_placement(-3.1, -0.1), 0.0, points);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_NEAR(points[0].gap, std::hypot(0.1, 0.1) - 0.2, 1e-14);
}

/// A disc goes over a convex corner and through a concave one: its gaps are in closed form, and its points as many as
/// there are faces that it touches.
TEST(LineManifold, ADiscGoesOverAConvexAndThroughAConcaveCorner) {
  constexpr double kRadius = 0.25;
  const Solid disc = planar_solid(Sphere{kRadius});
  const double slope = std::atan2(3.0, 4.0);
  for (const bool concave : {false, true}) {
    // Level up to the origin, then down or up at a slope.
    const Vector3 end(4, concave ? 3 : -3, 0);
    const Solid line = solid_of_line({{-5, 0, 0}, {0, 0, 0}, end}, false);
    const Vector3 along = end / 5.0;
    const Vector3 normal(-along(1), along(0), 0);
    std::vector<ManifoldPoint> points;
    for (int k = 0; k <= 400; ++k) {
      const double s = -2.0 + 0.01 * k;
      const Vector3 x = s < 0.0 ? Vector3(s, 0.3, 0) : Vector3(s * along + 0.3 * normal);
      NarrowPhase().calc_manifold(line, {}, disc, {x, Matrix3::Identity()}, 1.0, points);
      ASSERT_FALSE(points.empty());
      const double height = x(1);
      const double over_slope = normal.dot(x);
      double gap = concave ? std::min(height, over_slope) : HUGE_VAL;
      if (!concave) gap = x(0) <= 0.0 ? height : along.dot(x) >= 0.0 ? over_slope : x.norm();
      const auto nearest = std::ranges::min_element(points, {}, &ManifoldPoint::gap);
      ASSERT_NEAR(nearest->gap, gap - kRadius, 1e-13) << concave << " " << s;
      if (!concave) ASSERT_EQ(points.size(), 1U) << s;
    }
    // In the corner it touches both faces; a corner that is convex has the normals between those of its faces.
    const double lies = kRadius * std::tan(0.5 * slope);
    NarrowPhase().calc_manifold(line, {}, disc, planar_placement(concave ? -lies : 0.0, kRadius), 1e-9, points);
    ASSERT_EQ(points.size(), concave ? 2U : 1U);
    for (const ManifoldPoint& point : points) EXPECT_NEAR(point.gap, 0.0, 1e-15);
  }
}

/// On collinear segments a box has the corners that it has on a half-space, wherever their ends are, also where these
/// are bent by less than a flat angle.
TEST(LineManifold, FlatCornersHaveNoPoints) {
  for (const double bend : {0.0, 1e-8}) {
    std::vector<Vector3> track;
    for (int k = 0; k <= 40; ++k) track.emplace_back(-1.0 + 0.05 * k, bend * (k % 2), 0.0);
    const Solid line = solid_of_line(track, false);
    std::vector<ManifoldPoint> points;
    for (int k = 0; k < 60; ++k) {
      const double x = -0.3 + 0.01 * k;
      NarrowPhase().calc_manifold(line, {}, planar_solid(Box{Vector3(0.4, 0.2, 1)}), planar_placement(x, 0.1 - 1e-6),
                                  1e-3, points);
      ASSERT_EQ(points.size(), 2U) << k;
      for (const ManifoldPoint& point : points) {
        EXPECT_NEAR(point.gap, -1e-6, 1.1 * bend + 1e-15) << k;
        EXPECT_EQ(feature_kind(point.feature_second), FeatureKind::vertex);
      }
      NarrowPhase().calc_manifold(line, {}, planar_solid(Sphere{0.1}), planar_placement(x, 0.1), 1e-3, points);
      ASSERT_EQ(points.size(), 1U) << k;
    }
  }
}

/// What lies across a convex corner has that corner and one of its own.
TEST(LineManifold, WhatLiesAcrossACornerHasTwoPoints) {
  const Solid step = solid_of_line({{-2, 0, 0}, {0, 0, 0}, {0, -1, 0}, {2, -1, 0}}, false);
  std::vector<ManifoldPoint> points;
  NarrowPhase().calc_manifold(step, {}, planar_solid(Box{Vector3(0.6, 0.2, 1)}), planar_placement(-0.1, 0.1 - 1e-9),
                              1e-3, points);
  ASSERT_EQ(points.size(), 2U);
  for (const ManifoldPoint& point : points) {
    EXPECT_NEAR(point.gap, -1e-9, 1e-15);
    EXPECT_LT((point.normal - Vector3::UnitY()).norm(), 1e-15);
  }
}

/// A point again by its features has its bits.
TEST(LineManifold, PointsAreFoundAgainByTheirFeatures) {
  std::vector<Vector3> hills;
  for (int k = 0; k <= 60; ++k) hills.emplace_back(0.05 * k, 0.1 * std::sin(0.6 * k), 0.0);
  const Solid line = solid_of_line(hills, false);
  const Solid box = planar_solid(Box{Vector3(0.7, 0.3, 1)});
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  for (int k = 0; k < 40; ++k) {
    const Placement at = planar_placement(0.5 + 0.05 * k, 0.25, 0.1 * k);
    narrow.calc_manifold(line, {}, box, at, 0.2, points);
    const std::vector<ManifoldPoint> known = points;
    ASSERT_FALSE(known.empty());
    for (const ManifoldPoint& point : known) {
      const auto again = narrow.calc_point(line, {}, box, at, point.feature_first, point.feature_second);
      ASSERT_TRUE(again) << k;
      EXPECT_EQ(again->gap, point.gap);
      EXPECT_EQ(again->on_first, point.on_first);
    }
  }
}

/// Of many segments those near a disc are found by the tree, and where it is does not matter.
TEST(LineManifold, ALongLineHasTheGapsOfItsParts) {
  std::vector<Vector3> track;
  constexpr int kSegments = 100'000;
  for (int k = 0; k <= kSegments; ++k) track.emplace_back(0.01 * k, 0.3 * std::sin(0.002 * k), 0.0);
  const Solid line = solid_of_line(track, false);
  const Solid disc = planar_solid(Sphere{0.1});
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  for (int k = 20; k + 20 < kSegments; k += 997) {
    const Vector3 middle = 0.5 * (track[k] + track[k + 1]);
    const Vector3 along = (track[k + 1] - track[k]).normalized();
    const Vector3 center = middle + 0.1 * Vector3(-along(1), along(0), 0);
    narrow.calc_manifold(line, {}, disc, {center, Matrix3::Identity()}, 1e-9, points);
    ASSERT_EQ(points.size(), 1U) << k;
    EXPECT_NEAR(points[0].gap, 0.0, 1e-12) << k;
    EXPECT_EQ(points[0].feature_first, make_feature(FeatureKind::face, line.patches[k]));
  }
}

}  // namespace
}  // namespace stickslip
