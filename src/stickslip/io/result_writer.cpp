// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/result_writer.h"

#include <algorithm>
#include <array>

#include "stickslip/base/build_info.h"
#include "stickslip/base/input_error.h"

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

std::vector<Column> make_step_columns() {
  std::vector<Column> columns;
  for (const StepColumn& c : step_columns()) {
    const bool real = std::holds_alternative<double StepRow::*>(c.member);
    const Hdf5Type type = real                                   ? Hdf5Type::float64
                          : std::string_view(c.name) == "status" ? Hdf5Type::int32
                                                                 : Hdf5Type::int64;
    columns.push_back({std::string("/steps/") + c.name, type, 1, 1, c.unit, c.meaning});
  }
  return columns;
}

/// Bytes of the largest state that the run can have: a percussion for each contact point, joint and dry friction
/// element. Detected contacts come and go; there is room for as many as shapes in a heap have, within reason: a state
/// that needs more takes further rows, see CheckpointSlots.
std::size_t state_capacity(const System& system, State state) {
  constexpr std::size_t kContactsPerShape = 8;    // [-] a ball touches 6 or fewer on average, each counted twice
  constexpr std::size_t kMostContacts = 1 << 15;  // [-] 5 MB
  state.warm.resize(std::max(state.warm.size(),
                             system.contact_points().size() + system.joints().size() + system.dry_frictions().size()));
  if (system.detection()) {
    std::size_t shapes = 0;
    for (const Body& body : system.bodies()) shapes += body.shapes.size();
    const std::size_t contacts = std::min(kContactsPerShape * shapes, kMostContacts);
    state.warm.resize(state.warm.size() + contacts);
    state.contacts.resize(contacts);
  }
  return to_bytes(state).size();
}

void write_layout(Hdf5File& file, const System& system) {
  std::vector<std::string> names;
  std::vector<std::string> types;
  std::vector<std::int64_t> q_offset;
  std::vector<std::int64_t> n_q;
  std::vector<std::int64_t> u_offset;
  std::vector<std::int64_t> n_u;
  for (const Body& body : system.bodies()) {
    names.push_back(body.name);
    types.emplace_back(body_type_name(body.type));
    q_offset.push_back(body.q_offset);
    n_q.push_back(body.n_q);
    u_offset.push_back(body.u_offset);
    n_u.push_back(body.n_u);
  }
  const auto rows = static_cast<std::int64_t>(names.size());
  file.write_fields(
      "/layout", rows,
      {{"body", names}, {"type", types}, {"q_offset", q_offset}, {"n_q", n_q}, {"u_offset", u_offset}, {"n_u", n_u}});
  file.write_attribute("/layout", "unit", "1");
  file.write_attribute("/layout", "meaning", "where each body's coordinates stand in a row of /q and velocities in /u");
}

void write_bodies(Hdf5File& file, const System& system) {
  file.create_group("/bodies");
  for (const Body& body : system.bodies()) {
    const std::string group = "/bodies/" + body.name;
    file.create_group(group);
    file.write_attribute(group, "type", body_type_name(body.type));
    // (3) [m] where the frame the body was drawn in has its origin, in the body frame.
    file.write_attribute(group, "origin", std::span(body.drawing_origin.data(), 3));
    if (body.n_u > 0) file.write_attribute(group, "mass", std::span(&body.mass, 1));  // [kg]
  }
}

void write_contacts(Hdf5File& file, const System& system) {
  file.create_group("/contacts");
  for (const ContactPair& pair : system.contacts()) {
    const ContactPairOptions& options = pair.options;
    const std::string group = "/contacts/" + options.name;
    file.create_group(group);
    file.write_attribute(group, "first", system.bodies()[options.first].name);
    file.write_attribute(group, "second", system.bodies()[options.second].name);
    file.write_attribute(group, "friction", std::span(&options.friction, 1));
    for (int k = 0; pair.n_points > 1 && k < pair.n_points; ++k) {
      file.create_group(contact_group(system, pair.first_point + k));
    }
  }
}

void write_joints(Hdf5File& file, const System& system) {
  if (system.joints().empty()) return;
  file.create_group("/joints");
  for (const Joint& joint : system.joints()) {
    const std::string group = "/joints/" + joint.options.name;
    file.create_group(group);
    file.write_attribute(group, "type", joint_type_name(joint.options.type));
    file.write_attribute(group, "first", system.bodies()[joint.options.first].name);
    file.write_attribute(group, "second", system.bodies()[joint.options.second].name);
  }
}

}  // namespace

ResultWriter::ResultWriter(const std::filesystem::path& path, const System& system, const State& state,
                           const ResultHeader& header)
    : system_(system),
      file_name_(path),
      columns_(system, header.single_precision ? Hdf5Type::float32 : Hdf5Type::float64),
      file_(create_file(system, header)),
      output_(file_, columns_.columns(), header.expected_rows),
      steps_(file_, make_step_columns(), header.expected_steps),
      slots_(file_, state_capacity(system, state)) {
  if (system.detection()) {
    contact_sets_.emplace(file_, header.single_precision ? Hdf5Type::float32 : Hdf5Type::float64, header.expected_rows);
  }
  file_.start_live_writing();
  lock_ = WriteLock(file_name_.temporary_path());
}

Hdf5File ResultWriter::create_file(const System& system, const ResultHeader& header) {
  if (WriteLock::is_held(file_name_.path())) {
    throw InputError({file_name_.path().string()}, "", "", "another run is writing it");
  }
  Hdf5File file = Hdf5File::create(file_name_.temporary_path(), file_name_.path());
  file.write_attribute("/", "format", kResultFormat);
  file.write_attribute("/", "stickslip", version());
  file.write_attribute("/", "version", version());
  file.write_attribute("/", "commit", commit());
  file.write_attribute("/", "compiler", compiler());
  file.write_attribute("/", "threads", header.threads);
  file.write_attribute("/", "seed", header.seed);
  file.write_attribute("/", "name", header.name);
  file.write_attribute("/", "scheme", header.scheme);
  file.write_attribute("/", "solver", header.solver);
  file.write_attribute("/", "start", std::span(&header.start, 1));
  file.write_attribute("/", "end", std::span(&header.end, 1));
  file.write_attribute("/", "scene", header.scene);
  file.write_attribute("/", "finished", std::int64_t{0});
  file.write_attribute("/", "outcome", std::string(kOutcomeBytes, '\0'));
  file.write_attribute("/", "message", std::string(kMessageBytes, '\0'));
  file.change_attribute("/", "outcome", name_of(RunState::running));
  write_layout(file, system);
  write_bodies(file, system);
  write_contacts(file, system);
  write_joints(file, system);
  file.create_group("/steps");
  file.create_group("/checkpoint");
  return file;
}

void ResultWriter::copy_rows(const Hdf5File& from, const Checkpoint& checkpoint) {
  output_.copy_rows(from, checkpoint.rows);
  steps_.copy_rows(from, checkpoint.steps);
  if (contact_sets_) contact_sets_->copy_rows(from, checkpoint.rows);
}

void ResultWriter::record(const State& state, const StepReport& report) {
  if (contact_sets_) contact_sets_->record(system_, report);
  columns_.fill(output_, state, report);
  output_.end_row();
}

void ResultWriter::record_step(const StepRow& row) {
  int column = 0;
  for (const StepColumn& c : step_columns()) {
    if (const auto* real = std::get_if<double StepRow::*>(&c.member)) {
      *steps_.reals(column++) = row.*(*real);
    } else {
      *steps_.integers(column++) = row.*std::get<std::int64_t StepRow::*>(c.member);
    }
  }
  steps_.end_row();
}

void ResultWriter::flush() {
  if (contact_sets_) contact_sets_->flush();
  output_.flush();
  steps_.flush();
  file_.flush();
}

void ResultWriter::checkpoint(const Checkpoint& checkpoint) {
  flush();
  slots_.write(checkpoint);
  file_.flush();
}

void ResultWriter::finish(RunState outcome, const std::string& message, const Checkpoint& checkpoint) {
  for (int slot = 0; slot < 2; ++slot) this->checkpoint(checkpoint);
  file_.change_attribute("/", "outcome", name_of(outcome));
  file_.change_attribute("/", "message", message);
  file_.change_attribute("/", "finished", std::int64_t{outcome == RunState::done ? 1 : 0});
  file_.close();
}

}  // namespace stickslip
