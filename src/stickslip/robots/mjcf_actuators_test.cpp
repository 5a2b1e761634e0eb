// SPDX-License-Identifier: BSD-3-Clause
// Actuators of MJCF, limits of efforts: the laws of joints against those of MuJoCo, computed by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/robots/convert_model.h"
#include "stickslip/scene/load_scene.h"
#include "tests/support/joint_effort.h"

namespace stickslip {
namespace {

using Bounds = std::optional<std::array<double, 2>>;

ConvertedModel convert_driven(const std::string& parts, RobotOptions options = {}) {
  options.reads_files = false;
  const std::string world = R"(<worldbody>
<body name="a"><joint name="h" axis="0 1 0" range="-90 90"/><geom size="0.1"/></body>
<body name="b"><joint name="s" type="slide" range="-1 3"/><geom size="0.1"/></body>
<body name="c"><joint name="ball" type="ball"/><geom size="0.1"/></body>
<body name="d"><freejoint name="free"/><geom size="0.1"/><site name="tip"/></body>
</worldbody>
)";
  return convert_model_text("<mujoco model=\"m\">\n" + world + parts + "</mujoco>\n", "m.xml", options);
}

Scene driven(const std::string& parts, const RobotOptions& options = {}) {
  const ConvertedModel converted = convert_driven(parts, options);
  EXPECT_TRUE(converted.warnings.empty()) << converted.warnings.front();
  return parse_scene(converted.scene, "m.toml");
}

/// An actuator on the hinge as MuJoCo documents it: its force, clamped, times its gear.
struct Law {
  double gain = 1.0;
  std::array<double, 3> bias = {0.0, 0.0, 0.0};
  double gear = 1.0;
  Bounds control = std::nullopt, force = std::nullopt;

  double calc_effort(double ctrl, double q, double rate) const {
    if (control) ctrl = std::clamp(ctrl, (*control)[0], (*control)[1]);
    double f = gain * ctrl + bias[0] + bias[1] * gear * q + bias[2] * gear * rate;
    if (force) f = std::clamp(f, (*force)[0], (*force)[1]);
    return gear * f;
  }
};

TEST(MjcfActuators, DoWhatMuJoCoDoes) {
  const std::vector<std::pair<std::string, Law>> cases = {
      {R"(<motor joint="h"/>)", {}},
      {R"(<motor joint="h" gear="-40 0 0 0 0 0" ctrlrange="-1 0.5"/>)", {.gear = -40.0, .control = {{-1.0, 0.5}}}},
      {R"(<motor joint="h" gear="3" ctrlrange="-2 2" forcerange="-0.5 7"/>)",
       {.gear = 3.0, .control = {{-2.0, 2.0}}, .force = {{-0.5, 7.0}}}},
      {R"(<motor joint="h" gear="3" ctrlrange="1 2" forcerange="-0.5 0.7"/>)",
       {.gear = 3.0, .control = {{1.0, 2.0}}, .force = {{-0.5, 0.7}}}},
      {R"(<position jointinparent="h" kp="40" kv="3" gear="-2.5" forcerange="-5 7"/>)",
       {.gain = 40.0, .bias = {0.0, -40.0, -3.0}, .gear = -2.5, .force = {{-5.0, 7.0}}}},
      {R"(<position joint="h" ctrlrange="-1 1" ctrllimited="false"/>)", {.gain = 1.0, .bias = {0.0, -1.0, 0.0}}},
      {R"(<velocity joint="h" kv="7" gear="0.5" forcerange="-1 1"/>)",
       {.gain = 7.0, .bias = {0.0, 0.0, -7.0}, .gear = 0.5, .force = {{-1.0, 1.0}}}},
      {R"(<general joint="h" gainprm="5" biastype="affine" biasprm="2 -30 -4" gear="1.5" ctrlrange="-1 1"/>)",
       {.gain = 5.0, .bias = {2.0, -30.0, -4.0}, .gear = 1.5, .control = {{-1.0, 1.0}}}},
      {R"(<general joint="h" gainprm="-5" biastype="affine" biasprm="2" gear="-1.5" forcerange="-3 4"/>)",
       {.gain = -5.0, .bias = {2.0, 0.0, 0.0}, .gear = -1.5, .force = {{-3.0, 4.0}}}},
      {R"(<general joint="h" gainprm="5" biasprm="2 -30 -4"/>)", {.gain = 5.0}},
      {R"(<general joint="h" gainprm="0" biastype="affine" biasprm="2 -3 0"/>)",
       {.gain = 0.0, .bias = {2.0, -3.0, 0.0}}},
      {R"(<general joint="h" gainprm="0" biastype="affine" biasprm="2" forcerange="-1 1"/>)",
       {.gain = 0.0, .bias = {2.0, 0.0, 0.0}, .force = {{-1.0, 1.0}}}},
      {R"(<motor joint="h" gear="0"/>)", {.gear = 0.0}},
  };
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> draw(-3.0, 3.0);
  for (const auto& [element, law] : cases) {
    const Scene scene = driven("<actuator>" + element + "</actuator>\n");
    EXPECT_EQ(scene.inputs.at(0).name, "actuator0");
    for (int i = 0; i < 200; ++i) {
      const double ctrl = draw(engine), q = draw(engine), rate = draw(engine);
      EXPECT_NEAR(test::calc_effort(scene, scene.joints.at(0), q, rate, ctrl), law.calc_effort(ctrl, q, rate), 1e-12)
          << element;
    }
  }
}

TEST(MjcfActuators, ArePlainServosAndForces) {
  const Scene scene = driven(R"(<actuator>
<position name="p" joint="h" kp="40" kv="3" gear="-2.5" ctrlrange="-1 1" forcerange="-5 7"/>
<motor joint="h" gear="2"/><velocity name="v" joint="s" kv="4"/><motor joint="h" name="m"/>
</actuator>
)");
  ASSERT_EQ(scene.inputs.size(), 4U);
  EXPECT_EQ(scene.inputs[0], (SceneInput{"p", 0.0, {{-1.0, 1.0}}}));
  EXPECT_EQ(scene.inputs[1], (SceneInput{"actuator1", 0.0, {}}));
  const SceneJoint& h = scene.joints.at(0);
  ASSERT_EQ(h.servos.size(), 1U);
  // 40 (ctrl + 2.5 q) + 3 (2.5 rate) acts on the joint -2.5 times.
  EXPECT_FALSE(h.servos[0].of_velocity);
  EXPECT_EQ(h.servos[0].stiffness, 250.0);
  EXPECT_EQ(h.servos[0].damping, 18.75);
  EXPECT_EQ(h.servos[0].target, (SceneSignal{0.0, "p", -0.4, 0.0}));
  EXPECT_EQ(h.servos[0].limit, (Bounds{{-17.5, 12.5}}));
  ASSERT_EQ(h.forces.size(), 2U);
  EXPECT_EQ(h.forces[0], (SceneSignal{0.0, "actuator1", 2.0, 0.0}));
  EXPECT_EQ(h.forces[1], (SceneSignal{0.0, "m", 1.0, 0.0}));
  const SceneJoint& s = scene.joints.at(1);
  ASSERT_EQ(s.servos.size(), 1U);
  EXPECT_TRUE(s.servos[0].of_velocity);
  EXPECT_EQ(s.servos[0].damping, 4.0);
  EXPECT_EQ(s.servos[0].target, (SceneSignal{0.0, "v", 1.0, 0.0}));
}

/// Classes of all kinds set the same figures, the outermost first.
TEST(MjcfActuators, TakeDefaultsOfAnyKind) {
  const Scene scene = driven(R"(<default><general ctrllimited="true" gear="3"/>
<default class="arm"><position kp="50" kv="2" ctrlrange="-1 1"/><default class="hand"><motor ctrlrange="-2 2"/></default></default>
</default><actuator>
<position name="a" joint="s" class="arm"/><position name="b" joint="s" class="arm" kp="10" gear="1"/>
<motor name="c" joint="h" class="hand"/><general name="d" joint="s" class="arm"/>
<position name="e" joint="h" class="hand"/><velocity name="f" joint="s" class="arm"/>
</actuator>
)");
  const std::vector<SceneServo>& s = scene.joints.at(1).servos;
  ASSERT_EQ(s.size(), 4U);
  EXPECT_EQ(s[0].stiffness, 450.0);
  EXPECT_EQ(s[0].damping, 18.0);
  EXPECT_EQ(s[1].stiffness, 10.0);
  EXPECT_EQ(s[1].damping, 2.0) << "the class has kv";
  EXPECT_EQ(s[2].stiffness, 450.0) << "a general one of a class of position";
  EXPECT_TRUE(s[3].of_velocity);
  EXPECT_EQ(s[3].damping, 450.0) << "its gain is the class's kp";
  EXPECT_EQ(scene.joints[0].forces.at(0), (SceneSignal{0.0, "c", 3.0, 0.0}));
  EXPECT_EQ(scene.joints[0].servos.at(0).stiffness, 9.0) << "a motor has the gain 1 again";
  EXPECT_EQ(scene.inputs.at(2).range, (Bounds{{-2.0, 2.0}}));
  EXPECT_THROW(driven("<compiler autolimits=\"false\"/><actuator><motor joint=\"h\" ctrlrange=\"0 1\"/></actuator>"),
               InputError);
}

TEST(MjcfActuators, InheritRanges) {
  const Scene scene = driven("<actuator><position joint=\"h\" inheritrange=\"0.5\"/></actuator>\n");
  EXPECT_NEAR((*scene.inputs.at(0).range)[0], -0.7853981633974483, 1e-15);
  EXPECT_NEAR((*scene.inputs.at(0).range)[1], 0.7853981633974483, 1e-15);
}

TEST(MjcfActuators, StartFromKeyframes) {
  RobotOptions options;
  options.key = "k";
  const std::string parts = R"(<tendon><fixed name="t"><joint joint="h" coef="1"/></fixed></tendon>
<actuator><motor name="x" joint="h"/><motor tendon="t"/><muscle name="y" tendon="t"/><position name="z" joint="s"/></actuator>
<keyframe><key name="k" ctrl="1 2 3 -4"/></keyframe>
)";
  const Scene scene = parse_scene(convert_driven(parts, options).scene, "m.toml");
  ASSERT_EQ(scene.inputs.size(), 2U) << "those of tendons are left out, and counted";
  EXPECT_EQ(scene.inputs[0], (SceneInput{"x", 1.0, {}}));
  EXPECT_EQ(scene.inputs[1], (SceneInput{"z", -4.0, {}}));
}

TEST(MjcfActuators, LimitEffortsOfJoints) {
  const std::string world = R"(<mujoco><compiler angle="degree"/><worldbody>
<body><joint name="h" range="-90 90" actuatorfrcrange="-3 5"/><geom size="0.1"/></body>
<body><joint type="ball" actuatorfrcrange="-3 5"/><geom size="0.1"/></body>
<body><joint name="n" actuatorfrcrange="-3 5" actuatorfrclimited="false"/><geom size="0.1"/></body>
</worldbody><actuator><position joint="h"/><position joint="h" kp="7"/></actuator></mujoco>
)";
  const ConvertedModel converted = convert_model_text(world, "m.xml", {});
  EXPECT_EQ(converted.warnings,
            std::vector<std::string>{
                "m.xml:3: warning: joint.actuatorfrcrange: a ball joint has no limit of its effort: left out"});
  const Scene scene = parse_scene(converted.scene, "m.toml");
  EXPECT_EQ(scene.joints.at(0).effort_limit, (Bounds{{-3.0, 5.0}}));
  EXPECT_EQ(scene.joints.at(0).servos.size(), 2U);
  EXPECT_FALSE(scene.joints.at(2).effort_limit.has_value());
}

TEST(MjcfActuators, WarnOfWhatHasNoCounterpart) {
  const ConvertedModel converted =
      convert_driven(R"(<tendon><fixed name="t"><joint joint="h" coef="1"/></fixed></tendon>
<default><default class="slow"><general dyntype="filter"/></default>
<default class="soft"><position dampratio="1"/></default>
<default class="strong"><muscle range="0 1"/></default></default>
<actuator>
<motor tendon="t" wonder="1"/>
<motor site="tip"/>
<motor joint="ball"/>
<motor joint="free" group="1" user="2"/>
<general joint="h" class="slow"/>
<position joint="h" timeconst="0.1" wonder="1"/>
<position joint="h" class="soft"/>
<general joint="h" class="strong"/>
<general joint="h" dyntype="integrator"/>
<general joint="h" gaintype="affine"/>
<general joint="h" biastype="user"/>
<general joint="h" biastype="affine" biasprm="0 1"/>
<damper joint="h"/>
</actuator>
)");
  const std::vector<std::string> expected = {
      "m.xml:8: warning: fixed: tendons have no counterpart: left out",
      "m.xml:18: warning: position.wonder: it has no counterpart: left out",
      "m.xml:25: warning: damper: actuators of this kind have no counterpart: left out",
      "m.xml:13: warning: motor.tendon: actuators of anything but joints have no counterpart: left out",
      "m.xml:14: warning: motor.site: actuators of anything but joints have no counterpart: left out",
      "m.xml:15: warning: motor.joint: actuators of ball and free joints have no counterpart: left out",
      "m.xml:16: warning: motor.joint: actuators of ball and free joints have no counterpart: left out",
      "m.xml:9: warning: general.dyntype: controls that act late have no counterpart: it acts at once",
      "m.xml:18: warning: position.timeconst: controls that act late have no counterpart: it acts at once",
      "m.xml:10: warning: position.dampratio: damping by the mass has no counterpart: left out; kv has it as a figure",
      "m.xml:11: warning: muscle: actuators of this kind have no counterpart: left out",
      "m.xml:21: warning: general.dyntype: actuators of this kind have no counterpart: left out",
      "m.xml:22: warning: general.gaintype: actuators of this kind have no counterpart: left out",
      "m.xml:23: warning: general.biastype: actuators of this kind have no counterpart: left out",
      "m.xml:24: warning: general.biasprm: a force that grows with the length or its rate has no counterpart: the "
      "actuator is left out"};
  EXPECT_EQ(converted.warnings, expected);
  EXPECT_EQ(parse_scene(converted.scene, "m.toml").inputs.size(), 3U);
}

TEST(MjcfActuators, BadOnesAreRefusedAtTheirLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"<motor/>", "m.xml:8: motor: a transmission"},
      {"<motor joint=\"h\" tendon=\"t\"/>", "m.xml:8: motor.tendon: one transmission"},
      {"<motor joint=\"q\"/>", "m.xml:8: motor.joint: \"q\": no such joint"},
      {"<motor joint=\"h\" name=\"a\"/><motor joint=\"s\" name=\"a\"/>",
       "m.xml:8: motor.name: \"a\": another actuator"},
      {"<motor joint=\"h\" class=\"c\"/>", "m.xml:8: motor.class: \"c\": no default"},
      {"<motor joint=\"h\" gear=\"x\"/>", "m.xml:8: motor.gear: \"x\": expected 1 to 6 finite numbers"},
      {"<motor joint=\"h\" ctrlrange=\"1 1\"/>", "m.xml:8: motor.ctrlrange: \"1 1\": expected low < high"},
      {"<motor joint=\"h\" ctrllimited=\"true\"/>", "m.xml:8: motor.ctrllimited: \"true\": expected a range"},
      {"<motor joint=\"h\" forcelimited=\"yes\"/>",
       "m.xml:8: motor.forcelimited: \"yes\": expected true, false or auto"},
      {"<motor joint=\"h\" forcerange=\"1\"/>", "m.xml:8: motor.forcerange: \"1\": expected 2 finite numbers"},
      {"<position joint=\"h\" kp=\"-1\"/>", "m.xml:8: position.kp: \"-1\": expected a number >= 0"},
      {"<position joint=\"h\" kv=\"-1\"/>", "m.xml:8: position.kv: \"-1\": expected a number >= 0"},
      {"<position joint=\"h\" kv=\"1\" dampratio=\"1\"/>", "m.xml:8: position.dampratio: kv or dampratio"},
      {"<velocity joint=\"h\" kv=\"nan\"/>", "m.xml:8: velocity.kv: \"nan\""},
      {"<general joint=\"h\" biastype=\"odd\"/>", "m.xml:8: general.biastype: \"odd\": one of none, affine"},
      {"<position joint=\"h\" gear=\"1e200\"/>", "m.xml:8: position: figures whose products are finite"},
      {"<general joint=\"h\" gainprm=\"1e-300\" forcerange=\"-1e300 1\"/>", "m.xml:8: general: figures whose"},
      {"<position joint=\"s\" inheritrange=\"1e-20\"/>", "m.xml:8: position.inheritrange: \"1e-20\": expected a share"},
      {"<general joint=\"h\" gainprm=\"\"/>", "m.xml:8: general.gainprm: \"\": expected 1 to 10 finite numbers"}};
  for (const auto& [element, message] : cases) {
    try {
      convert_driven("<actuator>" + element + "</actuator>\n");
      ADD_FAILURE() << element;
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(message)) << error.what();
    }
  }
  RobotOptions options;
  options.key = "k";
  EXPECT_THROW(
      convert_driven("<actuator><motor joint=\"h\"/></actuator><keyframe><key name=\"k\" ctrl=\"1 2\"/></keyframe>",
                     options),
      InputError);
}

}  // namespace
}  // namespace stickslip
