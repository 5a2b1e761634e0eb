// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/manifold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/support/random_solids.h"

namespace stickslip {
namespace {

using test::brute_core;
using test::BruteGap;
using test::BruteHull;
using test::DrawSolids;
using test::Form;
using test::Long;
using test::Long3;
using test::name_of;
using test::nearest_point;

/// [-] What a gap is promised to, of the larger size and the distance from the origin.
constexpr double kGapExact = 1e-12;
/// [-] What a normal is promised to, and of the same over the gap.
constexpr double kNormalExact = 1e-9;
constexpr double kNormalRoundOff = 1e-15;

/// The gap of a pair's features as they are stated, placed in the world: what the bodies' kinematics make of it.
double gap_of_features(const ManifoldPoint& point, const Placement& first, const Placement& second) {
  const Placement& surface_at = point.flipped ? second : first;
  const Placement& ball_at = point.flipped ? first : second;
  const Vector3 axis = surface_at.R * point.surface.axis;
  const Vector3 d = ball_at.apply(point.ball.center) - surface_at.apply(point.surface.center);
  switch (point.surface.kind) {
    case SurfaceKind::half_space:
      return axis.dot(d) - point.ball.radius;
    case SurfaceKind::sphere:
      return d.norm() - point.surface.radius - point.ball.radius;
    case SurfaceKind::line:
      return (d - axis * axis.dot(d)).norm() - point.surface.radius - point.ball.radius;
    case SurfaceKind::crossing:
      return axis.cross(ball_at.R * point.ball.axis).normalized().dot(d) - point.surface.radius - point.ball.radius;
    case SurfaceKind::container_sphere:
    case SurfaceKind::container_cylinder:
    case SurfaceKind::cylinder:
    case SurfaceKind::ellipsoid:
      break;
  }
  ADD_FAILURE() << "no such surface";
  return 0.0;
}

/// How two solids lie to each other before they are moved together.
enum class Turn { any, same, about_a_face, nearly_same, quarter };

Matrix3 turned(Turn turn, const Matrix3& R, bool planar, DrawSolids& draw) {
  const auto axis = [&] { return Vector3::Unit(planar ? 2 : draw.index(3)); };
  switch (turn) {
    case Turn::any:
      return draw.rotation();
    case Turn::same:
      return R;
    case Turn::about_a_face:
      return R * axis_angle_matrix(axis(), draw.uniform(0.0, 6.0));
    case Turn::nearly_same:
      return R * axis_angle_matrix(draw.axis(), std::pow(10.0, draw.uniform(-12.0, -2.0)));
    case Turn::quarter:
      return R * axis_angle_matrix(axis(), 0.25 * M_PI * draw.index(8)) *
             axis_angle_matrix(axis(), 0.25 * M_PI * draw.index(8));
  }
  return R;
}

constexpr double kFar = std::numeric_limits<double>::infinity();

/// Moves the second along `direction` until its gap is `target`; the gap is convex along a line of approach, so that
/// Newton's steps from afar end there.
void bring_to(NarrowPhase& narrow, const Solid& first, const Placement& at, const Solid& second, Placement& second_at,
              const Vector3& direction, double target) {
  std::vector<ManifoldPoint> points;
  second_at.p = at.apply(first.center) - second_at.R * second.center + direction * (first.size + second.size);
  for (int k = 0; k < 60; ++k) {
    narrow.calc_manifold(first, at, second, second_at, kFar, points);
    const ManifoldPoint& point = nearest_point(points);
    const double rate = point.normal.dot(direction);
    const double off = point.gap - target;
    if (std::abs(off) <= 1e-15 * (first.size + at.p.norm()) || rate <= 1e-3) return;
    second_at.p -= direction * (off / rate);
  }
}

struct Case {
  Form first, second;
  bool planar = false;
};

void sweep(const Case& forms, int n, unsigned seed) {
  DrawSolids draw(seed, forms.planar);
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  std::vector<ManifoldPoint> swapped;
  int n_apart = 0;
  int n_overlap = 0;
  for (int k = 0; k < n; ++k) {
    const double size = std::pow(10.0, draw.uniform(-3.0, 1.0));
    const double ratio = std::pow(10.0, -draw.uniform(0.0, 3.0) * draw.index(2));
    const bool small_first = draw.index(2) == 0;
    const Solid first = make_solid(draw.shape(forms.first, small_first ? size * ratio : size), forms.planar);
    const Solid second = make_solid(draw.shape(forms.second, small_first ? size : size * ratio), forms.planar);
    Placement at{size * draw.normal() * (draw.index(2) == 0 ? 0.0 : 10.0), draw.rotation()};
    Placement other{Vector3::Zero(), turned(static_cast<Turn>(draw.index(5)), at.R, forms.planar, draw)};
    const double larger = std::max(first.size, second.size);
    const double smaller = std::max(1e-3 * larger, std::min(first.size, second.size));
    const double targets[] = {0.0, 1e-9 * larger, -1e-9 * larger, draw.uniform(0.0, 1e-2) * smaller,
                              -draw.uniform(0.0, 1e-3) * smaller};
    Vector3 direction = draw.normal().normalized();
    if (draw.index(3) == 0) direction = at.R.col(draw.index(forms.planar ? 2 : 3));
    bring_to(narrow, first, at, second, other, direction, targets[draw.index(5)]);

    narrow.calc_manifold(first, at, second, other, kFar, points);
    const std::string where = std::string(forms.planar ? "planar " : "") + name_of(forms.first) + "-" +
                              name_of(forms.second) + " seed " + std::to_string(seed) + ", pair " + std::to_string(k) +
                              ", size " + std::to_string(larger);
    ASSERT_FALSE(points.empty()) << where;
    const BruteHull core = brute_core(first, at);
    const BruteHull other_core = brute_core(second, other);
    const BruteGap brute = calc_brute_gap(core, other_core);
    const Long radii = first.radius + second.radius;
    const double extent = larger + at.p.norm() + first.center.norm() + second.center.norm();  // of what is rounded
    const double tolerance = kGapExact * extent;
    const ManifoldPoint& point = nearest_point(points);
    const auto gap = static_cast<double>(brute.gap - radii);
    ASSERT_NEAR(point.gap, gap, tolerance) << where << ", gap " << gap;
    (gap > 0.0 ? n_apart : n_overlap) += 1;
    // The normal of those that are apart is unique; in overlap it is one along which so much suffices. One of the
    // points that are nearest has it.
    const auto core_gap = static_cast<double>(brute.gap);
    const double normal_exact = kNormalExact + kNormalRoundOff * extent / std::max(std::abs(core_gap), tolerance);
    double off = core_gap > tolerance || core_gap < -tolerance ? kFar : 0.0;
    for (const ManifoldPoint& p : points) {
      if (p.gap > gap + tolerance) continue;
      const auto normal = p.normal.cast<Long>();
      const Long o = core_gap > 0.0 ? (normal - brute.normal).norm()
                                    : (brute.gap - separation_along(core, other_core, normal)) / larger;
      off = std::min(off, static_cast<double>(o));
    }
    EXPECT_LE(off, normal_exact) << where << ", gap " << gap;
    for (const ManifoldPoint& p : points) {
      EXPECT_NEAR(p.normal.norm(), 1.0, 1e-14) << where;
      EXPECT_NEAR(gap_of_features(p, at, other), p.gap, tolerance)
          << where << ", surface " << static_cast<int>(p.surface.kind) << ", gap " << gap;
      EXPECT_LE((p.on_second - p.on_first - p.gap * p.normal).norm(), tolerance) << where;
      EXPECT_GE(p.gap, gap - tolerance) << where;
    }
    // The same with the solids exchanged.
    narrow.calc_manifold(second, other, first, at, kFar, swapped);
    ASSERT_FALSE(swapped.empty()) << where;
    EXPECT_NEAR(nearest_point(swapped).gap, point.gap, tolerance) << where;
    // Each again by its features, to the bit; features are not used twice.
    for (const ManifoldPoint& p : points) {
      const auto again = narrow.calc_point(first, at, second, other, p.feature_first, p.feature_second);
      ASSERT_TRUE(again.has_value()) << where;
      EXPECT_EQ(again->gap, p.gap) << where;
      EXPECT_EQ(again->normal, p.normal) << where;
      EXPECT_EQ(again->on_first, p.on_first) << where << ": two points have the same features";
    }
    if (testing::Test::HasFailure()) return;
  }
  if (forms.first != Form::point || forms.second != Form::point) {
    EXPECT_GT(n_apart, n / 4);
  }
  const bool flat = forms.first == Form::point || forms.second == Form::point;
  if (!flat) {
    EXPECT_GT(n_overlap, n / 8);
  }
}

class ManifoldOf : public testing::TestWithParam<Case> {};

/// Against all features tried in long double.
TEST_P(ManifoldOf, GapAndNormalAreExact) {
  sweep(GetParam(), 300, 7);
}

/// Hulls of many vertices, which are climbed: the gap against all triangles and edges.
TEST(ManifoldOfLargeHulls, GapAndNormalAreExact) {
  test::DrawSolids draw(13);
  NarrowPhase narrow;
  std::vector<ManifoldPoint> points;
  constexpr int kVertices = 60;
  const auto draw_hull = [&] {
    Shape shape;
    Convex convex;
    const Vector3 sizes(draw.uniform(0.2, 1.0), draw.uniform(0.2, 1.0), draw.uniform(0.2, 1.0));
    for (int k = 0; k < kVertices; ++k) convex.points.push_back(sizes.cwiseProduct(draw.normal().normalized()));
    shape.geometry = convex;
    return make_solid(shape, false);
  };
  for (int k = 0; k < 5; ++k) {
    const Solid first = draw_hull();
    const Solid second = draw_hull();
    ASSERT_EQ(first.vertices.size(), static_cast<std::size_t>(kVertices));
    const Placement at{draw.normal(), draw.rotation()};
    Placement other{Vector3::Zero(), draw.rotation()};
    const double targets[] = {1e-2, 1e-9, -1e-9, -1e-3, -0.1};
    bring_to(narrow, first, at, second, other, draw.normal().normalized(), targets[k % 5]);
    narrow.calc_manifold(first, at, second, other, kFar, points);
    ASSERT_FALSE(points.empty());
    const BruteHull core = brute_core(first, at);
    const BruteHull other_core = brute_core(second, other);
    const BruteGap brute = calc_brute_gap(core, other_core);
    const double tolerance = kGapExact * (first.size + second.size + at.p.norm());
    const ManifoldPoint& point = nearest_point(points);
    EXPECT_NEAR(point.gap, static_cast<double>(brute.gap), tolerance) << "pair " << k;
    const Long separation = separation_along(core, other_core, point.normal.cast<Long>());
    EXPECT_NEAR(static_cast<double>(separation), point.gap, kNormalExact * first.size) << "pair " << k;
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const Form forms[] = {Form::sphere, Form::point, Form::capsule, Form::box, Form::convex};
  for (const bool planar : {false, true}) {
    for (const Form first : forms) {
      for (const Form second : forms) {
        if (second < first || (first == Form::point && second == Form::point)) continue;
        if (planar && (first == Form::capsule || second == Form::capsule)) continue;
        cases.push_back({first, second, planar});
      }
    }
  }
  return cases;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return name_of(info.param.first) + "_" + name_of(info.param.second) + (info.param.planar ? "_planar" : "");
}

INSTANTIATE_TEST_SUITE_P(Pairs, ManifoldOf, testing::ValuesIn(all_cases()), case_name);

constexpr int kMany = 100000;

class ManyManifoldsOf : public testing::TestWithParam<Case> {};

TEST_P(ManyManifoldsOf, GapAndNormalAreExact) {
  sweep(GetParam(), kMany, 11);
}

INSTANTIATE_TEST_SUITE_P(Slow, ManyManifoldsOf, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace stickslip
