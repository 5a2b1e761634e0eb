// SPDX-License-Identifier: BSD-3-Clause
// Surfaces that turn or tilt carry what sticks to them, under the schemes on velocities: prescribed ones, ones that a
// joint turns, and pads of a grip that swings.
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

/// Where a body is as another one sees it.
Vector3 place_on(const SceneRun& run, int body, int carrier) {
  const Pose on = run.built.system->calc_pose(carrier, run.state.t, run.state.q);
  return on.R_WB.transpose() * (run.built.system->calc_pose(body, run.state.t, run.state.q).p_WB - on.p_WB);
}

/// A table on a hinge, whose centre lies on the axis or beside it, driven or free.
TEST_P(TurningSurfaces, ABoxKeepsItsPlaceOnATableThatAJointTurns) {
  const double h = 0.02;
  const double turns = 2.0;
  const auto n = static_cast<int>(std::lround(turns * 2.0 * std::numbers::pi / h));
  for (const char* centre : {"0", "0.3"}) {
    for (const char* motion : {"motion = \"t\"", ""}) {
      std::ostringstream scene;
      scene << R"toml(
[bodies.base]
type = "fixed"
[bodies.table]
mass = 5
inertia = [0.2, 0.2, 0.3]
position = [)toml"
            << centre << R"toml(, 0, 0]
velocity = [0, )toml"
            << centre << R"toml(, 0]
angular_velocity = [0, 0, 1]
shapes.top = {type = "box", size = [1.6, 1.6, 0.04]}
[bodies.box]
mass = 0.5
inertia = [0.001, 0.001, 0.001]
position = [0.4, 0.1, 0.07]
velocity = [-0.1, 0.4, 0]
angular_velocity = [0, 0, 1]
shapes.hull = {type = "box", size = [0.1, 0.1, 0.1]}
[joints.axle]
type = "revolute"
between = ["base", "table"]
at = [0, 0, 0]
axis = [0, 0, 1]
)toml" << motion
            << R"toml(
[contact_default]
friction = 0.8
)toml";
      SceneRun run = open(scene.str(), n * h, h);
      const Vector3 start = place_on(run, 2, 1);
      run.run();
      const double r = std::hypot(0.4, 0.1);
      const Vector3 at = run.built.system->calc_pose(2, run.state.t, run.state.q).p_WB;
      EXPECT_LT(std::abs(at.head<2>().norm() - r), 2.0 * turns * h * h * r) << centre << motion;
      EXPECT_LT((place_on(run, 2, 1) - start).norm(), 4.0 * turns * h * h * r) << centre << motion;
    }
  }
}

/// A tray goes round on a wheel and stays level: it does not turn, but joints bend its way.
TEST_P(TurningSurfaces, ABoxKeepsItsPlaceOnALevelTrayThatGoesRound) {
  SceneRun run = open(R"toml(
[bodies.base]
type = "fixed"
[bodies.arm]
mass = 1
inertia = [0.02, 0.02, 0.02]
position = [0.25, 0, 0]
velocity = [0, 0, -0.25]
angular_velocity = [0, 1, 0]
[bodies.tray]
mass = 1
inertia = [0.02, 0.02, 0.02]
position = [0.5, 0, 0]
velocity = [0, 0, -0.5]
shapes.top = {type = "box", size = [0.4, 0.4, 0.04]}
[bodies.box]
mass = 0.5
inertia = [0.001, 0.001, 0.001]
position = [0.52, 0.03, 0.07]
velocity = [0, 0, -0.5]
shapes.hull = {type = "box", size = [0.1, 0.1, 0.1]}
[joints.axle]
type = "revolute"
between = ["base", "arm"]
at = [0, 0, 0]
axis = [0, 1, 0]
motion = "t"
[joints.hinge]
type = "revolute"
between = ["arm", "tray"]
at = [0.5, 0, 0]
axis = [0, 1, 0]
[[couplings]]
name = "level"
joints = ["axle", "hinge"]
coefficients = [1, 1]
[contact_default]
friction = 0.8
)toml",
                      4.0, 0.01);
  const Vector3 start = place_on(run, 3, 2);
  run.run();
  EXPECT_LT((place_on(run, 3, 2) - start).norm(), 4.0 * 1e-4);
}

/// A hand on a hinge swings a box between two pads on slides to and fro by 1.6 rad, at three times the friction that
/// its weight and its swing ask for.
TEST_P(TurningSurfaces, AGripThatSwingsHoldsABox) {
  for (const double h : {0.01, 0.005}) {
    SceneRun run = open(R"toml(
[bodies.base]
type = "fixed"
[bodies.hand]
mass = 2
inertia = [0.01, 0.01, 0.01]
position = [0, 0, -0.5]
[bodies.left]
mass = 0.2
inertia = [0.001, 0.001, 0.001]
position = [0, -0.06, -0.6]
shapes.pad = {type = "box", size = [0.06, 0.02, 0.06]}
[bodies.right]
mass = 0.2
inertia = [0.001, 0.001, 0.001]
position = [0, 0.06, -0.6]
shapes.pad = {type = "box", size = [0.06, 0.02, 0.06]}
[bodies.box]
mass = 1
inertia = [0.002, 0.002, 0.002]
position = [0.01, 0, -0.605]
shapes.hull = {type = "box", size = [0.1, 0.1, 0.1]}
[joints.arm]
type = "revolute"
between = ["base", "hand"]
at = [0, 0, 0]
axis = [0, 1, 0]
motion = "0.8 * (1 - cos(3 * t))"
[joints.on_left]
type = "prismatic"
between = ["hand", "left"]
at = [0, -0.06, -0.6]
axis = [0, 1, 0]
force = 40
[joints.on_right]
type = "prismatic"
between = ["hand", "right"]
at = [0, 0.06, -0.6]
axis = [0, -1, 0]
force = 40
[contact_default]
friction = 0.8
)toml",
                        4.0, h);
    const Vector3 start = place_on(run, 4, 1);
    run.run();
    EXPECT_LT((place_on(run, 4, 1) - start).norm(), 1e-4) << h;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, TurningSurfaces, testing::Values("moreau", "ccp", "stewart-trinkle"),
                         [](const auto& i) { return i.param == "stewart-trinkle" ? "stewart_trinkle" : i.param; });

}  // namespace
}  // namespace stickslip
