// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/mass_properties.h"

#include <gtest/gtest.h>

#include <numbers>

#include "stickslip/base/input_error.h"
#include "stickslip/geometry/convex_hull.h"
#include "stickslip/math/rotation.h"

namespace stickslip {
namespace {

constexpr double kRoundOff = 1e-14;  // [-] relative
constexpr double kPi = std::numbers::pi;

Shape solid(ShapeGeometry geometry, const Vector3& position = Vector3::Zero()) {
  Shape shape;
  shape.geometry = std::move(geometry);
  shape.position = position;
  return shape;
}

MassProperties spatial(const std::vector<Shape>& shapes, double density) {
  return calc_mass_properties(shapes, density, false);
}

TEST(MassProperties, BallBoxAndCylinderMatchTheirFormulas) {
  const MassProperties ball = spatial({solid(Sphere{0.5, false})}, 3.0);
  const double m_ball = 3.0 * 4.0 / 3.0 * kPi * 0.125;
  EXPECT_NEAR(ball.mass, m_ball, kRoundOff * m_ball);
  EXPECT_TRUE(ball.inertia.isApprox(0.4 * m_ball * 0.25 * Matrix3::Identity(), kRoundOff));

  const MassProperties box = spatial({solid(Box{{1.0, 0.8, 0.5}})}, 5.0);
  EXPECT_NEAR(box.mass, 2.0, kRoundOff);
  const Vector3 expected(0.8 * 0.8 + 0.5 * 0.5, 1.0 + 0.5 * 0.5, 1.0 + 0.8 * 0.8);
  EXPECT_TRUE(box.inertia.diagonal().isApprox(expected * 2.0 / 12.0, kRoundOff));

  const MassProperties cylinder = spatial({solid(Cylinder{0.2, 1.5, false})}, 1.0);
  const double m = kPi * 0.04 * 1.5;
  const double across = m * (3.0 * 0.04 + 1.5 * 1.5) / 12.0;
  EXPECT_TRUE(cylinder.inertia.diagonal().isApprox(Vector3(across, across, m * 0.04 / 2.0), kRoundOff));
}

TEST(MassProperties, CapsuleIsTheSumOfItsPartsByTheParallelAxisTheorem) {
  const double r = 0.3;
  const double l = 1.1;
  const MassProperties capsule = spatial({solid(Capsule{r, l})}, 1.0);
  const double m_cylinder = kPi * r * r * l;
  const double m_half = 2.0 / 3.0 * kPi * r * r * r;
  // Half ball about its own centroid, 3 r / 8 from the flat face: across 83/320 m r^2.
  const double from_middle = l / 2.0 + 3.0 * r / 8.0;
  const double across =
      m_cylinder * (3.0 * r * r + l * l) / 12.0 + 2.0 * m_half * (83.0 / 320.0 * r * r + from_middle * from_middle);
  const double along = m_cylinder * r * r / 2.0 + 2.0 * m_half * 0.4 * r * r;
  EXPECT_NEAR(capsule.mass, m_cylinder + 2.0 * m_half, kRoundOff);
  EXPECT_TRUE(capsule.inertia.diagonal().isApprox(Vector3(across, across, along), kRoundOff));
}

TEST(MassProperties, ConvexHullOfABoxsCornersIsTheBox) {
  Convex corners;
  for (const double x : {0.0, 1.0}) {
    for (const double y : {0.0, 0.8}) {
      for (const double z : {0.0, 0.5}) corners.points.emplace_back(x, y, z);
    }
  }
  corners.points.emplace_back(0.5, 0.4, 0.25);  // an inner point changes nothing
  const MassProperties hull = spatial({solid(corners)}, 5.0);
  const MassProperties box = spatial({solid(Box{{1.0, 0.8, 0.5}}, {0.5, 0.4, 0.25})}, 5.0);
  EXPECT_NEAR(hull.mass, box.mass, 10 * kRoundOff);
  EXPECT_TRUE(hull.center.isApprox(box.center, 10 * kRoundOff));
  EXPECT_TRUE(hull.inertia.isApprox(box.inertia, 10 * kRoundOff));
  EXPECT_EQ(make_convex_hull(corners.points, false).vertices.size(), 8u);
}

TEST(MassProperties, PlanarHullOfATriangle) {
  Convex triangle;
  triangle.points = {{0, 0, 0}, {3, 0, 0}, {0, 6, 0}};
  const MassProperties p = calc_mass_properties(std::vector{solid(triangle)}, 2.0, true);
  EXPECT_NEAR(p.mass, 18.0, 1e-13);
  EXPECT_TRUE(p.center.isApprox(Vector3(1.0, 2.0, 0.0), 1e-13));
  // Right triangle with legs a, b about its centroid: m (a^2 + b^2) / 18.
  EXPECT_NEAR(p.inertia(2, 2), 18.0 * 45.0 / 18.0, 1e-12);
}

TEST(MassProperties, TurnedAndShiftedShapesFollow) {
  Shape box = solid(Box{{1.0, 0.8, 0.5}}, {0.3, -0.2, 0.7});
  const Matrix3 R = axis_angle_matrix(Vector3(1, 2, 3).normalized(), 0.7);
  box.rotation = R;
  const MassProperties turned = spatial({box}, 5.0);
  const MassProperties straight = spatial({solid(Box{{1.0, 0.8, 0.5}})}, 5.0);
  EXPECT_TRUE(turned.center.isApprox(box.position, kRoundOff));
  EXPECT_TRUE(turned.inertia.isApprox(R * straight.inertia * R.transpose(), 10 * kRoundOff));
}

TEST(MassProperties, PlanarDiscHasHalfMRSquared) {
  const MassProperties disc = calc_mass_properties(std::vector{solid(Sphere{0.5, false})}, 2.0, true);
  EXPECT_NEAR(disc.mass, 2.0 * kPi * 0.25, kRoundOff);
  EXPECT_NEAR(disc.inertia(2, 2), 0.5 * disc.mass * 0.25, kRoundOff);
}

TEST(ConvexHull, RefusesFlatPoints) {
  const std::vector<Vector3> flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  EXPECT_THROW(make_convex_hull(flat, false), InputError);
  EXPECT_EQ(make_convex_hull(flat, true).vertices.size(), 4u);
  const std::vector<Vector3> line = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}};
  EXPECT_THROW(make_convex_hull(line, true), InputError);
}

TEST(InertiaDefect, NamesWhatIsWrong) {
  EXPECT_EQ(inertia_defect(Vector3(1, 2, 3).asDiagonal()), "");  // a thin plate: equality
  EXPECT_NE(inertia_defect(Vector3(1, 2, 3.1).asDiagonal()).find("triangle"), std::string::npos);
  EXPECT_NE(inertia_defect(Vector3(1, 2, -1).asDiagonal()).find("positive definite"), std::string::npos);
  Matrix3 skewed = Matrix3::Identity();
  skewed(0, 1) = 0.1;
  EXPECT_NE(inertia_defect(skewed).find("symmetric"), std::string::npos);
}

}  // namespace
}  // namespace stickslip
