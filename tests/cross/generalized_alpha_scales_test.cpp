// SPDX-License-Identifier: BSD-3-Clause
// The generalized-alpha scheme where numbers are far apart: units, places, speeds, masses, stiffness and friction.
// Nothing in the scheme may depend on units, and what one body does may not spoil another.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "tests/cross/scheme_scene.h"

namespace stickslip {
namespace {

using test::SceneRun;
using test::SchemeScene;

/// Units by their number in a metre, a kilogram and a second. Powers of four: scaling is then exact, roots
/// included.
struct Units {
  double L = 1.0, M = 1.0, T = 1.0;
};

/// A scene in which every number has its units, by parameters L, M, T.
SceneRun open_in(const Units& units, const std::string& scene, double step, double end) {
  std::ostringstream head;
  head.precision(17);
  head << "stickslip = 1\nscheme = {type = \"generalized-alpha\", tolerance = 1e-11}\nparameters = {L = " << units.L
       << ", M = " << units.M << ", T = " << units.T << "}\n"
       << "time = {end = " << end * units.T << ", step = " << step * units.T << "}\n";
  return test::scene_from_text(head.str() + scene);
}

const std::vector<std::pair<const char*, std::string>>& scaled_scenes() {
  static const std::vector<std::pair<const char*, std::string>> scenes = {
      {"bounces on two walls", R"toml(gravity = [0, "=-9.81*L/T^2"]
[bodies.ball]
type = "planar"
mass = "=M"
inertia = "=0.004*M*L^2"
position = ["=-0.5*L", "=L"]
shapes.hull = {type = "sphere", radius = "=0.1*L"}
[bodies.walls]
type = "fixed"
shapes.right = {type = "half-space", normal = [-1, 1], offset = 0}
shapes.left = {type = "half-space", normal = [1, 1], offset = 0}
[[contacts]]
name = "right"
between = ["walls/right", "ball"]
friction = 0.3
restitution = {normal = 0.5}
[[contacts]]
name = "left"
between = ["walls/left", "ball"]
friction = 0.3
)toml"},
      {"slides in a cylinder", R"toml(gravity = [0, "=-9.81*L/T^2"]
[bodies.ball]
type = "planar"
mass = "=M"
inertia = "=0.004*M*L^2"
position = ["=-0.9*L", "=L"]
shapes.hull = {type = "sphere", radius = "=0.1*L"}
[bodies.cylinder]
type = "fixed"
position = [0, "=L"]
shapes.wall = {type = "sphere", radius = "=L", inside = true}
[[contacts]]
name = "c"
between = ["cylinder", "ball"]
friction = 0.1
)toml"},
      {"a rod through Painleve's paradox", R"toml(gravity = [0, "=-10*L/T^2"]
[bodies.rod]
type = "planar"
mass = "=M"
inertia = "=M*L^2/3"
position = [0, "=L*sin(0.75)"]
angle = -0.75
velocity = ["=14*L/T", "=2*L/T*cos(0.75)"]
angular_velocity = "=-2/T"
shapes.tip = {type = "point", position = ["=L", 0]}
[bodies.ground]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
[[contacts]]
name = "tip"
between = ["ground", "rod/tip"]
friction = "=5/3"
)toml"},
      {"a top", R"toml(gravity = [0, 0, "=-9.81*L/T^2"]
[bodies.top]
type = "rigid"
mass = "=6e-3*M"
inertia = ["=8e-7*M*L^2", "=8e-7*M*L^2", "=7e-7*M*L^2"]
position = [0, 0, "=1.2015e-2*L"]
rotation = {axis = [1, 0, 0], angle = 0.1}
angular_velocity = [0, 0, "=180/T"]
shapes.body = {type = "sphere", radius = "=1.5e-2*L", position = [0, 0, "=3e-3*L"]}
[bodies.ground]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}
[[contacts]]
name = "main"
between = ["ground", "top/body"]
friction = 0.3
)toml"},
      {"a spring, a joint and dry friction", R"toml(gravity = [0, "=-9.81*L/T^2"]
[bodies.link]
type = "planar"
mass = "=2*M"
inertia = "=0.1*M*L^2"
position = ["=0.5*L", 0]
[bodies.mass]
type = "point"
mass = "=M"
position = ["=2*L", 0]
[bodies.frame]
type = "fixed"
[joints.pin]
type = "revolute"
between = ["frame", "link"]
at = [0, 0]
[forces.spring]
type = "spring"
between = ["link", "mass"]
at_a = ["=0.5*L", 0]
stiffness = "=1000*M/T^2"
damping = "=3*M/T"
rest = "=L"
[forces.friction]
type = "dry-friction"
between = ["frame", "mass"]
axis = [1, 0]
bound = "=2*M*L/T^2"
)toml"}};
  return scenes;
}

TEST(GeneralizedAlphaScales, UnitsPlayNoPart) {
  for (const auto& [what, scene] : scaled_scenes()) {
    for (const Units units : {Units{1024.0, 1024.0, 1024.0}, Units{1.0 / 16384.0, 1.0 / 65536.0, 4.0}}) {
      SceneRun si = open_in({}, scene, 1.0 / 1024, 0.5);
      SceneRun scaled = open_in(units, scene, 1.0 / 1024, 0.5);
      const auto n = std::lround(si.scene.time.end / si.scene.time.step);
      for (long i = 0; i < n; ++i) {
        ASSERT_EQ(si.step(), Status::ok) << what << " " << i << " " << si.report.message;
        ASSERT_EQ(scaled.step(), Status::ok) << what << " " << i << " " << scaled.report.message;
        ASSERT_EQ(si.report.solve.iterations, scaled.report.solve.iterations) << what << " step " << i;
      }
      for (const Body& body : si.built.system->bodies()) {
        for (int k = 0; k < body.n_u; ++k) {
          const int n_lengths = body.type == BodyType::rigid ? 3 : 2;
          const double unit = (k < n_lengths ? units.L : 1.0) / units.T;
          // Lengths and angles meet in the choice of pivots: to round-off.
          const double round_off = 1e-11 * unit * si.state.u.cwiseAbs().maxCoeff();
          EXPECT_NEAR(si.state.u(body.u_offset + k) * unit, scaled.state.u(body.u_offset + k), round_off) << what;
        }
      }
    }
  }
}

TEST(GeneralizedAlphaScales, FrictionThatStopsAtOnceThrowsNothing) {
  // A disc slides with mu = 1e6. Its friction acts for 1e-7 s, until it rolls: u = 2/3 u0 (J = m R^2 / 2); until then
  // it moves by less than u0 dt, and energy only falls.
  SceneRun run = SchemeScene({.end = 0.01})
                     .add_ball("disc", 1.0, 0.005, 0.1, 0.0, 0.1, "velocity = [1, 0]\n")
                     .add_floor()
                     .add_contact("floor", "disc", 1e6)
                     .open();
  ASSERT_EQ(run.step(), Status::ok) << run.report.message;
  EXPECT_NEAR(run.state.u(0), 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(run.state.u(2), -2.0 / 3.0 / 0.1, 1e-11);
  EXPECT_GT(run.state.q(0), 0.0);
  EXPECT_LE(run.state.q(0), 1e-3);
  EXPECT_LE(std::abs(run.state.q(2)), 1e-2);
  ASSERT_NO_THROW(run.run());
  EXPECT_NEAR(run.state.u(0), 2.0 / 3.0, 1e-11);
}

TEST(GeneralizedAlphaScales, ARodThatFrictionStopsAtOnceGainsNoEnergy) {
  // The tip stops at once and the rod turns about it: energy falls in the first step by the impact's loss, and then
  // stays.
  for (const double mu : {10.0, 1e3, 1e6}) {
    for (const char* velocity : {"[1, 0]", "[-1, 0]"}) {
      SceneRun run = test::open_scene(
          "papers/capobianco/sliding_rod",
          {"scheme.type=generalized-alpha", "scheme.r=\"auto\"", "time.step=1e-3", "time.end=0.02",
           std::string("bodies.rod.velocity=") + velocity, "contacts.tip-ground.friction=" + std::to_string(mu)});
      const double energy = run.report.kinetic_energy + run.report.potential_energy;
      run.run([&](const SceneRun& r) {
        // Of second order: dt^2 g |a|, a few g.
        EXPECT_LE(r.report.kinetic_energy + r.report.potential_energy, energy + 1e-4) << mu << velocity << r.state.t;
      });
    }
  }
}

/// A ball that slides and rolls in a cylinder, its centre at (x0, 1), the angle it starts from phi0.
SceneRun ball_in_cylinder(double x0, double phi0, const std::string& more = "") {
  return SchemeScene({.tolerance = 1e-10})
      .add_ball("ball", 1.0, 0.004, 0.0625, x0 - 0.75, 0.5, "angle = " + std::to_string(phi0) + "\n")
      .add_room(x0, 1.0)
      .add_contact("room", "ball", 0.1)
      .add(more)
      .open();
}

TEST(GeneralizedAlphaScales, FarFromTheOriginOnlyRoundOffIsLost) {
  SceneRun here = ball_in_cylinder(0.0, 0.0);
  SceneRun far = ball_in_cylinder(0x1p20, 0.0);
  ASSERT_NO_THROW(here.run());
  ASSERT_NO_THROW(far.run());
  // Coordinates have an error of 1e-10 m there; directions one of 1e-10 rad in the round wall.
  EXPECT_LE((here.state.u - far.state.u).head<2>().norm(), 1e-6);
  EXPECT_LE(far.report.penetration, 1e-8);
}

TEST(GeneralizedAlphaScales, HowOftenADiscHasTurnedSaysNothingOfLengths) {
  SceneRun few = ball_in_cylinder(0.0, 0.0);
  SceneRun many = ball_in_cylinder(0.0, 0x1p30);
  const auto n = std::lround(few.scene.time.end / few.scene.time.step);
  for (long i = 0; i < n; ++i) {
    ASSERT_EQ(few.step(), Status::ok);
    ASSERT_EQ(many.step(), Status::ok);
    ASSERT_EQ(few.report.solve.iterations, many.report.solve.iterations) << i;
  }
  EXPECT_EQ(few.state.q.head<2>(), many.state.q.head<2>());
  EXPECT_EQ(few.state.u, many.state.u);
}

/// A fast body, and what it may not spoil.
constexpr const char* kShot =
    "[bodies.shot]\ntype = \"planar\"\nmass = 1e6\ninertia = 1e6\nposition = [0, 5]\nvelocity = [1e6, 0]\n"
    "angular_velocity = 1e5\n";

TEST(GeneralizedAlphaScales, AFastBodyElsewhereSpoilsNothing) {
  SceneRun alone = ball_in_cylinder(0.0, 0.0);
  SceneRun beside = ball_in_cylinder(0.0, 0.0, kShot);
  ASSERT_NO_THROW(alone.run());
  ASSERT_NO_THROW(beside.run());
  // Its own tolerance, 1e-10 of its way, over the thousand steps.
  EXPECT_LE((alone.state.q - beside.state.q.head<3>()).norm(), 1e-7);
  EXPECT_LE((alone.state.u - beside.state.u.head<3>()).norm(), 1e-7);
}

TEST(GeneralizedAlphaScales, AStiffSpringAtRestIsExactToRoundOff) {
  // k = 1e8 N/m, m = 1 kg: the ends' round-off alone is 1e-8 N, a thousand times the tolerance.
  for (const double k : {1e6, 1e8, 1e10}) {
    std::ostringstream spring;
    spring.precision(17);
    spring << "[bodies.mass]\ntype = \"point\"\nmass = 1\nposition = [0.7, " << 1.3 - 9.81 / k << "]\n"
           << "[bodies.frame]\ntype = \"fixed\"\n[forces.spring]\ntype = \"spring\"\n"
           << "between = [\"frame\", \"mass\"]\nat_a = [0.7, 2.3]\nat_b = [0, 0]\nstiffness = " << k << "\nrest = 1\n";
    SceneRun run = SchemeScene({.end = 0.1}).add(spring.str()).open();
    run.run([&](const SceneRun& r) { EXPECT_LE(std::abs(r.state.u(1)), 1e-6) << k; });
    EXPECT_NEAR(run.state.q(1), 1.3 - 9.81 / k, 1e-13) << k;
  }
}

/// A disc on a light one of 1 kg.
SceneRun heavy_on_light(double mass, const std::string& more = "") {
  return SchemeScene({.end = 0.1})
      .add_ball("light", 1.0, 0.03125, 0.25, 0.0, 0.25)
      .add_ball("heavy", mass, 0.03125 * mass, 0.25, 0.0, 0.75)
      .add_floor()
      .add(more)
      .add_contact("floor", "light", 0.3)
      .add_contact("light", "heavy", 0.3)
      .open();
}

TEST(GeneralizedAlphaScales, AHeavyDiscRestsOnALightOne) {
  for (const double ratio : {1e3, 1e6, 1e9, 1e12}) {
    SceneRun run = heavy_on_light(ratio);
    run.run([&](const SceneRun& r) {
      constexpr double kSolved = 1e-10;  // [-] ten times the tolerance
      EXPECT_NEAR(r.report.contacts[0].force[0] / (9.81 * (1.0 + ratio)), 1.0, kSolved) << ratio;
      EXPECT_NEAR(r.report.contacts[1].force[0] / (9.81 * ratio), 1.0, kSolved) << ratio;
      EXPECT_LE(r.report.penetration, 1e-14) << ratio;
    });
    EXPECT_LE(run.state.u.norm(), 1e-12) << ratio;
  }
}

/// A rope of light points over a drum between heavy bodies: it holds, is about to slip, and slips (the ratio of
/// tensions is the product of (1 + mu tan(d/2)) / (1 - mu tan(d/2)) over the corners). Each step is one.
TEST(GeneralizedAlphaScales, ARopeOfLightPointsSlidesInWholeSteps) {
  constexpr int kPoints = 13;
  constexpr double kMu = 0.3;
  const double d = std::numbers::pi / (kPoints - 1);
  const double corner = (1.0 + kMu * std::tan(0.5 * d)) / (1.0 - kMu * std::tan(0.5 * d));
  const double limit = std::pow(corner, kPoints - 1);  // both ends turn by d/2
  for (const double mass : {1e-6, 1e-5, 1e-3}) {
    for (const double ratio : {0.7, 1.15}) {
      std::string text =
          "stickslip = 1\nscheme = {type = \"generalized-alpha\"}\ntime = {end = 0.02, step = 1e-3}\n"
          "contact_default = {friction = 0.3}\ngravity = [0, -9.81]\n"
          "bodies.drum = {type = \"fixed\", shapes.s = {type = \"sphere\", radius = 1}}\n";
      for (int k = 0; k < kPoints; ++k) {
        const double angle = std::numbers::pi - d * k;
        text += fmt::format(
            "bodies.p{} = {{type = \"point\", mass = {}, position = [{:.17g}, {:.17g}], "
            "shapes.s = {{type = \"point\"}}}}\n",
            k, mass, std::cos(angle), std::sin(angle));
      }
      text += fmt::format(
          "bodies.a = {{type = \"planar\", mass = 1, inertia = 0.1, position = [-1, -0.5]}}\n"
          "bodies.b = {{type = \"planar\", mass = {:.17g}, inertia = 0.1, position = [1, -0.5]}}\n"
          "joints.a = {{type = \"distance\", between = [\"a\", \"p0\"]}}\n"
          "joints.b = {{type = \"distance\", between = [\"p{}\", \"b\"]}}\n",
          ratio * limit, kPoints - 1);
      for (int k = 0; k + 1 < kPoints; ++k) {
        text += fmt::format("joints.d{} = {{type = \"distance\", between = [\"p{}\", \"p{}\"]}}\n", k, k, k + 1);
      }
      SceneRun run = test::scene_from_text(text);
      run.run([&](const SceneRun& r) {
        ASSERT_EQ(r.report.status, Status::ok) << mass << ' ' << ratio << ' ' << r.state.t;
        EXPECT_LE(r.report.parts, 1) << mass << ' ' << ratio << ' ' << r.state.t;
      });
      const double fall = run.state.u(run.built.system->bodies().back().u_offset + 1);
      if (ratio < 1.0) {
        EXPECT_NEAR(fall, 0.0, 1e-6) << mass;
      } else {
        EXPECT_LT(fall, -1e-3) << mass;
      }
    }
  }
}

TEST(GeneralizedAlphaScales, AFastBodyElsewhereExcusesNothing) {
  // At a mass ratio of 1e13 round-off of the heavy disc's percussion, eight units of its last place, moves the light
  // one by more than a hundredth of its way: the step is inexact, whether something far off moves or not.
  for (const char* more : {"", kShot}) {
    EXPECT_EQ(heavy_on_light(1e12, more).step(), Status::ok) << more;
    EXPECT_EQ(heavy_on_light(1e13, more).step(), Status::inexact) << more;
  }
}

/// A disc of radius R (m, kg, s by the size), `gap` above the floor, with `velocity`.
SceneRun disc_at_start(double R, double gap, double sinking) {
  std::ostringstream velocity;
  velocity.precision(17);
  velocity << "velocity = [0, " << -sinking << "]\n";
  return SchemeScene({})
      .add_ball("disc", 1.0, 0.5 * R * R, R, 0.0, R + gap, velocity.str())
      .add_floor()
      .add_contact("floor", "disc", 0.3)
      .open();
}

TEST(GeneralizedAlphaScales, WhatIsClosedAtTheStartIsAMatterOfSize) {
  // Apart by a tenth of its radius, however small that is: free fall.
  for (const double R : {1e-9, 1e-3, 1.0, 1e6}) {
    EXPECT_EQ(disc_at_start(R, 0.1 * R, 0.0).report.contacts[0].force[0], 0.0) << R;
    // Closed but for the digits of the scene file.
    EXPECT_NEAR(disc_at_start(R, 1e-11 * R, 0.0).report.contacts[0].force[0], 9.81, 1e-9) << R;
    // It rises with a small part of the speed that it would fall with over its size: closed; with a hundredth: open.
    const double fall = std::sqrt(9.81 * R);
    EXPECT_NEAR(disc_at_start(R, 0.0, -1e-11 * fall).report.contacts[0].force[0], 9.81, 1e-9) << R;
    EXPECT_EQ(disc_at_start(R, 0.0, -0.01 * fall).report.contacts[0].force[0], 0.0) << R;
  }
}

}  // namespace
}  // namespace stickslip
