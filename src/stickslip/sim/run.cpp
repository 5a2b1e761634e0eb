// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "stickslip/base/input_error.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/io/output_file.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/output_plan.h"
#include "stickslip/sim/recorder.h"
#include "stickslip/sim/resume.h"
#include "stickslip/sim/step_problems.h"
#include "stickslip/sim/step_sequence.h"
#include "stickslip/stepping/limit_monitor.h"

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
  Rhythm(const State& first, const StepSequence& steps)
      : share_(0.0, steps.share(first)), steps_(0.0, static_cast<double>(first.step)) {}
  void look() { now_ = Clock::now(); }
  bool time_to_save() { return due(saved_, kSaveEvery); }
  bool time_to_tell() { return due(told_, kTellEvery); }
  double elapsed() const { return seconds(now_ - start_); }

  Progress progress(const State& state, const StepSequence& steps, int contacts, const Summary& summary) {
    Progress p;
    p.share = steps.share(state);
    p.time = state.t;
    p.steps = state.step;
    p.contacts = contacts;
    p.worst_residual = summary.residual.value;
    share_.update(elapsed(), p.share);
    steps_.update(elapsed(), static_cast<double>(p.steps));
    p.steps_per_second = steps_.rate();
    p.seconds_left = p.share < 1.0 ? (1.0 - p.share) / share_.rate() : 0.0;
    return p;
  }

 private:
  bool due(Clock::time_point& last, Clock::duration interval) const {
    if (now_ - last < interval) return false;
    last = now_;
    return true;
  }

  RecentRate share_;  // [1/s] of wall-clock time
  RecentRate steps_;  // [1/s]
  Clock::time_point start_ = Clock::now();
  Clock::time_point now_ = start_;
  Clock::time_point saved_ = start_;
  Clock::time_point told_ = start_;
};

/// Inputs in a result are those of the program that controlled its run, and nobody else can go on with them.
void check_inputs(const State& saved, const System& system, const RunOptions& options) {
  const std::string file = options.resume->string();
  try {
    for (const Inputs* inputs : {&saved.inputs, &saved.remembered_inputs}) inputs->check(system);
  } catch (const InputError& error) {
    throw InputError({file}, "", "", fmt::format("its checkpoint is of another system: {}", error.what()));
  }
  // Those of a momentary control are not kept; what a scheme remembers of them is a part of the motion.
  const bool is_of_start = saved.step == 0 && !saved.remembered_inputs.empty();
  if (options.control || (saved.inputs.empty() && !is_of_start)) return;
  throw InputError({file}, "", "", "a program set forces in its run as it went: only that program can resume it");
}

/// A run under way: its state, and its observers.
struct UnderWay {
  State state;
  StepReport report;
  std::optional<LimitMonitor> limits;
  std::optional<Recorder> recorder;
};

/// Sets the run going, from the start or from an earlier result, whose steps go into the summary.
void begin(const Scene& scene, BuiltScene& built, const StepSequence& steps, const RunOptions& options, UnderWay& run,
           Summary& summary) {
  run.state = built.initial;
  if (options.control && !options.resume) {
    built.system->normalize(run.state.t, run.state.q);
    options.control(*built.system, run.state, run.state.inputs);
  }
  built.stepper->initialize(run.state, run.report);
  run.state.inputs.clear();  // the first step asks for its own, as every other
  steps.begin(run.state);
  run.limits.emplace(*built.system, scene.limits, run.state, run.report);
  const auto prepare_writing = [&] {
    if (options.before_writing) options.before_writing();
    options.stop.check();
  };
  if (!options.resume) {
    prepare_writing();
    // Room for checkpoints is made for a state without inputs, as where a run is resumed: the files are the same then.
    State bare = run.state;
    bare.remembered_inputs.clear();
    run.recorder.emplace(scene, built, bare, *run.limits, steps, options);
    run.recorder->begin(run.state, run.report);
    return;
  }
  const Trajectory before(*options.resume);
  const Checkpoint checkpoint = find_checkpoint(before, scene, run.state, steps);
  check_inputs(checkpoint.state, *built.system, options);
  run.limits->restore(checkpoint.limits, checkpoint.state);
  summary.add(before.read_steps(1, checkpoint.steps - 1, &checkpoint));
  prepare_writing();
  run.recorder.emplace(scene, built, run.state, *run.limits, steps, options);
  run.recorder->begin(before, checkpoint, options.stop);
  run.state = checkpoint.state;
  built.stepper->tell_system(run.state);
}

/// Gives the scene the output that the run will write: what it leaves open is chosen by the size of the result, or goes
/// on as an earlier result has it. Throws WriteError where the disk has no room for it.
void choose_output(Scene& scene, const BuiltScene& built, const RunOptions& options) {
  if (options.resume) {
    const Trajectory before(*options.resume);
    const SceneOutput output = scene_of(before).output;
    if (!scene.output.every) scene.output.every = output.every;
    if (scene.output.fields.empty()) scene.output.fields = output.fields;
    scene.output.single_precision |= output.single_precision;  // what was rounded stays so
  }
  const OutputPlan plan = plan_output(scene, built);
  scene.output = plan.output;
  if (plan.rows > 0 && options.writes) check_room(options.output, plan.bytes);
}

RunState stored_outcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::failed:
    case Outcome::stopped:
      return RunState::failed;
    case Outcome::interrupted:
      return RunState::interrupted;
    default:
      return RunState::done;
  }
}

/// Of a run that was interrupted before it had a result.
RunResult nothing_written(double start) {
  RunResult result;
  result.outcome = Outcome::interrupted;
  result.is_written = false;
  result.time = start;
  return result;
}

bool examine(const State& state, const StepReport& report, LimitMonitor& limits) {
  const PhaseScope phase(Phase::report);
  return limits.examine(state, report);
}

/// From this number of moving bodies on steps take so long that the times of their phases cost nothing. [-]
constexpr std::ptrdiff_t kTimedBodies = 100;

void start_phases(const System& system, PhaseClock* phases) {
  if (phases == nullptr || phases->is_active()) return;
  const auto moving = std::ranges::count_if(system.bodies(), [](const Body& body) { return body.n_u > 0; });
  if (moving >= kTimedBodies) phases->activate();
}

/// Simulates; throws Interrupted where it is interrupted while the scene is built.
RunResult simulate(Scene scene, const RunOptions& options) {
  StepProblems problems(scene, options.output, options.problems_every, options.problems_failed, options.stop);
  BuiltScene built = build(
      scene, [&problems](std::unique_ptr<ConeSolver> solver) { return problems.watch(std::move(solver)); },
      options.stop);
  start_phases(*built.system, options.phases);
  if (options.tell_warnings) options.tell_warnings(find_warnings(scene, built, options.stop));
  choose_output(scene, built, options);
  StepSequence steps(scene, *built.stepper);
  RunResult result;
  UnderWay under_way;
  auto& [state, report, limits, recorder] = under_way;
  try {
    begin(scene, built, steps, options, under_way, result.summary);
  } catch (const Interrupted&) {
    recorder.reset();
    result = nothing_written(scene.time.start);
    if (options.ended) options.ended(result);
    return result;
  }
  scene.drop_bodies();
  built.initial = State();
  const PhaseScope between_steps(Phase::output);
  Rhythm rhythm(state, steps);
  bool marked = false;
  Inputs inputs_before;

  while (!steps.at_end(state)) {
    // A run that ends is resumed before the first step that a later end would make another or leave unwritten: what
    // follows an automatic step depends on its length, too.
    if (!marked && steps.is_shaped_by_end(state)) {
      recorder->mark(state);
      marked = true;
    }
    if (options.before_step) options.before_step(state, [&under_way] { under_way.recorder->save(under_way.state); });
    if (options.control) {
      inputs_before = state.inputs;
      options.control(*built.system, state, state.inputs);
    }
    const std::int64_t n = state.step + 1;
    problems.begin_step(n);
    Status status = Status::ok;
    try {
      options.stop.check();
      const PhaseScope phase(Phase::motion);
      status = steps.step(state, report);
    } catch (const Interrupted&) {
      result.outcome = Outcome::interrupted;
      if (options.control) state.inputs = inputs_before;  // it is asked again when the run goes on
      recorder->mark(state);
      break;
    }
    problems.end_step(n, status);
    if (status == Status::failed) {
      result.outcome = Outcome::failed;
      result.message = report.message;
      recorder->mark(state);
      const StepRow row = make_failed_step_row(report, steps.tried_time(), steps.tried_length());
      recorder->record_failure(row);
      result.summary.add(row);
      break;
    }
    const bool is_beyond = examine(state, report, *limits);
    if (options.warn) std::ranges::for_each(limits->new_entries(), options.warn);
    if (options.tell_warnings && !report.notices.empty()) options.tell_warnings(report.notices);
    recorder->record(state, report);
    result.summary.add(make_step_row(report));
    if (is_beyond && scene.limits.stop) {
      result.outcome = Outcome::stopped;
      result.message = describe_first(limits->first_passed());
      recorder->mark(state);
      break;
    }
    rhythm.look();
    if (!steps.at_end(state) && rhythm.time_to_save()) recorder->save(state);
    if (options.progress && rhythm.time_to_tell()) {
      options.progress(rhythm.progress(state, steps, report.closed_contacts, result.summary));
    }
  }

  // An interrupted run tells only what the rest of it cannot take back.
  result.summary.limits = result.outcome == Outcome::interrupted ? limits->entries() : limits->entries_of_ended();
  const bool inexact = result.summary.inexact > 0 || !result.summary.limits.empty();
  if (result.outcome == Outcome::done && inexact) result.outcome = Outcome::inexact;
  recorder->finish(stored_outcome(result.outcome), result.message, result.summary.limits);
  rhythm.look();
  if (options.progress) options.progress(rhythm.progress(state, steps, report.closed_contacts, result.summary));
  result.problems = problems.failures();
  result.time = state.t;
  result.wall_seconds = rhythm.elapsed();
  recorder.reset();
  if (options.ended) options.ended(result);
  return result;
}

}  // namespace

RunResult run(Scene scene, const RunOptions& options) {
  const double start = scene.time.start;
  ThreadTeam team(options.threads);
  const ThreadTeam::Scope scope(&team);
  try {
    return simulate(std::move(scene), options);
  } catch (const Interrupted&) {
    return nothing_written(start);
  }
}

}  // namespace stickslip
