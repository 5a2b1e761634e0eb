// SPDX-License-Identifier: BSD-3-Clause
// Bodies of a joint touch as any two bodies do, whether the joint has limits or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

class JointedBodies : public testing::TestWithParam<std::string> {
 protected:
  static SceneRun open(const std::string& text) {
    return test::scene_from_text("stickslip = 1\nscheme = {type = \"" + GetParam() + "\"}\n" + text);
  }
};

/// Two equal bodies of half a size .1 on a slack rope fly at each other along x: they stop where they touch, since
/// restitution is 0 and their momenta cancel. An impact may come up to a step late, and by no more.
void expect_to_stop_touching(SceneRun run) {
  run.run();
  const double speed = 1.0;  // [m/s]
  const System& system = *run.built.system;
  const int nq = system.bodies()[0].n_q;
  EXPECT_NEAR(run.state.q(nq) - run.state.q(0), 0.2, 2.0 * speed * run.scene.time.step);
  EXPECT_LE(run.state.u.lpNorm<Eigen::Infinity>(), 1e-9);
}

std::string make_pair(const std::string& shape, const std::string& joint) {
  return "gravity = [0, 0, 0]\ntime = {end = 0.4, step = 1e-3}\ncontact_default = {}\n"
         "bodies.a = {density = 1000, position = [-0.3, 0, 0], velocity = [1, 0, 0], shapes.s = " +
         shape + "}\nbodies.b = {density = 1000, position = [0.3, 0, 0], velocity = [-1, 0, 0], shapes.s = " + shape +
         "}\njoints.rope = {between = [\"a\", \"b\"], " + joint + "}\n";
}

TEST_P(JointedBodies, BallsOnASlackRopeDoNotPassThroughEachOther) {
  expect_to_stop_touching(open(make_pair("{type = \"sphere\", radius = 0.1}", "type = \"distance\", limits = [0, 2]")));
}

TEST_P(JointedBodies, BoxesOnARailWithStopsDoNotPassThroughEachOther) {
  expect_to_stop_touching(open(make_pair("{type = \"box\", size = [0.2, 0.2, 0.2]}",
                                         "type = \"prismatic\", axis = [1, 0, 0], limits = [-2, 2]")));
}

TEST_P(JointedBodies, DiscsOnARopeInThePlaneDoNotPassThroughEachOther) {
  expect_to_stop_touching(open(R"(gravity = [0, 0]
time = {end = 0.4, step = 1e-3}
contact_default = {}
bodies.a = {type = "planar", density = 1000, position = [-0.3, 0], velocity = [1, 0], shapes.s = {type = "sphere", radius = 0.1}}
bodies.b = {type = "planar", density = 1000, position = [0.3, 0], velocity = [-1, 0], shapes.s = {type = "sphere", radius = 0.1}}
joints.rope = {type = "distance", between = ["a", "b"], limits = [0, 2]}
)"));
}

/// A capsule swings on a hinge with stops far away until it meets the body that carries the hinge: with the stops it
/// moves to the bit as without.
TEST_P(JointedBodies, StopsThatAreNotReachedChangeNothing) {
  const auto swing = [](const std::string& limits) {
    SceneRun run = open(R"(gravity = [0, 0, -9.81]
time = {end = 0.6, step = 1e-3}
contact_default = {friction = 0.5}
bodies.frame = {type = "fixed", shapes.s = {type = "box", size = [0.4, 0.2, 0.1]}}
bodies.flap = {density = 1000, position = [0, 0, 0.35], shapes.s = {type = "capsule", radius = 0.02, length = 0.3}, angular_velocity = [0, 2, 0]}
joints.hinge = {type = "revolute", between = ["frame", "flap"], at = [0, 0, 0.15], axis = [0, 1, 0])" +
                        limits + "}\n");
    run.run();
    return run.state.q.head(7).eval();
  };
  const auto without = swing("");
  const auto with = swing(", limits = [-6, 6]");
  EXPECT_GT(with(2), 0.05);  // it lies on the frame
  EXPECT_LE((with - without).lpNorm<Eigen::Infinity>(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Schemes, JointedBodies,
                         testing::Values("moreau", "ccp", "stewart-trinkle", "generalized-alpha"),
                         [](const auto& scheme) {
                           std::string name = scheme.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

std::string warnings_of(const std::string& text) {
  std::string all;
  for (const std::string& warning :
       check_scene(parse_scene("stickslip = 1\ntime = {end = 1, step = 1e-3}\n" + text, "test.toml")).warnings) {
    all += warning + "\n";
  }
  return all;
}

const std::string kOverlappingChain = R"(
bodies.post = {type = "fixed", shapes.s = {type = "sphere", radius = 0.02}}
bodies.link = {mass = 1, inertia = [1, 1, 1], position = [0.05, 0, 0], shapes.s = {type = "sphere", radius = 0.04}}
bodies.end = {mass = 1, inertia = [1, 1, 1], position = [0.12, 0, 0], shapes.s = {type = "box", size = [0.08, 0.04, 0.04]}}
bodies.stray = {mass = 1, inertia = [1, 1, 1], position = [0.12, 0.02, 0], shapes.s = {type = "sphere", radius = 0.01}}
joints.first = {type = "spherical", between = ["post", "link"], at = [0, 0, 0]}
joints.second = {type = "revolute", between = ["end", "link"], at = [0.08, 0, 0], axis = [0, 1, 0], limits = [-1, 1]}
)";

TEST(JointedBodiesThatOverlap, AreNamedWithTheirJointAndTheExcept) {
  const std::string all = warnings_of(kOverlappingChain + "contact_default = {}\n");
  EXPECT_NE(all.find("joints.first: its bodies 'post' and 'link' overlap by 0.01 m at the start"), std::string::npos)
      << all;
  EXPECT_NE(all.find("contact_default.except = [[\"post\", \"link\"]]"), std::string::npos) << all;
  EXPECT_NE(all.find("joints.second: its bodies 'end' and 'link' overlap by 0.01 m at the start"), std::string::npos)
      << all;
  EXPECT_NE(all.find("contact_default: the bodies 'end' and 'stray' overlap by 0.01 m"), std::string::npos) << all;
}

TEST(JointedBodiesThatOverlap, AreSilentOnceTheExceptKeepsThemApart) {
  const std::string all =
      warnings_of(kOverlappingChain +
                  "contact_default.except = [[\"post\", \"link\"], [\"end\", \"link\"], [\"end\", \"stray\"]]\n");
  EXPECT_EQ(all.find("overlap"), std::string::npos) << all;
}

}  // namespace
}  // namespace stickslip
