// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/contact_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "stickslip/base/thread_team.h"
#include "tests/support/thread_ranks.h"

namespace stickslip {
namespace {

constexpr int kEdge = 10, kLayers = 7, kBodies = kEdge * kEdge * kLayers;
constexpr double kStep = 1e-3;  // [s]

Shape make_solid(int i) {
  const Vector3 size(0.05, 0.04, 0.045);
  switch (i % 6) {
    case 0:
      return {.geometry = Sphere{.radius = 0.05}};
    case 1:
      return {.geometry = Capsule{.radius = 0.03, .length = 0.04}};
    case 2:
      return {.geometry = Cylinder{.radius = 0.05, .length = 0.1}};
    case 3:
      return {.geometry = Ellipsoid{.radii = size}};
    default:
      return {.geometry = Box{.size = Vector3(0.1, 0.1, 0.1)}};
  }
}

/// Solids of several kinds in layers that touch, on a floor.
System make_heap() {
  SystemBuilder builder(false, Vector3(0.0, 0.0, -9.81));
  Body floor;
  floor.name = "floor";
  floor.type = BodyType::fixed;
  floor.shapes = {Shape{.name = "top", .geometry = HalfSpace{.normal = Vector3::UnitZ(), .offset = 0.0}}};
  builder.add_body(floor);
  for (int i = 0; i < kBodies; ++i) {
    Body body;
    body.name = "b" + std::to_string(i);
    body.mass = 1.0;
    body.inertia = Matrix3::Identity();
    body.shapes = {make_solid(i)};
    builder.add_body(body);
  }
  builder.detect_contacts({});
  return builder.build();
}

/// Where the heap is, its bodies pushed into each other by up to `depth` [m].
Vector place_heap(double depth) {
  Vector q(7 * kBodies);
  for (int i = 0; i < kBodies; ++i) {
    const Vector3 cell(i % kEdge, (i / kEdge) % kEdge, std::floor(i / (kEdge * kEdge)));
    const Vector3 moved(std::sin(i), std::sin(2.0 * i), std::sin(3.0 * i));
    q.segment<3>(7 * i) = 0.1 * cell + Vector3(0.0, 0.0, 0.05) + depth * moved;
    q.segment<4>(7 * i + 3) = Vector4(1.0, 0.1 * depth * std::sin(i), 0.0, 0.1 * depth).normalized();
  }
  return q;
}

/// All that is known of the points of a step, in their order.
std::vector<double> find_all(const System& system) {
  std::vector<double> found;
  ContactFinder finder(system);
  const auto tell = [&](const BodySnapshot& at) {
    for (const ContactPoint& point : finder.points()) {
      ContactGeometry geometry;
      calc_contact(at, point, geometry);
      const auto features = static_cast<double>(point.id.feature >> 32) + 0.5 * static_cast<double>(point.id.feature);
      for (const double number :
           {static_cast<double>(point.id.pair), features, point.flipped ? 1.0 : 0.0, point.apart ? 1.0 : 0.0,
            geometry.gap, geometry.normal.sum(), geometry.position_first.sum(), geometry.position_second.sum()}) {
        found.push_back(number);
      }
    }
    found.push_back(-1.0);
  };
  BodySnapshot at(system);
  Vector u(system.n_u());
  for (Eigen::Index k = 0; k < u.size(); ++k) u(k) = 0.1 * std::sin(static_cast<double>(k));
  at.take(0.0, place_heap(0.0), &u);
  finder.find_touching(at, 3e-3);
  tell(at);
  const std::vector<ElementId> keep(finder.ids().begin(), finder.ids().end());
  u *= 1e-2;
  for (const double depth : {-5e-4, 5e-4}) {
    at.take(0.0, place_heap(depth), &u);
    finder.find(at, kStep, keep);
    tell(at);
    at.take(0.5 * kStep, place_heap(depth + 1e-3), &u);
    finder.follow(at, 0.5 * kStep);
    at.take(kStep, place_heap(depth + 4e-3), &u);
    finder.extend(at);
    tell(at);
    at.take(0.0, place_heap(depth), &u);
    finder.find(at, kStep, keep, true);
    tell(at);
  }
  return found;
}

/// What ranks and threads find together is what one finds alone, in the same order.
TEST(ContactFinder, SameBitsWithAnyRanks) {
  const System system = make_heap();
  const std::vector<double> alone = find_all(system);
  EXPECT_GT(alone.size(), 8u * 5u * kBodies);
  for (const auto& [n_ranks, n_threads] : {std::pair(2, 2), std::pair(3, 1)}) {
    test::run_ranks(n_ranks, [&, n_ranks = n_ranks, n_threads = n_threads](int rank) {
      ThreadTeam team(n_threads);
      const ThreadTeam::Scope scope(&team);
      EXPECT_TRUE(find_all(system) == alone) << rank << " of " << n_ranks;
    });
  }
}

/// A ball that leaves its reach meets neighbours before and behind it in the scene: what then touches is listed, by the
/// ids that it has where it is looked for among all.
TEST(ContactFinder, BallsBeyondTheirReachAreFound) {
  constexpr int kBalls = 9, kFast = 4;
  SystemBuilder builder(false, Vector3::Zero());
  for (int i = 0; i < kBalls; ++i) {
    Body ball;
    ball.name = "ball" + std::to_string(i);
    ball.mass = 1.0;
    ball.inertia = Matrix3::Identity();
    ball.shapes = {Shape{.geometry = Sphere{.radius = 0.5}}};
    builder.add_body(ball);
  }
  builder.detect_contacts({});
  const System system = builder.build();
  Vector q = Vector::Zero(system.n_q());
  for (int i = 0; i < kBalls; ++i) q.segment<7>(7 * i) << 1.5 * i, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0;
  q(7 * kFast + 1) = 3.0;
  const Vector at_rest = Vector::Zero(system.n_u());
  BodySnapshot at(system);
  ContactFinder finder(system);
  finder.find(at.take(0.0, q, &at_rest), kStep);
  EXPECT_TRUE(finder.ids().empty());
  q.segment<2>(7 * kFast) << 1.5 * kFast, 0.0;
  q(7 * (kFast - 1)) += 0.6;
  q(7 * (kFast + 1)) -= 0.6;
  EXPECT_TRUE(finder.extend(at.take(kStep, q, &at_rest)));
  ContactFinder among_all(system);
  among_all.find_touching(at);
  EXPECT_EQ(finder.ids().size(), 2u);
  EXPECT_TRUE(std::ranges::equal(finder.ids(), among_all.ids()));
}

/// Of many balls of different sizes that leave their reach: extend() adds what touches then, as all pairs tell, and
/// find() leaves it out again, but for what is to be kept.
TEST(ContactFinder, ManyBallsBeyondTheirReachAreFound) {
  constexpr int kBalls = 700;
  constexpr double kEdgeOfBox = 6.0;  // [m]
  const auto draw = [](int i, int k) { return 0.5 + 0.5 * std::sin(1e4 * std::sin(4.0 * i + k + 1.0)); };
  const auto radius = [&](int i) { return i % 50 == 0 ? 1.0 : 0.1 + 0.2 * draw(i, 3); };
  SystemBuilder builder(false, Vector3::Zero());
  Vector q(7 * kBalls);
  for (int i = 0; i < kBalls; ++i) {
    Body ball;
    ball.name = "ball" + std::to_string(i);
    ball.mass = 1.0;
    ball.inertia = Matrix3::Identity();
    ball.shapes = {Shape{.geometry = Sphere{.radius = radius(i)}}};
    builder.add_body(ball);
    q.segment<7>(7 * i) << kEdgeOfBox * draw(i, 0), kEdgeOfBox * draw(i, 1), kEdgeOfBox * draw(i, 2), 1, 0, 0, 0;
  }
  builder.detect_contacts({});
  const System system = builder.build();
  const Vector at_rest = Vector::Zero(system.n_u());
  BodySnapshot start(system), end(system);
  start.take(0.0, q, &at_rest);
  for (const int every : {3, 20, 300}) {
    Vector moved = q;
    for (int i = 0; i < kBalls; i += every) moved(7 * i) += 0.3 * (draw(i, 4) - 0.5);
    end.take(kStep, moved, &at_rest);
    ContactFinder finder(system);
    finder.find(start, kStep);
    const std::vector<ElementId> at_start(finder.ids().begin(), finder.ids().end());
    EXPECT_TRUE(finder.extend(end));
    std::size_t touching = 0;
    for (int i = 0; i < kBalls; ++i) {
      for (int j = 0; j < i; ++j) {
        if ((moved.segment<3>(7 * i) - moved.segment<3>(7 * j)).norm() > radius(i) + radius(j)) continue;
        ++touching;
        EXPECT_TRUE(std::ranges::binary_search(finder.ids(), System::make_contact_id(j, i, 0))) << j << " and " << i;
      }
    }
    EXPECT_GT(touching, 500u);
    const ElementId kept = finder.points().back().id;
    EXPECT_FALSE(std::ranges::binary_search(at_start, kept));
    finder.find(start, kStep, std::span(&kept, 1), true);
    ContactFinder other(system);
    other.find(start, kStep, std::span(&kept, 1));
    EXPECT_TRUE(std::ranges::equal(finder.ids(), other.ids()));
    EXPECT_EQ(finder.ids().size(), at_start.size() + 1);
  }
}

}  // namespace
}  // namespace stickslip
