// SPDX-License-Identifier: BSD-3-Clause
// Bodies of mass 0 between joints against the joints that do without them, and what is refused.
#include <gtest/gtest.h>

#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/scene/massless_bodies.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;

constexpr double kOff = 10.0 * MasslessBodies::kShare;  // [-] what motions may be off by

class BodiesWithoutMass : public testing::TestWithParam<std::string> {
 protected:
  test::SceneRun open(const std::string& text) const {
    return test::scene_from_text("stickslip = 1\ntime = {end = 0.4, step = 0.001}\nscheme = {type = \"" + GetParam() +
                                 "\"}\n" + text);
  }
};

/// Two slides in a row: what hangs on both falls, and is pushed, as if it was free.
TEST_P(BodiesWithoutMass, OfTwoSlides) {
  test::SceneRun run = open(R"toml(
bodies.ground = {type = "fixed"}
bodies.between = {type = "planar", mass = 0}
bodies.weight = {type = "planar", mass = 2, inertia = 0.1}
joints.x = {type = "prismatic", between = ["ground", "between"], axis = [1, 0], force = 3}
joints.y = {type = "prismatic", between = ["between", "weight"], axis = [0, 1]}
)toml");
  run.run();
  EXPECT_NEAR(run.report.joints[0].rate, 1.5 * 0.4, kOff);
  EXPECT_NEAR(run.report.joints[1].rate, -kGravity * 0.4, kOff * kGravity);
}

std::string spinning(const std::string& joints) {
  return R"toml(
gravity = [0, 0, -9.81]
bodies.ground = {type = "fixed"}
bodies.top = {mass = 2, inertia = [0.03, 0.05, 0.07], position = [0.2, 0.1, -0.3]}
)toml" + joints;
}

/// Three hinges through a point are a ball joint.
TEST_P(BodiesWithoutMass, OfThreeHinges) {
  test::SceneRun ball = open(spinning(R"toml(
joints.ball = {type = "spherical", between = ["ground", "top"], at = [0, 0, 0]}
)toml"));
  test::SceneRun hinges = open(spinning(R"toml(
bodies.first = {mass = 0}
bodies.second = {mass = 0}
joints.x = {type = "revolute", between = ["ground", "first"], at = [0, 0, 0], axis = [1, 0, 0]}
joints.y = {type = "revolute", between = ["first", "second"], at = [0, 0, 0], axis = [0, 1, 0]}
joints.z = {type = "revolute", between = ["second", "top"], at = [0, 0, 0], axis = [0, 0, 1]}
)toml"));
  ball.run();
  hinges.run();
  const auto top = [](const test::SceneRun& run) {
    const Body& body = run.built.system->bodies()[run.built.system->find_body("top")];
    return Vector(run.state.u.segment<6>(body.u_offset));
  };
  EXPECT_GT(top(ball).norm(), 1.0);
  EXPECT_LT((top(hinges) - top(ball)).norm(), 1e-4) << "1e-6 of masses, the schemes' own errors of turning twice";
}

INSTANTIATE_TEST_SUITE_P(Schemes, BodiesWithoutMass,
                         testing::Values("moreau", "ccp", "stewart-trinkle", "generalized-alpha"), [](const auto& of) {
                           std::string name;
                           for (const char c : of.param) name += c == '-' ? '_' : c;
                           return name;
                         });

/// One that moves where nothing with mass or armature does.
TEST(MasslessBody, IsRefusedWhereNothingWithMassMoves) {
  const auto build_with = [](const std::string& parts) {
    return test::scene_from_text("stickslip = 1\ntime = {end = 1, step = 0.01}\nbodies.ground = {type = \"fixed\"}\n" +
                                 parts);
  };
  const std::string middle = "bodies.middle = {type = \"planar\", mass = 0}\n";
  const std::string end = "bodies.end = {type = \"planar\", mass = 1, inertia = 1}\n";
  const std::string on_ground = "joints.a = {type = \"revolute\", between = [\"ground\", \"middle\"], at = [0, 0]}\n";
  const auto on_end = [](const std::string& at) {
    return "joints.b = {type = \"revolute\", between = [\"middle\", \"end\"], at = " + at + "}\n";
  };
  EXPECT_THROW(build_with(middle), InputError) << "free";
  EXPECT_THROW(build_with(middle + on_ground), InputError) << "the last";
  EXPECT_THROW(build_with(middle + end + on_ground + on_end("[0, 0]")), InputError) << "two hinges in one place";
  EXPECT_NO_THROW(build_with(middle + end + on_ground + on_end("[1, 0]")));
  EXPECT_NO_THROW(
      build_with(middle + end +
                 "joints.a = {type = \"revolute\", between = [\"ground\", \"middle\"], at = [0, 0], armature = 0.1}\n" +
                 on_end("[0, 0]")));
  EXPECT_THROW(
      build_with("bodies.middle = {type = \"planar\", mass = 0, inertia = 1}\n" + end + on_ground + on_end("[1, 0]")),
      InputError);
}

}  // namespace
}  // namespace stickslip
