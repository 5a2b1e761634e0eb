// SPDX-License-Identifier: BSD-3-Clause
// Averages of the generalized-alpha scheme fade over some steps where a load ends and nothing else acts: those that are
// published, and each step exact.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

/// A body of 1.3 kg at 1 m/s, braked and pressed until t = 1: free, guided, or on a floor without friction.
std::string body_with_load(const std::string& held_by, const std::string& rho_inf) {
  std::string text =
      "stickslip = 1\ntime = {end = 2, step = 1e-2}\nscheme = {type = \"generalized-alpha\", rho_inf = " + rho_inf +
      R"(}
gravity = [0, 0]
[bodies.floor]
type = "fixed"
[bodies.floor.shapes.top]
type = "half-space"
normal = [0, 1]
[bodies.body]
type = "planar"
mass = 1.3
inertia = 0.1
position = [0, 0.5]
velocity = [1, 0]
[bodies.body.shapes.hull]
type = "sphere"
radius = 0.5
)";
  const bool is_free = held_by == "nothing";
  text += std::string("[forces.load]\ntype = \"load\"\nbody = \"body\"\nforce = [\"=") + (is_free ? "-1.3" : "-0.5") +
          "*(1-sign(t-1))/2\", \"=" + (is_free ? "0" : "-6") + "*(1-sign(t-1))/2\"]\n";
  if (held_by == "guide")
    text += "[joints.guide]\ntype = \"prismatic\"\nbetween = [\"floor\", \"body\"]\naxis = [1, 0]\n";
  if (held_by == "floor") text += "[[contacts]]\nname = \"rest\"\nbetween = [\"body/hull\", \"floor/top\"]\n";
  return text;
}

class FadingAverages : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(FadingAverages, AreNoUnbalancedMomentum) {
  const auto [held_by, rho_inf] = GetParam();
  test::SceneRun run = test::scene_from_text(body_with_load(held_by, rho_inf));
  while (run.state.step < 200) {
    ASSERT_EQ(run.step(), Status::ok) << "t = " << run.state.t << ": " << run.report.message;
  }
  // The load ends at the end of a step: its impulse is known to what it is in one, 1e-2 s of 1 m/s^2.
  const double expected = std::string(held_by) == "nothing" ? 0.0 : 1.0 - 0.5 / 1.3;
  EXPECT_NEAR(run.state.u(0), expected, 1e-2);
}

INSTANTIATE_TEST_SUITE_P(All, FadingAverages,
                         testing::Combine(testing::Values("nothing", "guide", "floor"),
                                          testing::Values("0", "0.3", "0.5", "0.7", "0.9", "1")),
                         [](const auto& c) {
                           std::string rho_inf = std::get<1>(c.param);
                           if (rho_inf.size() > 1) rho_inf[1] = '_';
                           return std::get<0>(c.param) + std::string("_rho") + rho_inf;
                         });

}  // namespace
}  // namespace stickslip
