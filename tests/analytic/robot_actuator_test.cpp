// SPDX-License-Identifier: BSD-3-Clause
// Arms with actuators of MJCF: what they reach, and what they bear, against statics.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "stickslip/robots/convert_model.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;

constexpr int kJoints = 6;  // [-]

/// Six hinges, geared, whose targets are those of a keyframe; the wrist's first has a motor beside its servo.
const char* const kArm = R"(<mujoco model="arm">
<compiler angle="radian"/><option timestep="0.002"/>
<default><geom contype="0" conaffinity="0"/><position kp="2" kv="0.08" ctrlrange="-200 200"/></default>
<worldbody><body name="b1" pos="0 0 0.1"><joint name="j1" axis="0 0 1"/><geom type="capsule" size="0.06" fromto="0 0 0 0 0 0.3" mass="4"/>
<body name="b2" pos="0 0 0.3"><joint name="j2" axis="0 1 0" range="-2 2"/><geom type="capsule" size="0.05" fromto="0 0 0 0 0 0.4" mass="3"/>
<body name="b3" pos="0 0 0.4"><joint name="j3" axis="0 1 0" range="-2.5 2.5"/><geom type="capsule" size="0.04" fromto="0 0 0 0.3 0 0" mass="2"/>
<body name="b4" pos="0.3 0 0"><joint name="j4" axis="1 0 0"/><geom type="capsule" size="0.03" fromto="0 0 0 0.1 0 0" mass="1"/>
<body name="b5" pos="0.1 0 0"><joint name="j5" axis="0 1 0"/><geom type="capsule" size="0.03" fromto="0 0 0 0.08 0 0" mass="0.6"/>
<body name="b6" pos="0.08 0 0"><joint name="j6" axis="1 0 0"/><geom type="box" size="0.02 0.05 0.02" pos="0.02 0.03 0" mass="0.4"/>
</body></body></body></body></body></body></worldbody>
<actuator>
<position name="a1" joint="j1" gear="100"/><position name="a2" joint="j2" gear="100"/>
<position name="a3" joint="j3" gear="-100"/><position name="a4" joint="j4" gear="50"/>
<position name="a5" joint="j5" gear="50"/><position name="a6" joint="j6" gear="50"/>
<motor name="push" joint="j5" gear="2" ctrlrange="-1 1"/>
</actuator>
<keyframe><key name="reach" qpos="0 0 0 0 0 0" ctrl="50 60 -80 -25 20 30 4"/></keyframe>
</mujoco>
)";

class RobotActuators : public testing::TestWithParam<std::string> {};

/// The torque of gravity about a joint's axis, of all links from it on. [N m]
double calc_load(const System& system, const State& state, int joint) {
  const JointOptions& o = system.joints()[static_cast<std::size_t>(joint)].options;
  const Pose at = system.calc_pose(o.second, state.t, state.q);
  const Vector3 axis = at.R_WB * o.on_second.axes.col(2);
  const Vector3 point = at.p_WB + at.R_WB * o.on_second.at;
  double load = 0.0;
  for (int body = o.second; body < static_cast<int>(system.bodies().size()); ++body) {
    const Vector3 arm = system.calc_pose(body, state.t, state.q).p_WB - point;
    load += axis.dot(arm.cross(Vector3(0.0, 0.0, -kGravity * system.bodies()[static_cast<std::size_t>(body)].mass)));
  }
  return load;
}

TEST_P(RobotActuators, ArmReachesItsTargets) {
  RobotOptions options;
  options.key = "reach";
  const ConvertedModel converted = convert_model_text(kArm, "arm.xml", options);
  ASSERT_TRUE(converted.warnings.empty()) << converted.warnings.front();
  Scene scene = parse_scene(converted.scene + "\n[scheme]\ntype = \"" + GetParam() + "\"\n", "arm.toml");
  scene.time.end = 4.0;
  test::SceneRun run{std::move(scene)};
  run.run();
  const std::array<double, kJoints> gears = {100.0, 100.0, -100.0, 50.0, 50.0, 50.0};
  const std::array<double, kJoints> controls = {50.0, 60.0, -80.0, -25.0, 20.0, 30.0};
  for (std::size_t j = 0; j < kJoints; ++j) {
    const auto [x, rate] =
        run.built.system->calc_joint_coordinate(static_cast<int>(j), run.state.t, run.state.q, run.state.u);
    const double load = calc_load(*run.built.system, run.state, static_cast<int>(j));
    const double motor = j == 4 ? 2.0 : 0.0;  // its control is cut at 1
    const double effort = run.report.joints[j].effort;
    EXPECT_NEAR(effort, -load, 1e-6) << j;
    // The servo bears what the motor does not, gear (kp (ctrl - gear x)).
    EXPECT_NEAR(gears[j] * 2.0 * (controls[j] - gears[j] * x) + motor, effort, 1e-6) << j;
    EXPECT_NEAR(x, controls[j] / gears[j], 2e-3) << j;
    EXPECT_NEAR(rate, 0.0, 1e-6) << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, RobotActuators, testing::Values("moreau", "ccp", "stewart-trinkle"),
                         [](const auto& of) { return of.param == "stewart-trinkle" ? "trinkle" : of.param; });

/// Motors of a pendulum, and limits of its effort, leave a scheme its own order: where they do nothing it moves as
/// without them, to the bit.
TEST(RobotMotors, AtRestChangeNothing) {
  const auto run = [](const std::string& actuators, const std::string& limit = "") {
    const std::string text = "<mujoco><worldbody><body pos=\"0 0 1\"><joint name=\"j\" axis=\"0 1 0\"" + limit +
                             "/><geom type=\"capsule\" size=\"0.05\" "
                             "fromto=\"0 0 0 0.5 0 0\"/></body></worldbody>" +
                             actuators + "</mujoco>";
    test::SceneRun pendulum{parse_scene(convert_model_text(text, "p.xml", {}).scene, "p.toml")};
    pendulum.run();
    return pendulum.state.q;
  };
  EXPECT_EQ(run(""), run("<actuator><motor joint=\"j\"/></actuator>"));
  EXPECT_EQ(run(""), run("<actuator><motor joint=\"j\" forcerange=\"-1 1\"/></actuator>"));
  EXPECT_EQ(run(""), run("", " actuatorfrcrange=\"-1 1\""));
}

/// A limit of the effort of a joint holds for its actuators together: an arm that they cannot hold up sinks.
TEST_P(RobotActuators, LimitOfAJointIsOfAllItsActuators) {
  const std::string text = R"(<mujoco><worldbody>
<body pos="0 0 1"><joint name="j" axis="0 -1 0" actuatorfrcrange="-20 20"/><geom type="sphere" size="0.1" pos="0.5 0 0" mass="5"/></body>
</worldbody><actuator><position joint="j" kp="1e6" forcerange="-15 15"/><position joint="j" kp="1e5" kv="10"/></actuator></mujoco>
)";
  Scene scene = parse_scene(convert_model_text(text, "p.xml", {}).scene + "\n[scheme]\ntype = \"" + GetParam() + "\"\n",
                            "p.toml");
  scene.time.end = 0.2;
  test::SceneRun run{std::move(scene)};
  run.run([](const test::SceneRun& at) {
    EXPECT_LE(at.report.joints[0].effort, 20.0);
    if (at.state.t > 0.01) {
      EXPECT_EQ(at.report.joints[0].effort, 20.0);
    }
  });
  // m g l - 20 on m l^2 + I, where it has hardly moved.
  const double inertia = 5.0 * 0.25 + 0.4 * 5.0 * 0.01;
  const double t = 0.2;
  EXPECT_NEAR(run.report.joints[0].coordinate, -0.5 * (5.0 * kGravity * 0.5 - 20.0) / inertia * t * t, 2e-3);
}

}  // namespace
}  // namespace stickslip
