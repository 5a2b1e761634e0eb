// SPDX-License-Identifier: BSD-3-Clause
// Bricard's line-symmetric linkage of six hinges: as many rows as velocities, and it moves, where its joints fit alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

constexpr const char* kLinkage = R"scene(
gravity = [0, -9.81, 0]
bodies.base = {type = "fixed"}
bodies.r0 = {mass = 1, inertia = [0.00167, 0.0842, 0.0842], position = [0.5, 0, 0]}
bodies.r1 = {mass = 1, inertia = [0.0842, 0.00167, 0.0842], position = [1, -0.5, 0]}
bodies.r2 = {mass = 1, inertia = [0.0842, 0.0842, 0.00167], position = [1, -1, 0.5]}
bodies.r3 = {mass = 1, inertia = [0.00167, 0.0842, 0.0842], position = [0.5, -1, 1]}
bodies.r4 = {mass = 1, inertia = [0.0842, 0.00167, 0.0842], position = [0, -0.5, 1]}
joints.h0 = {type = "revolute", between = ["base", "r0"], at = [0, 0, 0], axis = [0, 1, 0]}
joints.h1 = {type = "revolute", between = ["r0", "r1"], at = [1, 0, 0], axis = [0, 0, 1]}
joints.h2 = {type = "revolute", between = ["r1", "r2"], at = [1, -1, 0], axis = [1, 0, 0]}
joints.h3 = {type = "revolute", between = ["r2", "r3"], at = [1, -1, 1], axis = [0, 1, 0]}
joints.h4 = {type = "revolute", between = ["r3", "r4"], at = [0, -1, 1], axis = [0, 0, 1]}
joints.h5 = {type = "revolute", between = ["r4", "base"], at = [0, 0, 1], axis = [1, 0, 0]}
)scene";

TEST(Bricard, MovesUnderMoreausScheme) {
  // Rows half a step ahead of positions that joints hold have full rank: the linkage locked, with reactions without
  // bound, in residuals of 1e-8 m/s, and lost its energy.
  test::SceneRun run = test::scene_from_text(
      std::string("stickslip = 1\ntime = {end = 1, step = 1e-3}\nscheme = {type = \"moreau\"}\n") + kLinkage);
  const double start = run.report.kinetic_energy + run.report.potential_energy;
  double most = 0.0;
  run.run([&](const test::SceneRun& now) {  // throws where a step is not ok
    most = std::max(most, std::abs(now.report.kinetic_energy + now.report.potential_energy - start));
  });
  EXPECT_LT(most, 0.02);                      // [J]
  EXPECT_GT(run.report.kinetic_energy, 1.0);  // it moves [J]
}

/// The same at half the step: it is of first order.
TEST(Bricard, EnergyFollowsTheStep) {
  std::array<double, 2> error = {};
  for (int k = 0; k < 2; ++k) {
    test::SceneRun run =
        test::scene_from_text("stickslip = 1\ntime = {end = 0.6, step = " + std::to_string(2e-3 / (1 + k)) +
                              "}\nscheme = {type = \"moreau\"}\n" + kLinkage);
    const double start = run.report.kinetic_energy + run.report.potential_energy;
    run.run();
    error[k] = std::abs(run.report.kinetic_energy + run.report.potential_energy - start);
  }
  EXPECT_LT(error[1], 0.6 * error[0] + 1e-9);
}

}  // namespace
}  // namespace stickslip
