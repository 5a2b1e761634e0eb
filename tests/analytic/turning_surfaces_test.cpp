// SPDX-License-Identifier: BSD-3-Clause
// Prescribed surfaces that turn or tilt carry what sticks to them, under the schemes on velocities.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

class TurningSurfaces : public testing::TestWithParam<std::string> {
 protected:
  static SceneRun open(const std::string& text, double end, double h) {
    std::ostringstream scene;
    scene.precision(17);
    scene << "stickslip = 1\nscheme = {type = \"" << GetParam()
          << "\"}\nsolver = {tolerance = 1e-12}\ntime = {end = " << end << ", step = " << h << "}\n"
          << text;
    return test::scene_from_text(scene.str());
  }
};

constexpr const char* kTable = R"toml(
[bodies.table]
type = "moving"
rotation = {axis = [0, 0, 1], angle = "t"}
shapes.top = {type = "half-space", normal = [0, 0, 1]}
)toml";

TEST_P(TurningSurfaces, AGrainKeepsItsCircle) {
  for (const double h : {0.01, 0.05}) {
    const double turns = 3.0;
    const auto n = static_cast<int>(std::lround(turns * 2.0 * std::numbers::pi / h));
    SceneRun run = open(std::string(kTable) + R"toml(
[bodies.grain]
type = "point"
mass = 1
position = [1, 0, 0]
velocity = [0, 1, 0]
shapes.tip = {type = "point"}
[[contacts]]
between = ["table", "grain"]
friction = 1
)toml",
                        n * h, h);
    run.run();
    const double radius = run.state.q.head<2>().norm();
    const double along = std::atan2(run.state.q(1), run.state.q(0)) - std::remainder(n * h, 2.0 * std::numbers::pi);
    EXPECT_LT(std::abs(radius - 1.0), 2.0 * turns * h * h);
    EXPECT_LT(std::abs(along), 4.0 * turns * h * h);
    // It starts along the tangent, not along the chord: by h/2.
    EXPECT_LT(std::abs(run.state.energy.work), 0.2 * h * h);
    EXPECT_LT(std::abs(run.state.energy.dissipated), 0.2 * h * h);
    EXPECT_NEAR(run.state.q(2), 0.0, 1e-12);
  }
}

/// A box whose corners are found, off centre: it turns with the table, and no friction pulls its corners together.
TEST_P(TurningSurfaces, ABoxKeepsItsPlaceOnTheTable) {
  const double h = 0.02;
  const double turns = 2.0;
  const auto n = static_cast<int>(std::lround(turns * 2.0 * std::numbers::pi / h));
  SceneRun run = open(std::string(kTable) + R"toml(
[bodies.box]
mass = 1
inertia = [0.02, 0.03, 0.04]
position = [0.8, 0, 0.1]
velocity = [0, 0.8, 0]
angular_velocity = [0, 0, 1]
shapes.hull = {type = "box", size = [0.4, 0.3, 0.2]}
[contact_default]
friction = 0.6
)toml",
                      n * h, h);
  double slip = 0.0;
  run.run([&](const SceneRun& r) {
    for (const ContactReport& c : r.report.contacts) {
      if (c.status == ContactStatus::slip) slip = std::max(slip, std::hypot(c.velocity[1], c.velocity[2]));
    }
  });
  const double angle = n * h;
  const Vector3 at = run.built.system->calc_pose(1, run.state.t, run.state.q).p_WB;
  const Matrix3 R = run.built.system->calc_pose(1, run.state.t, run.state.q).R_WB;
  EXPECT_LT(std::abs(at.head<2>().norm() - 0.8), 2.0 * turns * h * h * 0.8);
  EXPECT_LT((at - 0.8 * Vector3(std::cos(angle), std::sin(angle), 0.125)).norm(), 4.0 * turns * h * h * 0.8);
  EXPECT_LT((R - Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix()).norm(), 4.0 * turns * h * h);
  EXPECT_LT(slip, 1e-9);
  EXPECT_LT(std::abs(run.state.energy.dissipated), 1e-4);
}

/// A ramp that tilts to and fro by .3 rad, below the angle of friction: the box stays where it is on it.
TEST_P(TurningSurfaces, ABoxKeepsItsPlaceOnATiltingRamp) {
  const double h = 5e-3;
  SceneRun run = open(R"toml(
[bodies.ramp]
type = "moving"
rotation = {axis = [0, 1, 0], angle = "0.3*sin(2*t)"}
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies.box]
mass = 2
inertia = [0.03, 0.03, 0.04]
position = [0.5, 0.1, 0.1]
velocity = [0.06, 0, -0.3]
angular_velocity = [0, 0.6, 0]
shapes.hull = {type = "box", size = [0.3, 0.3, 0.2]}
[contact_default]
friction = 0.8
)toml",
                      3.0, h);
  run.run();
  const double angle = 0.3 * std::sin(2.0 * run.state.t);
  const Vector3 at = run.built.system->calc_pose(1, run.state.t, run.state.q).p_WB;
  const Vector3 on_ramp = Eigen::AngleAxisd(-angle, Vector3::UnitY()) * at;
  EXPECT_LT((on_ramp - Vector3(0.5, 0.1, 0.1)).norm(), 1e-4);  // .9 % of .5 m before
}

TEST_P(TurningSurfaces, APlanarBoxKeepsItsPlaceOnATiltingRamp) {
  const double h = 5e-3;
  SceneRun run = open(R"toml(
gravity = [0, -9.81]
[bodies.ramp]
type = "moving"
angle = "0.25*sin(3*t)"
shapes.top = {type = "half-space", normal = [0, 1]}
[bodies.box]
type = "planar"
mass = 2
inertia = 0.03
position = [0.5, 0.1]
velocity = [-0.075, 0.375]
angular_velocity = 0.75
shapes.left = {type = "point", position = [-0.1, -0.1]}
shapes.right = {type = "point", position = [0.1, -0.1]}
[[contacts]]
between = ["ramp", "box"]
friction = 0.9
)toml",
                      6.0, h);
  run.run();
  const double angle = 0.25 * std::sin(3.0 * run.state.t);
  const Eigen::Vector2d on_ramp = Eigen::Rotation2Dd(-angle) * run.state.q.head<2>();
  EXPECT_LT((on_ramp - Eigen::Vector2d(0.5, 0.1)).norm(), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Schemes, TurningSurfaces, testing::Values("moreau", "ccp", "stewart-trinkle"),
                         [](const auto& i) { return i.param == "stewart-trinkle" ? "stewart_trinkle" : i.param; });

}  // namespace
}  // namespace stickslip
