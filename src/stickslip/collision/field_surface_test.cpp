// SPDX-License-Identifier: BSD-3-Clause
// Height-fields against meshes of the same triangles, and against the distances of all triangles.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "stickslip/collision/manifold.h"
#include "stickslip/collision/triangle_surface.h"
#include "stickslip/geometry/height_field.h"
#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {
namespace {

/// A rough field of 6 x 5 cells over 2 m x 1.5 m, turned and moved in its body.
struct RoughField {
  explicit RoughField(unsigned seed) : random(seed) {
    Heights heights{{7, 6}, {}, false};
    for (int k = 0; k < 42; ++k) heights.z.push_back(0.15 * uniform(random));
    Mesh mesh;
    mesh.surface = make_field_mesh({2.0, 1.5}, heights);
    shape.geometry = mesh;
    as_mesh = make_solid(shape, false);
    mesh.field = HeightField{{2.0, 1.5}, {6, 5}};
    shape.geometry = mesh;
    as_field = make_solid(shape, false);
    triangles = corners_of(*mesh.surface);
    for (auto& corners : triangles) {
      for (Vector3& x : corners) x = shape.position + shape.rotation * x;
    }
  }
  double draw() { return uniform(random); }
  Matrix3 draw_turn() {
    std::normal_distribution<double> normal;
    return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random)).normalized().matrix();
  }

  std::mt19937_64 random;
  std::uniform_real_distribution<double> uniform{-1.0, 1.0};
  Shape shape{"s", {}, Vector3(0.3, -0.2, 0.5), Eigen::AngleAxisd(0.7, Vector3(1, 2, 2) / 3.0).toRotationMatrix()};
  Solid as_mesh, as_field;
  Triangles triangles;
};

TEST(FieldSurface, HasTheEdgesOfItsTriangles) {
  const RoughField rough(1);
  const TriangleSurface& field = *rough.as_field.surface;
  const TriangleSurface& mesh = *rough.as_mesh.surface;
  ASSERT_EQ(field.n_vertices(), mesh.n_vertices());
  ASSERT_EQ(field.n_edges(), mesh.n_edges());
  ASSERT_EQ(field.n_triangles(), mesh.n_triangles());
  std::vector<bool> is_seen(static_cast<std::size_t>(field.n_edges()), false);
  for (int t = 0; t < field.n_triangles(); ++t) {
    ASSERT_EQ(field.corners_of(t), mesh.corners_of(t));
    EXPECT_LT((field.normal_of(t) - mesh.normal_of(t)).norm(), 1e-14);
    for (std::size_t i = 0; i < 3; ++i) {
      const int e = field.edges_of(t)[i];
      const TriangleSurface::Edge edge = field.edge(e);
      const int from = field.corners_of(t)[i];
      const int to = field.corners_of(t)[(i + 1) % 3];
      is_seen[static_cast<std::size_t>(e)] = true;
      if (edge.left == t) {
        EXPECT_EQ(edge.tail, from);
        EXPECT_EQ(edge.head, to);
      } else {
        EXPECT_EQ(edge.right, t);
        EXPECT_EQ(edge.tail, to);
        EXPECT_EQ(edge.head, from);
      }
      EXPECT_EQ(field.kind_of(e), mesh.kind_of(mesh.edges_of(t)[i]));
    }
  }
  EXPECT_EQ(std::count(is_seen.begin(), is_seen.end(), true), field.n_edges());
  std::vector<int> at_field, at_mesh;
  for (int v = 0; v < field.n_vertices(); ++v) {
    field.find_edges_at(v, at_field);
    mesh.find_edges_at(v, at_mesh);
    EXPECT_EQ(at_field.size(), at_mesh.size());
    EXPECT_TRUE(std::is_sorted(at_field.begin(), at_field.end()));
    for (const int e : at_field) EXPECT_TRUE(field.edge(e).tail == v || field.edge(e).head == v);
  }
}

TEST(FieldSurface, FindsWhatIsNear) {
  RoughField rough(2);
  std::vector<int> of_field, of_mesh;
  for (int k = 0; k < 500; ++k) {
    const Vector3 middle = rough.as_field.center + 1.2 * Vector3(rough.draw(), rough.draw(), rough.draw());
    const Vector3 reach = 0.3 * Vector3(rough.draw(), rough.draw(), rough.draw()).cwiseAbs();
    rough.as_field.surface->find({middle - reach, middle + reach}, of_field);
    rough.as_mesh.surface->find({middle - reach, middle + reach}, of_mesh);
    ASSERT_TRUE(std::ranges::includes(of_mesh, of_field)) << k;
    for (const int t : of_mesh) {
      // The field leaves out those that only their boxes are near.
      const auto& c = rough.triangles[static_cast<std::size_t>(t)];
      const auto is_in = [&](const Vector3& x) { return ((x - middle).cwiseAbs() - reach).maxCoeff() <= 0.0; };
      if (!is_in(c[0]) && !is_in(c[1]) && !is_in(c[2]) && !is_in((c[0] + c[1] + c[2]) / 3.0)) continue;
      EXPECT_TRUE(std::ranges::binary_search(of_field, t)) << k;
    }
    const double distance = rough.as_mesh.surface->find_distance(middle);
    EXPECT_NEAR(rough.as_field.surface->find_distance(middle), distance, 1e-14);
  }
}

double brute_distance(const Triangles& triangles, const Vector3& x) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& t : triangles) least = std::min(least, (x - find_foot(x, t[0], t[1], t[2]).foot).norm());
  return least;
}

/// Each solid over a rough field has the points that it has over a mesh of the same triangles, and a ball the distance
/// of all triangles.
void check_field_gaps(int n_places, unsigned seed) {
  RoughField rough(seed);
  const std::vector<ShapeGeometry> solids = {
      Sphere{0.1},
      PointShape{},
      Capsule{0.05, 0.2},
      Box{Vector3(0.25, 0.15, 0.1)},
      Convex{{{0.15, 0, 0}, {-0.1, 0.15, 0}, {-0.1, -0.1, 0.05}, {0, 0, 0.2}, {0.05, -0.05, -0.15}}},
      Ellipsoid{Vector3(0.1, 0.15, 0.07)},
      Cylinder{0.1, 0.15}};
  NarrowPhase narrow;
  std::vector<ManifoldPoint> of_field, of_mesh;
  int n_touching = 0;
  for (const ShapeGeometry& geometry : solids) {
    const Solid solid = make_solid(Shape{"solid", geometry, Vector3::Zero(), Matrix3::Identity()}, false);
    for (int k = 0; k < n_places; ++k) {
      const Vector3 in_grid(1.1 * rough.draw(), 0.85 * rough.draw(), 0.3 * rough.draw() + 0.2);
      const Placement at{rough.shape.position + rough.shape.rotation * in_grid, rough.draw_turn()};
      // Of centres below the ground the field says by itself that they are.
      if (rough.as_field.surface->holds(at.p)) continue;
      const double within = k % 7 == 0 ? std::numeric_limits<double>::infinity() : 0.05;
      narrow.calc_manifold(rough.as_field, {}, solid, at, within, of_field);
      narrow.calc_manifold(rough.as_mesh, {}, solid, at, within, of_mesh);
      const auto least = [](const std::vector<ManifoldPoint>& points) {
        double gap = std::numeric_limits<double>::infinity();
        for (const ManifoldPoint& point : points) gap = std::min(gap, point.gap);
        return gap;
      };
      if (std::holds_alternative<Sphere>(geometry) || std::holds_alternative<PointShape>(geometry)) {
        const double distance = brute_distance(rough.triangles, at.p) - solid.radius;
        // Beside the field, what is lower than a height may be nearest to a face from behind.
        const bool is_before = in_grid(2) > 0.15 || (std::abs(in_grid(0)) < 1.0 && std::abs(in_grid(1)) < 0.75);
        if (is_before && distance <= within) {
          ASSERT_NEAR(least(of_field), distance, 1e-13) << k;
        }
      }
      // Far beside, corners of boxes are below the ground where a mesh has nothing.
      const bool is_within = std::abs(in_grid(0)) < 0.7 && std::abs(in_grid(1)) < 0.45;
      if (!is_within) continue;
      ASSERT_EQ(of_field.empty(), of_mesh.empty()) << k;
      if (of_field.empty()) continue;
      ++n_touching;
      ASSERT_NEAR(least(of_field), least(of_mesh), 1e-12) << geometry.index() << " " << k;
    }
  }
  EXPECT_GT(n_touching, n_places / 2);
}

TEST(FieldSurface, GapsAreThoseOfItsTriangles) {
  check_field_gaps(300, 3);
}

TEST(SlowFieldSurface, GapsAreThoseOfItsTriangles) {
  check_field_gaps(15000, 4);
}

/// Solid below without end, and nothing beside.
TEST(FieldSurface, IsSolidBelowWithoutEnd) {
  Mesh mesh;
  mesh.surface = make_field_mesh({2.0, 2.0}, {{5, 5}, std::vector<double>(25, 0.0), false});
  mesh.field = HeightField{{2.0, 2.0}, {4, 4}};
  const Solid field = make_solid(Shape{"field", mesh, Vector3::Zero(), Matrix3::Identity()}, false);
  const Solid ball = make_solid(Shape{"ball", Sphere{0.1}, Vector3::Zero(), Matrix3::Identity()}, false);
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  for (const double depth : {0.05, 0.3, 5.0, 150.0}) {
    for (const double x : {0.0, 0.13, 0.99}) {
      narrow.calc_manifold(field, {}, ball, {Vector3(x, 0.2, -depth), Matrix3::Identity()}, 0.01, points);
      ASSERT_FALSE(points.empty()) << depth << " " << x;
      for (const ManifoldPoint& point : points) {
        EXPECT_NEAR(point.gap, -depth - 0.1, 1e-12) << depth << " " << x;
        EXPECT_LT((point.normal - Vector3::UnitZ()).norm(), 1e-12);
      }
      EXPECT_TRUE(calc_bounding_box(field, {}).overlaps(
          calc_bounding_box(ball, {Vector3(x, 0.2, -depth), Matrix3::Identity()})));
    }
    narrow.calc_manifold(field, {}, ball, {Vector3(1.2, 0.2, -depth), Matrix3::Identity()}, 0.01, points);
    EXPECT_TRUE(points.empty()) << depth;
  }
}

/// On float32 heights a plane is flat.
TEST(FieldSurface, AnInclineOfSinglePrecisionIsFlat) {
  Heights heights{{20, 20}, {}, true};
  for (int k = 0; k < 400; ++k) heights.z.push_back(static_cast<double>(100.0F + 0.037F * static_cast<float>(k % 20)));
  Mesh mesh;
  mesh.surface = make_field_mesh({1.0, 1.0}, heights);
  mesh.field = HeightField{{1.0, 1.0}, {19, 19}};
  const Solid field = make_solid(Shape{"field", mesh, Vector3::Zero(), Matrix3::Identity()}, false);
  for (int e = 0; e < field.surface->n_edges(); ++e) {
    const auto kind = field.surface->kind_of(e);
    EXPECT_TRUE(kind == TriangleSurface::EdgeKind::flat || kind == TriangleSurface::EdgeKind::border);
  }
}

}  // namespace
}  // namespace stickslip
