// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/enclosing_ball.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "stickslip/math/rotation.h"

namespace stickslip {
namespace {

Shape at(ShapeGeometry geometry, const Vector3& position = Vector3::Zero()) {
  Shape shape;
  shape.geometry = std::move(geometry);
  shape.position = position;
  return shape;
}

double diameter(const std::vector<Shape>& shapes, bool planar = false) {
  return 2.0 * calc_enclosing_ball(shapes, planar)->radius;
}

constexpr double kExact = 1e-9;  // [-] what the header promises

TEST(EnclosingBall, OfOneShape) {
  EXPECT_NEAR(diameter({at(Sphere{0.3}, {5, 1, 2})}), 0.6, kExact);
  EXPECT_NEAR(diameter({at(Box{{3.0, 4.0, 12.0}})}), 13.0, 13.0 * kExact);
  EXPECT_NEAR(diameter({at(Box{{3.0, 4.0, 12.0}})}, true), 5.0, 5.0 * kExact);
  EXPECT_NEAR(diameter({at(Capsule{0.2, 1.0}, {0, 0, 7})}), 1.4, kExact);
  EXPECT_NEAR(diameter({at(Capsule{0.2, 0.0})}), 0.4, kExact);
  EXPECT_NEAR(diameter({at(Cylinder{1.5, 4.0})}), 5.0, 5.0 * kExact);
  EXPECT_EQ(diameter({at(PointShape{}, {1, 2, 3})}), 0.0);
}

TEST(EnclosingBall, OfTriangles) {
  // An obtuse one's longest side; an acute one's circumscribed circle, radius a b c / (4 area).
  EXPECT_NEAR(diameter({at(Convex{{{0, 0, 0}, {10, 0, 0}, {4, 1, 0}}})}, true), 10.0, 10.0 * kExact);
  const double circle = 2.0 * 5.0 * 5.0 * 6.0 / (4.0 * 12.0);
  EXPECT_NEAR(diameter({at(Convex{{{0, 0, 0}, {6, 0, 0}, {3, 4, 0}}})}, true), circle, circle * kExact);
}

TEST(EnclosingBall, OfATetrahedronAndAllThatLiesInItsBall) {
  const double radius = std::sqrt(3.0);
  std::vector<Shape> shapes = {at(Convex{{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}})};
  EXPECT_NEAR(diameter(shapes), 2.0 * radius, kExact * radius);
  shapes.push_back(at(Sphere{1.0}, {0.7, 0, 0}));
  shapes.push_back(at(PointShape{}, {0, 1.7, 0}));
  EXPECT_NEAR(diameter(shapes), 2.0 * radius, kExact * radius);
}

TEST(EnclosingBall, OfTwoBalls) {
  EXPECT_NEAR(diameter({at(Sphere{1.0}), at(Sphere{2.0}, {3, 0, 4})}), 1.0 + 5.0 + 2.0, 8.0 * kExact);
  EXPECT_NEAR(diameter({at(Sphere{3.0}), at(Sphere{1.0}, {1, 1, 0})}), 6.0, 6.0 * kExact) << "one within the other";
}

TEST(EnclosingBall, LeavesOutWhatHasNoOutside) {
  const std::vector<Shape> none = {at(HalfSpace{}), at(Sphere{5.0, true}), at(Cylinder{5.0, std::nullopt, true})};
  EXPECT_FALSE(calc_enclosing_ball(none, false).has_value());
  EXPECT_FALSE(calc_enclosing_ball({}, false).has_value());
  std::vector<Shape> all = none;
  all.push_back(at(Sphere{0.5}));
  EXPECT_NEAR(diameter(all), 1.0, kExact);
}

/// The distance from x to the farthest of points sown densely on the shapes' surfaces.
double sample_reach(const std::vector<Shape>& shapes, const Vector3& x, std::mt19937& generator) {
  std::normal_distribution<double> normal;
  double reach = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const Vector3 n = Vector3(normal(generator), normal(generator), normal(generator)).normalized();
    for (const Shape& shape : shapes) {
      Vector3 p = Vector3::Zero();
      if (const auto* sphere = std::get_if<Sphere>(&shape.geometry)) p = sphere->radius * n;
      if (const auto* tube = std::get_if<Cylinder>(&shape.geometry)) {
        p << tube->radius * n.head<2>().normalized(), std::copysign(0.5 * *tube->length, n(2));
      }
      if (const auto* box = std::get_if<Box>(&shape.geometry)) {
        for (int k = 0; k < 3; ++k) p(k) = std::copysign(0.5 * box->size(k), n(k));
      }
      if (const auto* capsule = std::get_if<Capsule>(&shape.geometry)) {
        p = capsule->radius * n + Vector3(0, 0, std::copysign(0.5 * capsule->length, n(2)));
      }
      if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape.geometry)) p = ellipsoid->radii.cwiseProduct(n);
      reach = std::max(reach, (shape.position + shape.rotation * p - x).norm());
    }
  }
  return reach;
}

TEST(EnclosingBall, OfAnEllipsoidHasItsLongestRadius) {
  EXPECT_NEAR(diameter({at(Ellipsoid{{0.2, 0.7, 0.4}}, {1, 2, 3})}), 1.4, kExact);
  EXPECT_NEAR(diameter({at(Ellipsoid{{0.5, 0.5, 0.5}})}), 1.0, kExact);
}

/// Against points sown on the surfaces: no point is outside, and no centre nearby has a smaller reach.
TEST(EnclosingBall, OfManyShapesHoldsThemAndIsTheLeast) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> u(0.1, 1.0);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Shape> shapes = {at(Sphere{u(generator)}), at(Cylinder{u(generator), u(generator)}),
                                 at(Box{{u(generator), u(generator), u(generator)}}),
                                 at(Capsule{u(generator), u(generator)}),
                                 at(Ellipsoid{{2.0 * u(generator), u(generator), u(generator)}})};
    for (Shape& shape : shapes) {
      shape.position = Vector3(u(generator), -u(generator), 2.0 * u(generator));
      shape.rotation =
          axis_angle_matrix(Vector3(u(generator), u(generator), -u(generator)).normalized(), 3.0 * u(generator));
    }
    const EnclosingBall ball = *calc_enclosing_ball(shapes, false);
    const double sown = sample_reach(shapes, ball.center, generator);
    EXPECT_LE(sown, ball.radius * (1.0 + 1e-12));
    constexpr double kSown = 2e-3;  // [-] how far sown points are apart shortens the reach by less
    EXPECT_GE(sown, ball.radius * (1.0 - kSown));
    for (int axis = 0; axis < 6; ++axis) {
      Vector3 moved = ball.center;
      moved(axis % 3) += axis < 3 ? 0.1 : -0.1;
      EXPECT_GE(sample_reach(shapes, moved, generator), ball.radius);
    }
  }
}

}  // namespace
}  // namespace stickslip
