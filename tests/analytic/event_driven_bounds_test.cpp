// SPDX-License-Identifier: BSD-3-Clause
// The scheme event-driven where a step might never end: boxes that rock to rest with friction, bodies that turn fast.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "stickslip/base/input_error.h"
#include "tests/support/event_run.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::EventRun;

/// A box in a plane that falls on a slope and rocks on two corners, which bounce with e = .5 and stick.
std::string make_rocking_box(double slope, double tilt, double width, double height, double rate) {
  const double x = -std::sin(slope);
  const double y = std::cos(slope);
  const double up = 0.5 * (std::abs(std::sin(tilt - slope)) * width + std::abs(std::cos(tilt - slope)) * height) + 0.02;
  return fmt::format(R"(
gravity = [0, -9.81]
[bodies.ground]
type = "fixed"
shapes.top = {{type = "half-space", normal = [{:.17g}, {:.17g}], offset = 0}}
[bodies.box]
type = "planar"
mass = 0.6
inertia = 0.04
position = [{:.17g}, {:.17g}]
angle = {:.17g}
angular_velocity = {:.17g}
shapes.s = {{type = "box", size = [{}, {}]}}
[[contacts]]
between = ["ground", "box"]
friction = 0.9
restitution = {{normal = 0.5}}
)",
                     x, y, up * x, up * y, tilt, rate, width, height);
}

TEST(EventDrivenBounds, RockingEndsWhateverTheStep) {
  struct Case {
    double slope, tilt, width, height, rate;
  };
  for (const Case& c : {Case{0.0955, 0.23, 0.49, 0.73, -1.5}, Case{0.0, 0.2, 0.5, 0.5, 0.0},
                        Case{0.2, 0.3, 0.8, 0.4, -1.0}, Case{0.05, -0.1, 0.3, 0.3, 1.0}}) {
    const std::string box = make_rocking_box(c.slope, c.tilt, c.width, c.height, c.rate);
    Vector rest;
    for (const double step : {2.0, 0.4, 0.25}) {
      EventRun run(box, 2.0, step);
      run.run_all();
      SCOPED_TRACE(fmt::format("slope {}, tilt {}, step {}", c.slope, c.tilt, step));
      EXPECT_LT(run.events.size(), 2000U);
      EXPECT_LT(run.state.u.norm(), 1e-12);
      EXPECT_NEAR(std::remainder(run.state.q(2) - c.slope, 0.5 * std::acos(-1.0)), 0.0, 1e-9);
      if (rest.size() == 0) rest = run.state.q;
      EXPECT_LT((run.state.q - rest).norm(), 1e-4);
    }
  }
}

std::string make_top(double rate) {
  return fmt::format(R"(
gravity = [0, 0, -9.81]
[bodies.floor]
type = "fixed"
shapes.top = {{type = "half-space", normal = [0, 0, 1]}}
[bodies.top]
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0, 0, 0.5]
angular_velocity = [0, 0, {:g}]
shapes.s = {{type = "sphere", radius = 0.5}}
[[contacts]]
between = ["floor", "top"]
friction = 0.3
)",
                     rate);
}

/// What would take hours, or never end, fails with the name of the body that turns so fast.
TEST(EventDrivenBounds, WhatTurnsTooFastIsNamed) {
  for (const auto& [rate, step] : {std::pair(1e5, 1.0), std::pair(1e9, 0.01), std::pair(1e100, 1e-3)}) {
    EventRun run(make_top(rate), step, step);
    EXPECT_EQ(run.step(), Status::failed);
    EXPECT_NE(run.report.message.find("body 'top' turns at"), std::string::npos) << run.report.message;
  }
  EventRun run(make_top(1e5), 1e-3, 1e-3);
  ASSERT_EQ(run.step(), Status::ok) << run.report.message;
  EXPECT_NEAR(run.state.u(5), 1e5, 1e-3);
}

/// Links that land one after the other: what the contact solver leaves of an impact is no other impact. The energy
/// error and the overlap are round-off.
TEST(EventDrivenBounds, ImpactsOfAChainAreSolvedOnce) {
  test::SceneRun run = test::open_scene("chain_rigid", {"scheme.type=event-driven", "time.end=0.2"});
  std::size_t impacts = 0;
  run.run([&](const test::SceneRun& r) {
    for (const StepEvent& event : r.report.events) impacts += event.what == EventKind::impact ? 1 : 0;
    EXPECT_LT(r.report.penetration, 1e-12) << r.state.t;
    EXPECT_LT(std::abs(r.report.energy_error), 1e-9) << r.state.t;
  });
  EXPECT_GT(impacts, 10u);
  EXPECT_LT(impacts, 100u);
}

/// A pendulum of two links that overlap at their joint, as of a converted model: where no two shapes may touch there
/// are no contacts to detect. The energy of the double pendulum is kept.
TEST(EventDrivenBounds, TakesDetectionWhereNothingMayTouch) {
  const auto make = [](const std::string& contact_default) {
    return "stickslip = 1\ntime = {end = 0.5, step = 0.05}\nscheme = {type = \"event-driven\"}\ncontact_default = {" +
           contact_default + R"(}
bodies.ground = {type = "fixed"}
bodies.a = {density = 1000, position = [0.5, 0, 0], shapes.s = {type = "box", size = [1.1, 0.1, 0.1]}}
bodies.b = {density = 1000, position = [1.5, 0, 0], shapes.s = {type = "box", size = [1.1, 0.1, 0.1]}}
joints.one = {type = "revolute", between = ["ground", "a"], at = [0, 0, 0], axis = [0, 1, 0]}
joints.two = {type = "revolute", between = ["a", "b"], at = [1, 0, 0], axis = [0, 1, 0]}
)";
  };
  EXPECT_THROW(test::scene_from_text(make("")), InputError);
  test::SceneRun run = test::scene_from_text(make("except = [[\"a\", \"b\"]]"));
  run.run([](const test::SceneRun& r) {
    EXPECT_LT(std::abs(r.report.energy_error), 1e-6) << r.state.t;
    EXPECT_TRUE(r.report.contacts.empty());
  });
}

}  // namespace
}  // namespace stickslip
