// SPDX-License-Identifier: BSD-3-Clause
// Springs and dampers that a step of the generalized-alpha scheme does not resolve, at the start of a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::scene_from_text;
using test::SceneRun;

std::string make_two_bodies(const std::string& spring, const std::string& mass) {
  return "stickslip = 1\ngravity = [0, 0]\ntime = {end = 0.1, step = 1e-3}\nscheme = {type = \"generalized-alpha\"}\n"
         "bodies.a = {type = \"planar\", mass = 1, inertia = 0.05, position = [0, 0]}\n"
         "bodies.b = {type = \"planar\", mass = " +
         mass +
         ", inertia = 0.2, position = [1, 0], velocity = [-0.5, 0]}\n"
         "forces.s = {type = \"spring\", between = [\"a\", \"b\"], " +
         spring + "}\n";
}

/// h c / m = 1e4: the two bodies go on together, with the momentum that they have.
TEST(GeneralizedAlphaStiffStart, BodiesThatADamperHoldsGoOnTogether) {
  for (const double mass : {0.4, 1.0, 2.5}) {
    SceneRun run = scene_from_text(make_two_bodies("damping = 1e7", std::to_string(mass)));
    double last = run.built.system->calc_kinetic_energy(run.state.u);
    run.run([&](const SceneRun& r) {
      const double now = r.built.system->calc_kinetic_energy(r.state.u);
      EXPECT_LE(now, last * (1.0 + 1e-6)) << mass << ", " << r.state.t;
      last = now;
    });
    const double together = -0.5 * mass / (1.0 + mass);
    EXPECT_NEAR(run.state.u(0), together, 1e-6) << mass;
    EXPECT_NEAR(run.state.u(3), together, 1e-6) << mass;
    EXPECT_NEAR(run.state.q(3) - run.state.q(0), 1.0, 1e-3) << mass;
  }
}

/// h^2 k / m = 1e6 beside it: they come to rest at the length of the spring.
TEST(GeneralizedAlphaStiffStart, ASpringBesideItEndsAtItsLength) {
  SceneRun run = scene_from_text(make_two_bodies("damping = 1e7, stiffness = 1e12, rest = 1", "2.5"));
  run.run();
  EXPECT_NEAR(run.state.q(3) - run.state.q(0), 1.0, 1e-9);
  EXPECT_NEAR(run.state.u(3), -0.5 * 2.5 / 3.5, 1e-6);
}

}  // namespace
}  // namespace stickslip
