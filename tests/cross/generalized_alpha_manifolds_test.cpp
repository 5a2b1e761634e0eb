// SPDX-License-Identifier: BSD-3-Clause
// Many contacts under the generalized-alpha scheme, as users meet them: walls of bricks, whose faces touch in four
// points and more and leave most forces open, and balls that settle, which slide on each other across where they slid
// before.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/many_contacts_scene.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

constexpr double kBrick = 0.08;  // [m] the least side of a brick

/// A wall stands: in each step, with no more than a few passes of the nested problems, whatever the forces that its
/// faces leave open. Newton's method on all levels at once, which has a singular system here, took thirty iterations
/// and did not get there.
void expect_standing(test::SceneRun& run, int n_steps) {
  constexpr int kMostPasses = 6;                   // [-] 4 at most in 5 x 10 bricks
  constexpr double kCreep = 1e-9;                  // [m] in 2 s
  constexpr double kPenetration = 1e-10 * kBrick;  // [m]
  for (int i = 1; i <= n_steps; ++i) {
    ASSERT_EQ(run.step(), Status::ok) << i << ": " << run.report.message;
    EXPECT_LE(run.report.solve.iterations + run.report.fallbacks, kMostPasses) << i;
    EXPECT_EQ(run.report.parts, 1) << i;
    ASSERT_LE(run.report.penetration, kPenetration) << i;
  }
  EXPECT_LE((run.state.q - run.built.initial.q).cwiseAbs().maxCoeff(), kCreep);
}

TEST(Manifolds, AWallOfBricksStands) {
  test::SceneRun run = test::scene_from_text(test::wall_scene(5, 6));
  expect_standing(run, 20);
}

/// The solver's tolerance is looser than the scheme's, which is the one that steps are held to, from the start on.
TEST(Manifolds, AWallStandsWhateverTheTolerance) {
  test::SceneRun run = test::scene_from_text("solver = {tolerance = 1e-4}\n" + test::wall_scene(5, 6));
  expect_standing(run, 3);
}

TEST(SlowManifolds, AWallOfFiftyBricksStandsForTwoSeconds) {
  test::SceneRun run = test::scene_from_text(test::wall_scene(5, 10));
  expect_standing(run, 400);
}

struct Settled {
  int inexact = 0, most_contacts = 0;
  double penetration = 0.0;  // [m] of steps that are solved
};

Settled settle(test::SceneRun& run, int n_steps) {
  Settled result;
  for (int i = 1; i <= n_steps; ++i) {
    const Status status = run.step();
    EXPECT_NE(status, Status::failed) << i << ": " << run.report.message;
    if (status == Status::failed) break;
    result.inexact += status == Status::inexact ? 1 : 0;
    result.most_contacts = std::max(result.most_contacts, run.report.closed_contacts);
    if (status == Status::ok) result.penetration = std::max(result.penetration, run.report.penetration);
  }
  return result;
}

constexpr double kOverlap = 1e-9;  // [m] tolerance 1e-6 of what a ball at 1 m/s moves in a step

TEST(Manifolds, BallsInSpaceSettle) {
  test::SceneRun run = test::scene_from_text(test::balls_scene(3, 4, 0.15));
  const Settled settled = settle(run, 120);
  EXPECT_EQ(settled.inexact, 0);
  EXPECT_GT(settled.most_contacts, 30) << "the balls must have come to lie on each other";
  EXPECT_LE(settled.penetration, kOverlap);
}

/// They collapse, jam and come to rest; what still moves in the end is a ball that rolls, as nothing but sliding is
/// resisted.
TEST(SlowManifolds, TwoHundredBallsInSpaceComeToRest) {
  test::SceneRun run = test::scene_from_text(test::balls_scene(5, 8, 0.25));
  constexpr int kSteps = 1000;
  constexpr double kAtRest = 1e-4;  // [J] 1.1 where they fall
  const Settled settled = settle(run, kSteps);
  EXPECT_EQ(settled.inexact, 0);
  EXPECT_GT(settled.most_contacts, 450);
  EXPECT_LE(settled.penetration, kOverlap);
  EXPECT_LE(run.built.system->calc_kinetic_energy(run.state.u), kAtRest);
}

}  // namespace
}  // namespace stickslip
