// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <vector>

#include "stickslip/io/result_reader.h"
#include "stickslip/scene/load_scene.h"
#include "tests/support/same_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

using test::same_result;
using test::TemporaryFolder;

constexpr const char* kBall = R"(stickslip = 1
gravity = [0, -9.81]
time = {end = 1.0, step = 1e-3}
output = {every = 7e-3}
[bodies.ball]
type = "planar"
mass = 1
inertia = 0.004
position = [0, 0.3]
velocity = [1, 0]
shapes.hull = {type = "sphere", radius = 0.1}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1]}
[[contacts]]
between = ["floor", "ball"]
friction = 0.3
restitution = {normal = 0.5}
)";

RunOptions write_to(const std::filesystem::path& output) {
  RunOptions options;
  options.output = output;
  return options;
}

TEST(Run, WritesRowsOnTheirGridAndEveryStep) {
  const TemporaryFolder folder;
  const RunResult result = run(parse_scene(kBall, "ball"), write_to(folder / "r.h5"));
  EXPECT_EQ(result.outcome, Outcome::done);
  EXPECT_EQ(result.summary.steps, 1000);
  const Trajectory r(folder / "r.h5");
  EXPECT_EQ(r.steps(), 1001);
  EXPECT_EQ(r.rows(), 1 + 1000 / 7 + 1);
  const RowMatrix time = r.read("/time");
  EXPECT_EQ(time(0, 0), 0.0);
  EXPECT_EQ(time(5, 0), 35 * 1e-3);
  EXPECT_EQ(time(r.rows() - 1, 0), 1000 * 1e-3);
  const std::vector<StepRow> steps = r.read_steps(0, r.steps());
  for (int n = 0; n <= 1000; ++n) ASSERT_EQ(steps[n].time, n * 1e-3);
  EXPECT_EQ(r.read("/contacts/floor-ball/normal_percussion")(0, 0), 0.0) << "row 0 is the initial state";
}

TEST(Run, AStoppedRunGoesOnToTheSameBits) {
  const TemporaryFolder folder;
  const Scene scene = parse_scene(kBall, "ball");
  run(scene, write_to(folder / "whole.h5"));

  std::atomic<bool> stop = true;  // before the first step
  RunOptions options = write_to(folder / "r.h5");
  options.stop = &stop;
  EXPECT_EQ(run(scene, options).outcome, Outcome::interrupted);
  EXPECT_EQ(Trajectory(folder / "r.h5").rows(), 1);

  RunOptions resumed = write_to(folder / "r.h5");
  resumed.resume = folder / "r.h5";
  const RunResult result = run(scene, resumed);
  EXPECT_EQ(result.outcome, Outcome::done);
  EXPECT_EQ(result.summary.steps, 1000);
  EXPECT_TRUE(same_result(folder / "whole.h5", folder / "r.h5"));
}

TEST(Run, AResumedFinishedRunIsTheSameAgain) {
  const TemporaryFolder folder;
  const Scene scene = parse_scene(kBall, "ball");
  RunOptions options = write_to(folder / "a.h5");
  run(scene, options);
  options.output = folder / "b.h5";
  options.resume = folder / "a.h5";
  const RunResult again = run(scene, options);
  EXPECT_EQ(again.summary.steps, 1000) << "the summary is of the whole run";
  EXPECT_TRUE(same_result(folder / "a.h5", folder / "b.h5"));
}

TEST(Run, CheckpointsDoNotChangeTheResult) {
  const TemporaryFolder folder;
  const Scene scene = parse_scene(kBall, "ball");
  run(scene, write_to(folder / "a.h5"));
  RunOptions options = write_to(folder / "b.h5");
  options.checkpoint_every = 0.013;
  run(scene, options);
  EXPECT_TRUE(same_result(folder / "a.h5", folder / "b.h5"));
}

TEST(Run, TellsItsProgress) {
  const TemporaryFolder folder;
  RunOptions options = write_to(folder / "r.h5");
  std::vector<Progress> told;
  options.progress = [&told](const Progress& p) { told.push_back(p); };
  run(parse_scene(kBall, "ball"), options);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().share, 1.0);
  EXPECT_EQ(told.back().steps, 1000);
  EXPECT_EQ(told.back().seconds_left, 0.0);
}

TEST(Run, ASceneThatCannotBeBuiltLeavesNoFile) {
  const TemporaryFolder folder;
  Scene scene = parse_scene(kBall, "ball");
  scene.contacts[0].between[0].body = "nobody";
  EXPECT_THROW(run(scene, write_to(folder / "r.h5")), InputError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace stickslip
