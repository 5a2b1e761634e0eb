// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/solid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/collision/features.h"
#include "tests/support/random_solids.h"

namespace stickslip {
namespace {

constexpr double kOnSurface = 1e-13;  // [-] of the size

Solid make(ShapeGeometry geometry, bool planar = false) {
  Shape shape;
  shape.geometry = std::move(geometry);
  return make_solid(shape, planar);
}

/// What must hold of every polytope: faces, sides and edges fit together, and all vertices are below all faces.
void expect_closed(const Solid& solid) {
  EXPECT_EQ(solid.vertices.size() + solid.faces.size(), solid.edges.size() + 2);
  for (int f = 0; f < static_cast<int>(solid.faces.size()); ++f) {
    const Solid::Face& face = solid.faces[f];
    EXPECT_NEAR(face.normal.norm(), 1.0, 1e-14);
    for (const Vector3& v : solid.vertices) EXPECT_LE(face.normal.dot(v) - face.offset, kOnSurface * solid.size);
    for (const Solid::Side& side : solid.sides_of(f)) {
      EXPECT_NEAR(face.normal.dot(solid.vertices[side.vertex]), face.offset, kOnSurface * solid.size);
      EXPECT_NEAR(side.outward.dot(face.normal), 0.0, 1e-12);
      for (const Solid::Side& other : solid.sides_of(f)) {
        EXPECT_LE(side.outward.dot(solid.vertices[other.vertex]) - side.offset, kOnSurface * solid.size);
      }
      const Solid::Edge& edge = solid.edges[side.edge];
      EXPECT_TRUE(edge.left == f || edge.right == f);
    }
  }
  for (const Solid::Edge& edge : solid.edges) {
    EXPECT_NEAR((solid.vertices[edge.head] - solid.vertices[edge.tail]).norm(), edge.length, kOnSurface * solid.size);
    EXPECT_GT(solid.faces[edge.left].normal.cross(solid.faces[edge.right].normal).dot(edge.direction), 0.0);
  }
  for (const Solid::Face& face : solid.faces) {
    EXPECT_LE(face.normal.dot(solid.center) + solid.inradius, face.offset + kOnSurface * solid.size);
  }
}

TEST(Solid, OfABoxHasItsCornersInTheOrderOfTheBalls) {
  test::DrawSolids draw(1);
  for (int k = 0; k < 20; ++k) {
    const Shape shape = draw.shape(test::Form::box, 1.0);
    const Solid solid = make_solid(shape, false);
    expect_closed(solid);
    EXPECT_EQ(solid.faces.size(), 6U);
    EXPECT_EQ(solid.edges.size(), 12U);
    const std::vector<BallFeature> balls = balls_of(shape, false);
    ASSERT_EQ(solid.vertices.size(), balls.size());
    for (std::size_t v = 0; v < balls.size(); ++v) EXPECT_EQ(solid.vertices[v], balls[v].center);
  }
}

/// The same box as a hull of points, turned, with points inside, on faces and on edges: nothing of these is left.
TEST(Solid, OfAHullHasFacesNotTriangles) {
  test::DrawSolids draw(2);
  for (int k = 0; k < 50; ++k) {
    const Vector3 half(draw.uniform(0.1, 1.0), draw.uniform(0.1, 1.0), draw.uniform(0.1, 1.0));
    const Matrix3 R = draw.rotation();
    const Vector3 shift = draw.normal();
    Convex convex;
    for (int i = -1; i <= 1; ++i) {
      for (int j = -1; j <= 1; ++j) {
        for (int l = -1; l <= 1; ++l) convex.points.push_back(shift + R * half.cwiseProduct(Vector3(i, j, l)));
      }
    }
    const Solid solid = make(convex);
    EXPECT_EQ(solid.vertices.size(), 8U);
    EXPECT_EQ(solid.faces.size(), 6U);
    EXPECT_EQ(solid.edges.size(), 12U);
    expect_closed(solid);
  }
}

/// Grids, prisms, globes whose points coincide at the poles and points along edges, flat or not, turned and shaken by
/// less or more than round-off: the surface closes, and no point is outside.
TEST(Solid, OfAHullClosesWhateverThePointsAre) {
  test::DrawSolids draw(3);
  constexpr int kForms = 4;
  for (int form = 0; form < kForms; ++form) {
    for (const double noise : {0.0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-7}) {
      for (const double thin : {1.0, 1e-3, 1e-6}) {
        Convex convex;
        const auto add = [&](double x, double y, double z) { convex.points.emplace_back(x, y, thin * z); };
        for (int i = 0; i < 4; ++i) {
          for (int j = 0; j < 4; ++j) {
            for (int k = 0; k < 4 && form == 0; ++k) add(i / 3.0, j / 3.0, k / 3.0);
          }
        }
        for (int i = 0; i < 20; ++i) {
          const double angle = 0.1 * M_PI * i;
          const double s = 0.05 * i;
          if (form == 1) {
            for (const double z : {0.0, 1.0}) add(std::cos(angle), std::sin(angle), z);
          } else if (form == 2) {
            for (int j = 0; j <= 6; ++j) {
              const double height = M_PI * j / 6.0;
              add(std::sin(height) * std::cos(angle), std::sin(height) * std::sin(angle), std::cos(height));
            }
          } else if (form == 3) {
            for (const double t : {0.0, 1.0 - s}) {
              add(s, t, 0.0);
              add(s, 0.0, t);
              add(0.0, s, t);
            }
          }
        }
        const Matrix3 R = draw.rotation();
        for (Vector3& x : convex.points) x = R * x + noise * draw.normal();
        SCOPED_TRACE(testing::Message() << "form " << form << ", noise " << noise << ", thin " << thin);
        const Solid solid = make(convex);
        EXPECT_EQ(solid.vertices.size() + solid.faces.size(), solid.edges.size() + 2);
        constexpr double kOutside = 1e-12;  // [m] of the bodies' metre
        for (const Solid::Face& face : solid.faces) {
          for (const Vector3& x : convex.points) EXPECT_LE(face.normal.dot(x), face.offset + kOutside);
        }
        if (noise <= 1e-15 && thin == 1.0) {
          if (form == 0) {
            EXPECT_EQ(solid.faces.size(), 6U);
          }
          if (form == 3) {
            EXPECT_EQ(solid.faces.size(), 5U);
          }
        }
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Solid, OfAPrismWithManySides) {
  for (const int n : {3, 5, 64}) {
    Convex convex;
    for (int k = 0; k < n; ++k) {
      for (const double z : {-0.1, 0.2}) {
        convex.points.emplace_back(std::cos(2.0 * M_PI * k / n), std::sin(2.0 * M_PI * k / n), z);
      }
    }
    const Solid solid = make(convex);
    expect_closed(solid);
    EXPECT_EQ(solid.faces.size(), n + 2U);
  }
}

TEST(Solid, OfManyPointsClimbsToTheSameVertexAsALookAtAll) {
  test::DrawSolids draw(4);
  for (const int n : {20, 300, 1000}) {
    Convex convex;
    for (int k = 0; k < n; ++k) convex.points.push_back(draw.normal().normalized());
    const Solid solid = make(convex);
    expect_closed(solid);
    int start = 0;
    for (int k = 0; k < 200; ++k) {
      const Vector3 direction = draw.normal();
      start = find_support(solid, direction, start);
      double farthest = -std::numeric_limits<double>::infinity();
      for (const Vector3& v : solid.vertices) farthest = std::max(farthest, direction.dot(v));
      EXPECT_EQ(direction.dot(solid.vertices[start]), farthest);
    }
  }
}

TEST(Solid, OfAPolygon) {
  const Solid box = make(Box{{2.0, 1.0, 5.0}}, true);
  ASSERT_EQ(box.vertices.size(), 4U);
  // A square with points on its sides and inside.
  Convex convex;
  for (const double x : {0.0, 0.5, 1.0}) {
    for (const double y : {0.0, 0.5, 1.0}) convex.points.emplace_back(x, y, 7.0);
  }
  const Solid square = make(convex, true);
  ASSERT_EQ(square.vertices.size(), 4U);
  for (const Solid* solid : {&box, &square}) {
    for (int k = 0; k < 4; ++k) {
      const Vector3 along = solid->vertices[(k + 1) % 4] - solid->vertices[k];
      EXPECT_NEAR(solid->faces[k].normal.dot(along), 0.0, 1e-15);
      EXPECT_EQ(along(2), 0.0);
      for (const Vector3& v : solid->vertices) EXPECT_LE(solid->faces[k].normal.dot(v), solid->faces[k].offset);
    }
  }
}

TEST(Solid, OfARoundShapeIsACoreAndARadius) {
  EXPECT_EQ(make(Sphere{0.3, false}).kind, Solid::Kind::ball);
  EXPECT_EQ(make(PointShape{}).radius, 0.0);
  const Solid capsule = make(Capsule{0.2, 1.0});
  EXPECT_EQ(capsule.kind, Solid::Kind::segment);
  EXPECT_EQ(capsule.size, 1.4);
  EXPECT_EQ(make(Capsule{0.2, 0.0}).kind, Solid::Kind::ball) << "no length";
}

TEST(Solid, RefusesPointsThatSpanNoVolume) {
  EXPECT_THROW(make(Convex{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}), InputError);
  EXPECT_THROW(make(Convex{{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}}}), InputError);
  EXPECT_THROW(make(Convex{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}}, true), InputError);
  EXPECT_FALSE(has_solid({"", HalfSpace{}}, false));
  EXPECT_FALSE(has_solid({"", Sphere{1.0, true}}, false));
  EXPECT_TRUE(has_solid({"", Box{{1, 1, 1}}}, true));
}

TEST(Solid, HasALeastBoxAroundIt) {
  test::DrawSolids draw(6);
  const test::Form forms[] = {test::Form::sphere, test::Form::point, test::Form::capsule, test::Form::box,
                              test::Form::convex};
  for (const test::Form form : forms) {
    for (int k = 0; k < 20; ++k) {
      const Solid solid = make_solid(draw.shape(form, 1.0), false);
      const Placement at{draw.normal(), draw.rotation()};
      const BoundingBox box = calc_bounding_box(solid, at);
      Vector3 lower = at.apply(solid.vertices[0]);
      Vector3 upper = lower;
      for (const Vector3& v : solid.vertices) {
        lower = lower.cwiseMin(at.apply(v));
        upper = upper.cwiseMax(at.apply(v));
      }
      EXPECT_LE((box.lower - lower + Vector3::Constant(solid.radius)).norm(), 1e-14);
      EXPECT_LE((box.upper - upper - Vector3::Constant(solid.radius)).norm(), 1e-14);
    }
  }
}

}  // namespace
}  // namespace stickslip
