// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/recorder.h"

#include "stickslip/base/ranks.h"
#include "stickslip/base/thread_team.h"
#include "stickslip/io/csv_writer.h"
#include "stickslip/sim/make_sensors.h"

namespace stickslip {

namespace {

MeasureOptions make_measure(const SceneMeasure& measure, const Scene& scene, const BuiltScene& built) {
  MeasureOptions options;
  options.name = measure.name;
  options.box = measure.box;
  if (measure.point) options.plane = {*measure.point, *measure.normal};
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const bool is_meant =
        measure.group.empty() ? built.system->bodies()[i].n_u > 0 : scene.bodies[i].group == measure.group;
    options.has_body.push_back(is_meant ? 1 : 0);
    options.starts_beyond.push_back(0);
    if (!options.plane) continue;
    const Pose pose = built.system->calc_pose(static_cast<int>(i), built.initial.t, built.initial.q);
    if (options.plane->normal.dot(pose.p_WB - options.plane->point) > 0.0) options.starts_beyond.back() = 1;
  }
  return options;
}

}  // namespace

ResultHeader make_result_header(const Scene& scene, const BuiltScene& built, const StepSequence& steps) {
  ResultHeader header;
  header.threads = ThreadTeam::count_current();
  header.ranks = Ranks::count_current();
  header.name = scene.name;
  header.scene = to_toml(scene, PointsOfLines::stored);
  header.scheme = built.stepper->name();
  header.solver = built.solver->name();
  header.start = scene.time.start;
  header.end = scene.time.end;
  header.output.single_precision = scene.output.single_precision;
  header.output.fields = scene.output.fields;
  header.output.accelerations = built.stepper->knows_accelerations();
  header.output.impulses = built.stepper->knows_impulses();
  header.output.applied_impulses = built.stepper->knows_applied_impulses();
  header.automatic_steps = scene.time.automatic;
  header.body_events = built.stepper->moves_bodies_in_and_out();
  header.events = built.stepper->finds_events() || header.body_events;
  header.limits = scene.limits;
  for (const SceneMeasure& measure : scene.measures) header.measures.push_back(make_measure(measure, scene, built));
  header.sensors = make_sensors(scene, *built.system);
  header.expected_rows = steps.expected_rows();
  header.expected_steps = steps.expected_steps();
  return header;
}

Recorder::Recorder(const Scene& scene, const BuiltScene& built, const State& initial, const LimitMonitor& limits,
                   const StepSequence& steps, const RunOptions& options)
    : limits_(limits),
      steps_(steps),
      envelope_(*built.system),
      checkpoint_every_(options.checkpoint_every),
      keeps_inputs_(!options.control_is_momentary) {
  if (!options.writes) return;
  ResultHeader header = make_result_header(scene, built, steps);
  header.output.inputs =
      options.control || (options.resume && Hdf5File::open(*options.resume).has("/bodies/input_impulse"));
  auto result = std::make_unique<ResultWriter>(options.output, *built.system, initial, header);
  result_ = result.get();
  sinks_.push_back(std::move(result));
  if (options.csv) sinks_.push_back(std::make_unique<CsvWriter>(*options.csv, *built.system));
  if (options.make_sink) sinks_.push_back(options.make_sink(*built.system, initial, header));
}

void Recorder::begin(const State& state, StepReport& report) {
  const Ranks::Scope alone(nullptr);
  envelope_.complete(state, report);
  for (const auto& sink : sinks_) sink->begin(state, report);
  for (const auto& sink : sinks_) sink->publish();
  mark(state);
}

void Recorder::begin(const Trajectory& from, const Checkpoint& checkpoint, const StopToken& stop) {
  for (const auto& sink : sinks_) sink->begin(from, checkpoint, stop);
  for (const auto& sink : sinks_) sink->publish();
  mark(checkpoint.state);
}

void Recorder::record(const State& state, StepReport& report) {
  if (sinks_.empty()) return;
  const Ranks::Scope alone(nullptr);  // others have no sinks
  const bool is_row = steps_.is_output(state);
  if (is_row) envelope_.complete(state, report);
  for (const auto& sink : sinks_) sink->record(state, report, is_row);
  if (checkpoint_every_ && steps_.passes_multiple(state, report.step, *checkpoint_every_) && !steps_.at_end(state)) {
    checkpoint(state);
  }
}

void Recorder::record_failure(const StepRow& row) {
  for (const auto& sink : sinks_) sink->record_failure(row);
}

Checkpoint Recorder::make_mark(const State& state) const {
  if (result_ == nullptr) return {};
  Checkpoint mark = result_->mark(state);
  if (!keeps_inputs_) mark.state.inputs.clear();
  mark.limits = limits_.to_bytes();
  return mark;
}

void Recorder::checkpoint(const State& state) {
  const Checkpoint here = make_mark(state);
  for (const auto& sink : sinks_) sink->checkpoint(here, limits_.entries());
}

void Recorder::save(const State& state) {
  if (!checkpoint_every_) return checkpoint(state);
  for (const auto& sink : sinks_) sink->flush();
}

void Recorder::finish(RunState outcome, const std::string& message, std::span<const LimitEntry> limits) {
  for (const auto& sink : sinks_) sink->finish({outcome, message, mark_, limits});
}

}  // namespace stickslip
