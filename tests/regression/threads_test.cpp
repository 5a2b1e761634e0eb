// SPDX-License-Identifier: BSD-3-Clause
// Steps whose work threads share: the same result, bit for bit, for any number of them.
#include <gtest/gtest.h>

#include <string>

#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"
#include "tests/support/same_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

/// Two steps of a scene with more than 4096 contacts, from which on the solver's packs are shared.
void expect_same_with_any_threads(const std::string& fill, int least_contacts) {
  const std::string scene =
      "stickslip = 1\n"
      "time = {end = 2e-3, step = 1e-3}\n"
      "contact_default = {friction = 0.3}\n"
      "solver = {type = \"ags\", tolerance = 0.1, max_iterations = 300}\n" +
      fill;
  const TemporaryFolder folder;
  for (const int n_threads : {1, 2, 4, 8}) {
    RunOptions options;
    options.output = folder / (std::to_string(n_threads) + ".h5");
    options.threads = n_threads;
    const RunResult result = run(parse_scene(scene, "scene.toml"), options);
    EXPECT_GE(result.summary.most_contacts, least_contacts);
    EXPECT_EQ(Trajectory(options.output).file().read_integer("/", "threads"), n_threads);
    EXPECT_TRUE(same_result(folder / "1.h5", options.output)) << n_threads;
  }
}

const std::string kFloorOfThreads =
    "bodies.floor = {type = \"fixed\", shapes.top = {type = \"half-space\", normal = [0, 0, 1]}}\n";

TEST(Threads, PileOfSpheres) {
  expect_same_with_any_threads(kFloorOfThreads +
                                   "[[fill]]\n"
                                   "grid = {counts = [14, 14, 9], spacing = 0.0999, origin = [0, 0, 0.0499]}\n"
                                   "jitter = 2e-5\n"
                                   "body = {density = 1000, shapes.s = {type = \"sphere\", radius = 0.05}}\n",
                               4096);
}

TEST(Threads, Discs) {
  expect_same_with_any_threads(
      "gravity = [0, -9.81]\n"
      "bodies.floor = {type = \"fixed\", shapes.top = {type = \"half-space\", normal = [0, 1]}}\n"
      "[[fill]]\n"
      "grid = {counts = [60, 45], spacing = 0.0999, origin = [0, 0.0499]}\n"
      "jitter = 2e-5\n"
      "body = {type = \"planar\", density = 1000, shapes.s = {type = \"sphere\", radius = 0.05}}\n",
      4096);
}

TEST(Threads, BoxesAndHulls) {
  expect_same_with_any_threads(
      kFloorOfThreads +
          "[[fill]]\n"
          "prefix = \"b\"\n"
          "grid = {counts = [6, 6, 3], spacing = 0.0999, origin = [0, 0, 0.0499]}\n"
          "body = {density = 1000, shapes.s = {type = \"box\", size = [0.1, 0.1, 0.1]}}\n"
          "[[fill]]\n"
          "prefix = \"h\"\n"
          "grid = {counts = [6, 6, 1], spacing = 0.0999, origin = [0, 0, 0.3496]}\n"
          "body = {density = 1000, shapes.s = {type = \"convex\", points = [[0.05, 0.05, -0.05], [-0.05, 0.05, -0.05], "
          "[0.05, -0.05, -0.05], [-0.05, -0.05, -0.05], [0.05, 0.05, 0.05], [-0.05, 0.05, 0.05], [0.05, -0.05, 0.05], "
          "[-0.04, -0.05, 0.05]]}}\n",
      4096);
}

/// A joint and a point body switch the packed operator off.
TEST(Threads, PileWithAJointAndAPointBody) {
  expect_same_with_any_threads(
      kFloorOfThreads +
          "bodies.bob = {mass = 0.2, inertia = [1e-3, 1e-3, 1e-3], position = [9, 0, 1]}\n"
          "bodies.grain = {type = \"point\", mass = 0.1, position = [8, 0, 1]}\n"
          "joints.pin = {type = \"spherical\", between = [\"floor\", \"bob\"], at = [9, 0, 2]}\n"
          "[[fill]]\n"
          "grid = {counts = [14, 14, 9], spacing = 0.0999, origin = [0, 0, 0.0499]}\n"
          "jitter = 2e-5\n"
          "body = {density = 1000, shapes.s = {type = \"sphere\", radius = 0.05}}\n",
      4096);
}

}  // namespace
}  // namespace stickslip::test
