// SPDX-License-Identifier: BSD-3-Clause
// Limits in runs, and figures that are not numbers.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "stickslip/constraints/certificate.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"
#include "stickslip/stepping/limit_monitor.h"
#include "tests/support/same_result.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

using test::TemporaryFolder;

Scene load(const std::string& name, const std::vector<std::string>& overrides = {}) {
  LoadOptions options;
  options.overrides = overrides;
  return load_scene(std::string(STICKSLIP_TESTS_DIR) + "/limit_scenes/" + name + ".toml", options);
}

TEST(RunLimits, AreWarnedOfOnceEachAndKeptInTheSummary) {
  const TemporaryFolder folder;
  std::vector<std::string> warnings;
  RunOptions options;
  options.output = folder / "r.h5";
  options.warn = [&](const LimitEntry& entry) {
    EXPECT_TRUE(entry.count == 1 || entry.what == LimitKind::energy);  // that waits for the energy to settle
    warnings.push_back(entry.name);
  };
  const RunResult result = run(load("double_pendulum"), options);
  EXPECT_EQ(result.outcome, Outcome::inexact);
  EXPECT_EQ(result.summary.inexact, 0) << "each step for itself is well solved";
  EXPECT_EQ(warnings, (std::vector<std::string>{"elbow", "shoulder", ""}));
  ASSERT_EQ(result.summary.limits.size(), 3U);
  const LimitEntry& elbow = result.summary.limits[0];
  EXPECT_EQ(elbow.worst, std::max(elbow.worst, result.summary.drift_position.value));
  EXPECT_EQ(elbow.limit, 1e-3 * 0.5) << "the rods' joints are half a metre from their centres";
  EXPECT_GT(elbow.count, 9000);
}

/// Interrupted when the first of three limits is passed, or ended early: the rest of the run lists the same.
TEST(RunLimits, AreTheSameInAResumedRun) {
  const TemporaryFolder folder;
  const Scene scene = load("double_pendulum");
  RunOptions options;
  options.output = folder / "whole.h5";
  const RunResult whole = run(scene, options);
  ASSERT_EQ(whole.summary.limits.size(), 3U);

  std::atomic<bool> stop = false;
  options.output = folder / "interrupted.h5";
  options.stop = &stop;
  options.warn = [&stop](const LimitEntry&) { stop = true; };
  const RunResult interrupted = run(scene, options);
  EXPECT_EQ(interrupted.outcome, Outcome::interrupted);
  EXPECT_EQ(interrupted.summary.limits.size(), 1U);
  EXPECT_LT(interrupted.time, 0.5);

  Scene first_part = scene;
  first_part.time.end = 7.0;
  options = {};
  options.output = folder / "early.h5";
  EXPECT_EQ(run(first_part, options).summary.limits.size(), 3U);

  for (const char* name : {"interrupted.h5", "early.h5"}) {
    options = {};
    options.output = options.resume.emplace(folder / name);
    const RunResult resumed = run(scene, options);
    EXPECT_EQ(resumed.outcome, Outcome::inexact);
    EXPECT_EQ(resumed.summary.limits, whole.summary.limits) << name;
    EXPECT_TRUE(test::same_result(folder / "whole.h5", folder / name)) << name;
  }
  EXPECT_EQ(Trajectory(folder / "early.h5").limits().size(), 3U);
}

/// An energy error that was told, or waits, at an interruption.
TEST(RunLimits, OfTheEnergyAreTheSameInAResumedRun) {
  const TemporaryFolder folder;
  const Scene scene = load("late_work");
  RunOptions options;
  options.output = folder / "whole.h5";
  const RunResult whole = run(scene, options);
  EXPECT_EQ(whole.outcome, Outcome::inexact);
  ASSERT_EQ(whole.summary.limits.size(), 1U);
  for (const bool is_told : {false, true}) {
    std::atomic<bool> stop = false;
    options = {};
    options.output = folder / "r.h5";
    options.stop = &stop;
    if (is_told) {
      options.warn = [&stop](const LimitEntry&) { stop = true; };
    } else {
      options.before_step = [&stop](const State& state, const std::function<void()>&) { stop = state.step == 1; };
    }
    const RunResult interrupted = run(scene, options);
    EXPECT_EQ(interrupted.outcome, Outcome::interrupted);
    EXPECT_EQ(interrupted.summary.limits.size(), is_told ? 1U : 0U) << "only what the rest cannot take back";
    EXPECT_EQ(Trajectory(folder / "r.h5").limits().size(), is_told ? 1U : 0U);
    options = {};
    options.output = options.resume.emplace(folder / "r.h5");
    const RunResult resumed = run(scene, options);
    EXPECT_EQ(resumed.outcome, Outcome::inexact);
    EXPECT_EQ(resumed.summary.limits, whole.summary.limits);
    EXPECT_TRUE(test::same_result(folder / "whole.h5", folder / "r.h5"));
  }
}

/// A load of 5 N on a point, one of 2 N in a slider, each held.
TEST(RunLimits, AReportHasWhatDryFrictionBears) {
  for (const char* scheme : {"moreau", "generalized-alpha"}) {
    SCOPED_TRACE(scheme);
    const Scene scene = parse_scene(R"toml(
stickslip = 1
gravity = [0, 0]
time = {end = 1, step = 1e-3}
bodies.wall = {type = "fixed"}
bodies.point = {type = "point", mass = 1, position = [1, 0]}
bodies.slide = {type = "planar", mass = 1, inertia = 1, position = [0, 1]}
joints.slider = {type = "prismatic", between = ["wall", "slide"], at = [0, 1], axis = [1, 0], force = 2, friction = 3}
forces.pull = {type = "load", body = "point", force = [3, 4]}
forces.brake = {type = "dry-friction", between = ["wall", "point"], at = [1, 0], bound = 10}
scheme.type = ")toml" + std::string(scheme) +
                                        "\"\n",
                                    "held");
    const BuiltScene built = build(scene);
    State state = built.initial;
    StepReport report;
    built.stepper->initialize(state, report);
    ASSERT_EQ(report.dry_frictions.size(), 2U);
    for (int n = 1; n <= 3; ++n) ASSERT_EQ(built.stepper->step(state, 1e-3, 1e-3 * n, report), Status::ok);
    const auto force = [&](bool of_joint) {
      const auto& elements = built.system->dry_frictions();
      return report.dry_frictions[(elements[0].joint >= 0) == of_joint ? 0 : 1];
    };
    EXPECT_NEAR(force(true), 2.0, 1e-6);
    EXPECT_NEAR(force(false), 5.0, 1e-6);
  }
}

TEST(RunLimits, AResumedRunThatWasStoppedStopsAgain) {
  const TemporaryFolder folder;
  const Scene scene = load("double_pendulum", {"limits.on_passing=stop"});
  RunOptions options;
  options.output = folder / "r.h5";
  const RunResult stopped = run(scene, options);
  EXPECT_EQ(stopped.outcome, Outcome::stopped);
  EXPECT_EQ(stopped.time, 373 * 1e-3);
  options.resume = options.output;
  const RunResult again = run(scene, options);
  EXPECT_EQ(again.outcome, Outcome::stopped);
  EXPECT_EQ(again.time, 374 * 1e-3);
  EXPECT_EQ(again.summary.limits[0].count, 2);
}

/// What is not a number must neither hide nor be hidden by numbers.
TEST(RunLimits, FiguresThatAreNotNumbersPass) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const BuiltScene built = build(load("hard_landing", {"limits.drift=inf"}));
  State state = built.initial;
  StepReport report;
  built.stepper->initialize(state, report);
  for (const double none : {inf, 0.05}) {
    LimitMonitor monitor(*built.system, {none, none, none, false}, state, report);
    StepReport bad = report;
    bad.t = state.t = 1.0;
    EXPECT_FALSE(monitor.examine(state, bad));
    bad.contacts[0].gap = bad.penetration = nan;
    bad.energy_error = nan;
    bad.t = state.t = 2.0;
    EXPECT_TRUE(monitor.examine(state, bad));
    ASSERT_EQ(monitor.entries().size(), 2U);
    EXPECT_TRUE(std::isnan(monitor.entries()[0].worst));
    EXPECT_TRUE(std::isnan(monitor.entries()[1].worst));
    bad.contacts[0].gap = -1e9;
    bad.penetration = 1e9;
    bad.energy_error = 1e9;
    bad.t = state.t = 3.0;
    monitor.examine(state, bad);
    EXPECT_TRUE(std::isnan(monitor.entries()[0].worst)) << "it stays";
  }
}

TEST(RunLimits, AReportKeepsAGapThatIsNotANumber) {
  const BuiltScene built = build(load("hard_landing"));
  Vector q = built.initial.q;
  q(2) = std::numeric_limits<double>::quiet_NaN();
  StepReport report;
  BodySnapshot at(*built.system);
  at.take(0.0, q, nullptr);
  report_geometry(at, built.system->contact_points(), report);
  EXPECT_TRUE(std::isnan(report.penetration));
}

TEST(RunLimits, AnEnergyThatOverflowsIsNoMeasureForLaterOnes) {
  const BuiltScene built = build(load("overflow", {"parameters.speed=1"}));
  State state = built.initial;
  StepReport report;
  built.stepper->initialize(state, report);
  LimitMonitor monitor(*built.system, {}, state, report);
  const double kinetic = report.kinetic_energy;
  report.kinetic_energy = std::numeric_limits<double>::infinity();
  report.energy_error = report.kinetic_energy;
  report.t = state.t = 1.0;
  EXPECT_TRUE(monitor.examine(state, report));
  report.kinetic_energy = kinetic;
  report.energy_error = 0.06 * kinetic;
  report.t = state.t = 2.0;
  EXPECT_TRUE(monitor.examine(state, report)) << "6 % of what the run has";
  EXPECT_EQ(monitor.entries()[0].count, 2);
}

}  // namespace
}  // namespace stickslip
