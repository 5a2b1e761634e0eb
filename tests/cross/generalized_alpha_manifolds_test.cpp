// SPDX-License-Identifier: BSD-3-Clause
// Many contacts under the generalized-alpha scheme, as users meet them: walls of bricks, whose faces touch in four
// points and more and leave most forces open, and balls that settle, which slide on each other across where they slid
// before.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

constexpr double kBrick = 0.08;  // [m] the least side of a brick

/// Bricks laid dry on the ground, half a brick of bond, at rest.
std::string wall_scene(int length, int height) {
  return R"(
stickslip = 1
time = {end = 2, step = 5e-3}
scheme = {type = "generalized-alpha"}
[bodies.ground]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[[fill]]
prefix = "brick"
body = {density = 2000}
bricks = {size = [0.25, 0.12, 0.08], origin = [0, 0, 0], bond = 0.5, counts = [)" +
         std::to_string(length) + ", 1, " + std::to_string(height) + R"(]}
[contact_default]
friction = 0.5
)";
}

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
  test::SceneRun run = test::scene_from_text(wall_scene(5, 6));
  expect_standing(run, 20);
}

TEST(SlowManifolds, AWallOfFiftyBricksStandsForTwoSeconds) {
  test::SceneRun run = test::scene_from_text(wall_scene(5, 10));
  expect_standing(run, 400);
}

/// n x n x layers balls that fall into a box of `side` [m] and settle; tolerances as a user sets them for heaps.
std::string balls_scene(int n, int layers, double side) {
  const std::string count = std::to_string(n);
  const std::string wall = std::to_string(-side);
  return R"(
stickslip = 1
time = {end = 1, step = 1e-3}
scheme = {type = "generalized-alpha", tolerance = 1e-6}
solver = {tolerance = 1e-6, max_iterations = 2000}
[bodies.box]
type = "fixed"
shapes.floor = {type = "half-space", normal = [0, 0, 1]}
shapes.left = {type = "half-space", normal = [1, 0, 0]}
shapes.front = {type = "half-space", normal = [0, 1, 0]}
shapes.right = {type = "half-space", normal = [-1, 0, 0], offset = )" +
         wall + R"(}
shapes.back = {type = "half-space", normal = [0, -1, 0], offset = )" +
         wall + R"(}
[[fill]]
prefix = "ball"
jitter = 1e-3
seed = 7
body = {density = 1000, shapes.ball = {type = "sphere", radius = {uniform = [0.016, 0.021]}}}
grid = {spacing = 0.046, origin = [0.033, 0.033, 0.03], counts = [)" +
         count + ", " + count + ", " + std::to_string(layers) + R"(]}
[contact_default]
friction = 0.3
)";
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
  test::SceneRun run = test::scene_from_text(balls_scene(3, 4, 0.15));
  const Settled settled = settle(run, 120);
  EXPECT_EQ(settled.inexact, 0);
  EXPECT_GT(settled.most_contacts, 30) << "the balls must have come to lie on each other";
  EXPECT_LE(settled.penetration, kOverlap);
}

TEST(SlowManifolds, TwoHundredBallsInSpaceSettle) {
  test::SceneRun run = test::scene_from_text(balls_scene(5, 8, 0.25));
  constexpr int kSteps = 400;
  const Settled settled = settle(run, kSteps);
  EXPECT_LT(settled.inexact, 0.01 * kSteps);
  EXPECT_GT(settled.most_contacts, 300);
  EXPECT_LE(settled.penetration, kOverlap);
}

}  // namespace
}  // namespace stickslip
