// SPDX-License-Identifier: BSD-3-Clause
// Tangential restitution under the half-implicit schemes: given back once an impact, however many steps it takes to
// close the gap.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

class TangentialRestitution : public testing::TestWithParam<std::string> {
 protected:
  static SceneRun open(const std::string& text, double end, double h) {
    std::ostringstream scene;
    scene.precision(17);
    scene << "stickslip = 1\nscheme = {type = \"" << GetParam()
          << "\"}\nsolver = {tolerance = 1e-12}\ntime = {end = " << end << ", step = " << h << "}\n"
          << text;
    return test::scene_from_text(scene.str());
  }
};

/// What slips by v before the impact slips by -e_T v after it, wherever in a step the impact falls.
TEST_P(TangentialRestitution, OfADiscIsGivenBackOnce) {
  struct Case {
    double e_normal, e_tangential, spin;
  };
  for (const Case& c : {Case{0.0, 0.5, 0.0}, Case{0.0, 0.8, 1.0}, Case{0.6, 0.5, 0.0}, Case{0.0, 0.0, 0.0}}) {
    for (int phase = 0; phase < 10; ++phase) {
      std::ostringstream text;
      text.precision(17);
      text
          << "gravity = [0, 0]\n[bodies.floor]\ntype = \"fixed\"\nshapes.s = {type = \"half-space\", normal = [0, 1]}\n"
          << "[bodies.d]\ntype = \"planar\"\nmass = 1\ninertia = 0.02\nposition = [0, " << 0.21 + 1e-4 * phase
          << "]\nvelocity = [0.6, -1]\nangular_velocity = " << c.spin
          << "\nshapes.s = {type = \"sphere\", radius = 0.2}\n[[contacts]]\nbetween = [\"floor\", \"d\"]\n"
          << "friction = 1\nrestitution = {normal = " << c.e_normal << ", tangential = " << c.e_tangential << "}\n";
      SceneRun run = open(text.str(), 0.02, 1e-3);
      const double before = 0.6 + 0.2 * c.spin;
      run.run();
      EXPECT_NEAR(run.state.u(0) + 0.2 * run.state.u(2), -c.e_tangential * before, 1e-10) << phase;
      EXPECT_NEAR(run.state.u(1), c.e_normal, 1e-9) << phase;
    }
  }
}

TEST_P(TangentialRestitution, OfASphereInSpaceIsGivenBackOnce) {
  for (int phase = 0; phase < 5; ++phase) {
    std::ostringstream text;
    text.precision(17);
    text << "gravity = [0, 0, 0]\n[bodies.floor]\ntype = \"fixed\"\nshapes.s = {type = \"half-space\", "
         << "normal = [0, 0, 1]}\n[bodies.b]\nmass = 1\ninertia = [0.016, 0.016, 0.016]\nposition = [0, 0, "
         << 0.2101 + 2e-4 * phase << "]\nvelocity = [0.4, 0.3, -1]\nshapes.s = {type = \"sphere\", radius = 0.2}\n"
         << "[[contacts]]\nbetween = [\"floor\", \"b\"]\nfriction = 1\nrestitution = {normal = 0, tangential = 0.5}\n";
    SceneRun run = open(text.str(), 0.02, 1e-3);
    run.run();
    const double tolerance = GetParam() == "ccp" ? 1e-10 : 1e-7;  // polygons leave a slip of 4e-8 m/s
    EXPECT_NEAR(run.state.u(0) - 0.2 * run.state.u(4), -0.2, tolerance);
    EXPECT_NEAR(run.state.u(1) + 0.2 * run.state.u(3), -0.15, tolerance);
  }
}

/// A run that goes on from a copy of the state in the middle of an impact has the same bits.
TEST_P(TangentialRestitution, IsPartOfTheState) {
  const std::string text = R"toml(
gravity = [0, 0]
[bodies.floor]
type = "fixed"
shapes.s = {type = "half-space", normal = [0, 1]}
[bodies.d]
type = "planar"
mass = 1
inertia = 0.02
position = [0, 0.2105]
velocity = [0.6, -1]
shapes.s = {type = "sphere", radius = 0.2}
[[contacts]]
between = ["floor", "d"]
friction = 1
restitution = {normal = 0, tangential = 0.5}
)toml";
  SceneRun whole = open(text, 0.02, 1e-3);
  SceneRun resumed = open(text, 0.02, 1e-3);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(whole.step(), Status::ok);
    resumed.state = state_from_bytes(to_bytes(resumed.state));
    ASSERT_EQ(resumed.step(), Status::ok);
    ASSERT_EQ(whole.state.u, resumed.state.u);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, TangentialRestitution, testing::Values("ccp", "stewart-trinkle"),
                         [](const auto& i) { return i.param == "stewart-trinkle" ? "stewart_trinkle" : i.param; });

}  // namespace
}  // namespace stickslip
