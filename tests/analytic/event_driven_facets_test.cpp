// SPDX-License-Identifier: BSD-3-Clause
// The scheme event-driven with polygons of friction in space, against closed forms, and as the limit of
// stewart-trinkle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/event_run.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::EventRun;
using test::kEventTime;
using test::SceneRun;
using Pair = Eigen::Vector2d;

Pair unit(double angle) {
  return {std::cos(angle), std::sin(angle)};
}

constexpr double kFacetFriction = 0.5;
constexpr double kFacetGravity = 10.0;

/// A mass of 1 kg on a floor with mu = .5 under g = 10: friction of a polygon has 5 N at its corners.
std::string make_mass(const Pair& velocity, const std::string& load = "") {
  return fmt::format(R"(
gravity = [0, 0, -10]
bodies.floor = {{type = "fixed", shapes.top = {{type = "half-space", normal = [0, 0, 1], offset = 0}}}}
bodies.mass = {{type = "point", mass = 1, shapes.tip = {{type = "point"}}, velocity = [{:.17g}, {:.17g}, 0]}}
contacts = [{{name = "foot", between = ["floor", "mass"], friction = 0.5}}]
{})",
                     velocity.x(), velocity.y(), load);
}

std::string polygon(int facets, double orientation = 0.0) {
  return fmt::format(", facets = {}, orientation = {:.17g}", facets, orientation);
}

/// The contact's first tangent is along x, its second along y: what directions of corners are measured from.
TEST(EventDrivenFacets, TangentsOfTheFloorAreItsAxes) {
  EventRun run(make_mass({1.0, 2.0}), 1.0, 0.1);
  ASSERT_EQ(run.step(), Status::ok);
  const double* v = run.report.contacts[0].velocity.data();
  EXPECT_NEAR(v[2] / v[1], 2.0, 1e-12);
  EXPECT_GT(v[1], 0.0);
}

/// From a velocity at an angle phi to -d_0, friction 5 d_0 turns it until it is normal to the edge beside; from then on
/// it goes straight on, against 5 cos a. Piecewise linear in time.
TEST(EventDrivenFacets, MassTurnsToTheNormalOfAnEdgeAndStopsAlongIt) {
  for (const int facets : {3, 4, 5, 8, 16}) {
    const double a = std::numbers::pi / facets;
    constexpr double kOrientation = 0.4;
    for (const double share : {-0.9, -0.5, 0.1, 0.7}) {
      const double phi = share * a;
      const Pair n = unit(kOrientation + std::numbers::pi);  // -d_0
      const Pair left = {-n.y(), n.x()};
      const Pair v0 = 2.0 * (std::cos(phi) * n + std::sin(phi) * left);
      EventRun run(make_mass(v0), 2.0, 2.0, polygon(facets, kOrientation));
      // v = v0 - 5 t n is at the angle a where |left.v| = tan a n.v.
      const double turns =
          (2.0 * std::cos(phi) - 2.0 * std::abs(std::sin(phi)) / std::tan(a)) / (kFacetFriction * kFacetGravity);
      const double speed = 2.0 * std::abs(std::sin(phi)) / std::sin(a);
      const double stops = turns + speed / (kFacetFriction * kFacetGravity * std::cos(a));
      const Pair edge = std::cos(a) * n + std::copysign(std::sin(a), phi) * left;
      const Pair where =
          v0 * turns - 0.5 * kFacetFriction * kFacetGravity * turns * turns * n + 0.5 * speed * (stops - turns) * edge;
      run.run_all();
      ASSERT_EQ(run.events.size(), 1U) << facets << ' ' << share;
      EXPECT_EQ(run.events[0].what, EventKind::stick);
      EXPECT_NEAR(run.events[0].t, stops, kEventTime) << facets << ' ' << share;
      EXPECT_LT((run.state.q.head<2>() - where).norm(), kEventTime);
      EXPECT_EQ(run.state.u.norm(), 0.0);
      EXPECT_NEAR(run.report.dissipated, 2.0, kEventTime);

      // And on the way: on the edge, at 1 m from nowhere.
      EventRun again(make_mass(v0), 2.0, 2.0, polygon(facets, kOrientation));
      again.go_to(0.5 * turns);
      EXPECT_LT((again.state.u.head<2>() - (v0 - 0.5 * turns * kFacetFriction * kFacetGravity * n)).norm(), kEventTime);
      EXPECT_LT((Pair(again.report.contacts[0].force[1], again.report.contacts[0].force[2]) + 5.0 * n).norm(), 1e-12);
      again.go_to(0.5 * (turns + stops));
      EXPECT_LT((again.state.u.head<2>() - 0.5 * speed * edge).norm(), kEventTime);
      const Pair friction(again.report.contacts[0].force[1], again.report.contacts[0].force[2]);
      EXPECT_LT((friction + kFacetFriction * kFacetGravity * std::cos(a) * edge).norm(), 1e-11);
    }
  }
}

/// A side force that an edge cannot hold (5 sin a): the velocity passes the normal of the edge and goes on beyond it,
/// against the next corner.
TEST(EventDrivenFacets, MassPassesAnEdgeThatCannotHoldIt) {
  constexpr int kFacets = 6;
  const double a = std::numbers::pi / kFacets;  // half an edge: 2.5 N
  const Pair n = {1.0, 0.0};                    // -d_3
  const Pair edge = unit(a);                    // normal of the edge between d_3 and d_4
  const Pair across = unit(a + 0.5 * std::numbers::pi);
  const Pair beyond = unit(2.0 * a);  // -d_4
  const Pair load = 4.0 * across;
  const Pair v0 = {3.0, 0.5};
  EventRun run(
      make_mass(v0, fmt::format("forces.side = {{type = \"load\", body = \"mass\", force = [{:.17g}, {:.17g}, 0]}}",
                                load.x(), load.y())),
      0.5, 0.5, polygon(kFacets));
  // across.(v0 + (load - 5 n) t) = 0
  const double passes = -across.dot(v0) / across.dot(load - 5.0 * n);
  ASSERT_GT(passes, 0.05);
  const Pair at = v0 + passes * (load - 5.0 * n);
  ASSERT_GT(edge.dot(at), 0.5);
  run.go_to(0.5 * passes);
  EXPECT_LT((run.state.u.head<2>() - (v0 + 0.5 * passes * (load - 5.0 * n))).norm(), kEventTime);
  run.go_to(passes + 0.1);
  EXPECT_LT((run.state.u.head<2>() - (at + 0.1 * (load - 5.0 * beyond))).norm(), kEventTime);
  EXPECT_TRUE(run.events.empty());
}

/// What sticks begins to slide where its load leaves the polygon, along the normal of the edge there; from where the
/// load along that edge is more than half of it, against the corner.
TEST(EventDrivenFacets, MassBeginsToSlideThroughAnEdgeAndLeavesItAtItsCorner) {
  constexpr int kFacets = 4;
  const double a = 0.25 * std::numbers::pi;
  const double angle = 0.3;  // from the normal of the edge between d_2 and d_3, turned to d_2
  const Pair edge = unit(a);
  const Pair across = unit(a + 0.5 * std::numbers::pi);
  const Pair along = std::cos(angle) * edge - std::sin(angle) * across;  // load 10 t along
  const std::string text = make_mass(
      {0.0, 0.0},
      fmt::format("forces.pull = {{type = \"load\", body = \"mass\", force = [\"{:.17g}*t\", \"{:.17g}*t\", 0]}}",
                  10.0 * along.x(), 10.0 * along.y()));
  const double slips = 5.0 * std::cos(a) / (10.0 * std::cos(angle));
  const double leaves = 5.0 * std::sin(a) / (10.0 * std::sin(angle));
  EventRun run(text, 2.0, 2.0, polygon(kFacets));
  run.go_to(slips + 0.1);
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.events[0].what, EventKind::slip);
  EXPECT_NEAR(run.events[0].t, slips, kEventTime);
  EXPECT_LT((run.state.u.head<2>() - 5.0 * std::cos(angle) * 0.01 * edge).norm(), kEventTime);
  run.go_to(leaves);
  const Pair then = 5.0 * std::cos(angle) * std::pow(leaves - slips, 2) * edge;
  EXPECT_LT((run.state.u.head<2>() - then).norm(), kEventTime);
  // Against the corner -d_2 = +x: v' = 10 t along - 5 x.
  run.go_to(leaves + 0.3);
  const double t = run.state.t;
  const Pair after = then + 5.0 * (t * t - leaves * leaves) * along - 5.0 * (t - leaves) * Pair::UnitX();
  EXPECT_LT((run.state.u.head<2>() - after).norm(), kEventTime);
  EXPECT_EQ(run.events.size(), 1U);
}

/// A mass that lands obliquely: percussions against one corner, or, where they would turn it beyond, what makes it
/// leave along the normal of the edge.
TEST(EventDrivenFacets, ImpactsHaveThePolygon) {
  const auto land = [](const Pair& v, int facets) {
    EventRun run(fmt::format(R"(
gravity = [0, 0, 0]
bodies.floor = {{type = "fixed", shapes.top = {{type = "half-space", normal = [0, 0, 1], offset = 0}}}}
bodies.mass = {{type = "point", mass = 1, shapes.tip = {{type = "point"}}, position = [0, 0, 1], velocity = [{:.17g}, {:.17g}, -2]}}
contacts = [{{name = "foot", between = ["floor", "mass"], friction = 0.5}}]
)",
                             v.x(), v.y()),
                 0.6, 0.6, polygon(facets));
    EXPECT_EQ(run.step(), Status::ok);
    return Pair(run.state.u.head<2>());
  };
  EXPECT_LT((land({3.0, 0.5}, 4) - Pair(2.0, 0.5)).norm(), 1e-10) << "p = 1 N s against +x";
  EXPECT_LT((land({1.8, 1.2}, 4) - Pair(1.0, 1.0)).norm(), 1e-10) << "p.(1, 1) = -1, onto the diagonal";
  EXPECT_EQ(land({0.6, 0.39}, 4).norm(), 0.0) << "inside the polygon";
  EXPECT_GT(land({0.6, 0.41}, 4).norm(), 1e-3) << "outside, inside the disc";
}

/// Trinkle's sphere rolls from t_exact cos(phi - a) / cos a on, a = pi / nd, phi the angle to the nearest corner.
TEST(EventDrivenFacets, SphereRollsFromWhenItsPolygonSays) {
  const auto rows = test::read_table("stewart_trinkle/sphere_facets.csv");
  ASSERT_EQ(rows.size(), 9u);
  for (const std::vector<double>& row : rows) {  // nd, phi, t_num, t_exact, t_pred, err v(.24), err v end, err x end
    const double phi = row[1];
    SceneRun run = test::open_scene(
        "papers/trinkle/sphere",
        {fmt::format("scheme={{type=\"event-driven\",facets={}}}", static_cast<int>(row[0])),
         fmt::format("bodies.sphere.velocity=[{:.17g},{:.17g},0]", 2.0 * std::cos(phi), 2.0 * std::sin(phi))});
    std::vector<StepEvent> events;
    run.run([&](const SceneRun& r) { events.insert(events.end(), r.report.events.begin(), r.report.events.end()); });
    ASSERT_EQ(events.size(), 1U) << row[0] << ' ' << phi;
    EXPECT_EQ(events[0].what, EventKind::stick);
    EXPECT_NEAR(events[0].t, row[4], 1e-10) << row[0] << ' ' << phi;
    EXPECT_LT((run.state.u.head<2>() - 10.0 / 7.0 * unit(phi)).norm(), 1e-12);
  }
}

double distance_of(const std::string& text, const std::string& scheme, double h) {
  const auto end = [&](const std::string& how, double step) {
    SceneRun run = test::scene_from_text(fmt::format(
        "stickslip = 1\ntime = {{end = 0.4, step = {:.17g}}}\nscheme = {{type = {}}}\nsolver = {{tolerance = "
        "1e-13}}\n{}",
        step, how, text));
    run.run([](const SceneRun&) {});
    return run.state;
  };
  const State exact = end("\"event-driven\", " + scheme, 0.4);
  const State stepped = end("\"stewart-trinkle\", projection = false, " + scheme, h);
  return (exact.u - stepped.u).norm() + (exact.q - stepped.q).norm();
}

/// A three-legged body that slides and turns, and a mass on a floor that turns, whose polygon turns with it: what
/// stewart-trinkle converges to as its step falls, at its order.
TEST(EventDrivenFacets, IsTheLimitOfStewartTrinkle) {
  const std::string tripod = R"(
gravity = [0, 0, -10]
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}}
[bodies.stool]
type = "rigid"
mass = 2
inertia = [0.1, 0.12, 0.15]
position = [0, 0, 0.3]
velocity = [1.5, 0.4, 0]
angular_velocity = [0, 0, 2]
shapes.a = {type = "point", position = [0.3, 0, -0.3]}
shapes.b = {type = "point", position = [-0.2, 0.25, -0.3]}
shapes.c = {type = "point", position = [-0.2, -0.25, -0.3]}
[[contacts]]
name = "a"
between = ["floor", "stool/a"]
friction = 0.3
[[contacts]]
name = "b"
between = ["floor", "stool/b"]
friction = 0.3
[[contacts]]
name = "c"
between = ["floor", "stool/c"]
friction = 0.3
)";
  const std::string turntable = R"(
gravity = [0, 0, -10]
[bodies.floor]
type = "moving"
rotation = {axis = [0, 0, 1], angle = "3*t"}
shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}
[bodies.mass]
type = "point"
mass = 1
position = [0.5, 0, 0]
velocity = [1, 0.3, 0]
shapes.tip = {type = "point"}
[[contacts]]
name = "foot"
between = ["floor", "mass"]
friction = 0.5
)";
  for (const std::string& scene : {tripod, turntable}) {
    for (const std::string how : {"facets = 4", "facets = 5, orientation = 0.2"}) {
      const double coarse = distance_of(scene, how, 1e-3);
      const double fine = distance_of(scene, how, 1.25e-4);
      EXPECT_LT(fine, 2e-3) << how;
      EXPECT_NEAR(std::log2(coarse / fine) / 3.0, 1.0, 0.2) << how << ' ' << coarse << ' ' << fine;
    }
  }
}

/// A box on four feet, whose forces are not determined, slides and spins to rest. Where a second foot reaches the edge
/// that another one is on, both would have to be held by rows that contradict each other: one of them passes.
TEST(EventDrivenFacets, BoxOnFourFeetComesToRest) {
  for (const int facets : {3, 4, 8}) {
    for (const int k : {0, 1, 3}) {
      EventRun run(fmt::format(R"(
gravity = [0, 0, -10]
bodies.floor = {{type = "fixed", shapes.top = {{type = "half-space", normal = [0, 0, 1], offset = 0}}}}
[bodies.box]
mass = 2
inertia = [0.1, 0.12, 0.15]
position = [0, 0, 0.1]
velocity = [{}, {}, 0]
angular_velocity = [0, 0, {}]
shapes.hull = {{type = "box", size = [0.4, 0.3, 0.2]}}
[[contacts]]
name = "feet"
between = ["floor", "box"]
friction = {}
)",
                               1.0 + 0.3 * k, 0.4 * k - 0.5, 2.0 + k, k == 0 ? 0.9 : 0.3),
                   1.5, 0.05, polygon(facets));
      while (run.state.step < 30) ASSERT_EQ(run.step(), Status::ok) << facets << ' ' << k << run.report.message;
      EXPECT_LT(std::abs(run.report.energy_error), 1e-9) << facets << ' ' << k;
      EXPECT_LT(run.state.u.norm(), 1e-12) << facets << ' ' << k;
      EXPECT_EQ(run.report.closed_contacts, 4);
    }
  }
}

/// A run that is resumed in the middle of an edge has the bits of one that is not.
TEST(EventDrivenFacets, EdgesAreInTheState) {
  const std::string text = make_mass({2.0, 1.0});
  EventRun whole(text, 0.6, 0.01, polygon(5, 0.2));
  EventRun parts(text, 0.6, 0.01, polygon(5, 0.2));
  for (int k = 0; k < 40; ++k) {
    ASSERT_EQ(whole.step(), Status::ok);
    EventRun fresh(text, 0.6, 0.01, polygon(5, 0.2));
    fresh.state = parts.state;
    ASSERT_EQ(fresh.step(), Status::ok);
    parts.state = fresh.state;
    ASSERT_EQ(parts.state.u, whole.state.u) << k;
    ASSERT_EQ(parts.state.q, whole.state.q) << k;
  }
}

}  // namespace
}  // namespace stickslip
