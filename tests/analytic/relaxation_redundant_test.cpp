// SPDX-License-Identifier: BSD-3-Clause
// The scheme relaxation by integrators that control errors, where single contact forces are not unique: their number of
// evaluations is that of the motion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "stickslip/stepping/sundials_integrator.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

/// A box of 1 kg and edges of .4, .3 and .1 m on a floor, in space.
SceneRun make_box(double end, double step, const std::string& integrator, const std::string& gravity, double mu,
                  const std::string& more) {
  return SceneRun(parse_scene(fmt::format(R"(
stickslip = 1
time = {{end = {}, step = {}}}
scheme = {{type = "relaxation", integrator = "{}"}}
solver = {{tolerance = 1e-12}}
gravity = {}
[bodies.floor]
type = "fixed"
shapes.top = {{type = "half-space", normal = [0, 0, 1]}}
[bodies.box]
mass = 1
inertia = [0.1, 0.2, 0.15]
position = [0, 0, 0.05]
shapes.hull = {{type = "box", size = [0.4, 0.3, 0.1]}}
{}
[[contacts]]
between = ["floor", "box"]
friction = {}
)",
                                          end, step, integrator, gravity, more, mu),
                              "test.toml"));
}

class RelaxationRedundant : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, RelaxationRedundant, testing::Values("cvode", "arkode-explicit", "arkode-implicit"));

/// Four feet slide down an incline by a = g (sin - mu cos), with the tangents oblique to the fall line.
TEST_P(RelaxationRedundant, FourFeetSlideWithFewEvaluations) {
  if (!has_sundials()) GTEST_SKIP();
  SceneRun run = make_box(0.2, 0.2, GetParam(), "[4, 3, -8]", 0.3, "velocity = [0.8, 0.6, 0]");
  ASSERT_EQ(run.step(), Status::ok) << run.report.message;
  const double way = 0.2 + 0.5 * (5.0 - 0.3 * 8.0) * 0.04;
  EXPECT_NEAR(run.state.q(0), 0.8 * way, 1e-8);
  EXPECT_NEAR(run.state.q(1), 0.6 * way, 1e-8);
  EXPECT_LT(run.report.solve.iterations, 5000);
}

/// A push that grows while four feet stick: what the floor gives over a step is what the push takes.
TEST_P(RelaxationRedundant, ForcesOfWhatRestsAddUpToWhatPushes) {
  if (!has_sundials()) GTEST_SKIP();
  SceneRun run = make_box(0.2, 0.2, GetParam(), "[0, 0, -10]", 0.5,
                          "[forces.push]\ntype = \"load\"\nbody = \"box\"\nforce = [\"20*t^2\", 0, 0]");
  ASSERT_EQ(run.step(), Status::ok) << run.report.message;
  double friction = 0.0;
  double normal = 0.0;
  for (const ContactReport& contact : run.report.contacts) {
    normal += contact.percussion[0];
    friction += std::hypot(contact.percussion[1], contact.percussion[2]);
  }
  EXPECT_NEAR(normal, 10.0 * 0.2, 1e-8);
  EXPECT_GE(friction, 20.0 * std::pow(0.2, 3) / 3.0 - 1e-8);
  EXPECT_LT(run.state.u.norm(), 1e-9);
  EXPECT_LT(run.report.solve.iterations, 25000);
}

}  // namespace
}  // namespace stickslip
