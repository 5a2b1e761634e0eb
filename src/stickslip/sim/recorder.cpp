// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/recorder.h"

namespace stickslip {
namespace {

ResultHeader make_header(const Scene& scene, const BuiltScene& built, const StepSequence& steps) {
  ResultHeader header;
  header.name = scene.name;
  header.scene = to_toml(scene);
  header.scheme = built.stepper->name();
  header.solver = built.solver->name();
  header.start = scene.time.start;
  header.end = scene.time.end;
  header.single_precision = scene.output.single_precision;
  header.expected_rows = steps.expected_rows();
  header.expected_steps = steps.expected_steps();
  return header;
}

}  // namespace

Recorder::Recorder(const Scene& scene, const BuiltScene& built, const State& initial, const StepSequence& steps,
                   const RunOptions& options)
    : steps_(steps),
      checkpoint_every_(options.checkpoint_every),
      result_(options.output, *built.system, initial, make_header(scene, built, steps)) {
  if (options.csv) csv_.emplace(*options.csv, *built.system);
}

void Recorder::begin(const State& state, const StepReport& report) {
  result_.record(state, report);
  result_.record_step(make_step_row(report));
  if (csv_) csv_->record(state, report);
  mark(state);
  publish();
}

void Recorder::begin(const Trajectory& from, const Checkpoint& checkpoint) {
  result_.copy_rows(from.file(), checkpoint);
  if (csv_) csv_->copy_rows(from, checkpoint.rows);
  mark_ = checkpoint;
  publish();
}

void Recorder::publish() {
  result_.checkpoint(mark_);
  if (csv_) csv_->flush();
  result_.publish();
  if (csv_) csv_->publish();
}

void Recorder::record(const State& state, const StepReport& report) {
  result_.record_step(make_step_row(report));
  if (steps_.is_output(state)) {
    result_.record(state, report);
    if (csv_) csv_->record(state, report);
  }
  if (checkpoint_every_ && steps_.passes_multiple(state, report.step, *checkpoint_every_) && !steps_.at_end(state)) {
    result_.checkpoint(result_.mark(state));
  }
}

void Recorder::record_failure(const StepRow& row) {
  result_.record_step(row);
}

void Recorder::save(const State& state) {
  if (csv_) csv_->flush();
  if (checkpoint_every_) {
    result_.flush();
  } else {
    result_.checkpoint(result_.mark(state));
  }
}

void Recorder::finish(RunState outcome, const std::string& message) {
  result_.finish(outcome, message, mark_);
  if (csv_) csv_->finish();
}

}  // namespace stickslip
