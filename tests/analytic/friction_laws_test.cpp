// SPDX-License-Identifier: BSD-3-Clause
// Laws of friction that are no number, under every scheme, against closed forms.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

constexpr double kWeight = 9.81;  // [N] of the block

class FrictionLaws : public testing::TestWithParam<std::string> {
 protected:
  /// A block of 1 kg in the plane that slides along x on a floor, at a velocity, under a force.
  static SceneRun open_block(const std::string& friction, double velocity, const std::string& force, double end) {
    const std::string text = R"(stickslip = 1
gravity = [0, -9.81]
time = {end = )" + std::to_string(end) +
                             R"(, step = 1e-3}
scheme = {type = ")" + GetParam() +
                             R"("}
solver = {tolerance = 1e-12}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1]}
[bodies.block]
type = "planar"
mass = 1
inertia = 0.1
position = [0, 0.01]
velocity = [)" + std::to_string(velocity) +
                             R"(, 0]
shapes.box = {type = "box", size = [0.4, 0.02]}
[forces.push]
type = "load"
body = "block"
force = [)" + force + R"(, 0]
[[contacts]]
between = ["floor", "block"]
friction = )" + friction;
    return test::scene_from_text(text);
  }
  static bool has_events() { return GetParam() == "event-driven"; }
};

/// Of static and kinetic friction, which the relaxation refuses.
class StaticFriction : public FrictionLaws {};

/// A force that grows breaks the block away at mu_s m g; from then on m a = F - mu_k m g.
TEST_P(StaticFriction, BreaksAwayAtTheStaticBoundAndSlidesWithTheKineticOne) {
  SceneRun run = open_block("{static = 0.5, kinetic = 0.3}", 0.0, "\"9.81*t\"", 0.8);
  run.run([](const SceneRun& r) {
    if (r.state.t < 0.499) {
      EXPECT_LT(std::abs(r.state.u(0)), 1e-9) << r.state.t;
    }
  });
  const double t = 0.8;
  const double velocity = kWeight * ((t * t - 0.25) / 2.0 - 0.3 * (t - 0.5));
  // Two steps of the acceleration at the end: one begins as it sticks, and forces may be those of the start of a step.
  EXPECT_NEAR(run.state.u(0), velocity, has_events() ? 1e-8 : 2e-3 * kWeight * (t - 0.3));
}

/// Uphill, with tan between kinetic and static friction: the block stops and stays.
TEST_P(StaticFriction, WhatKineticFrictionWouldTurnBackStays) {
  SceneRun run = open_block("{static = 0.5, kinetic = 0.3}", 2.0, "-3.924", 0.5);
  run.run();
  const double way = 2.0 * 2.0 / (2.0 * (0.3 * kWeight + 3.924));
  EXPECT_NEAR(run.state.q(0), way, has_events() ? 1e-8 : 2e-3);
  EXPECT_NEAR(run.state.u(0), 0.0, 1e-9);
}

/// What stops in the first step of a run.
TEST_P(StaticFriction, StopsWithinTheFirstStep) {
  SceneRun run = open_block("{static = 0.9, kinetic = 0.6}", 0.002, "0", 0.003);
  run.run();
  EXPECT_NEAR(run.state.u(0), 0.0, 1e-9);
}

/// Where a force is larger than static friction the block turns back, and slides with kinetic friction.
TEST_P(StaticFriction, WhatStaticFrictionDoesNotHoldTurnsBack) {
  SceneRun run = open_block("{static = 0.35, kinetic = 0.3}", 2.0, "-3.924", 0.6);
  run.run();
  const double stops = 2.0 / (0.3 * kWeight + 3.924);
  const double velocity = -(3.924 - 0.3 * kWeight) * (0.6 - stops);
  EXPECT_NEAR(run.state.u(0), velocity, has_events() ? 1e-8 : 4e-3);
}

/// A stick_speed above the slip keeps friction static in steps.
TEST_P(StaticFriction, IsStaticUpToTheStickSpeed) {
  if (has_events()) GTEST_SKIP() << "what slides is kinetic there";
  SceneRun run = open_block("{static = 0.5, kinetic = 0.3, stick_speed = 10}", 2.0, "0", 0.2);
  if (run.built.stepper->knows_accelerations()) {
    EXPECT_NEAR(run.report.a(0), -0.5 * kWeight, 1e-9);
  }
  run.run();
  EXPECT_NEAR(run.state.u(0), 2.0 - 0.5 * kWeight * 0.2, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(, StaticFriction,
                         testing::Values("moreau", "ccp", "stewart-trinkle", "generalized-alpha", "event-driven"),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::erase(name, '-');
                           return name;
                         });

/// mu = c v: m v' = -c g v, which never stops.
TEST_P(FrictionLaws, MuThatGrowsWithSpeedDecaysExponentially) {
  SceneRun run = open_block("\"0.2*v\"", 3.0, "0", 0.5);
  run.run();
  const double exact = 3.0 * std::exp(-0.2 * kWeight * 0.5);
  EXPECT_NEAR(run.state.u(0), exact, has_events() ? 1e-8 : 2e-3 * exact);
}

/// mu = a + b v under a force: v' = (F/m - a g) - b g v.
TEST_P(FrictionLaws, MuThatGrowsWithSpeedHasATerminalSpeed) {
  SceneRun run = open_block("\"= 0.1 + 0.2*v\"", 0.0, "2.943", 0.5);
  run.run();
  const double terminal = (2.943 - 0.1 * kWeight) / (0.2 * kWeight);
  const double exact = terminal * (1.0 - std::exp(-0.2 * kWeight * 0.5));
  EXPECT_NEAR(run.state.u(0), exact, has_events() ? 1e-8 : 4e-3 * exact);
}

/// mu(0) holds what rests, though mu is less at any speed.
TEST_P(FrictionLaws, MuAtRestHolds) {
  SceneRun run = open_block("\"0.1 + 0.4*exp(-v/0.01)\"", 0.0, "4.4", 0.2);
  run.run();
  EXPECT_LT(std::abs(run.state.q(0)), GetParam() == "relaxation" ? 1e-4 : 1e-9);
}

/// The axis of time of the block on a belt: mu m g until it has the belt's speed v after v / (mu g).
TEST_P(FrictionLaws, ABeltTakesABlockToItsSpeed) {
  for (const char* velocity : {"2", "-2"}) {
    const double belt = std::stod(velocity);
    const std::string text = R"(stickslip = 1
gravity = [0, -9.81]
time = {end = 0.5, step = 1e-3}
solver = {tolerance = 1e-12}
scheme = {type = ")" + GetParam() +
                             R"("}
[bodies.floor]
type = "fixed"
shapes.belt = {type = "half-space", normal = [0, 1], surface_velocity = [")" +
                             velocity + R"(", 3]}
[bodies.block]
type = "planar"
mass = 1
inertia = 0.1
position = [0, 0.01]
shapes.box = {type = "box", size = [0.4, 0.02]}
[[contacts]]
between = ["floor", "block"]
friction = 0.5
)";
    SceneRun run = test::scene_from_text(text);
    const double reached = 2.0 / (0.5 * kWeight);
    run.run([&](const SceneRun& r) {
      const bool slides = r.state.t < reached - 1e-3;
      if (slides || r.state.t > reached + 0.02) {
        EXPECT_NEAR(r.state.u(0), slides ? 0.25 * belt * kWeight * r.state.t : belt, 1e-3) << r.state.t;
      }
    });
    const double way = belt * (0.5 - 0.5 * reached);
    EXPECT_NEAR(run.state.q(0), way, has_events() ? 1e-8 : 4e-3);
    EXPECT_NEAR(run.state.energy.work, 4.0, has_events() ? 1e-7 : 0.02);  // m v^2: half of it is kinetic energy
    EXPECT_NEAR(run.state.energy.dissipated, 2.0, has_events() ? 1e-7 : 0.02);
    EXPECT_LT(std::abs(run.report.energy_error), has_events() ? 1e-7 : 0.02);
  }
}

/// A ball on a belt rolls in the end, with 2/7 of the belt's speed.
TEST_P(FrictionLaws, ABallOnABeltRollsAtTwoSevenths) {
  SceneRun run = test::scene_from_text(R"(stickslip = 1
time = {end = 0.2, step = 1e-3}
solver = {tolerance = 1e-12}
scheme = {type = ")" + GetParam() + R"("}
[bodies.floor]
type = "fixed"
rotation = {axis = [0, 0, 1], angle = 0.5}
shapes.belt = {type = "half-space", normal = [0, 0, 1], surface_velocity = [1.2286155866465218, -0.6711957540458842, 0]}
[bodies.ball]
density = 1000
position = [0, 0, 0.1]
shapes.ball = {type = "sphere", radius = 0.1}
[[contacts]]
between = ["floor", "ball"]
friction = 0.5
)");
  run.run();
  EXPECT_NEAR(run.state.u(0), 0.4, has_events() ? 1e-8 : 2e-3);
  EXPECT_NEAR(run.state.u(1), 0.0, 1e-9);
}

/// A surface that turns about an axis drags as a body that turns does.
TEST_P(FrictionLaws, ASurfaceThatTurnsDragsAsABodyThatTurns) {
  const auto end_of = [](const std::string& table) {
    SceneRun run = test::scene_from_text(R"(stickslip = 1
time = {end = 0.1, step = 1e-3}
solver = {tolerance = 1e-12}
scheme = {type = ")" + GetParam() + R"("}
[bodies.table]
)" + table + R"(
[bodies.ball]
density = 1000
position = [0.5, 0.2, 0.1]
shapes.ball = {type = "sphere", radius = 0.1}
[[contacts]]
between = ["table", "ball"]
friction = 0.1
)");
    run.run();
    Vector end(6);
    end << run.state.u.head(3), run.state.energy.work, run.state.energy.dissipated, run.state.q(0);
    return end;
  };
  const Vector body = end_of(R"(type = "moving"
rotation = {axis = [0, 0, 1], angle = "3*t + t^2"}
shapes.top = {type = "half-space", normal = [0, 0, 1]})");
  const Vector surface = end_of(R"(type = "fixed"
position = [-1, 0, 0]
shapes.top = {type = "half-space", normal = [0, 0, 1], surface_velocity = {axis = [0, 0, 2], rate = "3 + 2*t", at = [1, 0, 0]}})");
  EXPECT_LT((body - surface).norm(), 1e-9) << body.transpose() << "\n" << surface.transpose();
}

/// The velocity after a time of a slip (along, across) under friction x and y, by v' = -g E^2 v / |E v|, E = diag(x,
/// y): maximal dissipation in the ellipse.
std::array<double, 2> slide_on_ellipse(double x, double y, std::array<double, 2> v, double time) {
  constexpr int kSteps = 2000;
  const double h = time / kSteps;
  const auto rate = [&](const std::array<double, 2>& w) {
    const double size = std::hypot(x * w[0], y * w[1]);
    return std::array<double, 2>{-kWeight * x * x * w[0] / size, -kWeight * y * y * w[1] / size};
  };
  for (int i = 0; i < kSteps; ++i) {
    const auto a = rate(v);
    const auto b = rate({v[0] + 0.5 * h * a[0], v[1] + 0.5 * h * a[1]});
    for (int k = 0; k < 2; ++k) v[k] += h * b[k];
  }
  return v;
}

constexpr const char* kEllipse = R"(
[bodies.floor]
type = "fixed"
rotation = {axis = [0, 0, 1], angle = 0.7}
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies.block]
type = "point"
mass = 1
velocity = [1, 1.5, 0]
shapes.foot = {type = "point"}
[[contacts]]
between = ["floor", "block"]
friction = {x = 0.2, y = 0.5, direction = [3, 4, 0.5]}
)";

std::string ellipse_scene(const std::string& scheme, double end) {
  const std::string facets = scheme == "stewart-trinkle" ? ", facets = 0" : "";
  return "stickslip = 1\ntime = {end = " + std::to_string(end) + ", step = 1e-3}\nsolver = {tolerance = 1e-12}\n" +
         "scheme = {type = \"" + scheme + "\"" + facets + "}\n" + kEllipse;
}

TEST_P(FrictionLaws, FrictionOfTwoDirectionsTurnsTheSlip) {
  SceneRun run = test::scene_from_text(ellipse_scene(GetParam(), 0.2));
  run.run();
  const double angle = 0.7 + std::atan2(4.0, 3.0);
  const auto turn = [](const std::array<double, 2>& v, double by) {
    return std::array<double, 2>{std::cos(by) * v[0] - std::sin(by) * v[1], std::sin(by) * v[0] + std::cos(by) * v[1]};
  };
  const std::array<double, 2> exact = turn(slide_on_ellipse(0.2, 0.5, turn({1.0, 1.5}, -angle), 0.2), angle);
  const double tolerance = has_events() ? 1e-7 : 3e-3;
  EXPECT_NEAR(run.state.u(0), exact[0], tolerance);
  EXPECT_NEAR(run.state.u(1), exact[1], tolerance);
  // What is reported is in unit vectors along the direction and across: friction on the ellipse, and the slip.
  const ContactReport& contact = run.report.contacts[0];
  EXPECT_NEAR(contact.tangent(0), std::cos(angle), 1e-12);
  EXPECT_NEAR(contact.tangent(1), std::sin(angle), 1e-12);
  // Within a step friction may turn by 1e-3 rad, and the sum is then shorter by the square of that.
  EXPECT_NEAR(std::hypot(contact.percussion[1] / 0.2, contact.percussion[2] / 0.5), contact.percussion[0],
              1e-6 * contact.percussion[0]);
  const std::array<double, 2> slip = turn({run.state.u(0), run.state.u(1)}, -angle);
  EXPECT_NEAR(contact.velocity[1], slip[0], 1e-9);
  EXPECT_NEAR(contact.velocity[2], slip[1], 1e-9);
}

INSTANTIATE_TEST_SUITE_P(, FrictionLaws,
                         testing::Values("moreau", "ccp", "stewart-trinkle", "generalized-alpha", "event-driven",
                                         "relaxation"),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace stickslip
