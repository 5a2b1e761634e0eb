// SPDX-License-Identifier: BSD-3-Clause
// The scheme event-driven against closed forms: instants of events to the tolerance of the integration.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/constraints/instant.h"
#include "stickslip/stepping/sundials_integrator.h"
#include "tests/support/event_run.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::EventRun;
using test::kEventFloor;
using test::kEventTime;
using test::SceneRun;

/// Whether this build has the integrator that options name: those of SUNDIALS where it was found.
bool has_integrator(std::string_view options) {
  return has_sundials() || options.find("integrator") == std::string_view::npos;
}

/// m = 1 on a spring of 100 N/m with friction of 2 N, from .19 m: half swings of pi/10, each .04 m less [Trinkle2003
/// (18)].
TEST(EventDriven, SliderTurnsAndStopsWhenItShould) {
  const std::string slider = R"(
gravity = [0, 0]
bodies.frame = {type = "fixed"}
bodies.mass = {type = "point", mass = 1, position = [0.19, 0]}
forces.spring = {type = "spring", between = ["frame", "mass"], at_a = [-1, 0], stiffness = 100, rest = 1}
forces.friction = {type = "dry-friction", between = ["frame", "mass"], axis = [1, 0], bound = 2}
)";
  EventRun run(slider, 2.0, 0.02);
  run.run_all();
  const std::vector<double> turns = run.times(EventKind::reversal);
  ASSERT_EQ(turns.size(), 4U);
  for (std::size_t k = 0; k < turns.size(); ++k) EXPECT_NEAR(turns[k], 0.1 * std::numbers::pi * (k + 1.0), kEventTime);
  const std::vector<double> stops = run.times(EventKind::stick);
  ASSERT_EQ(stops.size(), 1U);
  EXPECT_NEAR(stops[0], 0.5 * std::numbers::pi, kEventTime);
  EXPECT_NEAR(run.state.q(0), 0.01, kEventTime);
  EXPECT_EQ(run.state.u(0), 0.0);
  EXPECT_NEAR(run.report.dissipated, 50.0 * (0.19 * 0.19 - 0.01 * 0.01), kEventTime);

  // And at the turns themselves.
  EventRun at_turns(slider, 2.0, 0.1 * std::numbers::pi);
  for (const double x : {-0.15, 0.11, -0.07, 0.03}) {
    ASSERT_EQ(at_turns.step(), Status::ok);
    EXPECT_NEAR(at_turns.state.q(0), x, kEventTime);
  }
}

/// m g L (cos a' - cos a) = c (a + a') between turns, a' the angle on the other side, whatever the inertia: m = 1.5,
/// L = .5, g = 9.81, c = .5. The last a' is -.0058878436974: it rests before the middle, on the side it comes from.
TEST(EventDriven, PendulumWithFrictionInItsHingeTurnsWhereItShould) {
  const std::string pendulum = fmt::format(R"(
gravity = [0, -9.81]
bodies.frame = {{type = "fixed"}}
bodies.bob = {{type = "planar", mass = 1.5, inertia = 0.1, position = [{:.17g}, {:.17g}]}}
joints.hinge = {{type = "revolute", between = ["frame", "bob"], at = [0, 0], friction = 0.5}}
)",
                                           0.5 * std::sin(1.0), -0.5 * std::cos(1.0));
  EventRun run(pendulum, 8.0, 0.05);
  run.run_all();
  std::vector<double> times = run.times(EventKind::reversal);
  const std::vector<double> stops = run.times(EventKind::stick);
  ASSERT_EQ(stops.size(), 1U);
  times.push_back(stops[0]);
  const std::vector<double> angles = {-.8426037207056, .6922284045076, -.5470812557193, .4057667868097,
                                      -.2671414993035, .1302205096121, .0058878436974};
  ASSERT_EQ(times.size(), angles.size());
  EventRun again(pendulum, 8.0, 0.05);
  for (std::size_t k = 0; k < times.size(); ++k) {
    again.go_to(times[k]);
    EXPECT_NEAR(1.0 + again.report.joints[0].coordinate, angles[k], kEventTime) << k;
  }
  EXPECT_NEAR(1.0 + run.report.joints[0].coordinate, angles.back(), kEventTime);
  EXPECT_LT(run.report.drift_position, 1e-14);
}

/// A ball that falls by d bounces at t_1 (1 + 2 e + 2 e^2 + ...), up to t_1 (1 + e) / (1 - e), and rests.
TEST(EventDriven, BallBouncesInGeometricSequenceAndComesToRest) {
  constexpr double kFall = 1.0, kG = 10.0, kE = 0.5;
  constexpr double kZenoTime = 1e-6;
  const std::string ball = std::string(kEventFloor) + R"(
[bodies.ball]
type = "planar"
mass = 2
inertia = 0.1
position = [0, 1.1]
shapes.hull = {type = "sphere", radius = 0.1}
[[contacts]]
name = "bounce"
between = ["floor", "ball"]
friction = 0.3
restitution = {normal = 0.5}
)";
  EventRun run(ball, 2.0, 0.01);
  run.run_all();
  const double first = std::sqrt(2.0 * kFall / kG);
  const std::vector<double> impacts = run.times(EventKind::impact);
  double t = first;
  double flight = 2.0 * kE * first;
  for (const double impact : impacts) {
    EXPECT_NEAR(impact, t, 1e-10);
    t += flight;
    flight *= kE;
  }
  const std::vector<double> ends = run.times(EventKind::accumulation);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0], impacts.back());
  EXPECT_NEAR(ends[0], first * (1.0 + kE) / (1.0 - kE), kZenoTime / (1.0 - kE));
  // Flights of more than zeno_time are all there.
  EXPECT_EQ(impacts.size(), static_cast<std::size_t>(std::ceil(std::log2(2.0 * first / kZenoTime))));
  EXPECT_NEAR(run.state.q(1), 0.1, 1e-14);
  EXPECT_EQ(run.report.contacts[0].status, ContactStatus::stick);
  EXPECT_NEAR(run.report.contacts[0].percussion[0], 0.01 * 2.0 * kG, 1e-12);
  EXPECT_NEAR(run.report.dissipated, 2.0 * kG * kFall, 1e-9);

  EventRun stops(ball, 2.0, 0.01, ", zeno = \"stop\", zeno_time = 1e-3");
  Status status = Status::ok;
  while (status == Status::ok && stops.state.t < 2.0) status = stops.step();
  EXPECT_EQ(status, Status::failed);
  EXPECT_NE(stops.report.message.find("impacts of contact 'bounce' accumulate at t = "), std::string::npos);
}

/// The sphere of [Trinkle2003, section 4]: it slides at mu g until it rolls, 2 v_0 / (7 mu g) after the start.
TEST(EventDriven, SphereRollsWhenItShould) {
  SceneRun run = test::open_scene("papers/trinkle/sphere", {"scheme={type=\"event-driven\"}"});
  std::vector<StepEvent> events;
  run.run([&](const SceneRun& r) { events.insert(events.end(), r.report.events.begin(), r.report.events.end()); });
  ASSERT_EQ(events.size(), 1U);
  const double rolls = 2.0 * 2.0 / (7.0 * 0.2 * 9.81);
  EXPECT_EQ(events[0].what, EventKind::stick);
  EXPECT_NEAR(events[0].t, rolls, 1e-12);
  EXPECT_NEAR(run.state.u(0), 10.0 / 7.0, 1e-13);
  EXPECT_NEAR(run.state.q(0), 2.0 * rolls - 0.5 * 0.2 * 9.81 * rolls * rolls + 10.0 / 7.0 * (0.6 - rolls), 1e-12);
}

/// A mass on a floor that is pulled more and more: it slips at t = mu m g / k along x, lifts off at t = m g / k along
/// y.
TEST(EventDriven, SlipsAndLiftsOffWhenItShould) {
  const std::string mass = std::string(kEventFloor) + R"(
[bodies.mass]
type = "point"
mass = 2
shapes.tip = {type = "point"}
[[contacts]]
name = "foot"
between = ["floor", "mass"]
friction = 0.5
[forces.pull]
type = "load"
body = "mass"
)";
  EventRun slips(mass + "force = [\"20*t\", \"0\"]\n", 1.0, 0.3);
  slips.run_all();
  ASSERT_EQ(slips.events.size(), 1U);
  EXPECT_EQ(slips.events[0].what, EventKind::slip);
  EXPECT_NEAR(slips.events[0].t, 0.5, 1e-9);
  // From then on m u' = 20 (t - .5).
  EXPECT_NEAR(slips.state.u(0), 5.0 * std::pow(slips.state.t - 0.5, 2), 1e-9);

  EventRun lifts(mass + "force = [\"0\", \"40*t\"]\n", 1.0, 0.3);
  lifts.run_all();
  ASSERT_EQ(lifts.events.size(), 1U);
  EXPECT_EQ(lifts.events[0].what, EventKind::lift_off);
  EXPECT_NEAR(lifts.events[0].t, 0.5, 1e-9);
  EXPECT_NEAR(lifts.state.u(1), 10.0 * std::pow(lifts.state.t - 0.5, 2), 1e-9);
  EXPECT_EQ(lifts.report.contacts[0].status, ContactStatus::open);
}

/// A block of 1 x 1 m that is pushed at its top by a growing force k t tips over its edge at t = m g / (2 k), half its
/// weight at full height: forces of its two corners are not determined, and CP1 says when it goes.
TEST(EventDriven, BlockTipsWhereForcesAreNotDetermined) {
  EventRun run(std::string(kEventFloor) + R"(
[bodies.block]
type = "planar"
mass = 3
inertia = 0.5
position = [0, 0.5]
shapes.hull = {type = "box", size = [1, 1]}
[[contacts]]
name = "foot"
between = ["floor", "block"]
friction = 0.8
[forces.push]
type = "load"
body = "block"
at = [0, 0.5]
force = ["30*t", "0"]
)",
               0.6, 0.1);
  run.run_all();
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.events[0].what, EventKind::lift_off);
  EXPECT_NEAR(run.events[0].t, 0.5, 1e-6) << "up to the accelerations that count as none";
  EXPECT_LT(run.state.q(2), 0.0);
  EXPECT_LT(run.report.penetration, 1e-14);
}

/// CP1 of a point mass of 1 kg with mu = .5 under g = 10 and loads along the floor, by polygons with corners at
/// 2 pi k / n [Trinkle2003 eq. 22]: accelerations of an independent implementation.
TEST(InstantWithPolygons, WhatSticksBeginsToSlideAsTheySay) {
  struct Case {
    int facets;
    double fx, fy;  // [N] load
    Vector3 a;      // [m/s^2]
  };
  const double half = 5.0 / std::numbers::sqrt2;
  for (const Case& c :
       {Case{0, 6.0, 8.0, {3.0, 4.0, 0.0}}, Case{4, 3.0, 0.0, {0.0, 0.0, 0.0}}, Case{4, 6.0, 8.0, {4.5, 4.5, 0.0}},
        Case{8, 6.0, 8.0, {6.0 - half, 8.0 - half, 0.0}}, Case{8, 10.0, 0.0, {5.0, 0.0, 0.0}}}) {
    EventRun run(fmt::format(R"(
gravity = [0, 0, -10]
bodies.floor = {{type = "fixed", shapes.top = {{type = "half-space", normal = [0, 0, 1], offset = 0}}}}
bodies.mass = {{type = "point", mass = 1, shapes.tip = {{type = "point"}}}}
contacts = [{{name = "foot", between = ["floor", "mass"], friction = 0.5}}]
forces.pull = {{type = "load", body = "mass", force = [{}, {}, 0]}}
)",
                             c.fx, c.fy),
                 1.0, 0.1);
    const System& system = *run.built.system;
    BodySnapshot at(system);
    at.take(0.0, run.state.q, &run.state.u);
    Instant instant(system, *run.built.solver);
    instant.set_polygon(FrictionPolygon(c.facets, 0.0));
    instant.take(at, system.contact_points());
    EXPECT_EQ(instant.solve().status, Status::ok) << c.facets;
    EXPECT_LT((instant.a() - c.a).norm(), 1e-8) << c.facets << ' ' << c.fx;
    EXPECT_NEAR(instant.lambda(0)[0], 10.0, 1e-9);
    if (c.facets > 0) continue;  // the scheme has the round cone
    ASSERT_EQ(run.step(), Status::ok);
    EXPECT_LT((run.state.u - 0.1 * c.a).norm(), 1e-9);
  }
}

/// The rod of [Capobianco2021, section 10.4] slides until it stands at 45 degrees, where what its normal force does to
/// its tip and what all else does vanish together: omega^2 = g / (l sin 45).
TEST(EventDriven, RodSlidesUntilItsForceHasNoBound) {
  SceneRun run =
      test::open_scene("papers/capobianco/sliding_rod", {"scheme={type=\"event-driven\"}", "time.step=0.02"});
  std::vector<StepEvent> events;
  while (run.state.t < 1.0) {
    ASSERT_EQ(run.step(), Status::ok) << run.report.message;
    events.insert(events.end(), run.report.events.begin(), run.report.events.end());
  }
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].what, EventKind::lift_off);
  EXPECT_NEAR(events[0].t, 0.8145497, 1e-6);
  EXPECT_NEAR(-run.state.u(2), std::sqrt(10.0 * std::numbers::sqrt2), 1e-5);
}

/// At 60 degrees with mu = 5/3 a rod that slides at 1 m/s without turning has no accelerations: it stops by the
/// impulses -gamma r_b, r_b = m/4 (1 + 3 c^2, 3 s c), tangential and normal, of which the pure impact problem knows
/// nothing.
TEST(EventDriven, RodWithoutAccelerationsStopsByATangentialImpact) {
  const double s = std::sin(std::numbers::pi / 3.0);
  const double c = 0.5;
  EventRun run(fmt::format(R"(
gravity = [0, -10]
[bodies.ground]
type = "fixed"
shapes.top = {{type = "half-space", normal = [0, 1], offset = 0}}
[bodies.rod]
type = "planar"
mass = 1
inertia = {:.17g}
position = [{:.17g}, {:.17g}]
angle = {:.17g}
velocity = [-1, 0]
shapes.tip = {{type = "point", position = [-1, 0]}}
[[contacts]]
name = "tip"
between = ["ground", "rod/tip"]
friction = {:.17g}
)",
                           1.0 / 3.0, c, s, std::numbers::pi / 3.0, 5.0 / 3.0),
               1.0, 1e-6);
  ASSERT_EQ(run.step(), Status::ok) << run.report.message;
  ASSERT_FALSE(run.report.events.empty());
  EXPECT_EQ(run.report.events[0].what, EventKind::no_solution);
  EXPECT_EQ(run.report.events[0].t, 0.0);
  EXPECT_EQ(run.report.choices, 1);
  // G_A = g is what it would fall at; a unit of force adds (1 + 3 c^2 - 3 mu s c) / m < 0.
  EXPECT_NE(run.report.message.find("G_A = 10 m/s^2, G_B = -0.41506"), std::string::npos) << run.report.message;
  EXPECT_NEAR(run.report.contacts[0].impulse[0], 0.75 * s * c, 1e-9);
  EXPECT_NEAR(std::abs(run.report.contacts[0].impulse[1]), 0.25 * (1.0 + 3.0 * c * c), 1e-9);
}

/// A box that slides flat on four feet and spins: which of them bears how much is not determined, and with it the
/// motion. Friction takes mu m g for each metre that it slides, if all slide, and no energy is made; it comes to rest.
/// CP1 of the feet does not settle.
TEST(EventDriven, BoxOnFourFeetSlidesToRest) {
  struct Start {
    double vx, vy, w;
  };
  for (const Start& start :
       {Start{2.0, 0.3, 3.0}, Start{-1.8260508385738903, 0.813528354415344, 3.8655017384773913},
        Start{-1.6373178500326424, 1.2385781374687101, 1.5475078603299126}, Start{-1.0, 0.1, 0.5}}) {
    EventRun run(fmt::format(R"(
gravity = [0, 0, -9.81]
[bodies.floor]
type = "fixed"
shapes.top = {{type = "half-space", normal = [0, 0, 1]}}
[bodies.box]
mass = 2
inertia = [0.1, 0.2, 0.25]
position = [0, 0, 0.25]
velocity = [{:.17g}, {:.17g}, 0]
angular_velocity = [0, 0, {:.17g}]
shapes.b = {{type = "box", size = [1, 0.8, 0.5]}}
[[contacts]]
name = "c"
between = ["floor", "box"]
friction = 0.3
)",
                             start.vx, start.vy, start.w),
                 1.5, 0.05);
    double dissipated = 0.0;
    run.run([&](const SceneRun& r) {
      EXPECT_EQ(r.report.status, Status::ok) << r.state.t << ' ' << r.report.message;
      EXPECT_GE(r.report.dissipated, dissipated - 1e-12);
      EXPECT_LT(r.report.penetration, 1e-12);
      dissipated = r.report.dissipated;
      double bears = 0.0;
      for (const ContactReport& foot : r.report.contacts) {
        EXPECT_GE(foot.force[0], -1e-6);
        bears += foot.force[0];
      }
      EXPECT_NEAR(bears, 2.0 * 9.81, 1e-9);
    });
    const double energy = 0.5 * 2.0 * (start.vx * start.vx + start.vy * start.vy) + 0.5 * 0.25 * start.w * start.w;
    EXPECT_NEAR(dissipated, energy, 1e-9);
    EXPECT_LT(run.state.u.norm(), 1e-12);
  }
}

/// A ball that starts 20 mm within the floor and moves out at .5 m/s rises 12.5 mm: it does not get out, and rests
/// where it turns, without energy from nowhere.
TEST(EventDriven, WhatBeganInAnOverlapRestsInIt) {
  EventRun run(std::string(kEventFloor) + R"(
[bodies.b]
type = "planar"
mass = 1
inertia = 0.005
position = [0, 0.08]
velocity = [0, 0.5]
shapes.s = {type = "sphere", radius = 0.1}
[[contacts]]
name = "c"
between = ["floor", "b"]
)",
               0.1, 0.01);
  run.run_all();
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.events[0].what, EventKind::touch);
  EXPECT_NEAR(run.events[0].t, 0.05, kEventTime);
  EXPECT_NEAR(run.state.q(1), 0.0925, 1e-12);
  EXPECT_EQ(run.state.u(1), 0.0);
  EXPECT_NEAR(run.report.energy_error, 0.0, 1e-12);
}

/// A wall that a ball rests against, and whose velocity jumps within a step: away, and it leaves the ball where it is;
/// towards it, and it pushes the ball along.
TEST(EventDriven, NoWallThatLeavesPullsABallAlong) {
  const auto move = [](const std::string& wall, const std::string& integrator) {
    EventRun run(fmt::format(R"(
gravity = [0, 0]
bodies.wall = {{type = "moving", position = ["{}", 0], shapes.w = {{type = "half-space", normal = [1, 0]}}}}
bodies.ball = {{type = "point", mass = 1, position = [0.36, 0], shapes.p = {{type = "sphere", radius = 0.36}}}}
contacts = [{{name = "touch", between = ["wall", "ball"]}}]
)",
                             wall),
                 1.5, 0.1, integrator);
    while (run.state.t < 1.5) EXPECT_EQ(run.step(), Status::ok) << run.state.t << ": " << run.report.message;
    return std::pair(run.state.u(0), run.report.contacts[0].gap);
  };
  for (const char* integrator : {"", ", integrator = \"arkode-explicit\"", ", integrator = \"cvode\""}) {
    if (!has_integrator(integrator)) continue;
    for (const char* when : {"1", "1.03"}) {
      SCOPED_TRACE(fmt::format("{} {}", when, integrator));
      const double left = 1.5 - std::stod(when);
      const auto [leaves, gap] = move(fmt::format("-0.25*max(0, t - {})", when), integrator);
      EXPECT_EQ(leaves, 0.0);
      EXPECT_NEAR(gap, 0.25 * left, 1e-12);
      const auto [pushes, none] = move(fmt::format("0.25*max(0, t - {})", when), integrator);
      EXPECT_NEAR(pushes, 0.25, 1e-12);
      EXPECT_NEAR(none, 0.0, 1e-12);
    }
  }
}

/// Velocities of belts, drums and joints that jump within a step: friction drags along what sticks as far as it can,
/// and what a joint's motion takes away leaves what rests against it where it is, at loose tolerances too.
TEST(EventDriven, WhatStartsAtOnceDragsNoFasterThanFrictionCan) {
  const auto run = [](const std::string& text, double end, const std::string& options) {
    EventRun made(text, end, 0.1, options);
    while (made.state.t < end) EXPECT_EQ(made.step(), Status::ok) << made.state.t << ": " << made.report.message;
    return made;
  };
  constexpr double kAfter = 0.17;  // [s] from 1.03 to 1.2
  for (const char* options : {"", ", integrator = \"cvode\"", ", relative_tolerance = 1e-3"}) {
    if (!has_integrator(options)) continue;
    SCOPED_TRACE(options);
    const EventRun belt = run(R"toml(
gravity = [0, -10]
bodies.belt = {type = "moving", position = ["max(0, t - 1.03)", 0], shapes.w = {type = "half-space", normal = [0, 1]}}
bodies.block = {type = "point", mass = 1, position = [0, 0.5], shapes.p = {type = "sphere", radius = 0.5}}
contacts = [{name = "touch", between = ["belt", "block"], friction = 0.2}]
)toml",
                              1.2, options);
    EXPECT_NEAR(belt.state.u(0), 0.2 * 10.0 * kAfter, 1e-6);
    const EventRun drum = run(R"toml(
gravity = [0, 0]
bodies.drum = {type = "moving", position = [0, 0], angle = "max(0, t - 1.03)"}
bodies.arm = {type = "planar", mass = 1, inertia = 1, position = [0, 0]}
joints.hinge = {type = "revolute", between = ["drum", "arm"], at = [0, 0], friction = 2}
)toml",
                              1.2, options);
    EXPECT_NEAR(drum.state.u(2), 2.0 * kAfter, 1e-6);
    const EventRun slider = run(R"toml(
gravity = [0, 0]
bodies.ground = {type = "fixed"}
bodies.slider = {type = "planar", mass = 1, inertia = 1, position = [0, 0], shapes.w = {type = "sphere", radius = 0.5}}
bodies.ball = {type = "point", mass = 1, position = [1, 0], shapes.p = {type = "sphere", radius = 0.5}}
joints.rail = {type = "prismatic", between = ["ground", "slider"], axis = [1, 0], motion = "-0.25*max(0, t - 1.03)"}
contacts = [{name = "touch", between = ["slider", "ball"]}]
)toml",
                                1.5, options);
    EXPECT_NEAR(slider.state.u(3), 0.0, 1e-12);
    EXPECT_NEAR(slider.report.contacts[0].gap, 0.25 * 0.47, 1e-9);
  }
}

/// A belt of 1 m/s that runs at 2 m/s for 20 ms, much less than a step: friction makes the block faster for 20 ms and
/// slower for as long, by 2 m/s^2. Of the belt's way the pulse is 2 %.
TEST(EventDriven, AVelocityThatComesBackWithinAStepIsSeen) {
  for (const char* options : {"", ", integrator = \"arkode-explicit\"", ", integrator = \"cvode\""}) {
    if (!has_integrator(options)) continue;
    SCOPED_TRACE(options);
    EventRun run(R"toml(
gravity = [0, -10]
bodies.belt = {type = "moving", position = ["t + max(0, t - 1.53) - max(0, t - 1.55)", 0], shapes.w = {type = "half-space", normal = [0, 1]}}
bodies.block = {type = "point", mass = 1, position = [0, 0.5], velocity = [1, 0], shapes.p = {type = "sphere", radius = 0.5}}
contacts = [{name = "touch", between = ["belt", "block"], friction = 0.2}]
)toml",
                 2.0, 1.0, options);
    while (run.state.t < 2.0) ASSERT_EQ(run.step(), Status::ok) << run.report.message;
    EXPECT_NEAR(run.state.u(0), 1.0, 1e-9);
    EXPECT_NEAR(run.state.q(0), 2.0 + 0.02 * 0.04, 1e-9);
  }
}

/// Two walls that close on a ball: from when they meet no motion obeys the laws. The run goes on with the least
/// violation, and says when and by how much.
TEST(EventDriven, GoesOnWhereWallsClose) {
  EventRun run(R"(
gravity = [0, 0]
[bodies.l]
type = "moving"
position = ["0.5*t", 0]
shapes.w = {type = "half-space", normal = [1, 0]}
[bodies.r]
type = "fixed"
shapes.w = {type = "half-space", normal = [-1, 0], offset = -1}
[bodies.b]
type = "point"
mass = 1
position = [0.5, 0]
velocity = [0.3, 0]
shapes.p = {type = "point"}
[[contacts]]
name = "left"
between = ["l/w", "b/p"]
restitution = {normal = 0.5}
[[contacts]]
name = "right"
between = ["r/w", "b/p"]
restitution = {normal = 0.5}
)",
               3.0, 0.5);
  while (run.state.t < 1.5) ASSERT_EQ(run.step(), Status::ok);
  ASSERT_EQ(run.step(), Status::inexact);
  EXPECT_NE(run.report.message.find("no percussions keep contacts from closing at t = 2"), std::string::npos)
      << run.report.message;
  // The least violation of walls that close at .5 m/s, of which an impact is to give back a half, is shared by both.
  while (run.state.t < 3.0) {
    ASSERT_EQ(run.step(), Status::inexact);
    EXPECT_NEAR(run.report.missed, 1.5 * 0.5 / std::numbers::sqrt2, 1e-6);
    EXPECT_NEAR(run.state.u(0), 0.25, 1e-6);
  }
  EXPECT_NEAR(run.report.contacts[0].gap + run.report.contacts[1].gap, -0.5, 1e-6);
}

TEST(EventDriven, RefusesContactsThatComeAndGo) {
  try {
    test::open_scene("newtons_cradle", {"scheme={type=\"event-driven\"}"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("event-driven knows its contacts from the start"), std::string::npos);
  }
}

}  // namespace
}  // namespace stickslip
