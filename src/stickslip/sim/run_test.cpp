// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/cone/residual.h"
#include "stickslip/io/events_table.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/lcp_text.h"
#include "stickslip/io/problem_file.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/step_problems.h"
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

/// A block that slides down a slope on two corners.
constexpr const char* kSlope = R"(stickslip = 1
gravity = [5, -9.81]
time = {end = 0.1, step = 1e-3}
[bodies.block]
type = "planar"
mass = 1
inertia = 0.02
position = [0, 0.1]
shapes.hull = {type = "box", size = [0.4, 0.2]}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1]}
[[contacts]]
between = ["floor", "block"]
friction = 0.3
)";

RunOptions write_to(const std::filesystem::path& output) {
  RunOptions options;
  options.output = output;
  return options;
}

/// Too few sweeps for the tolerance: the first steps leave their problem beside the result, where that is wanted.
TEST(Run, LeavesTheProblemsOfInexactSteps) {
  const TemporaryFolder folder;
  LoadOptions load;
  load.overrides = {"solver.type=pgs", "solver.max_iterations=3"};
  RunOptions options = write_to(folder / "r.h5");
  EXPECT_TRUE(run(parse_scene(kSlope, "slope", load), options).problems.empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "r-step-000001.hdf5"));
  options.problems_failed = 3;
  const RunResult result = run(parse_scene(kSlope, "slope", load), options);
  EXPECT_EQ(result.outcome, Outcome::inexact);
  ASSERT_EQ(result.problems.size(), 3U);
  for (const auto& path : result.problems) {
    const OneStepProblem problem = read_problem(path);
    EXPECT_EQ(problem.n_contacts(), 2);
    EXPECT_EQ(std::get<LocalForm>(problem.form).dim, 2);
    // What was left is an answer to what was left.
    const std::vector<double> r = Hdf5File::open(path).read_numbers("/solution/r");
    const double left = calc_residual(problem.cones, r).relative;
    EXPECT_GT(left, 1e-10);
    EXPECT_LT(left, 0.2 * calc_residual(problem.cones, std::vector<double>(r.size(), 0.0)).relative);
  }
}

TEST(Run, LeavesEveryFewProblems) {
  const TemporaryFolder folder;
  RunOptions options = write_to(folder / "r.h5");
  options.problems_every = 20;
  const RunResult result = run(parse_scene(kSlope, "slope"), options);
  EXPECT_EQ(result.outcome, Outcome::done);
  EXPECT_TRUE(result.problems.empty());
  for (const int n : {20, 100}) {
    const OneStepProblem problem = read_problem(folder / fmt::format("r-step-{:06}.hdf5", n));
    EXPECT_EQ(problem.n_contacts(), 2);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "r-step-000030.hdf5"));
}

/// Of a step whose positions are projected, too, the problem of velocities; in the plane (F, f) has p, beta+, beta- and
/// sigma of each contact.
TEST(Run, LeavesTheProblemOfVelocitiesNotOfPositions) {
  const TemporaryFolder folder;
  RunOptions options = write_to(folder / "r.h5");
  options.problems_every = 20;
  LoadOptions load;
  load.overrides = {R"(scheme={type="stewart-trinkle",projection=true})", "time.end=0.02"};
  const Scene scene = load_scene(STICKSLIP_SCENES_DIR "/papers/capobianco/sliding_rod.toml", load);
  ASSERT_EQ(run(scene, options).outcome, Outcome::done);
  const LcpForm form = read_lcp(folder / "r-step-000020.txt");
  ASSERT_EQ(form.q.size(), 4);
  EXPECT_NEAR(form.q(1), -form.q(2), 1e-12);  // [m/s] it slides
  EXPECT_GT(std::abs(form.q(1)), 0.1);
  const Matrix f(form.m);
  EXPECT_EQ(f(3, 1), -1.0);
  EXPECT_EQ(f(3, 2), -1.0);
  EXPECT_GT(f(3, 0), 0.0);  // mu
}

/// Where friction has polygons: (F, f) as they are printed in [Trinkle2003 eq. 48], beta along +x, +y, -x, -y.
TEST(Run, LeavesProblemsWithPolygonsAsLcpTexts) {
  const TemporaryFolder folder;
  RunOptions options = write_to(folder / "r.h5");
  options.problems_every = 1;
  LoadOptions load;
  load.overrides = {R"(scheme={type="stewart-trinkle",facets=4})"};
  const Scene scene = load_scene(STICKSLIP_SCENES_DIR "/papers/trinkle/sphere.toml", load);
  for (int repeat = 0; repeat < 2; ++repeat) {  // over its own files it may write
    ASSERT_EQ(run(scene, options).outcome, Outcome::done);
    const LcpForm form = read_lcp(folder / "r-step-000001.txt");
    const Matrix f(form.m);
    ASSERT_EQ(f.rows(), 6);
    EXPECT_NEAR(f(0, 0), 1.0, 1e-14);
    EXPECT_NEAR(f(1, 1), 3.5, 1e-14);
    EXPECT_NEAR(f(1, 3), -3.5, 1e-14);
    EXPECT_NEAR(f(2, 4), -3.5, 1e-14);
    EXPECT_EQ(f(5, 0), 0.2);
    EXPECT_EQ(f(5, 4), -1.0);
    EXPECT_EQ(f(3, 5), 1.0);
    EXPECT_NEAR(form.q(0), -9.81 * 0.12, 1e-14);
    EXPECT_NEAR(form.q(1), 2.0, 1e-14);
    EXPECT_NEAR(form.q(3), -2.0, 1e-14);
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "r-step-000005.txt"));
  EXPECT_NO_THROW(StepProblems::check_replaceable(folder / "r.h5"));
  std::ofstream(folder / "r-step-000001.txt") << "not a problem";
  EXPECT_THROW(StepProblems::check_replaceable(folder / "r.h5"), InputError);
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
  for (int n = 0; n <= 1000; ++n) ASSERT_EQ(steps[n].t, n * 1e-3);
  EXPECT_EQ(r.read_item("contacts", "floor-ball", "normal_percussion")(0, 0), 0.0) << "row 0 is the initial state";
}

TEST(Run, AStoppedRunGoesOnToTheSameBits) {
  const TemporaryFolder folder;
  const Scene scene = parse_scene(kBall, "ball");
  run(scene, write_to(folder / "whole.h5"));

  StopCounter counter;
  RunOptions options = write_to(folder / "r.h5");
  options.stop = StopToken(&counter);
  ASSERT_EQ(run(scene, options).outcome, Outcome::done);
  const std::int64_t asks = counter.asks;
  for (const double share : {0.1, 0.1234, 0.5, 0.77, 0.999}) {
    counter.asks = 0;
    counter.stop_at = static_cast<std::int64_t>(share * static_cast<double>(asks));
    counter.flag = false;
    const RunResult stopped = run(scene, options);
    EXPECT_EQ(stopped.outcome, Outcome::interrupted);
    EXPECT_TRUE(stopped.is_written);
    EXPECT_EQ(stopped.summary.failed, 0);
    const std::int64_t steps = Trajectory(folder / "r.h5").steps();
    EXPECT_EQ(steps, 1 + stopped.summary.steps) << "the step under way leaves no row";
    EXPECT_LT(steps, 1001);

    RunOptions resumed = write_to(folder / "r.h5");
    resumed.resume = folder / "r.h5";
    const RunResult result = run(scene, resumed);
    EXPECT_EQ(result.outcome, Outcome::done);
    EXPECT_EQ(result.summary.steps, 1000);
    EXPECT_TRUE(same_result(folder / "whole.h5", folder / "r.h5"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "r-step-000001.hdf5"));
}

TEST(Run, StoppedBeforeItsFirstRowItLeavesWhatWasThere) {
  const TemporaryFolder folder;
  const Scene scene = parse_scene(kBall, "ball");
  StopCounter counter;
  RunOptions options = write_to(folder / "r.h5");
  options.stop = StopToken(&counter);
  for (const bool is_there : {false, true}) {
    if (is_there) run(scene, write_to(folder / "r.h5"));
    counter.asks = 0;
    counter.stop_at = 2;
    counter.flag = false;
    const RunResult stopped = run(scene, options);
    EXPECT_EQ(stopped.outcome, Outcome::interrupted);
    EXPECT_FALSE(stopped.is_written);
    const auto n_files = std::distance(std::filesystem::directory_iterator(folder.path()), {});
    EXPECT_EQ(n_files, is_there ? 1 : 0);
    if (is_there) {
      EXPECT_EQ(Trajectory(folder / "r.h5").steps(), 1001);
    }
  }
}

/// Holds a body at x = 2 and changes its force by 1 N a step at most, so that it depends on the last inputs, too.
void hold(const System& system, const State& state, Inputs& inputs) {
  const double last = inputs.empty() ? 0.0 : inputs.bodies()[0].force.x();
  const double wish = 40.0 * (2.0 - state.q(0)) - 8.0 * state.u(0);
  inputs.set_force(system, 0, Vector3(std::clamp(wish, last - 1.0, last + 1.0), 0, 0));
}

TEST(Run, AControlledRunThatIsResumedHasTheSameBits) {
  const TemporaryFolder folder;
  for (const char* scheme : {"moreau", "generalized-alpha"}) {
    LoadOptions load;
    load.overrides = {std::string("scheme.type=") + scheme};
    const Scene scene = parse_scene(kBall, "ball", load);
    RunOptions whole = write_to(folder / "whole.h5");
    whole.control = hold;
    EXPECT_EQ(run(scene, whole).outcome, Outcome::done);
    const RowMatrix q = Trajectory(folder / "whole.h5").read("/q");
    EXPECT_NEAR(q(q.rows() - 1, 0), 2.0, 0.15) << "settling";
    for (const int n : {2, 3, 237}) {  // the step that follows the n-th call is dropped
      std::atomic<bool> stop = false;
      int calls = 0;
      RunOptions options = write_to(folder / "r.h5");
      options.stop = &stop;
      options.control = [&](const System& system, const State& state, Inputs& inputs) {
        hold(system, state, inputs);
        if (++calls == n) stop = true;  // the first call is for row 0
      };
      EXPECT_EQ(run(scene, options).outcome, Outcome::interrupted);
      EXPECT_EQ(calls, n);
      options.resume = folder / "r.h5";
      options.stop = nullptr;
      EXPECT_EQ(run(scene, options).outcome, Outcome::done);
      EXPECT_EQ(calls, 1002) << "that of the dropped step is repeated";
      EXPECT_TRUE(same_result(folder / "whole.h5", folder / "r.h5")) << scheme << ' ' << n;
    }
  }
}

TEST(Run, ListsEventsAndGoesOnWithThem) {
  const TemporaryFolder folder;
  const Scene scene = parse_scene(R"(stickslip = 1
scheme = {type = "event-driven"}
gravity = [0, -10]
time = {end = 1.9, step = 0.01}
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 1], offset = 0}}
bodies.mass = {type = "point", mass = 1, position = [0, 0.8], velocity = [1, 0], shapes.tip = {type = "point"}}
contacts = [{name = "foot", between = ["floor", "mass"], friction = 0.1, restitution = {normal = 0.5}}]
)",
                                  "bounces");
  RunOptions watched = write_to(folder / "whole.h5");
  watched.control = [](const System&, const State&, Inputs&) {};  // as the runs below, which hold what it did, too
  EXPECT_EQ(run(scene, watched).outcome, Outcome::done);
  const Trajectory whole(folder / "whole.h5");
  const std::vector<EventRow> events = read_events(whole.file());
  // It falls for .4 s, and bounces after .4, .2, .1, ... s more.
  ASSERT_GT(events.size(), 4U);
  const std::vector<double> times = {0.4, 0.8, 1.0, 1.1};
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(events[i].time, times[i], 1e-9);
    EXPECT_EQ(events[i].name, "foot");
    EXPECT_EQ(events[i].what, "impact");
  }
  EXPECT_EQ(events.back().what, "accumulation");
  whole.verify();
  for (const int n : {30, 85, 150}) {
    std::atomic<bool> stop = false;
    RunOptions options = write_to(folder / "r.h5");
    options.stop = &stop;
    int calls = 0;
    options.control = [&](const System&, const State&, Inputs&) {
      if (++calls == n) stop = true;
    };
    EXPECT_EQ(run(scene, options).outcome, Outcome::interrupted);
    options.resume = folder / "r.h5";
    options.stop = nullptr;
    EXPECT_EQ(run(scene, options).outcome, Outcome::done);
    EXPECT_TRUE(same_result(folder / "whole.h5", folder / "r.h5")) << n;
  }
}

TEST(Run, OnlyItsControllerResumesAControlledRun) {
  const TemporaryFolder folder;
  const Scene scene = parse_scene(kBall, "ball");
  std::atomic<bool> stop = false;
  RunOptions options = write_to(folder / "r.h5");
  options.stop = &stop;
  options.control = [&](const System& system, const State& state, Inputs& inputs) {
    hold(system, state, inputs);
    stop = state.step == 100;
  };
  EXPECT_EQ(run(scene, options).outcome, Outcome::interrupted);
  RunOptions other = write_to(folder / "r.h5");
  other.resume = folder / "r.h5";
  try {
    run(scene, other);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(error.allowed(), "a program set forces in its run as it went: only that program can resume it");
  }
}

TEST(Run, AnInputThatIsNotFiniteEndsTheRun) {
  const TemporaryFolder folder;
  RunOptions options = write_to(folder / "r.h5");
  options.control = [](const System& system, const State& state, Inputs& inputs) {
    inputs.set_force(system, 0, Vector3(1.0 / static_cast<double>(10 - state.step), 0, 0));
  };
  const RunResult result = run(parse_scene(kBall, "ball"), options);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.message, "body 'ball': an input is not finite");
  EXPECT_EQ(result.time, 10 * 1e-3);
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

Scene automatic_ball(double end) {
  LoadOptions options;
  options.overrides = {"time.step=auto", "time.tolerance=1e-4", "time.end=" + std::to_string(end),
                       "scheme.type=generalized-alpha"};
  return parse_scene(kBall, "ball", options);
}

TEST(Run, AutomaticStepsMeetEveryOutputAndTheEnd) {
  const TemporaryFolder folder;
  Scene scene = automatic_ball(1.0);
  const RunResult result = run(scene, write_to(folder / "r.h5"));
  EXPECT_EQ(result.outcome, Outcome::done);
  const Trajectory r(folder / "r.h5");
  ASSERT_EQ(r.rows(), 1 + 142 + 1);
  const RowMatrix time = r.read("/time");
  for (int k = 0; k <= 142; ++k) ASSERT_EQ(time(k, 0), k * 7e-3);
  EXPECT_EQ(time(143, 0), 1.0);
  EXPECT_EQ(r.steps(), 1 + result.summary.steps);
  double t = 0.0;
  std::int64_t rejected = 0;
  for (const StepRow& row : r.read_steps(1, r.steps() - 1)) {
    EXPECT_EQ(row.step, row.t - t);
    EXPECT_FALSE(row.local_error > 1e-4);
    t = row.t;
    rejected += row.rejected;
  }
  EXPECT_GT(rejected, 0);
  EXPECT_EQ(result.summary.rejected, rejected);

  scene.output.every.reset();
  const RunResult all = run(scene, write_to(folder / "all.h5"));
  EXPECT_EQ(Trajectory(folder / "all.h5").rows(), 1 + all.summary.steps);
  EXPECT_LT(all.summary.steps, result.summary.steps);
}

TEST(Run, AutomaticStepsGoOnToTheSameBits) {
  for (const bool every_step : {false, true}) {
    const TemporaryFolder folder;
    const auto scene = [every_step](double end) {
      Scene s = automatic_ball(end);
      if (every_step) s.output.every.reset();
      return s;
    };
    run(scene(1.0), write_to(folder / "whole.h5"));
    run(scene(1.0), write_to(folder / "again.h5"));
    EXPECT_TRUE(same_result(folder / "whole.h5", folder / "again.h5"));
    // Ends in free flight, in the middle of looking for an impact, and at rest.
    for (const double end : {0.1, 0.2015, 0.2019, 0.4, 0.9}) {
      run(scene(end), write_to(folder / "r.h5"));
      RunOptions resumed = write_to(folder / "r.h5");
      resumed.resume = folder / "r.h5";
      EXPECT_EQ(run(scene(1.0), resumed).outcome, Outcome::done);
      EXPECT_TRUE(same_result(folder / "whole.h5", folder / "r.h5")) << end;
      // At rest the steps are long: the whole run's checkpoint, some steps before its end, may lie before 0.9.
      if (end < 0.5) {
        EXPECT_THROW(run(scene(end), resumed), InputError) << end;
      }
    }
    RunOptions with_checkpoints = write_to(folder / "r.h5");
    with_checkpoints.checkpoint_every = 0.013;
    run(scene(1.0), with_checkpoints);
    EXPECT_TRUE(same_result(folder / "whole.h5", folder / "r.h5"));
  }
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
