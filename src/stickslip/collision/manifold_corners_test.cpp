// SPDX-License-Identifier: BSD-3-Clause
// Which points there are beside the nearest: corners of faces, ends of edges, what stays the same where bodies move a
// little, what is left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "stickslip/collision/manifold.h"
#include "stickslip/math/rotation.h"
#include "tests/support/random_solids.h"

namespace stickslip {
namespace {

using test::nearest_point;

constexpr double kEverywhere = std::numeric_limits<double>::infinity();
constexpr double kExactCorner = 1e-12;  // [-] of the size

Solid solid_of(ShapeGeometry geometry, bool planar = false) {
  Shape shape;
  shape.geometry = std::move(geometry);
  return make_solid(shape, planar);
}

Solid unit_box() {
  return solid_of(Box{{1.0, 1.0, 1.0}});
}

std::vector<ManifoldPoint> manifold(const Solid& first, const Placement& first_at, const Solid& second,
                                    const Placement& second_at, double within = kEverywhere) {
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  narrow.calc_manifold(first, first_at, second, second_at, within, points);
  return points;
}

using Features = std::set<std::pair<FeatureId, FeatureId>>;

Features features_of(const std::vector<ManifoldPoint>& points) {
  Features features;
  for (const ManifoldPoint& p : points) features.emplace(p.feature_first, p.feature_second);
  return features;
}

using Vector2 = Eigen::Vector2d;

/// The corners of what two convex polygons (counterclockwise) have in common: vertices of one in the other and
/// crossings of their sides, each place once.
std::vector<Vector2> brute_corners(const std::vector<Vector2>& a, const std::vector<Vector2>& b, double same) {
  const auto cross = [](const Vector2& u, const Vector2& v) { return u(0) * v(1) - u(1) * v(0); };
  std::vector<Vector2> corners;
  const auto add = [&](const Vector2& x) {
    for (const Vector2& y : corners) {
      if ((x - y).norm() <= same) return;
    }
    corners.push_back(x);
  };
  const auto add_inside = [&](const std::vector<Vector2>& inner, const std::vector<Vector2>& outer) {
    for (const Vector2& x : inner) {
      bool inside = true;
      for (std::size_t k = 0; k < outer.size(); ++k) {
        const Vector2 side = (outer[(k + 1) % outer.size()] - outer[k]).normalized();
        inside &= cross(side, x - outer[k]) >= -same;
      }
      if (inside) add(x);
    }
  };
  add_inside(a, b);
  add_inside(b, a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Vector2 d = a[(i + 1) % a.size()] - a[i];
    for (std::size_t j = 0; j < b.size(); ++j) {
      const Vector2 e = b[(j + 1) % b.size()] - b[j];
      const double sine = cross(d, e);
      if (std::abs(sine) < 1e-12 * d.norm() * e.norm()) continue;
      const double s = cross(b[j] - a[i], e) / sine;
      const double t = cross(b[j] - a[i], d) / sine;
      if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) add(a[i] + s * d);
    }
  }
  return corners;
}

/// A prism along z on a polygon.
Convex prism_on(const std::vector<Vector2>& polygon, double height) {
  Convex convex;
  for (const Vector2& x : polygon) {
    convex.points.emplace_back(x(0), x(1), 0.0);
    convex.points.emplace_back(x(0), x(1), height);
  }
  return convex;
}

std::vector<Vector2> regular_polygon(int n, double radius, double turn) {
  std::vector<Vector2> polygon;
  for (int k = 0; k < n; ++k) {
    const double angle = turn + 2.0 * M_PI * k / n;
    polygon.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  return polygon;
}

/// Prisms on each other, by all shifts and turns that make corners and sides fall on one another, and by any: the
/// points are the corners of what the faces have in common, each once.
TEST(ManifoldCorners, OfFacesOnFacesAreThoseOfTheirIntersection) {
  test::DrawSolids draw(5);
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  for (int trial = 0; trial < 2000; ++trial) {
    const double size = std::pow(10.0, draw.uniform(-3.0, 1.0));
    const bool special = trial % 2 == 0;
    const int n = 3 + draw.index(6);
    const int m = special ? n : 3 + draw.index(6);
    const double ratio = special ? std::array{1.0, 0.5, 2.0}[draw.index(3)] : draw.uniform(0.3, 3.0);
    const double turn = special ? M_PI / n * draw.index(3) : draw.uniform(0.0, 6.0);
    const std::vector<Vector2> lower = regular_polygon(n, size, 0.0);
    std::vector<Vector2> upper = regular_polygon(m, ratio * size, turn);
    Vector2 shift(draw.uniform(-1.0, 1.0) * size, draw.uniform(-1.0, 1.0) * size);
    if (special) shift = 0.5 * draw.index(3) * (lower[draw.index(n)] - lower[draw.index(n)]);
    const Solid first = solid_of(prism_on(lower, size));
    const Solid second = solid_of(prism_on(upper, size));
    for (Vector2& x : upper) x += shift;
    const double gap = std::array{0.0, 1e-9, -1e-9, 1e-3, -1e-4}[draw.index(5)] * size;
    const Placement world{size * draw.normal(), draw.rotation()};
    Placement above{world.apply(Vector3(shift(0), shift(1), size + gap)), world.R};
    const double same = 1e-9 * size;
    const std::vector<Vector2> expected = brute_corners(lower, upper, same);
    double width = std::numeric_limits<double>::infinity();  // of what they have in common, in its narrowest direction
    for (int k = 0; k < 180 && !expected.empty(); ++k) {
      const Vector2 along(std::cos(k * M_PI / 180.0), std::sin(k * M_PI / 180.0));
      double least = along.dot(expected[0]);
      double most = least;
      for (const Vector2& x : expected) {
        least = std::min(least, along.dot(x));
        most = std::max(most, along.dot(x));
      }
      width = std::min(width, most - least);
    }
    // Where they hardly have an area in common, a side may be nearer than the face.
    if (expected.size() < 3 || width < 1e-2 * size) continue;
    narrow.calc_manifold(first, world, second, above, kEverywhere, points);
    EXPECT_EQ(points.size(), expected.size()) << "trial " << trial << ", gap " << gap / size;
    for (const ManifoldPoint& p : points) {
      EXPECT_NEAR(p.gap, gap, kExactCorner * 10.0 * size);
      EXPECT_LE((p.normal - world.R.col(2)).norm(), 1e-12);
      EXPECT_EQ(p.normal, points[0].normal) << "one normal for all";
      const Vector3 x = world.apply_inverse(p.on_first);
      const bool known = std::any_of(expected.begin(), expected.end(),
                                     [&](const Vector2& y) { return (x.head<2>() - y).norm() <= 2.0 * same; });
      EXPECT_TRUE(known) << "trial " << trial << ": " << x.transpose() / size;
    }
    EXPECT_EQ(features_of(points).size(), points.size());
    if (HasFailure()) return;
  }
}

/// Faces that are nearly parallel: all corners are there, near or far, with gaps along one normal; the pair's nearest
/// point may have a normal of its own.
TEST(ManifoldCorners, OfTiltedFacesAreAsManyAsOfParallelOnes) {
  test::DrawSolids draw(17);
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  int tried = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const double tilt = std::pow(10.0, draw.uniform(-13.0, -1.5));
    const std::vector<Vector2> lower = regular_polygon(3 + draw.index(4), 1.0, 0.0);
    std::vector<Vector2> upper = regular_polygon(3 + draw.index(4), draw.uniform(0.5, 1.5), draw.uniform(0.0, 6.0));
    const Vector2 shift(draw.uniform(-0.7, 0.7), draw.uniform(-0.7, 0.7));
    const Solid first = solid_of(prism_on(lower, 1.0));
    const Solid second = solid_of(prism_on(upper, 1.0));
    for (Vector2& x : upper) x += shift;
    // Corners that are nearer to each other than the tilt moves them are one or two.
    const double same = 10.0 * tilt + 1e-9;
    const std::vector<Vector2> expected = brute_corners(lower, upper, 1e-12);
    if (expected.size() < 3 || brute_corners(lower, upper, 10.0 * same).size() != expected.size()) continue;
    ++tried;
    const Placement above{
        Vector3(shift(0), shift(1), 1.0 + draw.uniform(-1e-3, 1e-3)),
        axis_angle_matrix(Vector3(draw.normal().head<2>().homogeneous() - Vector3::UnitZ()).normalized(), tilt)};
    narrow.calc_manifold(first, {}, second, above, kEverywhere, points);
    EXPECT_EQ(points.size(), expected.size()) << "trial " << trial << ", tilt " << tilt;
    int n_others = 0;
    for (const ManifoldPoint& p : points) {
      const bool known = std::any_of(expected.begin(), expected.end(),
                                     [&](const Vector2& y) { return (p.on_first.head<2>() - y).norm() <= same; });
      EXPECT_TRUE(known) << "trial " << trial << ", tilt " << tilt << ": " << p.on_first.transpose();
      if ((p.normal - Vector3::UnitZ()).norm() > 1.01 * tilt + 1e-12) ++n_others;  // across two edges
    }
    EXPECT_LE(n_others, 1) << "trial " << trial << ", tilt " << tilt;
    if (HasFailure()) return;
  }
  EXPECT_GT(tried, 500);
}

TEST(ManifoldCorners, OfEqualBoxesThatLieFlushAreFourVertices) {
  const Solid box = unit_box();
  for (const double gap : {0.0, 1e-3, -1e-3}) {
    const auto points = manifold(box, {}, box, {Vector3(0.0, 0.0, 1.0 + gap), Matrix3::Identity()});
    ASSERT_EQ(points.size(), 4U);
    for (const ManifoldPoint& p : points) {
      EXPECT_EQ(p.feature_first, make_feature(FeatureKind::face, 4)) << "+z";
      EXPECT_EQ(feature_kind(p.feature_second), FeatureKind::vertex);
      EXPECT_EQ(p.surface.kind, SurfaceKind::half_space);
      EXPECT_FALSE(p.flipped);
    }
  }
}

TEST(ManifoldCorners, SayWhichFeaturesMakeThem) {
  const Solid box = unit_box();
  // Shifted to a quarter: one vertex of each and two crossings.
  const auto points = manifold(box, {}, box, {Vector3(0.5, 0.5, 1.0), Matrix3::Identity()});
  ASSERT_EQ(points.size(), 4U);
  int vertices_of_first = 0;
  int vertices_of_second = 0;
  int crossings = 0;
  for (const ManifoldPoint& p : points) {
    const FeatureKind first = feature_kind(p.feature_first);
    const FeatureKind second = feature_kind(p.feature_second);
    if (first == FeatureKind::vertex && second == FeatureKind::face) ++vertices_of_first;
    if (first == FeatureKind::face && second == FeatureKind::vertex) ++vertices_of_second;
    if (first == FeatureKind::edge && second == FeatureKind::edge) ++crossings;
  }
  EXPECT_EQ(vertices_of_first, 1);
  EXPECT_EQ(vertices_of_second, 1);
  EXPECT_EQ(crossings, 2);
}

/// A box on a larger one that trembles: the features, on which warm starts and memory hang, stay.
TEST(ManifoldCorners, KeepTheirFeaturesUnderSmallMotions) {
  test::DrawSolids draw(3);
  const Solid table = solid_of(Box{{3.0, 3.0, 1.0}});
  const Solid box = unit_box();
  for (const double yaw : {0.0, 0.3, 0.25 * M_PI}) {
    for (const double x : {0.0, 1.2}) {  // within the table, and over its border
      const Placement rest{Vector3(x, 0.1, 1.0), axis_angle_matrix(Vector3::UnitZ(), yaw)};
      const Features features = features_of(manifold(table, {}, box, rest));
      EXPECT_GE(features.size(), 4U);
      for (int k = 0; k < 100; ++k) {
        const double much = std::pow(10.0, draw.uniform(-16.0, -6.0));
        const Placement moved{rest.p + much * draw.normal(),
                              rest.R * axis_angle_matrix(draw.normal().normalized(), much)};
        EXPECT_EQ(features_of(manifold(table, {}, box, moved)), features) << yaw << ' ' << x << ' ' << much;
      }
    }
  }
}

/// A box that rocks about an edge: all four corners where it is nearly down, the edge alone where it is not.
TEST(ManifoldCorners, OfATiltedBoxAreThoseOfOneContact) {
  const Solid table = solid_of(Box{{3.0, 3.0, 1.0}});
  const Solid box = unit_box();
  for (const double tilt : {1e-8, 1e-4, 0.05, 0.2, 0.6}) {
    Placement at;
    at.R = axis_angle_matrix(Vector3::UnitY(), tilt);
    // Its edge at x = +.5 is on the table.
    at.p = Vector3(0.0, 0.0, 0.5) - at.R * Vector3(0.5, 0.0, -0.5);
    const auto points = manifold(table, {}, box, at);
    const std::size_t expected = tilt < 0.1 ? 4 : 2;
    ASSERT_EQ(points.size(), expected) << tilt;
    for (const ManifoldPoint& p : points) {
      const bool down = std::abs(p.gap) < 1e-14;
      if (!down) {
        EXPECT_NEAR(p.gap, std::sin(tilt), 1e-14) << tilt;
      }
      EXPECT_LE((p.normal - Vector3::UnitZ()).norm(), 1e-15);
    }
    // Of those within a millimetre the edge is left at any but small angles.
    const auto close = manifold(table, {}, box, at, 1e-3);
    EXPECT_EQ(close.size(), std::sin(tilt) <= 1e-3 ? 4U : 2U) << tilt;
  }
}

TEST(ManifoldCorners, OfCapsules) {
  const Solid capsule = solid_of(Capsule{0.2, 1.0});
  const Solid table = solid_of(Box{{3.0, 3.0, 1.0}});
  Placement lying{Vector3(0.0, 0.0, 0.7), axis_angle_matrix(Vector3::UnitY(), 0.5 * M_PI)};
  EXPECT_EQ(manifold(table, {}, capsule, lying).size(), 2U);
  EXPECT_EQ(manifold(capsule, lying, table, {}).size(), 2U);
  for (const ManifoldPoint& p : manifold(capsule, lying, table, {})) {
    EXPECT_TRUE(p.flipped) << "the face is the second's";
    EXPECT_NEAR(p.gap, 0.0, 1e-15);
    EXPECT_LE((p.normal + Vector3::UnitZ()).norm(), 1e-15);
  }
  lying.p(0) = 1.4;  // one end over the border
  EXPECT_EQ(manifold(table, {}, capsule, lying).size(), 2U);
  EXPECT_EQ(manifold(table, {}, capsule, {Vector3(0, 0, 1.2), Matrix3::Identity()}).size(), 1U) << "upright";

  const auto beside = manifold(capsule, {}, capsule, {Vector3(0.5, 0.0, 0.3), Matrix3::Identity()});
  ASSERT_EQ(beside.size(), 2U) << "parallel";
  for (const ManifoldPoint& p : beside) {
    EXPECT_NEAR(p.gap, 0.1, 1e-15);
    EXPECT_EQ(p.surface.kind, SurfaceKind::line);
  }
  EXPECT_NEAR((beside[0].on_first - beside[1].on_first).norm(), 0.7, 1e-14) << "what they have in common";
  const auto crossed =
      manifold(capsule, {}, capsule, {Vector3(0.5, 0.0, 0.0), axis_angle_matrix(Vector3::UnitX(), 0.5)});
  ASSERT_EQ(crossed.size(), 1U);
  EXPECT_EQ(crossed[0].surface.kind, SurfaceKind::crossing);
  EXPECT_NEAR(crossed[0].gap, 0.1, 1e-15);
  const auto in_line = manifold(capsule, {}, capsule, {Vector3(0.0, 0.0, 1.5), Matrix3::Identity()});
  ASSERT_EQ(in_line.size(), 1U);
  EXPECT_NEAR(in_line[0].gap, 0.1, 1e-15);
  EXPECT_EQ(in_line[0].surface.kind, SurfaceKind::sphere);
}

/// Axes that meet have no normal: any across both will do.
TEST(ManifoldCorners, WhereCoresMeetTheNormalIsAcrossThem) {
  const Solid capsule = solid_of(Capsule{0.2, 1.0});
  const Solid ball = solid_of(Sphere{0.3, false});
  const Placement across{Vector3::Zero(), axis_angle_matrix(Vector3::UnitX(), 0.5 * M_PI)};
  const auto crossed = manifold(capsule, {}, capsule, across);
  ASSERT_EQ(crossed.size(), 1U);
  EXPECT_NEAR(crossed[0].gap, -0.4, 1e-15);
  EXPECT_NEAR(std::abs(crossed[0].normal(0)), 1.0, 1e-15);
  for (const Solid& second : {capsule, ball}) {
    for (const ManifoldPoint& p : manifold(capsule, {}, second, {Vector3(0.0, 0.0, 0.1), Matrix3::Identity()})) {
      EXPECT_NEAR(p.gap, -0.2 - second.radius, 1e-15);
      EXPECT_NEAR(p.normal.norm(), 1.0, 1e-15);
      EXPECT_NEAR(p.normal(2), 0.0, 1e-15);
    }
  }
  EXPECT_NEAR(nearest_point(manifold(ball, {}, ball, {})).gap, -0.6, 1e-15);
  EXPECT_NEAR(nearest_point(manifold(ball, {}, ball, {})).normal.norm(), 1.0, 1e-15);
}

/// Boxes side by side along a diagonal: their parallel edges are nearest, over what these have in common.
TEST(ManifoldCorners, OfParallelEdgesAreTheirEnds) {
  const Solid box = unit_box();
  const auto points = manifold(box, {}, box, {Vector3(1.3, 1.4, 0.4), Matrix3::Identity()});
  ASSERT_EQ(points.size(), 2U);
  for (const ManifoldPoint& p : points) {
    EXPECT_EQ(p.surface.kind, SurfaceKind::line);
    EXPECT_NEAR(p.gap, 0.5, 1e-15);
    EXPECT_LE((p.normal - Vector3(0.6, 0.8, 0.0)).norm(), 1e-15);
  }
  EXPECT_NEAR(std::abs(points[0].on_first(2) - points[1].on_first(2)), 0.6, 1e-15);
}

TEST(ManifoldCorners, LieFartherThanIsAskedForNowhere) {
  test::DrawSolids draw(9);
  const Solid table = solid_of(Box{{3.0, 3.0, 1.0}});
  const Solid box = unit_box();
  for (int k = 0; k < 200; ++k) {
    const Placement at{Vector3(draw.uniform(-1.0, 1.0), draw.uniform(-1.0, 1.0), 1.0 + draw.uniform(0.0, 0.02)),
                       axis_angle_matrix(draw.normal().normalized(), 0.02)};
    const auto all = manifold(table, {}, box, at);
    const double within = draw.uniform(0.0, 0.04);
    const auto some = manifold(table, {}, box, at, within);
    const auto n = std::count_if(all.begin(), all.end(), [&](const ManifoldPoint& p) { return p.gap <= within; });
    EXPECT_EQ(static_cast<std::ptrdiff_t>(some.size()), n);
    for (const ManifoldPoint& p : some) EXPECT_LE(p.gap, within);
  }
}

TEST(ManifoldCorners, OfPolygonsAreTheEndsOfWhatTheirSidesHaveInCommon) {
  const Solid box = solid_of(Box{{1.0, 1.0, 1.0}}, true);
  const auto points = manifold(box, {}, box, {Vector3(0.4, 1.001, 0.0), Matrix3::Identity()});
  ASSERT_EQ(points.size(), 2U);
  for (const ManifoldPoint& p : points) {
    EXPECT_NEAR(p.gap, 1e-3, 1e-15);
    EXPECT_LE((p.normal - Vector3::UnitY()).norm(), 1e-15);
    EXPECT_EQ(p.surface.kind, SurfaceKind::half_space);
  }
  EXPECT_NEAR(std::abs(points[0].on_first(0) - points[1].on_first(0)), 0.6, 1e-15);
  EXPECT_EQ(manifold(box, {}, box, {Vector3(0.0, 1.0, 0.0), Matrix3::Identity()}).size(), 2U) << "flush";
  const Placement diagonal{Vector3(0.0, 1.3, 0.0), axis_angle_matrix(Vector3::UnitZ(), 0.25 * M_PI)};
  EXPECT_EQ(manifold(box, {}, box, diagonal).size(), 1U);
}

/// Along any path the gap moves no more than the bodies do: it has no jumps, before touch, through it, and in overlap.
void follow(test::Form first_form, test::Form second_form, bool planar, unsigned seed) {
  test::DrawSolids draw(seed, planar);
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  const Solid first = make_solid(draw.shape(first_form, 1.0), planar);
  const Solid second = make_solid(draw.shape(second_form, draw.uniform(0.3, 1.0)), planar);
  const Placement at{draw.normal(), draw.rotation()};
  const Matrix3 start = draw.index(2) == 0 ? at.R : draw.rotation();
  const Vector3 axis = draw.axis();
  const Vector3 passing = 0.2 * draw.normal();
  const Vector3 direction = draw.normal().normalized();
  double reach = second.radius;
  for (const Vector3& v : second.vertices) reach = std::max(reach, v.norm() + second.radius);
  double before = 0.0;
  constexpr int kSteps = 400;
  constexpr double kTurn = 1.5;    // [rad] over the path
  constexpr double kLength = 4.0;  // [m]
  const bool turns = draw.index(2) == 0;
  for (int k = 0; k <= kSteps; ++k) {
    const double s = static_cast<double>(k) / kSteps;
    Placement other;
    other.R = axis_angle_matrix(axis, turns ? kTurn * s : 0.0) * start;
    other.p = at.apply(first.center) - start * second.center + passing + (s - 0.5) * kLength * direction;
    narrow.calc_manifold(first, at, second, other, kEverywhere, points);
    ASSERT_FALSE(points.empty());
    const double gap = nearest_point(points).gap;
    const double moved = (kLength + (turns ? kTurn * reach : 0.0)) / kSteps;
    constexpr double kRoundOffOfGap = 1e-11;
    if (k > 0) {
      EXPECT_LE(std::abs(gap - before), moved + kRoundOffOfGap)
          << test::name_of(first_form) << '-' << test::name_of(second_form) << ", seed " << seed << ", step " << k;
    }
    before = gap;
  }
}

TEST(ManifoldPath, HasNoJumps) {
  const test::Form forms[] = {test::Form::sphere, test::Form::point, test::Form::capsule, test::Form::box,
                              test::Form::convex};
  for (const bool planar : {false, true}) {
    for (const test::Form first : forms) {
      for (const test::Form second : forms) {
        if (planar && (first == test::Form::capsule || second == test::Form::capsule)) continue;
        for (unsigned seed = 1; seed <= 20; ++seed) follow(first, second, planar, seed);
      }
    }
  }
}

}  // namespace
}  // namespace stickslip
