// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/result_writer.h"

#include <algorithm>
#include <array>

#include "stickslip/base/build_info.h"
#include "stickslip/base/input_error.h"
#include "stickslip/base/instruction_set.h"
#include "stickslip/io/checksum.h"
#include "stickslip/io/result_layout.h"
#include "stickslip/io/result_reader.h"

namespace stickslip {
namespace {

/// Room for `message`, which says why a step failed. [bytes]
constexpr std::size_t kMessageBytes = 1024;
/// Room for `outcome`. [bytes]
constexpr std::size_t kOutcomeBytes = 16;

std::string_view name_of(RunState state) {
  constexpr std::array<std::string_view, 4> kNames = {"running", "done", "interrupted", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

std::vector<StepColumn> choose_step_columns(bool automatic_steps) {
  std::vector<StepColumn> chosen;
  for (const StepColumn& column : step_columns()) {
    if (automatic_steps || !column.of_automatic_steps) chosen.push_back(column);
  }
  return chosen;
}

std::vector<Column> to_columns(const std::vector<StepColumn>& step_columns) {
  std::vector<Column> columns;
  for (const StepColumn& c : step_columns) {
    const bool real = std::holds_alternative<double StepRow::*>(c.member);
    const bool is_small = std::string_view(c.name) == "status" || std::string_view(c.name) == "worst_kind";
    const Hdf5Type type = real ? Hdf5Type::float64 : is_small ? Hdf5Type::int32 : Hdf5Type::int64;
    columns.push_back({std::string("/steps/") + c.name, type, {}, c.unit, c.meaning});
  }
  return columns;
}

/// Bytes of the largest checkpoint that the run can have: the state with a percussion for each contact point, joint and
/// dry friction element, and a checksum for each dataset. Detected contacts come and go; there is room for as many as
/// shapes in a heap have, within reason: what needs more takes further rows, see CheckpointSlots.
std::size_t checkpoint_capacity(const System& system, const State& state) {
  constexpr std::size_t kContactsPerShape = 8;    // [-] a ball in a heap touches 6, each counted twice; corners
  constexpr std::size_t kMostContacts = 1 << 15;  // [-]
  const std::size_t rows = sets_have_moments(system) ? kMaxContactRows : kMaxContactDim;
  constexpr std::size_t kBesideTheState = 4096;  // [bytes] the monitor's memory and the checksums
  std::size_t contacts = system.contact_points().size() + system.joints().size() + system.dry_frictions().size();
  std::size_t memory = 0;
  if (system.has_varying_contacts()) {
    std::size_t shapes = 0;
    for (const Body& body : system.bodies()) shapes += body.shapes.size();
    const std::size_t detected = std::min(kContactsPerShape * shapes, kMostContacts);
    contacts += detected;
    if (state.memory.size() > 0) memory = detected * (24 + 3 * 8 * rows);
  }
  return to_bytes(state).size() + contacts * (24 + 8 * rows) + memory + kBesideTheState;
}

bool has_contact_sets(const System& system, const OutputChoice& output) {
  return system.has_varying_contacts() && output.wants("/contact_sets");
}

}  // namespace

double estimate_row_bytes(const System& system, const OutputChoice& output, double contacts) {
  const double set_bytes =
      has_contact_sets(system, output) ? static_cast<double>(ContactSets::contact_bytes(system, output)) : 0.0;
  return static_cast<double>(OutputColumns(system, output).row_bytes()) + contacts * set_bytes;
}

double estimate_result_bytes(const System& system, const State& state, const ResultHeader& header, double contacts) {
  const std::vector<Column> steps = to_columns(choose_step_columns(header.automatic_steps));
  double step_bytes = 0.0;
  for (const Column& column : steps) step_bytes += static_cast<double>(column.row_bytes());
  constexpr double kNamesAndShapes = 600.0;  // [bytes] a body, beside the text of the scene
  constexpr double kBookkeeping = 65536.0;   // [bytes]
  constexpr double kMeasureBytes = 216.0;    // [bytes] a measure in a row: nine numbers and two matrices
  constexpr double kSensorBytes = 56.0;      // [bytes] a sensor in a row: seven numbers at most
  constexpr double kSlots = 2.0;             // [-] checkpoints
  const bool has_sets = has_contact_sets(system, header.output);
  const double set_bytes =
      has_sets ? ContactSets::estimate_bytes(system, header.output, header.expected_rows, contacts) : 0.0;
  return kBookkeeping + static_cast<double>(header.scene.size()) +
         kNamesAndShapes * static_cast<double>(system.bodies().size()) +
         kSlots * static_cast<double>(checkpoint_capacity(system, state)) +
         static_cast<double>(header.expected_rows) * (estimate_row_bytes(system, header.output, 0.0) +
                                                      kMeasureBytes * static_cast<double>(header.measures.size()) +
                                                      kSensorBytes * static_cast<double>(header.sensors.size())) +
         static_cast<double>(header.expected_steps) * step_bytes + set_bytes;
}

ResultWriter::ResultWriter(const std::filesystem::path& path, const System& system, const State& state,
                           const ResultHeader& header)
    : file_name_(path, BeforePublish::named),  // the library opens no file without a name
      columns_(system, header.output),
      step_columns_(choose_step_columns(header.automatic_steps)),
      file_(create_file(system, header)),
      output_(file_, columns_.columns(), header.expected_rows),
      steps_(file_, to_columns(step_columns_), header.expected_steps),
      limits_(file_, system, header.limits),
      slots_(file_, checkpoint_capacity(system, state)) {
  if (has_contact_sets(system, header.output)) {
    const Hdf5Type real = header.output.single_precision ? Hdf5Type::float32 : Hdf5Type::float64;
    contact_sets_.emplace(file_, system, real, header.expected_rows);
  }
  if (!header.measures.empty() && header.output.wants("/measures")) {
    measures_.emplace(file_, system, header.measures, header.expected_rows);
  }
  if (!header.sensors.empty() && header.output.wants("/sensors")) {
    sensors_.emplace(file_, Sensors(system, header.sensors), header.expected_rows);
  }
  if (header.events) events_.emplace(file_, system, header.body_events);
  file_.start_live_writing();
  lock_ = WriteLock(file_name_.temporary_path());
}

Hdf5File ResultWriter::create_file(const System& system, const ResultHeader& header) {
  if (WriteLock::is_held(file_name_.path())) {
    throw InputError({file_name_.path().string()}, "", "", "another run is writing it");
  }
  const std::string isa(instruction_set_name(choose_instruction_set()));
  Hdf5File file = Hdf5File::create(file_name_.temporary_path(), file_name_.path());
  file.write_attribute("/", "format", kResultFormat);
  file.write_attribute("/", "stickslip", version());
  file.write_attribute("/", "version", version());
  file.write_attribute("/", "commit", commit());
  file.write_attribute("/", "compiler", compiler());
  file.write_attribute("/", "threads", header.threads);
  file.write_attribute("/", "ranks", header.ranks);
  file.write_attribute("/", "isa", isa);
  file.write_attribute("/", "seed", header.seed);
  file.write_attribute("/", "name", header.name);
  file.write_attribute("/", "scheme", header.scheme);
  file.write_attribute("/", "solver", header.solver);
  file.write_attribute("/", "start", std::span(&header.start, 1));
  file.write_attribute("/", "end", std::span(&header.end, 1));
  file.write_attribute("/", "scene", header.scene);
  // A long text is stored apart from the other attributes, where the library has no checksum for it.
  file.write_attribute("/", "scene_checksum", static_cast<std::int64_t>(checksum_of(header.scene)));
  file.write_attribute("/", "finished", std::int64_t{0});
  file.write_attribute("/", "outcome", std::string(kOutcomeBytes, '\0'));
  file.write_attribute("/", "message", std::string(kMessageBytes, '\0'));
  file.change_attribute("/", "outcome", name_of(RunState::running));
  write_layout(file, system, header.output);
  file.create_group("/steps");
  file.create_group("/checkpoint");
  return file;
}

void ResultWriter::begin(const State& state, const StepReport& report) {
  record(state, report, true);
  checkpoint(mark(state), {});
}

void ResultWriter::begin(const Trajectory& before, const Checkpoint& last, const StopToken& stop) {
  output_.copy_rows(before.file(), last.rows, last.sums, stop);
  steps_.copy_rows(before.file(), last.steps, last.sums, stop);
  if (contact_sets_) contact_sets_->copy_rows(before.file(), last.rows, last.sums, stop);
  if (measures_) measures_->copy_rows(before.file(), last.rows, last.sums, stop);
  if (sensors_) sensors_->copy_rows(before.file(), last.rows, last.sums, last.state, stop);
  if (events_) events_->copy_rows(before.file(), last.sums, stop);
  Checkpoint mine = mark(last.state);  // whose chunks may be others
  mine.limits = last.limits;
  checkpoint(mine, {});
}

void ResultWriter::record(const State& state, const StepReport& report, bool is_row) {
  record_step(make_step_row(report));
  if (events_) events_->record(report);
  if (sensors_) sensors_->record(state, report, is_row);
  if (is_row) record_row(state, report);
}

void ResultWriter::record_row(const State& state, const StepReport& report) {
  if (contact_sets_) contact_sets_->record(report);
  if (measures_) measures_->record(state, report);
  columns_.fill(output_, state, report);
  output_.end_row();
}

void ResultWriter::record_step(const StepRow& row) {
  int column = 0;
  for (const StepColumn& c : step_columns_) {
    if (const auto* real = std::get_if<double StepRow::*>(&c.member)) {
      *steps_.reals(column++) = row.*(*real);
    } else {
      *steps_.integers(column++) = row.*std::get<int StepRow::*>(c.member);
    }
  }
  steps_.end_row();
}

Checkpoint ResultWriter::mark(const State& state) const {
  Checkpoint checkpoint{output_.rows(), steps_.rows(), state, {}, {}};
  output_.add_sums(checkpoint.sums);
  steps_.add_sums(checkpoint.sums);
  if (contact_sets_) contact_sets_->add_sums(checkpoint.sums);
  if (measures_) measures_->add_sums(checkpoint.sums);
  if (sensors_) sensors_->add_sums(checkpoint.sums);
  if (events_) events_->add_sums(checkpoint.sums);
  return checkpoint;
}

void ResultWriter::flush() {
  if (contact_sets_) contact_sets_->flush();
  if (measures_) measures_->flush();
  if (sensors_) sensors_->flush();
  if (events_) events_->flush();
  output_.flush();
  steps_.flush();
  file_.flush();
}

void ResultWriter::checkpoint(const Checkpoint& checkpoint, std::span<const LimitEntry> limits) {
  flush();
  limits_.write(limits);
  slots_.write(checkpoint);
}

void ResultWriter::finish(const RunEnd& end) {
  flush();
  limits_.write(end.limits);
  slots_.finish(end.checkpoint);
  file_.change_attribute("/", "outcome", name_of(end.outcome));
  file_.change_attribute("/", "message", end.message);
  file_.change_attribute("/", "finished", std::int64_t{end.outcome == RunState::done ? 1 : 0});
  file_.close();
  file_name_.check_published();
}

}  // namespace stickslip
