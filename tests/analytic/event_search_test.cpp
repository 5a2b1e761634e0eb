// SPDX-License-Identifier: BSD-3-Clause
// The scheme event-driven: no event is lost, whatever the step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/event_run.h"

namespace stickslip {
namespace {

using test::EventRun;
using test::kEventFloor;
using test::kEventTime;

/// A point that slides stops v / (mu g) after the start: at the end of a step but for round-off, at several steps.
TEST(EventSearch, StopsAtTheEndOfAStep) {
  for (const double mu : {0.1, 0.2, 0.25, 0.4, 0.5, 0.8}) {
    for (const double h : {0.1, 0.05, 0.02, 0.01}) {
      EventRun run(fmt::format(R"({}
[bodies.b]
type = "point"
mass = 1
velocity = [1, 0]
shapes.p = {{type = "point"}}
[[contacts]]
name = "c"
between = ["floor", "b/p"]
friction = {}
)",
                               kEventFloor, mu),
                   0.1 / mu + h, h);
      run.run_all();
      const std::vector<double> stops = run.times(EventKind::stick);
      ASSERT_EQ(stops.size(), 1U) << mu << ' ' << h;
      EXPECT_NEAR(stops[0], 0.1 / mu, 1e-11);
      EXPECT_NEAR(run.state.q(0), 0.05 / mu, 1e-12);
    }
  }
}

/// Falls of .2 s and flights of .2, .1 ... s: impacts at ends of steps.
TEST(EventSearch, BouncesAtTheEndOfAStep) {
  for (const double h : {0.5, 0.1, 0.01}) {
    EventRun run(std::string(kEventFloor) + R"(
[bodies.b]
type = "point"
mass = 1
position = [0, 0.2]
shapes.p = {type = "point"}
[[contacts]]
name = "c"
between = ["floor", "b/p"]
restitution = {normal = 0.5}
)",
                 1.0, h);
    run.run_all();
    const std::vector<double> impacts = run.times(EventKind::impact);
    ASSERT_EQ(impacts.size(), 19U) << h;
    for (std::size_t k = 0; k < impacts.size(); ++k) {
      EXPECT_NEAR(impacts[k], 0.2 * (3.0 - std::pow(0.5, static_cast<double>(k) - 1.0)), 1e-10);
    }
    EXPECT_EQ(run.state.u(1), 0.0);
  }
}

/// 8 sin(40 pi t) on a block that friction of 3 holds: it slips where the sine first reaches 3 / 8, whatever the step,
/// of which .1 and 1 have the load at its zeros alone; and it slips and turns as often.
TEST(EventSearch, SeesALoadThatIsFasterThanTheStep) {
  std::vector<double> turns;
  for (const double h : {0.01, 0.1, 1.0}) {
    EventRun run(std::string(kEventFloor) + R"toml(
[bodies.block]
type = "point"
mass = 1
shapes.p = {type = "point"}
[[contacts]]
name = "c"
between = ["floor", "block/p"]
friction = 0.3
[forces.push]
type = "load"
body = "block"
force = ["8*sin(2*pi*20*t)", 0]
)toml",
                 1.0, h);
    run.run_all();
    const std::vector<double> slips = run.times(EventKind::slip);
    ASSERT_EQ(slips.size(), 1U) << h;
    EXPECT_NEAR(slips[0], std::asin(3.0 / 8.0) / (40.0 * std::numbers::pi), kEventTime);
    const std::vector<double> found = run.times(EventKind::reversal);
    ASSERT_EQ(found.size(), 39U) << h;
    if (turns.empty()) turns = found;
    for (std::size_t k = 0; k < turns.size(); ++k) EXPECT_NEAR(found[k], turns[k], 1e-8) << h;
  }
}

/// A pulse of 8 N for .018 s on a free mass, between all that a Runge-Kutta step of .1 s sees.
TEST(EventSearch, SeesAPulseWithinAStep) {
  for (const double h : {1.0, 0.1, 0.01}) {
    EventRun run(R"toml(
gravity = [0, 0]
bodies.mass = {type = "point", mass = 1}
forces.push = {type = "load", body = "mass", force = ["(t>0.461)*(t<0.479)*8", 0]}
)toml",
                 1.0, h);
    run.run_all();
    EXPECT_NEAR(run.state.u(0), 8.0 * 0.018, 1e-8) << h;
  }
}

/// A wall at .2 sin(40 pi t) meets a ball whose surface is at .15 where the sine is first 3 / 4, and throws it with the
/// speed that it has.
TEST(EventSearch, SeesAWallThatSwingsThroughWithinAStep) {
  const double meets = std::asin(0.75) / (40.0 * std::numbers::pi);
  for (const double h : {1.0, 0.1, 0.01}) {
    EventRun run(R"toml(
gravity = [0, 0]
[bodies.wall]
type = "moving"
position = ["0.2*sin(2*pi*20*t)", 0]
shapes.f = {type = "half-space", normal = [1, 0]}
[bodies.b]
type = "planar"
mass = 1
inertia = 0.005
position = [0.25, 0]
shapes.s = {type = "sphere", radius = 0.1}
[[contacts]]
name = "c"
between = ["wall/f", "b"]
)toml",
                 0.2, std::min(h, 0.2));
    run.run_all();
    const std::vector<double> impacts = run.times(EventKind::impact);
    ASSERT_EQ(impacts.size(), 1U) << h;
    EXPECT_NEAR(impacts[0], meets, kEventTime);
    EXPECT_NEAR(run.state.u(0), 8.0 * std::numbers::pi * std::sqrt(1.0 - 0.75 * 0.75), 1e-6);
  }
}

/// A bar of 2 m that spins at 10 rad/s with its middle at .9 m and .997 m: its tip meets the floor where sin(angle) is
/// that, in steps of two turns and of a part of one.
TEST(EventSearch, SeesATipThatDipsWithinAStep) {
  for (const double height : {0.9, 0.997}) {
    for (const double h : {0.4 * std::numbers::pi, 0.1}) {
      EventRun run(fmt::format(R"(
gravity = [0, 0]
[bodies.floor]
type = "fixed"
shapes.top = {{type = "half-space", normal = [0, 1]}}
[bodies.bar]
type = "planar"
mass = 1
inertia = 0.3
position = [0, {}]
angular_velocity = 10
shapes.a = {{type = "point", position = [1, 0]}}
shapes.b = {{type = "point", position = [-1, 0]}}
[[contacts]]
name = "a"
between = ["floor", "bar/a"]
[[contacts]]
name = "b"
between = ["floor", "bar/b"]
)",
                               height),
                   h, h);
      while (run.events.empty() && run.state.t < 0.3) run.go_to(run.state.t + h);
      ASSERT_FALSE(run.events.empty()) << height << ' ' << h;
      EXPECT_EQ(run.events[0].what, EventKind::impact);
      EXPECT_NEAR(run.events[0].t, 0.1 * std::asin(height), kEventTime);
    }
  }
}

/// A ball that flies by another one at .1 m, radii together .15: the gap is at its least for a moment of a step.
TEST(EventSearch, SeesABallThatAnotherOneMeetsWithinAStep) {
  EventRun run(R"(
gravity = [0, 0]
[bodies.a]
type = "fixed"
shapes.s = {type = "sphere", radius = 0.05}
[bodies.b]
type = "planar"
mass = 1
inertia = 1
position = [-3, 0.1]
velocity = [10, 0]
shapes.s = {type = "sphere", radius = 0.1}
[[contacts]]
name = "c"
between = ["a", "b"]
)",
               1.0, 1.0);
  run.run_all();
  const std::vector<double> impacts = run.times(EventKind::impact);
  ASSERT_EQ(impacts.size(), 1U);
  EXPECT_NEAR(impacts[0], 0.3 - 0.1 * std::sqrt(0.15 * 0.15 - 0.1 * 0.1), kEventTime);
}

/// A pulse that is shorter than a millisecond is seen for certain where steps are told to be short.
TEST(EventSearch, SeesAShortPulseWithShortSteps) {
  EventRun run(R"toml(
gravity = [0, 0]
bodies.mass = {type = "point", mass = 1}
forces.push = {type = "load", body = "mass", force = ["(t>0.4614)*(t<0.4616)*8", 0]}
)toml",
               1.0, 0.5, ", max_step = 1e-3");
  run.run_all();
  EXPECT_NEAR(run.state.u(0), 8.0 * 2e-4, 1e-8);
}

/// A ball that would fly through another and be on its other side at the next look; then a wall, and the first again.
TEST(EventSearch, NoBallFliesThroughAnother) {
  const auto ball = [](const char* name, double x, double v) {
    return fmt::format(R"(
[bodies.{}]
type = "planar"
mass = 1
inertia = 0.005
position = [{}, 0]
velocity = [{}, 0]
shapes.s = {{type = "sphere", radius = 0.1}}
)",
                       name, x, v);
  };
  const std::string scene =
      "gravity = [0, 0]\n[bodies.room]\ntype = \"fixed\"\n"
      "shapes.wall = {type = \"half-space\", normal = [-1, 0], position = [5, 0]}\n" +
      ball("a", 0.0, 10.0) + ball("b", 2.0, 0.0) + R"(
[[contacts]]
name = "ab"
between = ["a", "b"]
restitution = {normal = 1.0}
[[contacts]]
name = "wa"
between = ["room/wall", "a"]
restitution = {normal = 1.0}
[[contacts]]
name = "wb"
between = ["room/wall", "b"]
restitution = {normal = 1.0}
)";
  for (const double h : {1.0, 0.5, 0.1, 0.01}) {
    EventRun run(scene, 1.0, h);
    run.run_all();
    const std::vector<double> impacts = run.times(EventKind::impact);
    ASSERT_EQ(impacts.size(), 3U) << h;
    EXPECT_NEAR(impacts[0], 0.18, 1e-12);
    EXPECT_NEAR(impacts[1], 0.47, 1e-12);
    EXPECT_NEAR(impacts[2], 0.76, 1e-12);
    EXPECT_NEAR(run.state.q(0), -0.6, 1e-11);
  }
}

/// Gaps that fall below zero and rise again between looks: below a ceiling on the way up, and under forces that are a
/// ramp and a parabola of time, where gaps are of third and fourth order.
TEST(EventSearch, GapsThatFallAndRiseAgainAreFollowed) {
  struct Case {
    const char* start;
    const char* force;
    double (*gap)(double t);
    double within;  // [s] the gap has one zero
  };
  const Case cases[] = {
      {"position = [0, 0.5]\nvelocity = [0, 3.1654]", "=-10", [](double t) { return 0.5 - 3.1654 * t + 5.0 * t * t; },
       0.31},
      {"position = [0, 0.015333333333333]\nvelocity = [0, -0.35]", "4.5-20*t",
       [](double t) { return 0.015333333333333 - 0.35 * t + 2.25 * t * t - 10.0 / 3.0 * t * t * t; }, 0.09},
      {"position = [0, 0.2015]\nvelocity = [0, -3.24]", "4*(12*((t-0.45)/0.5)^2-4*0.36)",
       [](double t) {
         const double s = t - 0.45;
         return 0.2015 - 3.24 * t + 16.0 * (s * s * s * s - std::pow(0.45, 4)) + 64.0 * std::pow(0.45, 3) * t -
                2.88 * t * t;
       },
       0.15}};
  for (const Case& c : cases) {
    double first = 0.0;
    double last = c.within;
    ASSERT_LT(c.gap(last), 0.0);
    for (int i = 0; i < 60; ++i) (c.gap(0.5 * (first + last)) > 0.0 ? first : last) = 0.5 * (first + last);
    for (const double h : {0.01, 0.1, 0.5, 1.0}) {
      EventRun run(fmt::format(R"(
gravity = [0, 0]
[bodies.room]
type = "fixed"
shapes.floor = {{type = "half-space", normal = [0, 1]}}
shapes.ceiling = {{type = "half-space", normal = [0, -1], position = [0, 1]}}
[bodies.b]
type = "point"
mass = 1
{}
shapes.p = {{type = "point"}}
[forces.push]
type = "load"
body = "b"
force = [0, "{}"]
[[contacts]]
between = ["room/floor", "b/p"]
restitution = {{normal = 0.5}}
[[contacts]]
between = ["room/ceiling", "b/p"]
restitution = {{normal = 0.5}}
)",
                               c.start, c.force),
                   1.0, h);
      run.run_all();
      const std::vector<double> impacts = run.times(EventKind::impact);
      ASSERT_FALSE(impacts.empty()) << c.force << ' ' << h;
      EXPECT_NEAR(impacts[0], first, 1e-10) << c.force << ' ' << h;
    }
  }
}

}  // namespace
}  // namespace stickslip
