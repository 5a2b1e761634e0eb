// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/true_gap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <vector>

#include "tests/support/random_solids.h"

namespace stickslip {
namespace {

/// [-] Of sizes and distances of some metres.
constexpr double kExact = 1e-13;

/// Shapes as the sides of pairs, which point to them.
class Sides {
 public:
  explicit Sides(bool planar = false) : planar_(planar) {}

  GapSide add(const ShapeGeometry& geometry, const Vector3& position = Vector3::Zero(),
              const Matrix3& rotation = Matrix3::Identity()) {
    const Shape shape{"shape", geometry, position, rotation};
    const auto surface = surface_of(shape);
    if (surface && !is_bounded(surface->kind)) return {nullptr, &walls_.emplace_back(*surface)};
    return {&solids_.emplace_back(make_solid(shape, planar_)), nullptr};
  }

 private:
  bool planar_;
  std::deque<Solid> solids_;
  std::deque<SurfaceFeature> walls_;
};

/// In both orders; on_second - on_first = gap normal.
void expect_gap(const GapSide& a, const Placement& a_at, const GapSide& b, const Placement& b_at, double gap,
                const Vector3& normal) {
  TrueGapFinder finder;
  for (const bool exchanged : {false, true}) {
    const auto found = exchanged ? finder.find(b, b_at, a, a_at) : finder.find(a, a_at, b, b_at);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->gap, gap, kExact);
    EXPECT_NEAR((found->normal - (exchanged ? Vector3(-normal) : normal)).norm(), 0.0, 1e-9);
    EXPECT_NEAR((found->on_second - found->on_first - found->gap * found->normal).norm(), 0.0, kExact);
    EXPECT_FALSE(finder.find(a, a_at, b, b_at, gap - 1e-9));
    EXPECT_TRUE(finder.find(a, a_at, b, b_at, gap + 1e-9));
  }
}

const Vector3 kUp = Vector3::UnitZ();

Placement at(double x, double y, double z, const Matrix3& R = Matrix3::Identity()) {
  return {Vector3(x, y, z), R};
}

TEST(TrueGap, BallsAndPoints) {
  Sides sides;
  const GapSide ball = sides.add(Sphere{0.5});
  const GapSide other = sides.add(Sphere{0.25}, {0.0, 0.0, 1.0});
  expect_gap(ball, at(1, 2, 3), other, at(1, 2, 3), 0.25, kUp);
  expect_gap(ball, at(1, 2, 3), other, at(1, 2, 2.5), -0.25, kUp);
  expect_gap(ball, at(0, 0, 0), sides.add(PointShape{}), at(0.3, 0, 0.4), 0.0, {0.6, 0.0, 0.8});
}

TEST(TrueGap, BallOnAndInABox) {
  Sides sides;
  const GapSide ball = sides.add(Sphere{0.1});
  const GapSide box = sides.add(Box{{2.0, 2.0, 1.0}});
  expect_gap(box, at(0, 0, 0), ball, at(0.2, 0.3, 0.6), 0.0, kUp);
  expect_gap(box, at(0, 0, 0), ball, at(0.2, 0.3, 0.58), -0.02, kUp);
  expect_gap(box, at(0, 0, 0), ball, at(0.2, 0.3, 0.3), -0.3, kUp);
  expect_gap(box, at(0, 0, 0), ball, at(1.3, 0.0, 0.9), 0.4, {0.6, 0.0, 0.8});
}

TEST(TrueGap, HalfSpaceUnderEachSolid) {
  Sides sides;
  const Matrix3 tilt = axis_angle_matrix(Vector3::UnitY(), std::atan2(3.0, 4.0));
  const GapSide plane = sides.add(HalfSpace{kUp, 0.25});
  expect_gap(plane, at(5, 6, 0), sides.add(Sphere{0.5}), at(0, 0, 1), 0.25, kUp);
  expect_gap(plane, at(5, 6, 0), sides.add(PointShape{}), at(0, 0, 0), -0.25, kUp);
  // The lower corner is .5 (.8 + .6) lower than the centre.
  expect_gap(plane, at(5, 6, 0), sides.add(Box{{1.0, 1.0, 1.0}}), at(0, 0, 1, tilt), 0.05, kUp);
  expect_gap(plane, at(5, 6, 0), sides.add(Capsule{0.1, 1.0}), at(0, 0, 1, tilt), 0.25, kUp);
  std::vector<Vector3> octahedron;
  for (int i = 0; i < 3; ++i) {
    for (const double s : {-1.0, 1.0}) octahedron.emplace_back(s * Vector3::Unit(i));
  }
  expect_gap(plane, at(5, 6, 0), sides.add(Convex{octahedron}), at(0, 0, 1), -0.25, kUp);
  // Turned by a right angle the plane is x = .25.
  const Matrix3 quarter = axis_angle_matrix(Vector3::UnitY(), 0.5 * M_PI);
  expect_gap(plane, at(0, 0, 0, quarter), sides.add(Box{{1.0, 1.0, 1.0}}), at(1, 0, 0), 0.25, Vector3::UnitX());
}

TEST(TrueGap, ContainersRoundSolids) {
  Sides sides;
  const GapSide bowl = sides.add(Sphere{2.0, true});
  const GapSide tube = sides.add(Cylinder{1.0, std::nullopt, true});
  const GapSide ball = sides.add(Sphere{0.25});
  expect_gap(bowl, at(0, 0, 0), ball, at(0, 0, -1.5), 0.25, kUp);
  expect_gap(bowl, at(0, 0, 0), sides.add(Capsule{0.25, 1.0}), at(0, 0, -1.5), -0.25, kUp);
  expect_gap(tube, at(0, 0, 7), ball, at(0.6, 0, 0), 0.15, -Vector3::UnitX());
  const Matrix3 eighth = axis_angle_matrix(kUp, 0.25 * M_PI);
  expect_gap(tube, at(0, 0, 7), sides.add(Box{{1.0, 1.0, 9.0}}, Vector3::Zero(), eighth), at(0.5, 0, 0),
             0.5 - std::sqrt(0.5), -Vector3::UnitX());
}

TEST(TrueGap, CapsulesAndHulls) {
  Sides sides;
  const GapSide capsule = sides.add(Capsule{0.2, 2.0});
  const Matrix3 lying = axis_angle_matrix(Vector3::UnitY(), 0.5 * M_PI);
  expect_gap(capsule, at(0, 0, 0), capsule, at(0.3, 0.5, 0.1, lying), 0.1, Vector3::UnitY());
  expect_gap(capsule, at(0, 0, 0), sides.add(Box{{1.0, 1.0, 1.0}}), at(0.65, 0, 0), -0.05, Vector3::UnitX());
}

TEST(TrueGap, InThePlane) {
  Sides sides(true);
  const GapSide box = sides.add(Box{{1.0, 1.0, 9.0}});
  const GapSide disc = sides.add(Sphere{0.5});
  const Matrix3 eighth = axis_angle_matrix(kUp, 0.25 * M_PI);
  expect_gap(box, at(0, 0, 0, eighth), disc, at(0, 1.5, 0), 1.0 - std::sqrt(0.5), Vector3::UnitY());
  expect_gap(box, at(0, 0, 0), box, at(0.9, 0.3, 0), -0.1, Vector3::UnitX());
  expect_gap(sides.add(HalfSpace{Vector3::UnitY(), 0.0}), at(3, 0, 0), box, at(0, 0.7, 0, eighth), 0.7 - std::sqrt(0.5),
             Vector3::UnitY());
  expect_gap(sides.add(Sphere{2.0, true}), at(0, 0, 0), disc, at(0, -1.75, 0), -0.25, Vector3::UnitY());
}

TEST(TrueGap, WallsHaveNoneBetweenThem) {
  Sides sides;
  TrueGapFinder finder;
  EXPECT_FALSE(finder.find(sides.add(HalfSpace{kUp, 0.0}), {}, sides.add(Sphere{1.0, true}), {}));
}

/// Solids at random that are apart, against all pairs of their features in long double.
TEST(TrueGap, SolidsApartAgainstBruteForce) {
  using test::Form;
  test::DrawSolids draw(52);
  TrueGapFinder finder;
  const Form forms[] = {Form::sphere, Form::point, Form::capsule, Form::box, Form::convex};
  int apart = 0;
  for (const Form first : forms) {
    for (const Form second : forms) {
      for (int k = 0; k < 8; ++k) {
        const Solid a = make_solid(draw.shape(first, 1.0), false);
        const Solid b = make_solid(draw.shape(second, 0.3), false);
        const Placement a_at{draw.normal(), draw.rotation()};
        const Placement b_at{2.0 * draw.normal(), draw.rotation()};
        const test::BruteGap brute = test::calc_brute_gap(test::brute_core(a, a_at), test::brute_core(b, b_at));
        const double gap = static_cast<double>(brute.gap) - a.radius - b.radius;
        if (brute.gap <= 0.0L) continue;
        ++apart;
        const auto found = finder.find({&a, nullptr}, a_at, {&b, nullptr}, b_at);
        ASSERT_TRUE(found);
        EXPECT_NEAR(found->gap, gap, 1e-12);
      }
    }
  }
  EXPECT_GT(apart, 100);
}

}  // namespace
}  // namespace stickslip
