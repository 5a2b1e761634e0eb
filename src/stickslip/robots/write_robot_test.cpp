// SPDX-License-Identifier: BSD-3-Clause
// What models become in a scene where bodies are fused into others or have no mass.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "stickslip/robots/convert_model.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"

namespace stickslip {
namespace {

using Exceptions = std::vector<std::array<std::string, 2>>;

Scene convert(const std::string& parts) {
  RobotOptions options;
  options.reads_files = false;
  const ConvertedModel converted =
      convert_model_text("<mujoco model=\"m\">\n" + parts + "\n</mujoco>\n", "m.xml", options);
  return parse_scene(converted.scene, "m.toml");
}

/// A floor with a static pedestal, a hand with a tip fixed to it, and a ball; `contact` says who is excluded.
Exceptions excepted(const std::string& contact) {
  return convert(R"(<worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="pedestal" pos="1 0 0"><geom name="block" type="box" size=".1 .1 .1"/></body>
<body name="hand" pos="0 0 1"><freejoint/><geom name="palm" size=".1"/>
 <body name="tip" pos="0 0 .2"><geom name="nail" size=".05"/><geom name="pad" size=".06"/></body></body>
<body name="ball" pos="0 1 1"><freejoint/><geom name="skin" size=".1"/></body></worldbody>
<contact>)" + contact +
                 "</contact>")
      .contact_default->except;
}

TEST(WriteRobot, ExcludesBodiesAndNotWhatTheyAreFusedInto) {
  EXPECT_EQ(excepted(R"(<exclude body1="pedestal" body2="ball"/>)"), (Exceptions{{"world/block", "ball"}}));
  EXPECT_EQ(excepted(R"(<exclude body1="ball" body2="world"/>)"), (Exceptions{{"ball", "world/floor"}}));
  EXPECT_EQ(excepted(R"(<exclude body1="tip" body2="ball"/>)"),
            (Exceptions{{"hand/nail", "ball"}, {"hand/pad", "ball"}}));
  EXPECT_EQ(excepted(R"(<exclude body1="hand" body2="pedestal"/>)"), (Exceptions{{"hand/palm", "world/block"}}));
  EXPECT_EQ(excepted(R"(<exclude body1="tip" body2="hand"/>)"), Exceptions{}) << "they do not move against each other";
}

/// A body with three joints has two bodies of mass 0 before it, to which schemes lend masses: what bears it bears its
/// weight alone.
TEST(WriteRobot, BodiesOfMassZeroHaveNoWeight) {
  const Scene scene = convert(R"(<option gravity="0 0 -10"/><worldbody><body name="arm" pos="0 0 3">
<joint name="z" type="slide" axis="0 0 1"/><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/>
<geom type="box" size=".1 .2 .3" mass="2"/></body></worldbody>)");
  const BuiltScene built = build(scene);
  const System& system = *built.system;
  Vector force(system.n_u());
  system.calc_applied_forces(0.0, built.initial.q, built.initial.u, force);
  double weight = 0.0;
  int n_moving = 0;
  for (const Body& body : system.bodies()) {
    if (body.n_u == 0) continue;
    ++n_moving;
    EXPECT_GT(body.mass, 0.0) << body.name;
    weight += force(body.u_offset + 2);
  }
  EXPECT_EQ(n_moving, 3);
  EXPECT_EQ(weight, -20.0);
  EXPECT_EQ(system.calc_potential_energy(0.0, built.initial.q), 60.0);
}

}  // namespace
}  // namespace stickslip
