// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/mass_properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

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

TEST(MassProperties, EllipsoidIsAStretchedBall) {
  const MassProperties ellipsoid = spatial({solid(Ellipsoid{{0.3, 0.5, 0.7}}, Vector3(1.0, 2.0, 3.0))}, 2.0);
  const double m = 2.0 * 4.0 / 3.0 * kPi * 0.3 * 0.5 * 0.7;
  EXPECT_NEAR(ellipsoid.mass, m, kRoundOff * m);
  EXPECT_TRUE(ellipsoid.center.isApprox(Vector3(1.0, 2.0, 3.0), kRoundOff));
  EXPECT_TRUE(ellipsoid.inertia.diagonal().isApprox(m / 5.0 * Vector3(0.74, 0.58, 0.34), kRoundOff));
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

/// A hull with the mass properties that a closed form gives, with unit density about the centre.
struct KnownHull {
  std::vector<Vector3> points;  // with sides of about 1
  double volume;
  Vector3 center;
  Matrix3 inertia;
};

std::vector<KnownHull> known_hulls() {
  std::vector<KnownHull> hulls;
  // Right corner tetrahedron with legs a, b, c: V = abc / 6, centre (a, b, c) / 4, and about the centre the integrals
  // of x x^T are 3 V a a / 80 on the diagonal, -V a b / 80 beside it.
  const Vector3 legs(1.0, 0.75, 0.5);
  const double v = legs.prod() / 6.0;
  Matrix3 second = -v / 80.0 * legs * legs.transpose();
  second.diagonal() = 3.0 * v / 80.0 * legs.cwiseProduct(legs);
  hulls.push_back({{{0, 0, 0}, {1, 0, 0}, {0, 0.75, 0}, {0, 0, 0.5}},
                   v,
                   0.25 * legs,
                   second.trace() * Matrix3::Identity() - second});
  // Octahedron with half axes a, b, c: V = 4 abc / 3, integral of x x is V a a / 10.
  const Vector3 half(1.0, 0.5, 0.25);
  const double w = 4.0 / 3.0 * half.prod();
  const Vector3 squares = w / 10.0 * half.cwiseProduct(half);
  KnownHull octahedron{{}, w, Vector3::Zero(), squares.sum() * Matrix3::Identity()};
  octahedron.inertia.diagonal() -= squares;
  for (int i = 0; i < 3; ++i) {
    for (const double sign : {-1.0, 1.0}) octahedron.points.push_back(sign * half(i) * Vector3::Unit(i));
  }
  hulls.push_back(octahedron);
  // Box, by its corners, with points in its faces, on its edges and within.
  const Vector3 size(1.0, 0.75, 0.5);
  const Vector3 l2 = size.prod() / 12.0 * size.cwiseProduct(size);
  KnownHull box{{}, size.prod(), 0.5 * size, l2.sum() * Matrix3::Identity()};
  box.inertia.diagonal() -= l2;
  for (const double x : {0.0, 0.5, 1.0}) {
    for (const double y : {0.0, 0.5, 1.0}) {
      for (const double z : {0.0, 0.5, 1.0}) box.points.push_back(size.cwiseProduct(Vector3(x, y, z)));
    }
  }
  hulls.push_back(box);
  return hulls;
}

// Coordinates below are multiples of 2^-2 up to 2^11, which the shift leaves exact: what is lost is lost by us.
constexpr double kHullAccuracy = 1e-12;  // [-] relative, of mass and inertia; of the centre relative to the size

TEST(MassProperties, HullsMatchTheirClosedForms) {
  for (const KnownHull& known : known_hulls()) {
    const MassProperties p = spatial({solid(Convex{known.points})}, 1.0);
    EXPECT_NEAR(p.mass, known.volume, kHullAccuracy * known.volume);
    EXPECT_LE((p.center - known.center).norm(), kHullAccuracy);
    EXPECT_LE((p.inertia - known.inertia).norm(), kHullAccuracy * known.inertia.norm());
  }
}

TEST(MassProperties, HullsFarFromTheOriginKeepTheirDigits) {
  const Vector3 far(1024.0, -2048.0, 512.0);
  for (const KnownHull& known : known_hulls()) {
    Convex moved;
    for (const Vector3& p : known.points) moved.points.push_back(p + far);
    for (const Shape& shape : {solid(moved), solid(Convex{known.points}, far)}) {
      const MassProperties p = spatial({shape}, 1.0);
      EXPECT_NEAR(p.mass, known.volume, kHullAccuracy * known.volume);
      EXPECT_LE((p.center - far - known.center).norm(), kHullAccuracy);
      EXPECT_LE((p.inertia - known.inertia).norm(), kHullAccuracy * known.inertia.norm());
    }
  }
}

TEST(MassProperties, HullsTurnedAndOfAnySizeFollow) {
  const Matrix3 R = axis_angle_matrix(Vector3(-1, 2, 0.5).normalized(), 1.1);
  for (const KnownHull& known : known_hulls()) {
    for (const double scale : {1e-6, 1.0, 1e3}) {
      Convex turned;
      for (const Vector3& p : known.points) turned.points.push_back(scale * (R * (p - known.center)));
      const MassProperties p = spatial({solid(turned)}, 1.0);
      const double volume = known.volume * std::pow(scale, 3);
      const Matrix3 inertia = std::pow(scale, 5) * (R * known.inertia * R.transpose());
      EXPECT_NEAR(p.mass, volume, kHullAccuracy * volume);
      EXPECT_LE(p.center.norm(), kHullAccuracy * scale);
      EXPECT_LE((p.inertia - inertia).norm(), kHullAccuracy * inertia.norm());
    }
  }
}

TEST(MassProperties, TwoShapesFarOffAreTheirSum) {
  // A dumbbell of two cubes of side 1, 4 m apart: about the middle 2 (m / 6 + m 2^2) across, 2 m / 6 along.
  const Vector3 far(1024.0, 4096.0, -2048.0);
  const MassProperties p =
      spatial({solid(Box{{1, 1, 1}}, far - Vector3(2, 0, 0)), solid(Box{{1, 1, 1}}, far + Vector3(2, 0, 0))}, 3.0);
  EXPECT_EQ(p.center, far);
  const Vector3 expected(1.0, 25.0, 25.0);
  EXPECT_LE((p.inertia.diagonal() - expected).norm(), kHullAccuracy * expected.norm());
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

TEST(ConvexHull, KeepsCornersAloneAndEachOnce) {
  const KnownHull box = known_hulls()[2];
  std::vector<Vector3> points = box.points;
  points.insert(points.end(), box.points.begin(), box.points.end());
  const std::vector<Vector3> corners = find_hull_corners(points, false);
  ASSERT_EQ(corners.size(), 8U);
  std::size_t next = 0;  // in the order given
  for (const Vector3& p : box.points) {
    if (next < 8 && p == corners[next]) ++next;
  }
  EXPECT_EQ(next, 8U);
}

TEST(ConvexHull, IsTheSameFarFromTheOriginAndOfAnySize) {
  for (const double scale : {0x1p-40, 1.0, 0x1p40}) {
    std::vector<Vector3> points = known_hulls()[1].points;
    for (Vector3& p : points) p = scale * (p + Vector3::Constant(0x1p30));
    EXPECT_EQ(find_hull_corners(points, false).size(), 6U) << scale;
  }
}

TEST(ConvexHull, RefusesOnePointManyTimesAndCoordinatesBeyondNumbers) {
  const std::vector<Vector3> same(10, Vector3(1, 2, 3));
  EXPECT_THROW(find_hull_corners(same, false), InputError);
  EXPECT_THROW(make_convex_hull(same, false), InputError);
  EXPECT_THROW(make_convex_hull({}, false), InputError);
  for (const double huge : {1e300, HUGE_VAL, std::nan("")}) {
    std::vector<Vector3> points = known_hulls()[0].points;
    points[1](0) = huge;
    EXPECT_THROW(find_hull_corners(points, false), InputError) << huge;
  }
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
