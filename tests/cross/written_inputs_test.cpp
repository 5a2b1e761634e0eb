// SPDX-License-Identifier: BSD-3-Clause
// Results of runs that a program controls, and of forces that depend on the state: they hold what it put in, and
// `verify` finds the balance of momentum as the run claims it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "stickslip/io/result_reader.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"
#include "stickslip/verify/verify.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

class WrittenInputs : public testing::TestWithParam<std::string> {
 protected:
  Scene make_scene(const std::string& more = "") const {
    std::string text = R"(
stickslip = 1
time = {end = 0.2, step = 1e-3}
scheme = {type = "SCHEME"}
[bodies.ground]
type = "fixed"
[bodies.ball]
mass = 2
inertia = [0.1, 0.2, 0.15]
angular_velocity = [3, 2, 1]
[bodies.arm]
mass = 1
inertia = [0.02, 0.03, 0.01]
position = [2.3, 0, 0]
[joints.hinge]
type = "revolute"
between = ["ground", "arm"]
at = [2, 0, 0]
axis = [0, 1, 0]
)";
    text.replace(text.find("SCHEME"), 6, GetParam());
    return parse_scene(text + more, "test.toml");
  }
  test::TemporaryFolder folder_;
};

TEST_P(WrittenInputs, ResultsOfControlledRunsAreVerified) {
  RunOptions options;
  options.output = folder_ / "r.h5";
  options.control = [](const System& system, const State& state, Inputs& inputs) {
    inputs.set_force(system, 1, Vector3(50.0 * std::sin(40.0 * state.t), 20.0, 0.0));
    inputs.set(system, {.body = 1, .force = Vector3(0.0, 0.0, 30.0), .at = Vector3(0.1, 0.0, 0.0), .body_frame = true});
    inputs.set_effort(system, 0, 2.0 * std::cos(30.0 * state.t));
  };
  ASSERT_EQ(run(make_scene(), options).outcome, Outcome::done);
  const Verification found = verify_result(options.output);
  EXPECT_TRUE(found.ok()) << describe(found);
  const Trajectory result(options.output);
  EXPECT_EQ(result.file().read_texts("/inputs/name"), std::vector<std::string>{"hinge"});
  const RowMatrix efforts = result.read("/inputs/value", 0, 201);
  EXPECT_EQ(efforts(0, 0), 0.0);
  EXPECT_EQ(efforts(1, 0), 2.0);
  EXPECT_NEAR(efforts(101, 0), 2.0 * std::cos(30.0 * 0.1), 1e-12);
  const RowMatrix impulses = result.read("/bodies/input_impulse", 0, 201);
  EXPECT_NEAR(impulses(1, 3 + 1), 1e-3 * 20.0, 1e-3 * 30.0 * 0.01);  // the force in the body has hardly turned
}

TEST_P(WrittenInputs, ForcesOfTheStateAreVerified) {
  RunOptions options;
  options.output = folder_ / "r.h5";
  const Scene scene = make_scene(
      "force = \"-5*coordinate(hinge) - 0.1*rate(hinge)\"\n[forces.pull]\ntype = \"load\"\n"
      "body = \"ball\"\nat = [0.1, 0, 0]\nforce = [\"-40*x(ball) - vx(ball) + vy(arm)\", "
      "\"omega_z(ball)*t\", \"-30*z(ball)\"]\n");
  ASSERT_EQ(run(scene, options).outcome, Outcome::done);
  const Verification found = verify_result(options.output);
  EXPECT_TRUE(found.ok()) << describe(found);
  EXPECT_FALSE(Trajectory(options.output).file().has("/inputs/value"));
}

INSTANTIATE_TEST_SUITE_P(Schemes, WrittenInputs,
                         testing::Values("moreau", "ccp", "stewart-trinkle", "relaxation", "event-driven",
                                         "generalized-alpha"),
                         [](const testing::TestParamInfo<std::string>& scheme) {
                           std::string name = scheme.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace stickslip
