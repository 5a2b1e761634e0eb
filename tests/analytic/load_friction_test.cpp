// SPDX-License-Identifier: BSD-3-Clause
// Joints whose friction follows what they bear, under every scheme that takes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/model/state.h"
#include "stickslip/scene/load_scene.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::scene_from_text;
using test::SceneRun;

constexpr double kWeight = 9.81;  // [m/s^2]

class LoadFriction : public testing::TestWithParam<std::string> {
 protected:
  static SceneRun open(const std::string& text, double end) {
    return scene_from_text("stickslip = 1\ntime = {end = " + std::to_string(end) + ", step = 1e-3}\nscheme.type = \"" +
                           GetParam() + "\"\nbodies.base.type = \"fixed\"\n" + text);
  }
};

constexpr const char* kSliderWithLoad = R"(
gravity = [0, 0, -9.81]
bodies.block = {mass = 2, inertia = [0.02, 0.02, 0.03], velocity = [0.9, 0, 0]}
joints.rail = {type = "prismatic", between = ["base", "block"], axis = [1, 0, 0], friction = {coefficient = 0.3}}
)";

TEST_P(LoadFriction, ASliderIsBrakedByItsWeight) {
  SceneRun run = open(kSliderWithLoad, 0.4);
  EXPECT_EQ(parse_scene(to_toml(run.scene), "again.toml"), run.scene);
  run.run([](const SceneRun& at) {
    const double v = std::max(0.9 - 0.3 * kWeight * at.state.t, 0.0);
    EXPECT_NEAR(at.state.u(0), v, 1e-9) << at.state.t;
  });
  EXPECT_NEAR(run.state.u(0), 0.0, 1e-12);
}

TEST_P(LoadFriction, AWheelIsBrakedByThePinThatBearsIt) {
  // torque .2 .05 m g over I = .03
  SceneRun run = open(R"(
gravity = [0, 0, -9.81]
bodies.wheel = {mass = 2, inertia = [0.02, 0.03, 0.02], angular_velocity = [0, 5, 0]}
joints.pin = {type = "revolute", between = ["base", "wheel"], at = [0, 0, 0], axis = [0, 1, 0], friction = {coefficient = 0.2, radius = 0.05}}
)",
                      0.5);
  EXPECT_EQ(parse_scene(to_toml(run.scene), "again.toml"), run.scene);
  run.run();
  EXPECT_NEAR(run.state.u(4), 5.0 - 0.2 * 0.05 * 2.0 * kWeight / 0.03 * 0.5, 1e-8);
  EXPECT_NEAR(run.report.joints[0].friction, -0.2 * 0.05 * 2.0 * kWeight, 1e-8);
}

TEST_P(LoadFriction, ASliderInAPlaneRestsBelowTheAngleOfFriction) {
  for (const double coefficient : {0.29, 0.31}) {  // tan = .3
    SceneRun run = open("gravity = [" + std::to_string(kWeight * 0.3) + ", " + std::to_string(-kWeight) +
                            "]\nbodies.block = {type = \"planar\", mass = 2, inertia = 0.1}\njoints.rail = {type = "
                            "\"prismatic\", between = "
                            "[\"base\", \"block\"], axis = [1, 0], friction = {coefficient = " +
                            std::to_string(coefficient) + "}}\n",
                        0.2);
    run.run();
    EXPECT_NEAR(run.state.u(0), std::max(0.3 - coefficient, 0.0) * kWeight * 0.2, 1e-8);
  }
}

/// A load that grows: the friction of the first step is that of its own load, of which the start knows nothing.
TEST_P(LoadFriction, TheFirstStepFollowsItsOwnLoad) {
  SceneRun run = open(std::string(kSliderWithLoad) + R"(
forces.press = {type = "load", body = "block", force = [0, 0, "-10 - 1e5*t"]}
)",
                      0.1);
  ASSERT_EQ(run.step(), Status::ok);
  const Vector3& reaction = run.report.joints[0].reaction_force;
  // Which is taken at the start, the middle or the end of the step.
  if (GetParam() == "generalized-alpha") {
    EXPECT_NEAR(reaction.tail<2>().norm(), 2.0 * kWeight + 110.0, 1e-7);
  }
  EXPECT_NEAR(std::abs(run.report.joints[0].friction), 0.3 * reaction.tail<2>().norm(), 1e-7);
}

TEST_P(LoadFriction, AResumedRunHasTheSameBits) {
  SceneRun whole = open(kSliderWithLoad, 0.1);
  for (int i = 0; i < 40; ++i) ASSERT_EQ(whole.step(), Status::ok);
  SceneRun resumed = open(kSliderWithLoad, 0.1);
  resumed.state = state_from_bytes(to_bytes(whole.state));
  whole.run();
  resumed.run();
  EXPECT_EQ(whole.state.q, resumed.state.q);
  EXPECT_EQ(whole.state.u, resumed.state.u);
}

INSTANTIATE_TEST_SUITE_P(Schemes, LoadFriction,
                         testing::Values("moreau", "ccp", "stewart-trinkle", "generalized-alpha"),
                         [](const testing::TestParamInfo<std::string>& of) {
                           std::string name = of.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(LoadFrictionElsewhere, SchemesThatTakeNoneRefuseItByName) {
  for (const char* scheme : {"event-driven", "relaxation"}) {
    EXPECT_THROW(scene_from_text(std::string("stickslip = 1\ntime = {end = 1, step = 1e-3}\nscheme.type = \"") +
                                 scheme + "\"\nbodies.base.type = \"fixed\"\n" + kSliderWithLoad),
                 InputError)
        << scheme;
  }
}

}  // namespace
}  // namespace stickslip
