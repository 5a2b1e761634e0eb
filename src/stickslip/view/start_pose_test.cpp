// SPDX-License-Identifier: BSD-3-Clause
// Start poses that viewers choose: by the kinematics that a run begins with, refused where a scene would be.
#include "stickslip/view/start_pose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "stickslip/base/input_error.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/view/view_protocol.h"

namespace stickslip {
namespace {

constexpr double kRounding = 1e-14;  // [m, rad]

/// An arm of two links, each 1 m long: a hinge at the origin, then a slide along the first link; a cylindrical joint.
constexpr const char* kArm = R"toml(
stickslip = 1
time = {end = 0.01, step = 1e-3}
scheme = {type = "moreau"}
parameters = {reach = 1}
[bodies.base]
type = "fixed"
[bodies.arm]
mass = 1
inertia = [1, 1, 1]
parent = "base"
position = ["=reach", 0, 0]
[bodies.hand]
mass = 1
inertia = [1, 1, 1]
parent = "arm"
position = [1, 0, 0]
[bodies.bolt]
mass = 1
inertia = [1, 1, 1]
parent = "base"
position = [0, 5, 0]
[joints.hinge]
type = "revolute"
between = ["base", "arm"]
at = [0, 0, 0]
axis = [0, 0, 1]
limits = [-2, 2]
[joints."the slide"]
type = "prismatic"
between = ["arm", "hand"]
axis = [1, 0, 0]
[joints.thread]
type = "cylindrical"
between = ["base", "bolt"]
at = [0, 5, 0]
axis = [0, 0, 1]
[joints.held]
type = "revolute"
between = ["base", "bolt"]
at = [0, 5, 0]
axis = [0, 0, 1]
motion = 0
)toml";

Scene without_held() {
  Scene scene = parse_scene(kArm, "arm.toml");
  scene.joints.pop_back();
  return scene;
}

Vector3 position_of(const StartPose& pose, std::size_t body) {
  return Vector3(pose.poses.data() + 7 * body);
}

TEST(StartPose, FollowsTheJoints) {
  const Scene scene = without_held();
  const StartPose drawn = calc_start_pose(scene, {});
  ASSERT_EQ(drawn.joints.size(), 3U);
  EXPECT_EQ(drawn.joints[1].name, "the slide");
  EXPECT_EQ(drawn.joints[2].coordinates.size(), 2U);
  EXPECT_TRUE(drawn.joints[0].limits.has_value());
  EXPECT_FALSE(drawn.joints[1].limits.has_value());
  EXPECT_FALSE(drawn.joints[0].is_given);
  EXPECT_EQ(drawn.toml, "");
  EXPECT_LT((position_of(drawn, 2) - Vector3(2, 0, 0)).norm(), kRounding);
  const StartPose posed = calc_start_pose(scene, {{0, {0.6}}, {1, {-0.25}}, {2, {0.5, 0.1}}});
  const Vector3 along(std::cos(0.6), std::sin(0.6), 0);
  EXPECT_LT((position_of(posed, 1) - along).norm(), kRounding);
  EXPECT_LT((position_of(posed, 2) - 1.75 * along).norm(), kRounding);
  EXPECT_LT((position_of(posed, 3) - Vector3(0, 5, 0.5)).norm(), kRounding);
  EXPECT_NEAR(posed.poses[7 * 2 + 3], std::cos(0.3), kRounding);
  EXPECT_NEAR(posed.poses[7 * 2 + 6], std::sin(0.3), kRounding);
  EXPECT_NEAR(posed.joints[0].coordinates[0], 0.6, kRounding);
  EXPECT_NEAR(posed.joints[2].coordinates[1], 0.1, kRounding);
  EXPECT_TRUE(posed.joints[0].is_given);
}

/// A run of the scene with the text that viewers get begins where the page shows it.
TEST(StartPose, IsGivenBackAsAScene) {
  const StartPose posed = calc_start_pose(without_held(), {{0, {0.6}}, {1, {-0.25}}, {2, {0.5, 0.1}}});
  EXPECT_EQ(
      posed.toml,
      "[joints.hinge]\nstart = 0.6\n\n[joints.\"the slide\"]\nstart = -0.25\n\n[joints.thread]\nstart = [0.5, 0.1]\n");
  std::string text = kArm;
  text.erase(text.find("[joints.held]"));
  const auto insert = [&](const std::string& joint) {
    const std::string start = posed.toml.substr(posed.toml.find("start", posed.toml.find(joint)));
    text.insert(text.find('\n', text.find(joint)) + 1, start.substr(0, start.find('\n') + 1));
  };
  for (const char* joint : {"[joints.hinge]", "[joints.\"the slide\"]", "[joints.thread]"}) insert(joint);
  const BuiltScene built = build(parse_scene(text, "arm.toml"));
  for (std::size_t b = 0; b < 4; ++b) {
    const Pose pose = built.system->calc_pose(static_cast<int>(b), built.initial.t, built.initial.q);
    EXPECT_EQ(pose.p_WB, position_of(posed, b)) << b;
  }
}

/// Shapes have no part in it, but for what they say of the mass's place.
TEST(StartPose, KnowsCentresOfMass) {
  const Scene scene = parse_scene(R"toml(
stickslip = 1
time = {end = 0.01, step = 1e-3}
contact_default = {friction = 0.3, except = [["floor/top", "beam"]]}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies.beam]
density = 1000
parent = "floor"
shapes.box = {type = "box", size = [2, 0.1, 0.1], position = [1, 0, 0]}
[bodies.ball]
mass = 1
inertia = [1, 1, 1]
centre_of_mass = [0.5, 0, 0]
parent = "beam"
position = [2, 0, 0]
shapes.ball = {type = "sphere", radius = 0.1}
[joints.hinge]
type = "revolute"
between = ["floor", "beam"]
at = [0, 0, 0]
axis = [0, -1, 0]
[joints.tip]
type = "revolute"
between = ["beam", "ball"]
at = [2, 0, 0]
axis = [0, -1, 0]
[[contacts]]
name = "rests"
between = ["floor/top", "ball/ball"]
)toml",
                                  "beam.toml");
  const JointStarts starts = {{0, {0.5}}, {1, {0.25}}};
  const StartPose posed = calc_start_pose(scene, starts);
  const auto along = [](double angle) { return Vector3(std::cos(angle), 0, std::sin(angle)); };
  EXPECT_LT((position_of(posed, 1) - along(0.5)).norm(), kRounding);
  EXPECT_LT((position_of(posed, 2) - 2 * along(0.5) - 0.5 * along(0.75)).norm(), kRounding);
  Scene run = scene;
  set_starts(run, starts);
  const BuiltScene built = build(run);
  for (int b = 0; b < 3; ++b) {
    EXPECT_EQ(built.system->calc_pose(b, built.initial.t, built.initial.q).p_WB, position_of(posed, b)) << b;
  }
}

/// Joints that nobody has moved follow where they close a loop.
TEST(StartPose, ClosesLoops) {
  const Scene scene = parse_scene(R"toml(
stickslip = 1
time = {end = 1, step = 1e-3}
scheme = {type = "moreau"}
[bodies.base]
type = "fixed"
[bodies.crank]
type = "planar"
mass = 1
inertia = 1
parent = "base"
position = [0, 1]
[bodies.rod]
type = "planar"
mass = 1
inertia = 1
parent = "crank"
position = [2, 0]
[bodies.rocker]
type = "planar"
mass = 1
inertia = 1
parent = "base"
position = [2, 1]
[joints.one]
type = "revolute"
between = ["base", "crank"]
at = [0, 0]
[joints.two]
type = "revolute"
between = ["crank", "rod"]
at = [0, 1]
[joints.three]
type = "revolute"
between = ["base", "rocker"]
at = [2, 0]
[joints.four]
type = "revolute"
between = ["rod", "rocker"]
at = [2, 1]
)toml",
                                  "four_bar.toml");
  const StartPose posed = calc_start_pose(scene, {{0, {0.5}}});
  // A parallelogram: crank and rocker turn alike, the rod does not turn.
  EXPECT_NEAR(posed.joints[0].coordinates[0], 0.5, kRounding);
  EXPECT_NEAR(posed.joints[1].coordinates[0], -0.5, 1e-11);
  EXPECT_NEAR(posed.joints[2].coordinates[0], 0.5, 1e-11);
  EXPECT_LT((position_of(posed, 2) - Vector3(2 - std::sin(0.5), std::cos(0.5), 0)).norm(), 1e-11);
  EXPECT_THROW(calc_start_pose(scene, {{0, {0.5}}, {1, {0.4}}, {2, {-0.3}}, {3, {0.1}}}), InputError);
}

TEST(StartPose, RefusesWhatNoSceneCanHave) {
  const Scene scene = parse_scene(kArm, "arm.toml");
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<JointStarts> bad = {{{-1, {0.0}}}, {{4, {0.0}}},     {{3, {0.0}}},       {{0, {0.0, 0.0}}},
                                        {{0, {}}},     {{2, {0.0}}},     {{0, {2.0000001}}}, {{0, {nan}}},
                                        {{1, {inf}}},  {{2, {0.0, nan}}}};
  for (std::size_t k = 0; k < bad.size(); ++k) EXPECT_THROW(calc_start_pose(scene, bad[k]), InputError) << k;
  Scene changed = scene;
  EXPECT_THROW(set_starts(changed, {{0, {0.1}}, {3, {0.0}}}), InputError);
  set_starts(changed, {{0, {2.0}}});
  EXPECT_EQ(changed.joints[0].start, std::vector<double>{2.0});
  EXPECT_TRUE(has_posable_joint(scene));
  changed.joints = {scene.joints[3]};
  EXPECT_FALSE(has_posable_joint(changed));
}

StartPoser make_poser(int& loads) {
  return StartPoser([&loads](const StartPoser::Parameters& parameters) {
    ++loads;
    if (parameters.contains("unknown")) throw InputError("no such parameter");
    LoadOptions options;
    for (const auto& [name, value] : parameters) {
      options.overrides.push_back("parameters." + name + "=" + std::to_string(value));
    }
    Scene scene = parse_scene(kArm, "arm.toml", options);
    scene.joints.pop_back();
    return scene;
  });
}

TEST(StartPose, FollowsTheParameters) {
  int loads = 0;
  StartPoser poser = make_poser(loads);
  EXPECT_LT((position_of(poser.pose({{"reach", 1.0}}, {}), 2) - Vector3(2, 0, 0)).norm(), kRounding);
  poser.pose({{"reach", 1.0}}, {{0, {0.1}}});
  EXPECT_EQ(loads, 1);
  EXPECT_LT((position_of(poser.pose({{"reach", 3.0}}, {}), 2) - Vector3(4, 0, 0)).norm(), kRounding);
  EXPECT_EQ(loads, 2);
  EXPECT_THROW(poser.pose({{"unknown", 3.0}}, {}), InputError);
  EXPECT_LT((position_of(poser.pose({{"reach", 3.0}}, {}), 2) - Vector3(4, 0, 0)).norm(), kRounding);
}

TEST(StartPose, IsAskedForByPages) {
  LiveData data;
  RunControl control(Pace::real);
  control.begin_run();
  int loads = 0;
  StartPoser poser = make_poser(loads);
  ViewProtocol protocol(data, control, {{"reach", 1.0}}, true, &poser);
  const auto post = [&](const std::string& path, const std::string& body) {
    return *protocol.answer({"POST", path, "", body, 0.0});
  };
  const HttpResponse answer = post("pose", "reach=2\njoint 0=0.5\njoint 2=1 -0.25");
  ASSERT_EQ(answer.status, 200);
  std::uint32_t length = 0;
  std::memcpy(&length, answer.body->data(), 4);
  const std::string header = answer.body->substr(4, length);
  EXPECT_NE(header.find(R"("pose":["f64",0,28])"), std::string::npos) << header;
  EXPECT_NE(header.find(R"([0,"hinge","revolute",[0.5],[-2,2],true])"), std::string::npos) << header;
  EXPECT_NE(header.find(R"("cylindrical",[1,-0.25],null,true])"), std::string::npos) << header;
  double x = 0.0;
  std::memcpy(&x, answer.body->data() + 4 + length + 7 * 8, 8);
  EXPECT_NEAR(x, 2.0 * std::cos(0.5), kRounding);
  for (const char* body : {"joint", "joint =1", "joint 0", "joint 0=", "joint 0=x", "joint 0=1,2", "joint 0=nan",
                           "joint 0=1e999", "joint 0=3", "joint 99=1", "joint -1=1", "joint 0=1 1", "joint 2=1 1 1 1",
                           "joint 99999999999=1", "reach=x", "nothing=1", "reach=-inf", "joint 0 =1"}) {
    for (const char* path : {"pose", "restart"}) {
      const HttpResponse refused = post(path, body);
      EXPECT_EQ(refused.status, 400) << body;
      EXPECT_FALSE(refused.body->empty()) << body;
    }
  }
  EXPECT_FALSE(control.take_restart().has_value());
  EXPECT_EQ(post("restart", "reach=2\njoint 1=0.125").status, 200);
  const auto wanted = control.take_restart();
  ASSERT_TRUE(wanted.has_value());
  EXPECT_EQ(wanted->parameters.at("reach"), 2.0);
  EXPECT_EQ(wanted->starts, (JointStarts{{1, {0.125}}}));
  ViewProtocol bare(data, control, {}, true);
  EXPECT_EQ(bare.answer({"POST", "pose", "", "", 0.0})->status, 404);
}

}  // namespace
}  // namespace stickslip
