// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/surface_manifold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stickslip/collision/manifold.h"
#include "stickslip/geometry/triangle_mesh.h"
#include "tests/support/triangle_distance.h"

namespace stickslip {
namespace {

using test::TriangleCorners;
using test::TriangleReal3;

constexpr double kSurfaceExact = 1e-9;  // [m] sizes are near 1

Solid mesh_solid(const Triangles& triangles) {
  Mesh mesh;
  mesh.surface = make_triangle_mesh(triangles, false);
  return make_solid(Shape{"mesh", mesh, Vector3::Zero(), Matrix3::Identity()}, false);
}

Solid solid_of_geometry(const ShapeGeometry& geometry) {
  return make_solid(Shape{"solid", geometry, Vector3::Zero(), Matrix3::Identity()}, false);
}

/// n x n cells over [-1, 1]^2 with the given heights at their nodes, and walls and a floor at z = -1 below: closed.
template <class F>
Triangles make_block(int n, const F& height) {
  Triangles triangles;
  const auto node = [&](int i, int j) {
    const double x = -1.0 + 2.0 * i / n;
    const double y = -1.0 + 2.0 * j / n;
    return Vector3(x, y, height(x, y));
  };
  const auto foot = [&](int i, int j) { return Vector3(-1.0 + 2.0 * i / n, -1.0 + 2.0 * j / n, -1.0); };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      triangles.push_back({node(i, j), node(i + 1, j), node(i + 1, j + 1)});
      triangles.push_back({node(i, j), node(i + 1, j + 1), node(i, j + 1)});
      triangles.push_back({foot(i, j), foot(i + 1, j + 1), foot(i + 1, j)});
      triangles.push_back({foot(i, j), foot(i, j + 1), foot(i + 1, j + 1)});
    }
    const auto wall = [&](const Vector3& a, const Vector3& b, const Vector3& over_a, const Vector3& over_b) {
      triangles.push_back({a, b, over_b});
      triangles.push_back({a, over_b, over_a});
    };
    wall(foot(i, 0), foot(i + 1, 0), node(i, 0), node(i + 1, 0));
    wall(foot(i + 1, n), foot(i, n), node(i + 1, n), node(i, n));
    wall(foot(0, i + 1), foot(0, i), node(0, i + 1), node(0, i));
    wall(foot(n, i), foot(n, i + 1), node(n, i), node(n, i + 1));
  }
  return triangles;
}

Matrix3 random_turn(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random)).normalized().matrix();
}

/// A solid by the triangles of its core, and its rounding.
struct TestedSolid {
  std::string name;
  Solid solid;
  std::vector<std::array<Vector3, 3>> faces;  // of a segment or a point: with corners in one place
  double radius = 0.0;
};

std::vector<TestedSolid> make_tested_solids() {
  std::vector<TestedSolid> solids;
  const auto add = [&](const char* name, const ShapeGeometry& geometry) {
    TestedSolid tested{name, solid_of_geometry(geometry), {}, 0.0};
    const Solid& solid = tested.solid;
    tested.radius = solid.radius;
    for (int f = 0; f < static_cast<int>(solid.faces.size()); ++f) {
      const auto sides = solid.sides_of(f);
      for (std::size_t i = 1; i + 1 < sides.size(); ++i) {
        tested.faces.push_back(
            {solid.vertices[sides[0].vertex], solid.vertices[sides[i].vertex], solid.vertices[sides[i + 1].vertex]});
      }
    }
    if (solid.faces.empty()) tested.faces.push_back({solid.vertices[0], solid.vertices.back(), solid.vertices[0]});
    solids.push_back(std::move(tested));
  };
  add("sphere", Sphere{0.3});
  add("point", PointShape{});
  add("capsule", Capsule{0.1, 0.4});
  add("box", Box{Vector3(0.5, 0.3, 0.2)});
  add("convex", Convex{{{0.3, 0, 0}, {-0.2, 0.3, 0}, {-0.2, -0.2, 0.1}, {0, 0, 0.4}, {0.1, -0.1, -0.3}}});
  return solids;
}

double brute_distance(const TestedSolid& tested, const Placement& at, const Triangles& mesh) {
  const auto placed = [&](const Vector3& x) { return TriangleReal3((at.p + at.R * x).cast<long double>()); };
  long double least = std::numeric_limits<long double>::infinity();
  for (const auto& face : tested.faces) {
    const TriangleCorners s = {placed(face[0]), placed(face[1]), placed(face[2])};
    for (const auto& triangle : mesh) {
      const TriangleCorners t = {triangle[0].cast<long double>(), triangle[1].cast<long double>(),
                                 triangle[2].cast<long double>()};
      const bool is_flat = tested.solid.faces.empty();
      least = std::min(least, is_flat ? test::distance_of_segment(s[0], s[1], t) : test::distance_of_triangles(s, t));
    }
  }
  return static_cast<double>(least) - tested.radius;
}

/// Whether an edge of the one passes through a triangle of the other.
bool brute_crosses(const TestedSolid& tested, const Placement& at, const Triangles& mesh) {
  const auto crosses = [](const std::array<Vector3, 3>& edges, const std::array<Vector3, 3>& t) {
    const Vector3 n = (t[1] - t[0]).cross(t[2] - t[0]);
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3& a = edges[i];
      const Vector3& b = edges[(i + 1) % 3];
      const double from = n.dot(a - t[0]);
      const double to = n.dot(b - t[0]);
      if (from * to >= 0.0) continue;
      const Vector3 x = a + from / (from - to) * (b - a);
      bool within = true;
      for (std::size_t k = 0; k < 3; ++k) within &= (t[(k + 1) % 3] - t[k]).cross(x - t[k]).dot(n) >= 0.0;
      if (within) return true;
    }
    return false;
  };
  for (const auto& face : tested.faces) {
    const std::array<Vector3, 3> placed = {at.apply(face[0]), at.apply(face[1]), at.apply(face[2])};
    for (const auto& triangle : mesh) {
      if (crosses(placed, triangle) || crosses(triangle, placed)) return true;
    }
  }
  return false;
}

const ManifoldPoint* nearest_of(const std::vector<ManifoldPoint>& points) {
  const auto nearest = std::ranges::min_element(points, {}, &ManifoldPoint::gap);
  return nearest == points.end() ? nullptr : &*nearest;
}

/// Solids at random places about a rough block: apart the gap is the distance, and 1e-4 deeper the two overlap by no
/// more than that.
void check_distances(int n_places, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::map<std::pair<double, double>, double> heights;
  const Triangles rough = make_block(4, [&](double x, double y) {
    return heights.try_emplace({x, y}, 0.3 * uniform(random)).first->second;
  });
  const Solid mesh = mesh_solid(rough);
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  constexpr double kPassed = 2e-5;  // [m] between the features of two corners that have
  int n_passed = 0;
  for (const TestedSolid& tested : make_tested_solids()) {
    for (int k = 0; k < n_places; ++k) {
      Placement at{Vector3(1.5 * uniform(random), 1.5 * uniform(random), 0.9 + 0.8 * uniform(random)),
                   random_turn(random)};
      if (k % 3 == 0) at.R.setIdentity();
      if (mesh.surface->holds(at.p)) continue;
      const double distance = brute_distance(tested, at, rough);
      if (!(distance > 1e-6) || brute_crosses(tested, at, rough)) continue;
      const bool mesh_first = k % 2 == 0;
      const auto ask = [&](double within) {
        if (mesh_first) {
          narrow.calc_manifold(mesh, {}, tested.solid, at, within, points);
        } else {
          narrow.calc_manifold(tested.solid, at, mesh, {}, within, points);
        }
        return nearest_of(points);
      };
      const ManifoldPoint* nearest = ask(k % 5 == 0 ? HUGE_VAL : distance + 0.01);
      ASSERT_NE(nearest, nullptr) << tested.name << " " << k << " " << distance;
      ASSERT_NEAR(nearest->gap, distance, kSurfaceExact) << tested.name << " " << k;
      ASSERT_LE((nearest->on_second - nearest->on_first - nearest->gap * nearest->normal).norm(), kSurfaceExact);
      constexpr double kDeeper = 1e-4;
      const Vector3 to_mesh = mesh_first ? Vector3(-nearest->normal) : nearest->normal;
      at.p += (nearest->gap + kDeeper) * to_mesh;
      nearest = ask(1e-3);
      // A limit: where two sharp corners have just passed each other there may be no point.
      if (nearest == nullptr && brute_distance(tested, at, rough) < kPassed) {
        ++n_passed;
        continue;
      }
      ASSERT_NE(nearest, nullptr) << tested.name << " " << k;
      // Past a sharp corner it is apart again.
      if (nearest->gap > 0.0 && std::abs(nearest->gap - brute_distance(tested, at, rough)) <= kSurfaceExact) continue;
      ASSERT_LT(nearest->gap, 0.0) << tested.name << " " << k;
      ASSERT_GT(nearest->gap, -kDeeper - kSurfaceExact) << tested.name << " " << k;
    }
  }
  EXPECT_LE(n_passed, 1 + n_places / 200);  // of five solids
}

TEST(SurfaceManifold, GapsAreThoseOfAllTriangles) {
  check_distances(12, 1);
}

TEST(SlowSurfaceManifold, GapsAreThoseOfAllTriangles) {
  check_distances(1000, 2);
}

/// On coplanar triangles a box has the corners that it has on a half-space, wherever edges of triangles are.
TEST(SurfaceManifold, FlatEdgesHaveNoPoints) {
  const Triangles plate = make_block(7, [](double, double) { return 0.0; });
  const Solid mesh = mesh_solid(plate);
  const Solid box = solid_of_geometry(Box{Vector3(0.5, 0.3, 0.2)});
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  for (int k = 0; k < 50; ++k) {
    const double turn = 0.13 * k;
    const Placement at{Vector3(0.01 * k - 0.25, 0.007 * k - 0.1, 0.1 + (k % 3 - 1) * 1e-6),
                       Eigen::AngleAxisd(turn, Vector3::UnitZ()).toRotationMatrix()};
    narrow.calc_manifold(mesh, {}, box, at, 1e-3, points);
    ASSERT_EQ(points.size(), 4U) << k;
    for (const ManifoldPoint& point : points) {
      EXPECT_EQ(point.normal, Vector3::UnitZ());
      EXPECT_NEAR(point.gap, (k % 3 - 1) * 1e-6, 1e-15);
      EXPECT_EQ(feature_kind(point.feature_second), FeatureKind::vertex);
    }
  }
}

/// A ball in a groove touches both of its sides; beyond the groove's end the edge.
TEST(SurfaceManifold, ABallInAGrooveHasTwoPoints) {
  const Triangles groove = make_block(6, [](double x, double) { return std::abs(x) - 1.0; });
  const Solid ball = solid_of_geometry(Sphere{0.2});
  std::vector<ManifoldPoint> points;
  const double height = std::sqrt(2.0) * 0.2 - 1.0;
  NarrowPhase().calc_manifold(mesh_solid(groove), {}, ball, {Vector3(0, 0.1, height), Matrix3::Identity()}, 1e-6,
                              points);
  ASSERT_EQ(points.size(), 2U);
  for (const ManifoldPoint& point : points) EXPECT_NEAR(point.gap, 0.0, 1e-12);
}

/// A box that lies on a smaller block has the corners of the block; one that lies across its border has two corners of
/// its own and the two points where its edges pass the border.
TEST(SurfaceManifold, WhatLiesAcrossABorderHasFourPoints) {
  const Solid mesh = mesh_solid(make_block(5, [](double, double) { return 0.0; }));
  std::vector<ManifoldPoint> points;
  NarrowPhase().calc_manifold(mesh, {}, solid_of_geometry(Box{Vector3(3, 3, 0.2)}),
                              {Vector3(0, 0, 0.1 - 1e-9), Matrix3::Identity()}, 1e-3, points);
  EXPECT_EQ(points.size(), 4U);
  for (const ManifoldPoint& point : points) EXPECT_NEAR(point.gap, -1e-9, 1e-15);
  NarrowPhase().calc_manifold(mesh, {}, solid_of_geometry(Box{Vector3(0.5, 0.3, 0.2)}),
                              {Vector3(1.0, 0.03, 0.1 - 1e-9), Matrix3::Identity()}, 1e-3, points);
  EXPECT_EQ(points.size(), 4U);
  for (const ManifoldPoint& point : points) EXPECT_NEAR(point.gap, -1e-9, 1e-15);
}

/// Standing, lying and askew on a block, over its borders and corners too, with its faces a little above and below the
/// block's: as deep as on a box of the same form, which has its own manifolds.
TEST(SurfaceManifold, OverlapsOnABlockAreThoseOnABox) {
  constexpr double kDeepest = 1e-3;  // [m]
  const Solid block = mesh_solid(make_block(2, [](double, double) { return 0.0; }));
  Shape of_box{"box", Box{Vector3(2.0, 2.0, 1.0)}, Vector3(0.0, 0.0, -0.5), Matrix3::Identity()};
  const Solid box = make_solid(of_box, false);
  const std::vector<Solid> solids = {solid_of_geometry(Cylinder{0.1, 0.4}), solid_of_geometry(Cylinder{0.3, 0.05}),
                                     solid_of_geometry(Box{Vector3(0.2, 0.3, 0.4)}),
                                     solid_of_geometry(Capsule{0.1, 0.4}),
                                     solid_of_geometry(Ellipsoid{Vector3(0.1, 0.2, 0.3)})};
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  const auto find_gap = [&](const Solid& floor, const Solid& solid, const Placement& at) {
    narrow.calc_manifold(floor, {}, solid, at, HUGE_VAL, points);
    double least = HUGE_VAL;
    for (const ManifoldPoint& point : points) least = std::min(least, point.gap);
    return least;
  };
  for (std::size_t n = 0; n < solids.size(); ++n) {
    for (int k = 0; k < 3000; ++k) {
      const double lie = k % 3 == 2 ? uniform(random) : 0.5 * std::numbers::pi * (k % 3);
      const double tilt = k % 4 == 0 ? 0.0 : std::pow(10.0, 6.0 * uniform(random) - 7.0);
      Placement at;
      at.R = Eigen::AngleAxisd(3.0 * uniform(random), Vector3::UnitZ()).toRotationMatrix() *
             Eigen::AngleAxisd(lie + tilt, Vector3::UnitX()).toRotationMatrix();
      at.p = Vector3(1.1 * uniform(random), 1.1 * uniform(random), 1.0);
      const Vector3 down = at.R.transpose() * -Vector3::UnitZ();
      const Vector3 lowest = is_curved(solids[n].kind) ? find_farthest(solids[n], down)
                                                       : solids[n].vertices[find_support(solids[n], down)];
      const double above = at.apply(lowest).z() - solids[n].radius;
      const double depth = k % 5 == 0 ? 0.0 : kDeepest * std::pow(10.0, 5.0 * uniform(random) - 5.0);
      at.p.z() += -above - (k % 2 == 0 ? depth : -depth);
      const double gap = find_gap(box, solids[n], at);
      const double on_block = find_gap(block, solids[n], at);
      ASSERT_NEAR(on_block, gap, kSurfaceExact) << n << " " << k;
    }
  }
}

/// Faces in one plane are one patch, and what slides over them one point, that is there wherever it slides to.
TEST(SurfaceManifold, PointsKeepTheirFeaturesOverFlatEdges) {
  const Solid mesh = mesh_solid(make_block(8, [](double, double) { return 0.0; }));
  std::set<int> patches;
  for (int t = 0; t < mesh.surface->n_triangles(); ++t) {
    patches.insert(mesh.surface->patch_of(t));
    EXPECT_EQ(mesh.surface->normal_of(t), mesh.surface->normal_of(mesh.surface->patch_of(t)));
  }
  EXPECT_EQ(patches.size(), 6U);
  NarrowPhase narrow;
  const Solid box = solid_of_geometry(Box{Vector3(0.3, 0.2, 0.1)});
  std::set<std::pair<FeatureId, FeatureId>> features;
  for (int k = 0; k <= 1000; ++k) {
    Placement at;
    at.p = Vector3(-0.7 + 1.4e-3 * k, -0.6 + 1e-3 * k, 0.05 + 1e-6);
    at.R = Eigen::AngleAxisd(2e-3 * k, Vector3::UnitZ()).toRotationMatrix();
    std::vector<ManifoldPoint> points;
    narrow.calc_manifold(mesh, {}, box, at, 1e-3, points);
    ASSERT_EQ(points.size(), 4U) << k;
    for (const ManifoldPoint& point : points) {
      features.insert({point.feature_first, point.feature_second});
      EXPECT_NEAR(point.gap, 1e-6, 1e-15) << k;
    }
    for (const auto& [of_mesh, of_box] : features) {
      EXPECT_TRUE(narrow.calc_point(mesh, {}, box, at, of_mesh, of_box).has_value()) << k;
    }
  }
  EXPECT_EQ(features.size(), 4U);
}

/// A point again by its features has its bits.
TEST(SurfaceManifold, PointsAreFoundAgainByTheirFeatures) {
  constexpr double kDeep = 0.2;  // [m] beyond the width of most solids, where no point is promised
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  int n_found = 0;
  for (const double height : {0.0, 0.2}) {
    const Solid mesh = mesh_solid(make_block(5, [&](double x, double y) { return height * std::cos(3 * x + y); }));
    for (const ShapeGeometry& geometry :
         {ShapeGeometry(Box{Vector3(0.5, 0.3, 0.2)}), ShapeGeometry(Capsule{0.1, 0.4}), ShapeGeometry(Sphere{0.2}),
          ShapeGeometry(Cylinder{0.2, 0.3}), ShapeGeometry(Ellipsoid{Vector3(0.3, 0.2, 0.1)})}) {
      const Solid solid = solid_of_geometry(geometry);
      for (int k = 0; k < 100; ++k) {
        const Placement at{Vector3(0.9 * uniform(random), 0.9 * uniform(random), 0.2 + 0.2 * uniform(random)),
                           random_turn(random)};
        narrow.calc_manifold(mesh, {}, solid, at, HUGE_VAL, points);
        const std::vector<ManifoldPoint> known = points;
        for (const ManifoldPoint& point : known) {
          if (point.gap < -kDeep) continue;
          const auto again = narrow.calc_point(mesh, {}, solid, at, point.feature_first, point.feature_second);
          ASSERT_TRUE(again) << k;
          EXPECT_EQ(again->gap, point.gap);
          EXPECT_EQ(again->on_first, point.on_first);
          ++n_found;
        }
      }
    }
  }
  EXPECT_GT(n_found, 1000);
}

}  // namespace
}  // namespace stickslip
