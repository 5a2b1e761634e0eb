// SPDX-License-Identifier: BSD-3-Clause
// Each broken model ends in one message with its line.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/robots/convert_model.h"

namespace stickslip {
namespace {

struct BrokenModel {
  std::string text;
  int line;
  std::string fragment;
};

const std::string kMass =
    "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";

/// Two links and a joint of this type, whose inside is in line 5.
std::string urdf_joint(const std::string& type, const std::string& inside) {
  return "<robot>\n<link name=\"a\"/>\n<link name=\"b\">" + kMass + "</link>\n<joint name=\"j\" type=\"" + type +
         "\"><parent link=\"a\"/><child link=\"b\"/>\n" + inside + "</joint></robot>";
}

/// A link whose inside is in line 2.
std::string urdf_link(const std::string& inside) {
  return "<robot><link name=\"a\">\n" + inside + "</link></robot>";
}

/// A body with this inside in line 2.
std::string mjcf_body(const std::string& inside) {
  return "<mujoco><worldbody><body name=\"b\">\n" + inside + "</body></worldbody></mujoco>";
}

/// What is beside two bodies with hinges, in line 3.
std::string mjcf_beside(const std::string& outside) {
  return "<mujoco><worldbody><body name=\"a\"><joint name=\"ja\"/><geom name=\"ga\" size=\"1\"/></body>\n<body "
         "name=\"b\"><joint name=\"jb\"/><geom name=\"gb\" size=\"1\"/></body></worldbody>\n" +
         outside + "</mujoco>";
}

std::vector<BrokenModel> broken_urdf() {
  return {
      {"<robot>\n<link name=\"a\">\n</robot>", 2, "not XML"},
      {"<robot>\n<link name=\"a\"/></robot>\n<robot/>", 3, "one root element"},
      {"<robot name=\"a\"\nname=\"b\"/>", 2, "not XML: attributes read"},
      {"\n<sdf/>", 2, "sdf: expected <robot> (URDF) or <mujoco> (MJCF)"},
      {"<robot>\n</robot>", 1, "a robot with a link"},
      {"<robot>\n<link/>\n</robot>", 2, "link.name: missing"},
      {"<robot>\n<link name=\"a\"/>\n<link name=\"a\"/>\n</robot>", 3, "another link has this name, in line 2"},
      {"<robot><link name=\"a\"/>\n<link name=\"b\"/></robot>", 2, "a second root"},
      {"<robot><link name=\"a\"/>\n<xacro:macro name=\"m\"/></robot>", 2, "expand it first, by `xacro"},
      {"<robot><link name=\"a\"/>\n<link name=\"${x}\"/></robot>", 2, "link.name: a placeholder"},
      {urdf_link("<inertial><mass value=\"$(arg m)\"/></inertial>"), 2, "mass.value: a placeholder"},
      {urdf_link("<inertial/>"), 2, "inertial: expected an element <mass"},
      {urdf_link("<inertial><mass/></inertial>"), 2, "mass.value: missing"},
      {urdf_link("<inertial><mass value=\"-1\"/></inertial>"), 2, "a mass >= 0"},
      {urdf_link("<inertial><mass value=\"1kg\"/></inertial>"), 2, "mass.value: \"1kg\": expected 1 finite number"},
      {urdf_link("<inertial><mass value=\"nan\"/></inertial>"), 2, "mass.value: \"nan\""},
      {urdf_link("<inertial><mass value=\"1e999\"/></inertial>"), 2, "mass.value: \"1e999\": expected 1 finite"},
      {urdf_link("<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"one\" izz=\"1\"/></inertial>"), 2,
       "inertia.iyy: \"one\": expected 1 finite number"},
      {urdf_link("<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"3\"/></inertial>"), 2,
       "triangle inequality"},
      {urdf_link("<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"-1\"/></inertial>"), 2,
       "positive definite"},
      {urdf_link("<collision/>"), 2, "collision: expected an element <geometry>"},
      {urdf_link("<collision><geometry><cone/></geometry></collision>"), 2, "cone: expected box, cylinder"},
      {urdf_link("<collision><geometry><box/></geometry></collision>"), 2, "box.size: missing"},
      {urdf_link("<collision><geometry><box size=\"1 1\"/></geometry></collision>"), 2, "3 finite numbers"},
      {urdf_link("<collision><geometry><box size=\"1 1 0\"/></geometry></collision>"), 2, "three lengths > 0"},
      {urdf_link("<collision><geometry><sphere radius=\"0\"/></geometry></collision>"), 2,
       "sphere.radius: \"0\": expected a length > 0"},
      {urdf_link("<collision><geometry><mesh filename=\"x.dae\"/></geometry></collision>"), 2,
       "convert the mesh to STL"},
      {urdf_link("<collision><geometry><mesh filename=\"x.stl\" scale=\"1 0 1\"/></geometry></collision>"), 2,
       "mesh.scale"},
      {urdf_link("<collision><origin xyz=\"0 0\"/><geometry><sphere radius=\"1\"/></geometry></collision>"), 2,
       "origin.xyz"},
      {urdf_joint("hinge", ""), 4, "joint.type: \"hinge\": expected revolute"},
      {urdf_joint("revolute", "<axis xyz=\"0 0 0\"/>"), 5, "axis.xyz: \"0 0 0\": expected a direction"},
      {urdf_joint("revolute", "<limit lower=\"1\" upper=\"1\"/>"), 5, "lower < upper"},
      {urdf_joint("revolute", "<limit lower=\"inf\" upper=\"1\"/>"), 5, "limit.lower"},
      {urdf_joint("revolute", "<dynamics damping=\"-1\"/>"), 5, "dynamics.damping"},
      {urdf_joint("revolute", "<dynamics friction=\"-1\"/>"), 5, "dynamics.friction"},
      {urdf_joint("revolute", "<mimic joint=\"k\"/>"), 5, "no such joint"},
      {urdf_joint("revolute", "<mimic joint=\"j\"/>"), 5, "another joint"},
      {urdf_joint("revolute", "<mimic joint=\"j\" multiplier=\"0\"/>"), 5, "mimic.multiplier"},
      {"<robot><link name=\"a\"/>\n<joint name=\"j\" type=\"fixed\"><child link=\"a\"/></joint></robot>", 2,
       "<parent link"},
      {"<robot><link name=\"a\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"x\"/><child "
       "link=\"a\"/></joint></robot>",
       2, "no such link"},
      {"<robot><link name=\"a\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child "
       "link=\"a\"/></joint></robot>",
       2, "two different links"},
      {"<robot><link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child "
       "link=\"b\"/></joint>\n<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint></robot>",
       2, "circle"},
      {"<robot><link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child "
       "link=\"b\"/></joint>\n<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>",
       3, "has two parents, the other by the joint in line 2"},
      {"<robot><link name=\"a\"/>\n<link name=\"b\"/><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child "
       "link=\"b\"/></joint></robot>",
       2, "moves and has no mass"},
      {"<robot><link name=\"a\"/>\n<link name=\"b\"><inertial><mass value=\"1\"/></inertial></link><joint name=\"j\" "
       "type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>",
       2, "with all that is fixed to it: inertia must be positive definite"},
  };
}

std::vector<BrokenModel> broken_mjcf() {
  return {
      {"<mujoco>\n<include/></mujoco>", 2, "include.file: missing"},
      {"<mujoco>\n<include file=\"x.xml\"/></mujoco>", 2, "none is read here"},
      {"<mujoco>\n<compiler angle=\"grad\"/></mujoco>", 2, "one of degree, radian"},
      {"<mujoco>\n<compiler eulerseq=\"xyw\"/></mujoco>", 2, "three of x, y, z"},
      {"<mujoco>\n<compiler autolimits=\"yes\"/></mujoco>", 2, "true or false"},
      {"<mujoco>\n<compiler inertiafromgeom=\"maybe\"/></mujoco>", 2, "compiler.inertiafromgeom"},
      {"<mujoco>\n<compiler coordinate=\"global\"/></mujoco>", 2, "compiler.coordinate"},
      {"<mujoco>\n<option timestep=\"0\"/></mujoco>", 2, "a number > 0"},
      {"<mujoco>\n<option gravity=\"0 0\"/></mujoco>", 2, "option.gravity"},
      {"<mujoco>\n<option><flag contact=\"off\"/></option></mujoco>", 2, "enable or disable"},
      {"<mujoco><default>\n<default/></default></mujoco>", 2, "default.class: missing"},
      {"<mujoco><default>\n<default class=\"a\"/>\n<default class=\"a\"/></default></mujoco>", 3, "another class"},
      {mjcf_body("<geom size=\"1\" class=\"x\"/>"), 2, "no default has this class"},
      {mjcf_body("<geom size=\"1\" type=\"cone\"/>"), 2, "geom.type"},
      {mjcf_body("<geom/>"), 2, "geom.size: expected 1 number for a sphere"},
      {mjcf_body("<geom type=\"box\" size=\"1 1\"/>"), 2, "3 numbers for a box"},
      {mjcf_body("<geom type=\"box\" size=\"1 1 -1\"/>"), 2, "lengths > 0"},
      {mjcf_body("<geom size=\"1\" fromto=\"0 0 0 1 0 0\"/>"), 2, "geom.fromto"},
      {mjcf_body("<geom type=\"capsule\" size=\"1\" fromto=\"0 0 0 0 0 0\"/>"), 2, "two different points"},
      {mjcf_body("<geom size=\"1\" quat=\"0 0 0 0\"/>"), 2, "geom.quat"},
      {mjcf_body("<geom size=\"1\" xyaxes=\"1 0 0 2 0 0\"/>"), 2, "geom.xyaxes"},
      {mjcf_body("<geom size=\"1\" zaxis=\"0 0 0\"/>"), 2, "geom.zaxis"},
      {mjcf_body("<geom size=\"1\" axisangle=\"0 0 0 1\"/>"), 2, "geom.axisangle"},
      {mjcf_body("<geom size=\"1\" euler=\"0 0 0\" quat=\"1 0 0 0\"/>"), 2, "one orientation, not two"},
      {mjcf_body("<geom size=\"1\" mass=\"-1\"/>"), 2, "geom.mass"},
      {mjcf_body("<geom size=\"-1e400\"/>"), 2, "geom.size: \"-1e400\": expected"},
      {mjcf_body("<geom size=\"1" + std::string(400, '0') + "e-10\"/>"), 2, "geom.size"},
      {mjcf_body("<geom size=\"1\" condim=\"2\"/>"), 2, "1, 3, 4 or 6"},
      {mjcf_body("<geom size=\"1\" contype=\"1.5\"/>"), 2, "a whole number"},
      {mjcf_body("<geom size=\"1\" friction=\"-1\"/>"), 2, "geom.friction"},
      {mjcf_body("<geom type=\"mesh\"/>"), 2, "geom.mesh: missing"},
      {mjcf_body("<geom type=\"mesh\" mesh=\"x\"/>"), 2, "no such mesh"},
      {mjcf_body("<geom name=\"g\" size=\"1\"/>\n<geom name=\"g\" size=\"1\"/>"), 3, "another geom has this name"},
      {mjcf_body("<joint type=\"screw\"/><geom size=\"1\"/>"), 2, "joint.type"},
      {mjcf_body("<joint axis=\"0 0 0\"/><geom size=\"1\"/>"), 2, "joint.axis"},
      {mjcf_body("<joint range=\"1 0\"/><geom size=\"1\"/>"), 2, "low < high"},
      {mjcf_body("<joint limited=\"true\"/><geom size=\"1\"/>"), 2, "joint.limited: \"true\": expected a range"},
      {mjcf_body("<joint damping=\"-1\"/><geom size=\"1\"/>"), 2, "joint.damping"},
      {mjcf_body("<joint/><freejoint/><geom size=\"1\"/>"), 2, "a free joint alone"},
      {mjcf_body("<body><freejoint/><geom size=\"1\"/></body>"), 2, "a child of the world"},
      {mjcf_body("<inertial pos=\"0 0 0\"/><joint/>"), 2, "inertial.mass: missing"},
      {mjcf_body("<inertial pos=\"0 0 0\" mass=\"1\"/>\n<inertial pos=\"0 0 0\" mass=\"2\"/>"), 3,
       "a body has one, this has another in line 2"},
      {mjcf_body("<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 4\"/><joint/>"), 2, "triangle inequality"},
      {mjcf_body("<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 -1\"/><joint/>"), 2, "not negative"},
      {"<mujoco><worldbody>\n<body name=\"b\"><joint/></body></worldbody></mujoco>", 2, "moves and has no mass"},
      {"<mujoco><worldbody>\n<joint/></worldbody></mujoco>", 2, "the world cannot move"},
      {"<mujoco><worldbody>\n<body name=\"world\"/></worldbody></mujoco>", 2, "another body has this name"},
      {"<mujoco><worldbody>\n<replicate count=\"0\"/></worldbody></mujoco>", 2, "replicate.count"},
      {"<mujoco><asset>\n<mesh name=\"m\"/>\n<mesh name=\"m\"/></asset></mujoco>", 3, "another mesh has this name"},
      {"<mujoco><asset>\n<mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0 1 1 0\"/></asset><worldbody><geom type=\"mesh\" "
       "mesh=\"m\"/></worldbody></mujoco>",
       2, "mesh.vertex"},
      {"<mujoco><asset>\n<mesh name=\"m\" inertia=\"foo\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\"/></asset><worldbody><geom "
       "type=\"mesh\" mesh=\"m\"/></worldbody></mujoco>",
       2, "mesh.inertia: \"foo\": expected convex, exact"},
      {mjcf_beside("<equality><connect body1=\"x\" anchor=\"0 0 0\"/></equality>"), 3, "no such body"},
      {mjcf_beside("<equality><connect body1=\"a\"/></equality>"), 3, "connect.anchor: missing"},
      {mjcf_beside("<equality><weld body1=\"a\" body2=\"a\"/></equality>"), 3, "two different bodies"},
      {mjcf_beside("<equality><joint joint1=\"x\"/></equality>"), 3, "no such joint"},
      {mjcf_beside("<equality><connect site1=\"s\" site2=\"t\"/></equality>"), 3, "no such site"},
      {mjcf_beside("<contact><pair geom1=\"ga\" geom2=\"x\"/></contact>"), 3, "no such geom"},
      {mjcf_beside("<contact><exclude body1=\"a\"/></contact>"), 3, "exclude.body2: missing"},
  };
}

TEST(BrokenModels, EndInOneMessageWithTheirLine) {
  std::vector<BrokenModel> models = broken_urdf();
  for (BrokenModel& model : broken_mjcf()) models.push_back(std::move(model));
  RobotOptions options;
  options.reads_files = false;
  for (const BrokenModel& model : models) {
    try {
      convert_model_text(model.text, "model.xml", options);
      ADD_FAILURE() << model.text << ": no error; expected: " << model.fragment;
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_EQ(error.place().line, model.line) << message << "\n" << model.text;
      EXPECT_EQ(error.place().file, "model.xml") << message;
      EXPECT_NE(message.find(model.fragment), std::string::npos) << message << "\nexpected: " << model.fragment;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
}

TEST(BrokenModels, OfKeyframesEndAtTheKey) {
  RobotOptions options;
  options.reads_files = false;
  options.key = "k";
  const auto error_of = [&](const std::string& key) -> std::string {
    try {
      convert_model_text(mjcf_beside("<keyframe>\n" + key + "</keyframe>"), "model.xml", options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of("<key name=\"k\" qpos=\"1\"/>"), "model.xml:4: key.qpos: \"1\": expected 2 finite numbers");
  EXPECT_NE(error_of("<key name=\"l\"/>").find("no keyframe has the name \"k\""), std::string::npos);
}

TEST(BrokenModels, NameTheIncludeWhoseFileIsNotThere) {
  try {
    convert_model_text("<mujoco>\n<include file=\"none.xml\"/></mujoco>", "no-such-folder/model.xml", {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "no-such-folder/model.xml:2: include.file: no-such-folder/none.xml: cannot be opened: No such file or "
                 "directory");
  }
}

TEST(BrokenModels, MayBeAsDeepAsTheBound) {
  RobotOptions options;
  options.reads_files = false;
  std::string deep = "<robot>\n<link name=\"a\"/>";
  for (int i = 0; i < 99; ++i) deep += "\n<x>";
  for (int i = 0; i < 99; ++i) deep += i == 49 ? "</x>\n<z/>" : "</x>";
  EXPECT_EQ(convert_model_text(deep + "</robot>", "model.xml", options).warnings.size(), 1U) << "of the outer <x>";
  // Lines and order stay: bodies in one another, and a joint in the wrong place behind the innermost.
  std::string bodies = "<mujoco><worldbody>";
  for (int i = 0; i < 97; ++i) bodies += "\n<body>";
  bodies += "\n<geom size=\"1\"/>";
  for (int i = 0; i < 97; ++i) bodies += i == 90 ? "</body>\n<joint axis=\"0 0 0\"/>" : "</body>";
  try {
    convert_model_text(bodies + "</worldbody></mujoco>", "model.xml", options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "model.xml:100: joint.axis: \"0 0 0\": expected a direction: not all zero");
  }
}

TEST(BrokenModels, AreBounded) {
  std::string deep = "<robot><link name=\"a\"/>";
  for (int i = 0; i < 100; ++i) deep += "\n<x>";
  for (int i = 0; i < 100; ++i) deep += "</x>";
  RobotOptions options;
  options.reads_files = false;
  try {
    convert_model_text(deep + "</robot>", "model.xml", options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "model.xml:101: elements are at most 100 deep");
  }
  EXPECT_THROW(convert_model_text("<robot>" + std::string(kMaxXmlBytes, ' ') + "</robot>", "m", options), InputError);
  EXPECT_THROW(convert_model_text(
                   "<mujoco><worldbody><replicate count=\"50000\"><replicate count=\"50000\"><body><freejoint/><geom "
                   "size=\"1\"/></body></replicate></replicate></worldbody></mujoco>",
                   "m", options),
               InputError);
}

}  // namespace
}  // namespace stickslip
