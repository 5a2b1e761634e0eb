// SPDX-License-Identifier: BSD-3-Clause
// Screws, knife edges in space and discs that roll by a joint, under every scheme.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "stickslip/scene/load_scene.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::scene_from_text;
using test::SceneRun;

constexpr double kFall = 9.81;  // [m/s^2]

/// Fixed base, body of 2 kg, joints; the scheme's name and its error at a step of 1 ms, which is of `order`.
struct SchemeOrder {
  std::string name;
  int order;
};

class ScrewsAndDiscs : public testing::TestWithParam<SchemeOrder> {
 protected:
  SceneRun open(double step, double end, const std::string& text) const {
    return scene_from_text("stickslip = 1\ntime = {end = " + std::to_string(end) + ", step = " + std::to_string(step) +
                           "}\nscheme.type = \"" + GetParam().name + "\"\nbodies.base.type = \"fixed\"\n" + text);
  }
  /// [-] of the motion, at this step [s] and a rate of 1/s
  double allowed(double step) const { return GetParam().order == 1 ? 5.0 * step : 50.0 * step * step + 1e-9; }
};

TEST_P(ScrewsAndDiscs, ANutThatFallsTurns) {
  // m z' = -m g + f, J w' = -k f, z' = k w: z' = -g m / (m + J / k^2).
  const double pitch = -0.5;
  SceneRun run = open(1e-3, 0.5, R"(
gravity = [0, 0, -9.81]
bodies.nut = {mass = 2, inertia = [0.02, 0.02, 0.03], position = [0.1, 0, 0]}
joints.thread = {type = "screw", between = ["base", "nut"], at = [0.1, 0, 0], axis = [0, 0, 1], pitch = -0.5}
)");
  EXPECT_EQ(parse_scene(to_toml(run.scene), "again.toml"), run.scene);
  run.run();
  const double k = pitch / (2.0 * std::numbers::pi);
  const double z = -0.5 * kFall * 2.0 / (2.0 + 0.03 / (k * k)) * 0.25;
  EXPECT_NEAR(run.state.q(2), z, allowed(1e-3) * std::abs(z));
  EXPECT_NEAR(run.report.joints[0].coordinate, z / k, allowed(1e-3) * std::abs(z / k));
  EXPECT_NEAR(run.report.joints[0].coordinate * k, run.state.q(2), 1e-7);
}

TEST_P(ScrewsAndDiscs, ABladeInSpaceGoesRoundACircle) {
  SceneRun run = open(1e-3, 1.0, R"(
bodies.skate = {mass = 2, inertia = [0.005, 0.01, 0.005], position = [0, 0, 0.1], velocity = [0.7, 0, 0], angular_velocity = [0, 0, 1.3]}
joints.flat = {type = "planar", between = ["base", "skate"], at = [0, 0, 0], axis = [0, 0, 1]}
joints.blade = {type = "knife-edge", between = ["base", "skate"], at = [0, 0, 0.1], direction = [1, 0, 0], normal = [0, 0, 1]}
)");
  EXPECT_EQ(parse_scene(to_toml(run.scene), "again.toml"), run.scene);
  run.run();
  EXPECT_NEAR(run.state.q(0), 0.7 / 1.3 * std::sin(1.3), allowed(1e-3));
  EXPECT_NEAR(run.state.q(1), 0.7 / 1.3 * (1.0 - std::cos(1.3)), allowed(1e-3));
}

/// Of radius R = .1, its axle 20 degrees from the plane; `spin` about it and `turn` about the normal [rad/s], its
/// lowest point at rest.
std::string leaning_disc(double spin, double turn) {
  const double lean = std::numbers::pi / 9.0;
  const double c = std::cos(lean), s = std::sin(lean);
  // In axes of the body: axle y, up z.
  const Vector3 w(0.0, spin + turn * s, turn * c);
  const double v = 0.1 * w.y();  // along x: w x (R up)
  return "gravity = [0, 0, -9.81]\nbodies.disc = {mass = 2, inertia = [0.005, 0.01, 0.005], position = [0, 0, " +
         std::to_string(0.1 * c) + "], rotation = {axis = [1, 0, 0], angle = " + std::to_string(lean) +
         "}, velocity = [" + std::to_string(v) + ", 0, 0], angular_velocity = [0, " + std::to_string(w.y()) + ", " +
         std::to_string(w.z()) + "]}\njoints.rolls = {type = \"rolling\", between = [\"base\", \"disc\"], axis = [0, " +
         std::to_string(c) + ", " + std::to_string(s) + "], normal = [0, 0, 1], radius = 0.1}\n";
}

TEST_P(ScrewsAndDiscs, ADiscRollsDownASlope) {
  SceneRun run = open(1e-3, 0.5, R"(
gravity = [4.905, 0, -8.495709]
bodies.disc = {mass = 2, inertia = [0.005, 0.01, 0.005], position = [0, 0, 0.1]}
joints.rolls = {type = "rolling", between = ["base", "disc"], axis = [0, 1, 0], normal = [0, 0, 1], radius = 0.1}
)");
  EXPECT_EQ(parse_scene(to_toml(run.scene), "again.toml"), run.scene);
  run.run();
  const double x = 0.5 * 2.0 / 3.0 * 0.5 * kFall * 0.25;  // J = m R^2 / 2
  EXPECT_NEAR(run.state.q(0), x, allowed(1e-3) * x);
  // What holds it: friction m g sin / 3 up the slope, at its lowest point; m g cos across.
  EXPECT_NEAR(run.report.joints[0].reaction_force.x(), -2.0 / 3.0 * 4.905, 1e-6);
  EXPECT_NEAR(run.report.joints[0].reaction_force.z(), 2.0 * 8.495709, 1e-6);
  EXPECT_NEAR(run.report.joints[0].reaction_torque.y(), 0.1 * 2.0 / 3.0 * 4.905, 1e-6);
}

TEST_P(ScrewsAndDiscs, ALeaningDiscGoesRoundAtItsSteadyRate) {
  // With lean a of the axle from the plane, w = spin + turn sin a about the axle, I about a diameter, C about the axle:
  // the centre's acceleration R w turn is that of friction, and dL/dt = turn x L is the torque of the contact force,
  //   turn cos a ((C + m R^2) w - I turn sin a) = -m g R sin a.
  const double lean = std::numbers::pi / 9.0;
  const double c = std::cos(lean), s = std::sin(lean);
  const double turn = -1.5, I = 0.005, C = 0.01, mR2 = 0.02;
  const double spin = (I * turn * s - 2.0 * kFall * 0.1 * s / (turn * c)) / (C + mR2) - turn * s;
  SceneRun run = open(5e-4, 1.0, leaning_disc(spin, turn));
  double least = 1.0, most = 0.0;
  run.run([&](const SceneRun& at) {
    least = std::min(least, at.state.q(2));
    most = std::max(most, at.state.q(2));
  });
  const double error = GetParam().order == 1 ? 5e-4 : 2e-6;  // [m] 1 m/s times the step
  EXPECT_NEAR(least, 0.1 * c, error);
  EXPECT_NEAR(most, 0.1 * c, error);
}

INSTANTIATE_TEST_SUITE_P(Schemes, ScrewsAndDiscs,
                         testing::Values(SchemeOrder{"moreau", 1}, SchemeOrder{"ccp", 1},
                                         SchemeOrder{"stewart-trinkle", 1}, SchemeOrder{"generalized-alpha", 2},
                                         SchemeOrder{"event-driven", 2}, SchemeOrder{"relaxation", 2}),
                         [](const testing::TestParamInfo<SchemeOrder>& of) {
                           std::string name = of.param.name;
                           std::erase(name, '-');
                           return name;
                         });

TEST(RollingJoint, AStepThatLaysTheDiscFlatFailsAndLeavesTheState) {
  // 2e-6 rad from flat, and 1.5e-6 rad nearer at the end of the step, about its lowest point.
  SceneRun run = scene_from_text(R"(
stickslip = 1
time = {end = 1, step = 1.5e-6}
bodies.base.type = "fixed"
bodies.disc = {mass = 2, inertia = [0.005, 0.01, 0.005], angular_velocity = [1, 0, 0], velocity = [0, 0, -0.1]}
joints.rolls = {type = "rolling", between = ["base", "disc"], axis = [0, 2e-6, 1], normal = [0, 0, 1], radius = 0.1}
scheme.type = "moreau"
)");
  const Vector q = run.state.q, u = run.state.u;
  EXPECT_EQ(run.step(), Status::failed);
  EXPECT_NE(run.report.message.find("joints.rolls"), std::string::npos) << run.report.message;
  EXPECT_EQ(run.state.q, q);
  EXPECT_EQ(run.state.u, u);
}

/// An upright disc that falls sideways, by several degrees in the step in which it would lie flat.
TEST(RollingJoint, ADiscThatFallsFlatEndsTheRun) {
  for (const char* scheme : {"moreau", "ccp", "stewart-trinkle", "generalized-alpha"}) {
    SceneRun run = scene_from_text(std::string(R"(
stickslip = 1
time = {end = 2, step = 7e-3}
bodies.base.type = "fixed"
bodies.disc = {mass = 2, inertia = [0.005, 0.01, 0.005], angular_velocity = [0.5, 0, 0], velocity = [0, -0.05, 0]}
joints.rolls = {type = "rolling", between = ["base", "disc"], axis = [0, 1, 0], normal = [0, 0, 1], radius = 0.1}
scheme.type = ")") + scheme + "\"\n");
    Status status = Status::ok;
    while (run.state.t < 1.999 && status != Status::failed) status = run.step();
    EXPECT_EQ(status, Status::failed) << scheme;
    EXPECT_NE(run.report.message.find("joints.rolls"), std::string::npos) << scheme << ": " << run.report.message;
  }
}

}  // namespace
}  // namespace stickslip
