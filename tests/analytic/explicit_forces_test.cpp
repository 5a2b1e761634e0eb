// SPDX-License-Identifier: BSD-3-Clause
// Forces that a scheme takes explicitly: `check` and a step that fails name the stiffest and the step that it needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/scene_run.h"
#include "tests/support/without_traps.h"

namespace stickslip {
namespace {

using test::SceneRun;

std::string make_scene(const std::string& scheme, double h, const std::string& text) {
  std::ostringstream scene;
  scene.precision(17);
  scene << "stickslip = 1\nscheme = {type = " << scheme << "}\ntime = {end = 1, step = " << h << "}\n" << text;
  return scene.str();
}

const char* const kRelaxation = "\"relaxation\", delta = 1e-2";

/// Until a step fails; what it says, empty where none of n does.
std::string run_until_failure(SceneRun run, int n) {
  for (int i = 0; i < n; ++i) {
    if (run.step() == Status::failed) return run.report.message;
  }
  return "";
}

std::vector<std::string> check(const SceneRun& run) {
  return find_warnings(run.scene, run.built);
}

bool names(const std::vector<std::string>& warnings, const std::string& path) {
  return std::ranges::any_of(warnings, [&](const std::string& warning) {
    return warning.find(path) != std::string::npos && warning.find("h^2 k/m") != std::string::npos;
  });
}

const char* const kExplicitBeam = R"toml(
gravity = [0, 0]
[bodies.wall]
type = "fixed"
shapes.stop = {type = "half-space", normal = [0, 1], offset = -0.04}
[bodies.beam]
type = "beam"
length = 1
axial_stiffness = 1e5
bending_stiffness = 10
line_density = 1
elements = 8
direction = [1, 0]
shapes.tip = {type = "point", at = 1}
[joints.clamp]
type = "weld"
between = ["wall", "beam"]
at_parameter = 0
[forces.tip]
type = "load"
body = "beam"
at_parameter = 1
force = [0, "-3*min(1, 200*t)"]
[[contacts]]
name = "stop"
between = ["wall", "beam"]
friction = 0
)toml";

struct Explicit {
  std::string path;
  double step;  // [s] that is too long
  std::string text;
};

std::vector<Explicit> make_explicit() {
  const std::string bodies =
      "gravity = [0, 0]\n[bodies.ground]\ntype = \"fixed\"\n[bodies.a]\ntype = \"planar\"\nmass = 1\ninertia = 0.1\n"
      "velocity = [0.5, 0]\n[bodies.b]\ntype = \"planar\"\nmass = 2\ninertia = 0.1\nposition = [1, 0]\n";
  return {
      {"bodies.beam", 1e-3, kExplicitBeam},
      {"forces.spring", 1e-3,
       bodies + "[forces.spring]\ntype = \"spring\"\nbetween = [\"a\", \"b\"]\nstiffness = 1e9\nrest = 1\n"},
      {"forces.damper", 1e-3, bodies + "[forces.damper]\ntype = \"spring\"\nbetween = [\"a\", \"b\"]\ndamping = 1e4\n"},
      {"joints.slide.spring", 2e-3,
       bodies + "[joints.slide]\ntype = \"prismatic\"\nbetween = [\"ground\", \"a\"]\nat = [0, 0]\naxis = [1, 0]\n"
                "spring = {stiffness = 1e8, damping = 1e2}\n"},
  };
}

/// What follows `steps above`. [s]
double find_step(const std::string& message) {
  const std::string before = "steps above ";
  const std::size_t at = message.find(before);
  return at == std::string::npos ? 0.0 : std::stod(message.substr(at + before.size()));
}

TEST(ExplicitForces, AStepOfTheRelaxationThatFailsNamesWhatIsTooStiff) {
  for (const Explicit& e : make_explicit()) {
    SceneRun run = test::scene_from_text(make_scene(kRelaxation, e.step, e.text));
    EXPECT_TRUE(names(check(run), e.path)) << e.path;
    const std::string message = [&] {
      const test::WithoutTraps no_traps;
      return run_until_failure(std::move(run), 500);
    }();
    EXPECT_NE(message.find(e.path + ": h c/m = "), std::string::npos) << message;
    // The step that is asked for is short enough, and nothing is said of it.
    const double step = find_step(message);
    ASSERT_GT(step, 0.0) << message;
    SceneRun shorter = test::scene_from_text(make_scene(kRelaxation, 0.99 * step, e.text));
    EXPECT_FALSE(names(check(shorter), e.path)) << e.path;
    EXPECT_EQ(run_until_failure(std::move(shorter), 500), "") << e.path;
  }
}

/// Under the schemes on velocities these are implicit, and nothing is to be said; but the torque of a tension is not.
TEST(ExplicitForces, SchemesOnVelocitiesNameTensionsThatTurnBodies) {
  for (const std::string scheme : {"\"moreau\"", "\"ccp\"", "\"stewart-trinkle\"", "\"generalized-alpha\""}) {
    for (const Explicit& e : make_explicit()) {
      EXPECT_FALSE(names(check(test::scene_from_text(make_scene(scheme, e.step, e.text))), e.path)) << e.path;
    }
    for (const double rest : {0.5, 0.65}) {
      std::ostringstream text;
      text << "gravity = [0, 0]\n[bodies.a]\ntype = \"planar\"\nmass = 1\ninertia = 0.1\n[bodies.b]\n"
           << "type = \"planar\"\nmass = 2\ninertia = 0.1\nposition = [1, 0]\n[forces.spring]\ntype = \"spring\"\n"
           << "between = [\"a\", \"b\"]\nat_a = [0.2, 0]\nat_b = [-0.15, 0]\nstiffness = 1e9\nrest = " << rest << "\n";
      const bool is_explicit = rest < 0.6 && scheme != "\"generalized-alpha\"";
      const std::vector<std::string> warnings = check(test::scene_from_text(make_scene(scheme, 1e-3, text.str())));
      EXPECT_EQ(names(warnings, "forces.spring"), is_explicit) << scheme << ", " << rest;
    }
  }
}

}  // namespace
}  // namespace stickslip
