// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/curved_manifold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "stickslip/collision/gap.h"
#include "stickslip/collision/true_gap.h"
#include "tests/support/dense_separation.h"
#include "tests/support/random_solids.h"

namespace stickslip {
namespace {

using test::Real;
using test::Real3;

/// [-] What gaps are promised to, of the larger size: cylinders and ellipsoids on half-spaces, cylinders on balls.
constexpr double kCurvedExact = 1e-12;
/// The same of ellipsoids on balls, of the smaller size. [-]
constexpr double kCurvedRoot = 1e-9;

Solid curved_solid(const ShapeGeometry& geometry) {
  return make_solid(Shape{"curved", geometry, Vector3::Zero(), Matrix3::Identity()}, false);
}

std::vector<ManifoldPoint> curved_points(const Solid& first, const Placement& first_at, const Solid& second,
                                         const Placement& second_at, double within = HUGE_VAL) {
  std::vector<ManifoldPoint> points;
  NarrowPhase().calc_manifold(first, first_at, second, second_at, within, points);
  return points;
}

/// The distance of y from a cylinder, negative inside, by clamping in its frame.
Real cylinder_distance(Real radius, Real half, const Real3& y) {
  const Real across = std::hypot(y(0), y(1));
  const Real beside = across - radius;
  const Real above = std::abs(y(2)) - half;
  if (beside <= 0.0L && above <= 0.0L) return std::max(beside, above);
  return std::hypot(std::max(beside, 0.0L), std::max(above, 0.0L));
}

/// The distance of y from an ellipsoid's surface, negative inside. `foot` is the nearest point.
Real ellipsoid_distance(const Vector3& radii, const Real3& y, Real3& foot) {
  const Real3 r = radii.cast<Real>();
  Real3 n;
  const Real least = -test::find_largest([&](const Real3& m) -> Real { return -(r.cwiseProduct(m) - y).norm(); }, n);
  foot = r.cwiseProduct(n);
  return y.cwiseQuotient(r).squaredNorm() < 1.0L ? -least : least;
}

class CurvedPairs {
 public:
  explicit CurvedPairs(unsigned seed) : draw_(seed) {}

  double size() { return std::pow(10.0, draw_.uniform(-3.0, 1.0)); }
  Placement placement(double size) { return {size * draw_.normal(), draw_.rotation()}; }

  /// A size within 1e3 of `other`.
  double other_size(double other) { return std::clamp(other * std::pow(10.0, draw_.uniform(-3.0, 3.0)), 1e-3, 10.0); }
  /// Touching, within round-off of it, in overlap or apart, by little against a size.
  double gap(double size) {
    switch (draw_.index(4)) {
      case 0:
        return 0.0;
      case 1:
        return draw_.uniform(-1e-9, 1e-9) * size;
      default:
        return draw_.uniform(-1e-3, 1e-2) * size;
    }
  }
  Cylinder cylinder(double size) { return {size * draw_.uniform(0.05, 0.5), size * draw_.uniform(0.1, 1.0)}; }
  Ellipsoid ellipsoid(double size) {
    return {0.5 * size * Vector3(draw_.uniform(0.1, 1.0), draw_.uniform(0.1, 1.0), draw_.uniform(0.1, 1.0))};
  }
  test::DrawSolids& draw() { return draw_; }

 private:
  test::DrawSolids draw_;
};

/// A half-space below, whose surface goes through the origin of its frame across z.
const Solid& ground() {
  static const Solid solid = curved_solid(HalfSpace{});
  return solid;
}

void compare_with_plane(int n, unsigned seed) {
  CurvedPairs pairs(seed);
  TrueGapFinder finder;
  const SurfaceFeature surface = surface_of(ground());
  for (int k = 0; k < n; ++k) {
    const double size = pairs.size();
    const Cylinder cylinder = pairs.cylinder(size);
    const Ellipsoid ellipsoid = pairs.ellipsoid(size);
    const Placement plane = pairs.placement(size);
    Placement at = pairs.placement(size);
    // Upright, lying, nearly so, and at random.
    const int turn = pairs.draw().index(5);
    if (turn < 4) {
      const double tilt =
          (turn % 2) * 0.5 * std::numbers::pi + (turn > 1 ? std::pow(10.0, pairs.draw().uniform(-14.0, -1.0)) : 0.0);
      at.R = plane.R * axis_angle_matrix(Vector3::UnitZ(), pairs.draw().uniform(0.0, 6.0)) *
             axis_angle_matrix(Vector3::UnitX(), tilt);
    }
    const Eigen::Matrix<Real, 3, 3> R = at.R.cast<Real>();
    const Real3 up = R.transpose() * plane.R.cast<Real>().col(2);
    const Real below_cylinder = cylinder.radius * std::hypot(up(0), up(1)) + 0.5L * *cylinder.length * std::abs(up(2));
    const Real below_ellipsoid = ellipsoid.radii.cast<Real>().cwiseProduct(up).norm();
    for (const bool is_cylinder : {true, false}) {
      const Real below = is_cylinder ? below_cylinder : below_ellipsoid;
      at.p = plane.p + plane.R * Vector3(size, -size, static_cast<double>(below) + pairs.gap(size));
      const Real height = plane.R.cast<Real>().col(2).dot((at.p - plane.p).cast<Real>());
      const auto gap = static_cast<double>(height - below);
      const double exact = kCurvedExact * size + 1e-15 * (at.p.norm() + plane.p.norm());
      const Solid solid = is_cylinder ? curved_solid(cylinder) : curved_solid(ellipsoid);
      const auto found = finder.find({nullptr, &surface}, plane, {&solid, nullptr}, at);
      ASSERT_TRUE(found);
      ASSERT_NEAR(found->gap, gap, exact);
      ASSERT_LT((found->normal - plane.R.col(2)).norm(), 1e-14);
      if (!is_cylinder) continue;
      const auto points = curved_points(ground(), plane, solid, at);
      double least = HUGE_VAL;
      for (const ManifoldPoint& p : points) {
        least = std::min(least, p.gap);
        ASSERT_LT((p.on_second - p.on_first - p.gap * p.normal).norm(), exact);
        // On the rim, and its height is the gap.
        const Vector3 x = at.apply_inverse(p.on_second);
        ASSERT_NEAR(x.head<2>().norm(), cylinder.radius, exact);
        ASSERT_NEAR(std::abs(x(2)), 0.5 * *cylinder.length, exact);
      }
      ASSERT_NEAR(least, gap, exact);
      if (turn == 0) {
        const auto lie = std::ranges::count_if(points, [&](const auto& p) { return p.gap < gap + exact; });
        ASSERT_GE(lie, 3) << "a cap that lies";
      }
      if (turn == 1) {
        const auto lie = std::ranges::count_if(points, [&](const auto& p) { return p.gap < gap + exact; });
        ASSERT_EQ(lie, 2) << "a side that lies";
      }
    }
  }
}

TEST(CurvedManifold, OnHalfSpacesIsTheClosedForm) {
  compare_with_plane(2000, 1);
}
TEST(SlowCurvedManifold, OnHalfSpacesIsTheClosedForm) {
  compare_with_plane(100000, 2);
}

void compare_with_balls(int n, unsigned seed, bool with_cylinders) {
  CurvedPairs pairs(seed);
  for (int k = 0; k < n; ++k) {
    const double size = pairs.size();
    const double other = pairs.other_size(size);
    const bool is_point = pairs.draw().index(4) == 0;
    const double radius = is_point ? 0.0 : 0.5 * other;
    const double smaller = is_point ? size : std::min(size, other);
    const Solid ball = is_point ? curved_solid(PointShape{}) : curved_solid(Sphere{radius});
    const Placement at = pairs.placement(size);
    const Cylinder cylinder = pairs.cylinder(size);
    const Ellipsoid ellipsoid = pairs.ellipsoid(size);
    const Solid solid = with_cylinders ? curved_solid(cylinder) : curved_solid(ellipsoid);
    // Along a direction from a point of the surface, so that sides, caps, rims and all parts of an ellipsoid come.
    const Vector3 n_out = pairs.draw().normal().normalized();
    const Vector3 start = find_farthest(solid, n_out);
    Placement ball_at{at.apply(start + (radius + pairs.gap(smaller)) * n_out), pairs.draw().rotation()};
    const Real3 y = at.R.cast<Real>().transpose() * (ball_at.p.cast<Real>() - at.p.cast<Real>());
    Real3 foot;
    const Real distance = with_cylinders ? cylinder_distance(cylinder.radius, 0.5L * *cylinder.length, y)
                                         : ellipsoid_distance(ellipsoid.radii, y, foot);
    const auto gap = static_cast<double>(distance - static_cast<Real>(radius));
    const double round_off = 1e-15 * (at.p.norm() + ball_at.p.norm());
    const double exact =
        kCurvedExact * std::max(size, other) + (with_cylinders ? 0.0 : kCurvedRoot * smaller) + round_off;
    for (const bool ball_first : {false, true}) {
      const auto points =
          ball_first ? curved_points(ball, ball_at, solid, at) : curved_points(solid, at, ball, ball_at);
      ASSERT_EQ(points.size(), 1U);
      const ManifoldPoint& p = points.front();
      ASSERT_NEAR(p.gap, gap, exact) << k;
      ASSERT_NEAR(p.normal.norm(), 1.0, 1e-14);
      const Vector3 normal = ball_first ? Vector3(-p.normal) : p.normal;
      // Moved by the distance along the normal, the ball's centre is on the surface.
      const Real3 on = y - distance * (at.R.transpose() * normal).cast<Real>();
      const Real3 r = ellipsoid.radii.cast<Real>();
      const Real off = with_cylinders ? cylinder_distance(cylinder.radius, 0.5L * *cylinder.length, on)
                                      : (on.cwiseQuotient(r).squaredNorm() - 1.0L) /
                                            (2.0L * on.cwiseQuotient(r.cwiseProduct(r)).norm());
      ASSERT_NEAR(static_cast<double>(off), 0.0, exact + 1e-6 * std::abs(static_cast<double>(distance)));
      if (!with_cylinders && std::abs(distance) > 1e-6L * smaller) {
        const Real3 out = (y - foot) / distance;
        ASSERT_LT(static_cast<double>((out - (at.R.transpose() * normal).cast<Real>()).norm()), 1e-6);
      }
    }
  }
}

TEST(CurvedManifold, CylindersWithBallsAreTheClosedForm) {
  compare_with_balls(3000, 3, true);
}
TEST(SlowCurvedManifold, CylindersWithBallsAreTheClosedForm) {
  compare_with_balls(100000, 4, true);
}
TEST(CurvedManifold, EllipsoidsWithBallsAreTheLeastOfADenseSearch) {
  compare_with_balls(60, 5, false);
}
TEST(SlowCurvedManifold, EllipsoidsWithBallsAreTheLeastOfADenseSearch) {
  compare_with_balls(20000, 6, false);
}

void compare_ellipsoids(int n, unsigned seed, std::optional<test::Form> form) {
  CurvedPairs pairs(seed);
  for (int k = 0; k < n; ++k) {
    const double size = pairs.size();
    const double other = pairs.other_size(size);
    const double smaller = std::min(size, other);
    const Solid ellipsoid = curved_solid(pairs.ellipsoid(size));
    const Solid solid =
        form ? make_solid(pairs.draw().shape(*form, other), false) : curved_solid(pairs.ellipsoid(other));
    const Placement at = pairs.placement(std::max(size, other));
    Placement solid_at{Vector3::Zero(), pairs.draw().rotation()};
    const Vector3 out = pairs.draw().normal().normalized();
    const auto farthest = [](const Solid& of, const Placement& there, const Vector3& direction) {
      const Vector3 local = there.R.transpose() * direction;
      const Vector3 x = is_curved(of.kind) ? find_farthest(of, local) : of.vertices[find_support(of, local)];
      return Vector3(there.apply(x) + of.radius * direction);
    };
    solid_at.p = farthest(ellipsoid, at, out) + pairs.gap(smaller) * out - farthest(solid, solid_at, -out);
    const auto gap = static_cast<double>([&] {
      Real3 best;
      return test::dense_separation(ellipsoid, at, solid, solid_at, best);
    }());
    if (gap < -1e-2 * smaller) continue;  // another direction parts them sooner
    const double exact = kCurvedRoot * smaller + kCurvedExact * std::max(size, other) + 1e-15 * at.p.norm();
    for (const bool ellipsoid_first : {true, false}) {
      const auto points = ellipsoid_first ? curved_points(ellipsoid, at, solid, solid_at)
                                          : curved_points(solid, solid_at, ellipsoid, at);
      ASSERT_EQ(points.size(), 1U);
      ASSERT_NEAR(points[0].gap, gap, exact) << k << " sizes " << size << ' ' << other;
      // The separation along the normal is the gap.
      const Vector3 normal = ellipsoid_first ? points[0].normal : Vector3(-points[0].normal);
      const double along = normal.dot(farthest(solid, solid_at, -normal)) - normal.dot(farthest(ellipsoid, at, normal));
      ASSERT_NEAR(along, points[0].gap, 3.0 * exact) << k;
      ASSERT_LT((points[0].on_second - points[0].on_first - points[0].gap * points[0].normal).norm(), exact);
    }
  }
}

TEST(CurvedManifold, EllipsoidsWithSolidsAreTheLargestSeparation) {
  compare_ellipsoids(12, 11, std::nullopt);
  compare_ellipsoids(8, 12, test::Form::box);
  compare_ellipsoids(8, 13, test::Form::convex);
  compare_ellipsoids(8, 14, test::Form::capsule);
}
TEST(SlowCurvedManifold, EllipsoidsWithSolidsAreTheLargestSeparation) {
  constexpr int kPairs = 10000;  // the search takes a millisecond a pair
  compare_ellipsoids(kPairs, 21, std::nullopt);
  compare_ellipsoids(kPairs, 22, test::Form::box);
  compare_ellipsoids(kPairs, 23, test::Form::convex);
  compare_ellipsoids(kPairs, 24, test::Form::capsule);
}

/// Gaps change no faster than the bodies move, from the side over the rim to the cap and through overlap.
TEST(CurvedManifold, GapsDoNotJumpAlongPaths) {
  const Solid ball = curved_solid(Sphere{0.1});
  for (const Solid& solid : {curved_solid(Cylinder{0.3, 0.5}), curved_solid(Ellipsoid{{0.3, 0.2, 0.5}})}) {
    test::DrawSolids draw(7);
    for (int path = 0; path < 50; ++path) {
      const Vector3 from = 0.6 * draw.normal();
      const Vector3 to = 0.6 * draw.normal();
      constexpr int kLooks = 500;
      const double step = (to - from).norm() / kLooks;
      double before = NAN;
      for (int k = 0; k <= kLooks; ++k) {
        const Placement at{from + (to - from) * k / kLooks, Matrix3::Identity()};
        const double gap = curved_points(solid, {}, ball, at).front().gap;
        if (k > 0) {
          ASSERT_LE(std::abs(gap - before), step * (1.0 + 1e-9));
        }
        before = gap;
      }
    }
  }
}

/// Gap and normal at the time t of two features that move and turn, in numbers of any kind.
template <class S>
Gap<S> moving_gap(const SurfaceFeature& surface, const BallFeature& ball, const S& t) {
  using std::cos;
  using std::sin;
  const Vector3 axis = Vector3(1.0, -2.0, 0.5).normalized();
  Matrix3 K;
  K << 0.0, -axis(2), axis(1), axis(2), 0.0, -axis(0), -axis(1), axis(0), 0.0;
  const auto turned = [&](double rate) {
    const S angle = t * S(rate);
    Mat3<S> R = constant_matrix<S>(Matrix3::Identity());
    const Matrix3 K2 = K * K;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) R(i, j) += sin(angle) * S(K(i, j)) + (S(1.0) - cos(angle)) * S(K2(i, j));
    }
    return R;
  };
  const Vec3<S> p = constant_vector<S>(Vector3(0.1, 0.2, 0.3)) + constant_vector<S>(Vector3(0.3, 0.1, -0.2)) * t;
  const Vec3<S> p_b = constant_vector<S>(Vector3(0.9, -0.3, 0.8)) + constant_vector<S>(Vector3(-0.1, 0.4, 0.2)) * t;
  Vec3<S> center;
  Gap<S> gap = calc_gap<S>(surface, p, turned(0.7), ball, p_b, turned(-1.1), center);
  gap.distance = center(0);
  return gap;
}

TEST(CurvedManifold, DerivativesOfGapsAreThoseOfDifferences) {
  SurfaceFeature line{SurfaceKind::line, Vector3(0.01, 0.02, 0.0), Vector3(0.6, 0.0, 0.8), 0.05};
  SurfaceFeature egg{SurfaceKind::ellipsoid, Vector3(0.01, 0.02, 0.0)};
  egg.half_axes = axis_angle_matrix(Vector3(0.6, 0.0, 0.8), 0.3) * Vector3(0.3, 0.2, 0.1).asDiagonal();
  const SurfaceFeature plane{SurfaceKind::half_space, Vector3(0.01, 0.02, 0.0), Vector3(0.6, 0.0, 0.8)};
  BallFeature ball;
  ball.center = Vector3(0.03, 0.0, 0.02);
  ball.is_ellipsoid = true;
  ball.half_axes = axis_angle_matrix(Vector3::UnitX(), 0.9) * Vector3(0.2, 0.4, 0.3).asDiagonal();
  BallFeature rim = ball;
  rim.half_axes.col(2).setZero();
  BallFeature sphere;
  sphere.center = ball.center;
  sphere.radius = 0.1;
  using First = Jet<double, 1>;
  using Second = Jet<First, 1>;
  for (const auto& both : std::vector<std::pair<SurfaceFeature, BallFeature>>{
           {line, ball}, {egg, ball}, {plane, ball}, {line, rim}, {egg, rim}, {plane, rim}, {egg, sphere}}) {
    const SurfaceFeature& surface = both.first;
    const BallFeature& of = both.second;
    Second t(First(0.0));
    First inner(0.0);
    inner.set_derivative(0, 1.0);
    t = Second(inner);
    t.set_derivative(0, First(1.0));
    const Gap<Second> exact = moving_gap<Second>(surface, of, t);
    constexpr double kWay = 1e-4;
    const auto at = [&](double time) {
      const Gap<double> gap = moving_gap<double>(surface, of, time);
      return (Eigen::Matrix<double, 5, 1>() << gap.gap, gap.normal, gap.distance).finished();
    };
    const auto before = at(-kWay), now = at(0.0), after = at(kWay);
    const Second* found[] = {&exact.gap, &exact.normal(0), &exact.normal(1), &exact.normal(2), &exact.distance};
    for (int i = 0; i < 5; ++i) {
      EXPECT_NEAR(found[i]->value().value(), now(i), 1e-14);
      EXPECT_NEAR(found[i]->value().derivative(0), (after(i) - before(i)) / (2.0 * kWay), 1e-6);
      EXPECT_NEAR(found[i]->derivative(0).derivative(0), (after(i) - 2.0 * now(i) + before(i)) / (kWay * kWay), 1e-5);
    }
  }
}

TEST(CurvedManifold, ACentreInsideHasItsLeastDepth) {
  const Solid point = curved_solid(PointShape{});
  const Solid ellipsoid = curved_solid(Ellipsoid{{0.3, 0.2, 0.5}});
  EXPECT_NEAR(curved_points(ellipsoid, {}, point, {}).front().gap, -0.2, 1e-15);
  EXPECT_NEAR(std::abs(curved_points(ellipsoid, {}, point, {}).front().normal(1)), 1.0, 1e-15);
  Real3 foot;
  for (const Vector3& x : {Vector3(0.05, 0.0, 0.1), Vector3(0.0, 0.0, 0.47), Vector3(0.28, 0.0, 0.0)}) {
    const auto depth = static_cast<double>(ellipsoid_distance({0.3, 0.2, 0.5}, x.cast<Real>(), foot));
    EXPECT_NEAR(curved_points(ellipsoid, {}, point, {x, Matrix3::Identity()}).front().gap, depth, 1e-12);
  }
  const Solid cylinder = curved_solid(Cylinder{0.3, 0.5});
  EXPECT_NEAR(curved_points(cylinder, {}, point, {}).front().gap, -0.25, 1e-15);
  EXPECT_NEAR(curved_points(cylinder, {}, point, {Vector3(0.1, 0, 0.04), Matrix3::Identity()}).front().gap, -0.2,
              1e-15);
}

/// The lowest point of a tilted cap stands in place of the fixed point next to it, that of a flat one beside all of
/// them.
TEST(CurvedManifold, TheLowestPointOfARimTakesTheNearestFixedPointsPlace) {
  const Solid cylinder = curved_solid(Cylinder{0.3, 0.8});
  const auto on_cap = [&](double tilt, double turn) {
    const Matrix3 R = axis_angle_matrix(Vector3::UnitX(), tilt) * axis_angle_matrix(Vector3::UnitZ(), turn);
    return curved_points(ground(), {}, cylinder, {Vector3(0, 0, 0.4), R}, 0.2);
  };
  EXPECT_EQ(on_cap(0.0, 0.3).size(), static_cast<std::size_t>(kRimPoints) + 1);
  EXPECT_EQ(on_cap(1e-9, 0.3).size(), static_cast<std::size_t>(kRimPoints) + 1);
  for (const double tilt : {2e-4, 1e-3, 0.09}) {
    const auto points = on_cap(tilt, 0.3);
    ASSERT_EQ(points.size(), static_cast<std::size_t>(kRimPoints));
    const auto least = std::ranges::min_element(points, {}, &ManifoldPoint::gap);
    EXPECT_EQ(feature_kind(least->feature_second), FeatureKind::edge);
    for (const ManifoldPoint& p : points) {
      if (&p == &*least) continue;
      EXPECT_GT((p.on_second - least->on_second).norm(), 0.3 * 0.13);
    }
  }
  EXPECT_EQ(on_cap(0.2, 0.3).size(), 1U) << "tilted, it touches in one point";
}

TEST(CurvedManifold, PointsAreFoundAgainByTheirFeatures) {
  const Solid cylinder = curved_solid(Cylinder{0.3, 0.8});
  const Placement at{Vector3(0, 0, 0.4), axis_angle_matrix(Vector3::UnitX(), 0.01)};
  NarrowPhase narrow;
  for (const ManifoldPoint& p : curved_points(ground(), {}, cylinder, at)) {
    const auto again = narrow.calc_point(ground(), {}, cylinder, at, p.feature_first, p.feature_second);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->gap, p.gap);
    EXPECT_EQ(again->on_second, p.on_second);
  }
}

}  // namespace
}  // namespace stickslip
