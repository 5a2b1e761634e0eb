// SPDX-License-Identifier: BSD-3-Clause
// Gears under every scheme against their exact motions: uniform accelerations, which are those of one coordinate with
// the inertias of both.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

class Gears : public testing::TestWithParam<std::string> {
 protected:
  test::SceneRun open(double end, double step, const std::string& text) const {
    return test::scene_from_text(
        fmt::format("stickslip = 1\ntime = {{end = {:.17g}, step = {:.17g}}}\nscheme = {{type = \"{}\"}}\n"
                    "solver = {{tolerance = 1e-12}}\n{}",
                    end, step, GetParam(), text));
  }
  /// How far ahead positions that follow the velocity at the end of a step are under a constant acceleration.
  double calc_lead(double a, double t, double h) const {
    return GetParam() == "ccp" || GetParam() == "stewart-trinkle" ? 0.5 * a * t * h : 0.0;
  }
  /// The exact x(t) = a t^2 / 2 and its rate, in one joint's coordinate, to `digits` of x; the gear holds in every
  /// step.
  void expect_uniform(test::SceneRun& run, std::size_t joint, double a, double digits) {
    const double h = run.scene.time.step;
    double gear = 0.0;
    run.run([&](const test::SceneRun& r) {
      EXPECT_EQ(r.report.fallbacks, 0);
      gear = std::max({gear, r.report.drift_position, r.report.drift_angle});
    });
    const double t = run.state.t;
    const double x = 0.5 * a * t * t;
    EXPECT_NEAR(run.report.joints[joint].rate, a * t, digits * std::abs(a * t));
    EXPECT_NEAR(run.report.joints[joint].coordinate, x + calc_lead(a, t, h), digits * std::abs(x));
    constexpr double kHeld = 1e-10;  // [m, rad] of some ten: the start's tolerance of positions
    EXPECT_LE(gear, kHeld);
  }
};

constexpr double kExact = 1e-9;  // [-] round-off of a thousand steps, and what their solver leaves

/// Two wheels on a fixed base, axes at an angle, a torque on the first's shaft.
TEST_P(Gears, BevelWheelsTurnManyTimesByTheirRatio) {
  constexpr double kRatio = -2.7, kTorque = 0.4, kFirst = 0.02, kSecond = 0.005;
  constexpr double kRate = kTorque / (kFirst + kRatio * kRatio * kSecond);
  test::SceneRun run = open(
      2.0, 1e-3,
      fmt::format("gravity = [0, 0, 0]\n"
                  "bodies.base = {{type = \"fixed\"}}\n"
                  "bodies.one = {{mass = 1, inertia = [0.011, 0.011, {}]}}\n"
                  "bodies.two = {{mass = 0.5, inertia = [0.003, {}, 0.003], position = [0.1, 0.2, 0]}}\n"
                  "joints.gear = {{type = \"gear\", joints = [\"first\", \"second\"], ratio = {}}}\n"
                  "joints.first = {{type = \"revolute\", between = [\"base\", \"one\"], at = [0, 0, 0], axis = [0, "
                  "0, 1], force = \"{}\"}}\n"
                  "joints.second = {{type = \"revolute\", between = [\"base\", \"two\"], at = [0.1, 0.2, 0], axis "
                  "= [0, 1, 0]}}\n",
                  kFirst, kSecond, kRatio, kTorque));
  ASSERT_EQ(run.built.system->joints()[2].options.name, "gear");  // behind those that it couples
  // ccp and stewart-trinkle turn by 2 atan(w h/2) for w h, which is short of it by (w h)^2/12, generalized-alpha
  // likewise; w up to 39 rad/s, that of the second wheel.
  expect_uniform(run, 0, kRate, GetParam() == "moreau" ? kExact : 1.3e-4);
  EXPECT_GT(run.report.joints[0].coordinate, 2.0 * kTurn);
  EXPECT_NEAR(run.report.joints[1].coordinate, kRatio * run.report.joints[0].coordinate, 1e-9);
  constexpr double kForce = 1e-8;  // [N m]
  EXPECT_NEAR(run.report.joints[2].reaction_torque.y(), kSecond * kRatio * kRate, kForce);
}

/// A rack that falls past its pinion: m g = (m + I / r^2) a.
TEST_P(Gears, RackTurnsItsPinion) {
  constexpr double kMass = 1.2, kInertia = 0.01, kRadius = 0.1;
  constexpr double kRate = kMass * test::kGravity / (kMass + kInertia / (kRadius * kRadius));
  test::SceneRun run =
      open(1.0, 1e-3,
           fmt::format("gravity = [0, -9.81]\n"
                       "bodies.base = {{type = \"fixed\"}}\n"
                       "bodies.rack = {{type = \"planar\", mass = {}, inertia = 0.1, position = [{}, 0]}}\n"
                       "bodies.pinion = {{type = \"planar\", mass = 3, inertia = {}}}\n"
                       "joints.rail = {{type = \"prismatic\", between = [\"base\", \"rack\"], axis = [0, -1]}}\n"
                       "joints.axle = {{type = \"revolute\", between = [\"base\", \"pinion\"], at = [0, 0]}}\n"
                       "joints.teeth = {{type = \"gear\", joints = [\"rail\", \"axle\"], ratio = {}}}\n",
                       kMass, kRadius, kInertia, 1.0 / kRadius));
  expect_uniform(run, 0, kRate, kExact);
  EXPECT_NEAR(run.report.joints[1].coordinate, run.report.joints[0].coordinate / kRadius, 1e-9);
}

/// A planet's arm that turns by the sun's torque: hinges in a row, the planet turning by -2 against the arm. With
/// theta the arm's angle the planet's is -theta, so that T = (I_arm + m l^2 + I_planet) a.
TEST_P(Gears, PlanetOnADrivenArm) {
  constexpr double kArm = 0.3, kMass = 0.5, kOfArm = 0.02, kOfPlanet = 0.004, kTorque = 0.3;
  constexpr double kRate = kTorque / (kOfArm + kMass * kArm * kArm + kOfPlanet);
  constexpr double kEnd = 2.0;  // [s]
  const auto error = [&](double h) {
    test::SceneRun run =
        open(kEnd, h,
             fmt::format("gravity = [0, 0]\n"
                         "bodies.base = {{type = \"fixed\"}}\n"
                         "bodies.arm = {{type = \"planar\", mass = 1, inertia = {}}}\n"
                         "bodies.planet = {{type = \"planar\", mass = {}, inertia = {}, position = [{}, 0]}}\n"
                         "joints.sun = {{type = \"revolute\", between = [\"base\", \"arm\"], at = [0, 0], force = "
                         "\"{}\"}}\n"
                         "joints.pin = {{type = \"revolute\", between = [\"arm\", \"planet\"], at = [{}, 0]}}\n"
                         "joints.gear = {{type = \"gear\", joints = [\"sun\", \"pin\"], ratio = -2}}\n",
                         kOfArm, kMass, kOfPlanet, kArm, kTorque, kArm));
    double apart = 0.0;
    run.run([&](const test::SceneRun& r) {
      apart = std::max(apart, std::abs(r.report.joints[1].coordinate + 2.0 * r.report.joints[0].coordinate));
    });
    constexpr double kHeld = 1e-9;  // [rad]
    EXPECT_LE(apart, kHeld);
    EXPECT_GT(run.report.joints[0].coordinate, kTurn);
    return std::abs(run.report.joints[0].rate - kRate * kEnd);
  };
  // The planet's centre goes round a circle, which the schemes follow to their order.
  const double coarse = error(1e-3);
  const double fine = error(5e-4);
  EXPECT_GT(std::log2(coarse / fine), GetParam() == "generalized-alpha" ? 1.9 : 0.9) << coarse << " " << fine;
  EXPECT_LT(fine, 1e-2 * kRate * kEnd);
}

INSTANTIATE_TEST_SUITE_P(All, Gears, testing::Values("moreau", "ccp", "stewart-trinkle", "generalized-alpha"),
                         [](const auto& c) {
                           std::string name = c.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace stickslip
