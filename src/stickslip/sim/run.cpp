// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "stickslip/scene/build.h"
#include "stickslip/sim/recorder.h"
#include "stickslip/sim/resume.h"
#include "stickslip/sim/step_grid.h"
#include "stickslip/sim/step_problems.h"

namespace stickslip {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

/// What is recorded is safe, and seen by readers, after this long at most. [wall-clock]
constexpr Clock::duration kSaveEvery = std::chrono::seconds(1);
/// Progress is told this often. [wall-clock]
constexpr Clock::duration kTellEvery = std::chrono::milliseconds(100);

/// The wall clock of a run: when to save and when to tell.
class Rhythm {
 public:
  explicit Rhythm(std::int64_t first_step) : first_step_(first_step) {}
  void look() { now_ = Clock::now(); }
  bool time_to_save() { return due(saved_, kSaveEvery); }
  bool time_to_tell() { return due(told_, kTellEvery); }
  double elapsed() const { return seconds(now_ - start_); }

  Progress progress(const State& state, const StepGrid& grid, int contacts, const Summary& summary) const {
    Progress p;
    p.share = static_cast<double>(state.step) / static_cast<double>(grid.steps());
    p.time = state.t;
    p.steps = state.step;
    p.steps_per_second = static_cast<double>(state.step - first_step_) / std::max(elapsed(), 1e-9);
    p.contacts = contacts;
    p.worst_residual = summary.residual.value;
    p.seconds_left = static_cast<double>(grid.steps() - state.step) / std::max(p.steps_per_second, 1e-9);
    return p;
  }

 private:
  bool due(Clock::time_point& last, Clock::duration interval) const {
    if (now_ - last < interval) return false;
    last = now_;
    return true;
  }

  std::int64_t first_step_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point now_ = start_;
  Clock::time_point saved_ = start_;
  Clock::time_point told_ = start_;
};

/// Sets the run going, from the start or from an earlier result: the state to go on from, and what came before.
State begin(const Scene& scene, BuiltScene& built, const StepGrid& grid, const RunOptions& options,
            std::optional<Recorder>& recorder, StepReport& report, Summary& summary) {
  State state = built.initial;
  built.stepper->initialize(state, report);
  if (!options.resume) {
    recorder.emplace(scene, built, state, grid, options);
    recorder->begin(state, report);
    return state;
  }
  const Trajectory before(*options.resume);
  const Checkpoint checkpoint = find_checkpoint(before, scene, state, grid);
  recorder.emplace(scene, built, state, grid, options);
  recorder->begin(before, checkpoint);
  summary.add(before.read_steps(1, checkpoint.steps - 1));
  return checkpoint.state;
}

RunState stored_outcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::failed:
      return RunState::failed;
    case Outcome::interrupted:
      return RunState::interrupted;
    default:
      return RunState::done;
  }
}

}  // namespace

RunResult run(const Scene& scene, const RunOptions& options) {
  StepProblems problems(options.output, options.problems_every);
  BuiltScene built =
      build(scene, [&problems](std::unique_ptr<ConeSolver> solver) { return problems.watch(std::move(solver)); });
  const StepGrid grid(scene.time, scene.output);
  RunResult result;
  std::optional<Recorder> recorder;
  StepReport report;
  State state = begin(scene, built, grid, options, recorder, report, result.summary);
  Rhythm rhythm(state.step);

  while (state.step < grid.steps()) {
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) {
      result.outcome = Outcome::interrupted;
      recorder->mark(state);
      break;
    }
    const std::int64_t n = state.step + 1;
    // A run that ends is resumed before its last step, which a later end would make longer or leave unwritten.
    if (n == grid.steps()) recorder->mark(state);
    problems.begin_step(n);
    const Status status = built.stepper->step(state, grid.length(n), grid.time(n), report);
    problems.end_step(n, status);
    if (status == Status::failed) {
      result.outcome = Outcome::failed;
      result.message = report.message;
      recorder->mark(state);
      const StepRow row = make_failed_step_row(report, grid.time(n), grid.length(n));
      recorder->record_failure(row);
      result.summary.add(row);
      break;
    }
    recorder->record(state, report);
    result.summary.add(make_step_row(report));
    rhythm.look();
    if (n < grid.steps() && rhythm.time_to_save()) recorder->save(state);
    if (options.progress && rhythm.time_to_tell()) {
      options.progress(rhythm.progress(state, grid, report.closed_contacts, result.summary));
    }
  }

  if (result.outcome == Outcome::done && result.summary.inexact > 0) result.outcome = Outcome::inexact;
  recorder->finish(stored_outcome(result.outcome), result.message);
  rhythm.look();
  if (options.progress) options.progress(rhythm.progress(state, grid, report.closed_contacts, result.summary));
  result.problems = problems.failures();
  result.time = state.t;
  result.wall_seconds = rhythm.elapsed();
  return result;
}

}  // namespace stickslip
