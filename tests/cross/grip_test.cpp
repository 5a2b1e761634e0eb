// SPDX-License-Identifier: BSD-3-Clause
// A box between two parallel pads, each of which touches it in four points: more than its forces need.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

/// An arm of three joints with springs closes its pads within 0.2 s and lifts from 0.5 s on. Friction could hold ten
/// times the weight.
std::string grip(const std::string& scheme) {
  return "stickslip = 1\ntime = {end = 1.2, step = 5e-4}\nscheme = {type = \"" + scheme + "\"}\n" + R"scene(
[bodies.ground]
type = "fixed"
shapes.floor = {type = "half-space", normal = [0, 0, 1]}
[bodies.arm]
group = "hand"
mass = 3
inertia = [0.05, 0.05, 0.05]
position = [-0.4, 0, 0.181301050508]
[bodies.cuff]
group = "hand"
mass = 1.2
inertia = [0.0026, 0.0026, 0.0022]
position = [0, 0.1, 0.231301050508]
[bodies.palm]
group = "hand"
mass = 0.6
inertia = [0.001, 0.001, 0.001]
position = [0, 0, 0.131301050508]
[bodies.left]
group = "hand"
mass = 0.1
inertia = [5e-5, 5e-5, 5e-5]
position = [-0.0256707134425, 0, 0.0613010505079]
shapes.pad = {type = "box", size = [0.012, 0.03, 0.09]}
[bodies.right]
group = "hand"
mass = 0.1
inertia = [5e-5, 5e-5, 5e-5]
position = [0.0256707134425, 0, 0.0613010505079]
shapes.pad = {type = "box", size = [0.012, 0.03, 0.09]}
[bodies.box]
density = 1440.35238957
position = [0, 0.00187247491316, 0.0313010505079]
shapes.box = {type = "box", size = [0.0353414268851, 0.0510775657196, 0.0626021010157]}
[joints.shoulder]
type = "revolute"
between = ["ground", "arm"]
at = [-0.8, 0, 0.181301050508]
axis = [0, 1, 0]
spring = {stiffness = 2000, damping = 80}
force = "-2000*0.197535005472*(t < 0.5 ? 0 : (t < 1.5 ? 0.5*(1 - cos(pi*(t - 0.5))) : 1)) - 18.0504"
[joints.wrist]
type = "revolute"
between = ["arm", "cuff"]
at = [0, 0.1, 0.231301050508]
axis = [0, 1, 0]
friction = 0.3
spring = {stiffness = 100, damping = 2}
force = "100*0.197535005472*(t < 0.5 ? 0 : (t < 1.5 ? 0.5*(1 - cos(pi*(t - 0.5))) : 1))"
[joints.roll]
type = "revolute"
between = ["cuff", "palm"]
at = [0, 0, 0.231301050508]
axis = [1, 0, 0]
friction = 0.3
spring = {stiffness = 100, damping = 2}
[joints.fl]
type = "prismatic"
between = ["palm", "left"]
axis = [1, 0, 0]
limits = [-0.02, 0.04]
force = "15.4223045312*min(1, t/0.2)"
spring = {damping = 20}
[joints.fr]
type = "prismatic"
between = ["palm", "right"]
axis = [-1, 0, 0]
limits = [-0.02, 0.04]
force = "15.4223045312*min(1, t/0.2)"
spring = {damping = 20}
[contact_default]
friction = 0.67673265403
except = [["group:hand", "group:hand"]]
)scene";
}

/// [m] and [-] of a body that is free in space, the k-th of them.
Eigen::Isometry3d pose(const State& state, int k) {
  const auto q = state.q.segment<7>(7 * k);
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translate(Vector3(q.head<3>()));
  pose.rotate(Eigen::Quaterniond(q(3), q(4), q(5), q(6)));
  return pose;
}

class Grip : public testing::TestWithParam<const char*> {};

TEST_P(Grip, HoldsABoxThatIsLifted) {
  test::SceneRun run = test::scene_from_text(grip(GetParam()));
  constexpr int kPad = 3;
  constexpr int kBox = 5;
  Eigen::Isometry3d held = Eigen::Isometry3d::Identity();
  double turn = 0.0;
  double slip = 0.0;
  run.run([&](const test::SceneRun& now) {
    const Eigen::Isometry3d at = pose(now.state, kPad).inverse() * pose(now.state, kBox);
    if (now.state.t < 0.45) {
      held = at;
      return;
    }
    turn = std::max(turn, Eigen::AngleAxisd((held.inverse() * at).linear()).angle());
    slip = std::max(slip, (at.translation() - held.translation()).norm());
  });
  EXPECT_LT(turn, 1e-3);
  EXPECT_LT(slip, 1e-5);
  EXPECT_GT(pose(run.state, kBox).translation()(2), 0.06);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Grip, testing::Values("moreau", "ccp"));

}  // namespace
}  // namespace stickslip
