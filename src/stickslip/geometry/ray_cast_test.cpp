// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/ray_cast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "stickslip/geometry/polyline.h"

namespace stickslip {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double cast_ray(const ShapeGeometry& shape, const Vector3& origin, const Vector3& direction) {
  return RayTarget(shape, false).calc_distance({origin, direction.normalized()});
}

TEST(RayCast, KnownDistances) {
  const Vector3 down = -Vector3::UnitZ();
  EXPECT_DOUBLE_EQ(cast_ray(Sphere{0.5}, Vector3(0.3, 0, 2), down), 2.0 - 0.4);
  EXPECT_DOUBLE_EQ(cast_ray(HalfSpace{Vector3::UnitZ(), 0.25}, Vector3(7, 8, 2), down), 1.75);
  EXPECT_DOUBLE_EQ(cast_ray(HalfSpace{}, Vector3(0, 0, 1), Vector3(0, 3, -4)), 1.25);
  EXPECT_DOUBLE_EQ(cast_ray(Box{Vector3(1, 2, 3)}, Vector3(0.4, -0.9, 5), down), 3.5);
  EXPECT_DOUBLE_EQ(cast_ray(Capsule{0.5, 2.0}, Vector3(0.3, 0, 5), down), 4.0 - 0.4);
  EXPECT_DOUBLE_EQ(cast_ray(Capsule{0.5, 2.0}, Vector3(5, 0.3, 0.9), -Vector3::UnitX()), 5.0 - 0.4);
  EXPECT_DOUBLE_EQ(cast_ray(Cylinder{0.5, 2.0}, Vector3(0.3, 0, 5), down), 4.0);
  EXPECT_DOUBLE_EQ(cast_ray(Cylinder{0.5, 2.0}, Vector3(5, 0.3, 0.9), -Vector3::UnitX()), 5.0 - 0.4);
  EXPECT_DOUBLE_EQ(cast_ray(Ellipsoid{Vector3(1, 2, 3)}, Vector3(0.6, 0, 5), down), 5.0 - 3.0 * 0.8);
  EXPECT_EQ(cast_ray(PointShape{}, Vector3(0, 0, 1), down), kNever);
}

TEST(RayCast, WhatIsMissedBehindOrAround) {
  const Vector3 up = Vector3::UnitZ();
  const std::vector<ShapeGeometry> solids = {Sphere{0.5}, Box{Vector3::Ones()}, Capsule{0.5, 1.0}, Cylinder{0.5, 1.0},
                                             Ellipsoid{Vector3(0.5, 0.4, 0.3)}};
  for (const ShapeGeometry& solid : solids) {
    SCOPED_TRACE(shape_type_name(solid));
    EXPECT_EQ(cast_ray(solid, Vector3(0, 0, 2), up), kNever) << "behind the origin";
    EXPECT_EQ(cast_ray(solid, Vector3(0.6, 0, -2), up), kNever) << "beside it";
    EXPECT_EQ(cast_ray(solid, Vector3(0.1, 0.1, 0.1), up), 0.0) << "begins inside";
  }
  EXPECT_EQ(cast_ray(HalfSpace{}, Vector3(0, 0, 1), Vector3::UnitX()), kNever) << "along the surface";
}

/// From the free side of a line, and 0 from within; past corners as past the solid.
TEST(RayCast, PolylinesAreSeenFromTheirLeft) {
  const auto cast = [](const Polyline& line, double x, double y, double dx, double dy) {
    return RayTarget(line, true).calc_distance({Vector3(x, y, 0), Vector3(dx, dy, 0).normalized()});
  };
  const Polyline ground = make_polyline({{-2, 1, 0}, {0, 0, 0}, {0, -1, 0}, {3, -1, 0}}, false);
  EXPECT_DOUBLE_EQ(cast(ground, -1, 2, 0, -1), 1.5);
  EXPECT_DOUBLE_EQ(cast(ground, 2, -0.5, -1, 0), 2.0);
  EXPECT_DOUBLE_EQ(cast(ground, 1, 0, 3, -4), 1.25);
  EXPECT_EQ(cast(ground, -1, 0.3, 0, 1), 0.0) << "from within";
  EXPECT_EQ(cast(ground, -1, 2, 0, 1), kNever);
  EXPECT_EQ(cast(ground, 3.5, 2, 0, -1), kNever) << "beside it";
  // Along a diagonal past the corner at the origin, which it touches.
  EXPECT_DOUBLE_EQ(cast(ground, -1, 1, 1, -1), std::sqrt(2.0));
  const std::vector<Vector3> square = {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}};
  EXPECT_DOUBLE_EQ(cast(make_polyline(square, true), -1, 0.3, 1, 0), 1.0);
  EXPECT_EQ(cast(make_polyline(square, true), 0.5, 0.3, 1, 0), 0.0);
  EXPECT_DOUBLE_EQ(cast(make_polyline({square.rbegin(), square.rend()}, true), 0.4, 0.3, -1, 0), 0.4);
}

TEST(RayCast, ContainersAreSeenFromWithin) {
  EXPECT_DOUBLE_EQ(cast_ray(Sphere{2.0, true}, Vector3(0.5, 0, 0), Vector3::UnitX()), 1.5);
  EXPECT_EQ(cast_ray(Sphere{2.0, true}, Vector3(2.5, 0, 0), Vector3::UnitX()), 0.0);
  const Cylinder endless{1.0, std::nullopt, true};
  EXPECT_DOUBLE_EQ(cast_ray(endless, Vector3(0, 0, 9), Vector3(3, 0, 4)), 1.0 / 0.6);
  EXPECT_EQ(cast_ray(endless, Vector3(0, 0, 9), Vector3::UnitZ()), kNever);
  const Cylinder tube{1.0, 2.0, true};
  EXPECT_DOUBLE_EQ(cast_ray(tube, Vector3::Zero(), Vector3::UnitX()), 1.0);
  EXPECT_EQ(cast_ray(tube, Vector3::Zero(), Vector3(1, 0, 3)), kNever) << "out of its end";
  EXPECT_DOUBLE_EQ(cast_ray(tube, Vector3(3, 0, 2), -Vector3::UnitZ()), 1.0) << "onto the end of its wall";
  EXPECT_DOUBLE_EQ(cast_ray(tube, Vector3(0.5, 0, 1.5), -Vector3::UnitZ() + 0.5 * Vector3::UnitX()),
                   std::hypot(0.5, 1.0))
      << "through its mouth onto the wall";
}

/// Whether a point is in the solid, from its definition.
using IsIn = std::function<bool(const Vector3&)>;

/// Where the ray is first in the solid: the first of many samples that is, then halving.
double march(const IsIn& is_in, const Ray& ray, double far) {
  constexpr int kSamples = 4000;
  double before = 0.0;
  if (is_in(ray.origin)) return 0.0;
  for (int i = 1; i <= kSamples; ++i) {
    double s = far * i / kSamples;
    if (!is_in(ray.origin + s * ray.direction)) {
      before = s;
      continue;
    }
    while (s - before > 1e-12) {
      const double middle = 0.5 * (before + s);
      (is_in(ray.origin + middle * ray.direction) ? s : before) = middle;
    }
    return s;
  }
  return kNever;
}

TEST(RayCast, RandomRaysMeetWhatAMarchMeets) {
  const Convex octahedron{{Vector3(1, 0, 0), Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, -1, 0), Vector3(0, 0, 0.7),
                           Vector3(0, 0, -0.7)}};
  struct Case {
    ShapeGeometry shape;
    IsIn is_in;
  };
  const std::vector<Case> cases = {
      {Sphere{0.8}, [](const Vector3& x) { return x.norm() <= 0.8; }},
      {Box{Vector3(1, 1.4, 0.6)},
       [](const Vector3& x) { return (x.cwiseAbs() - Vector3(0.5, 0.7, 0.3)).maxCoeff() <= 0.0; }},
      {Capsule{0.4, 1.0},
       [](const Vector3& x) { return (x - Vector3(0, 0, std::clamp(x.z(), -0.5, 0.5))).norm() <= 0.4; }},
      {Cylinder{0.5, 1.2}, [](const Vector3& x) { return x.head<2>().norm() <= 0.5 && std::abs(x.z()) <= 0.6; }},
      {Ellipsoid{Vector3(1, 0.5, 0.3)},
       [](const Vector3& x) { return x.cwiseQuotient(Vector3(1, 0.5, 0.3)).norm() <= 1.0; }},
      {octahedron, [](const Vector3& x) { return std::abs(x.x()) + std::abs(x.y()) + std::abs(x.z()) / 0.7 <= 1.0; }}};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto draw = [&] { return Vector3(uniform(random), uniform(random), uniform(random)); };
  for (const Case& each : cases) {
    SCOPED_TRACE(shape_type_name(each.shape));
    const RayTarget target(each.shape, false);
    int hits = 0;
    for (int i = 0; i < 60; ++i) {
      const Vector3 origin = 2.0 * draw();
      const Ray ray = {origin, (0.8 * draw() - origin).normalized()};
      const double expected = march(each.is_in, ray, 6.0);
      const double found = target.calc_distance(ray);
      if (expected == kNever) continue;  // a graze may pass between samples
      ++hits;
      EXPECT_NEAR(found, expected, 1e-10);
    }
    EXPECT_GT(hits, 3);
  }
}

TEST(RayCast, InThePlaneTwoCoordinatesCount) {
  const RayTarget square(Box{Vector3(1, 1, 0)}, true);
  EXPECT_DOUBLE_EQ(square.calc_distance({Vector3(-2, 0.2, 0), Vector3::UnitX()}), 1.5);
  const RayTarget triangle(Convex{{Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0)}}, true);
  EXPECT_DOUBLE_EQ(triangle.calc_distance({Vector3(2, 0.25, 0), -Vector3::UnitX()}), 1.25);
}

}  // namespace
}  // namespace stickslip
