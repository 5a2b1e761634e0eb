// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/view/live_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stickslip/io/new_file.h"
#include "stickslip/report/report.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;
using std::chrono::duration;

/// Frames take at most one part of the run's time in this number. [-]
constexpr int kShare = 20;
/// If there is less than one row in this number of frames, steps between rows are shown. [-]
constexpr int kSlowRows = 3;
/// Number of rows for which the signals of a run are chosen (kFewestRows of a report). [-]
constexpr std::int64_t kManyRows = 200;

std::vector<float> to_floats(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

double value_of(const StepRow& row, const StepColumn& column) {
  if (const auto* real = std::get_if<double StepRow::*>(&column.member)) return row.*(*real);
  return row.*std::get<int StepRow::*>(column.member);
}

}  // namespace

LiveSink::LiveSink(const fs::path& result, const System& system, const State& initial, const ResultHeader& header,
                   LiveData& data, const RunControl& control)
    : folder_(make_temporary_folder("stickslip-view")),
      path_(folder_ / result.filename()),
      system_(system),
      start_(header.start),
      end_(header.end),
      automatic_(header.automatic_steps),
      data_(data),
      control_(control),
      columns_(system, header.output),
      row_(columns_.columns()),
      has_named_(!system.contact_points().empty()),
      has_detected_(system.has_varying_contacts() && header.output.wants("/contact_sets")),
      has_forces_(header.output.wants("/contacts/force")),
      interval_(kFramePeriod) {
  for (const char* path : {"/contacts/point", "/contacts/normal", "/contacts/gap", "/contacts/status"}) {
    has_named_ &= header.output.wants(path);
  }
  has_named_ &= has_forces_ || header.output.wants("/contacts/percussion");
  beginning_.emplace(path_, system, initial, header);
  for (std::size_t b = 0; b < system.bodies().size(); ++b) {
    const Body& body = system.bodies()[b];
    if (body.beam) curves_.emplace_back(b, BeamCurve(body.beam->options()));
  }
}

LiveSink::~LiveSink() {
  beginning_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void LiveSink::begin(const State& state, const StepReport& report) {
  beginning_->begin(state, report);
  mark_ = state;
  rows_ = 1;
}

void LiveSink::begin(const Trajectory& before, const Checkpoint& checkpoint, const StopToken& stop) {
  beginning_->begin(before, checkpoint, stop);
  mark_ = checkpoint.state;
  rows_ = checkpoint.rows;
  steps_ = checkpoint.steps - 1;
  for (const StepRow& row : before.read_steps(1, steps_, &checkpoint)) certificate_.add(row);
}

/// The file of the beginning is closed and read as any other result, so that pages show what a report would.
void LiveSink::publish() {
  beginning_->publish();
  beginning_->finish({RunState::running, "", beginning_->mark(mark_), {}});
  beginning_.reset();
  const StopToken stop = control_.stop_token();
  stop.check();
  {
    const Trajectory beginning(path_);
    const PageData page = make_page_data(beginning, kMaxReportBytes, kManyRows, stop);
    stop.check();
    shown_ = {page.names().begin(), page.names().end()};
    names_ = PlaceNames(beginning);
    data_.show(page, ViewPhase::running);
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  last_frame_ = last_row_ = Clock::now();
  last_steps_ = steps_;
}

int LiveSink::find_column(const std::string& path) const {
  const auto found = std::ranges::find(columns_.columns(), path, &Column::path);
  return found == columns_.columns().end() ? -1 : static_cast<int>(found - columns_.columns().begin());
}

bool LiveSink::is_due(bool is_row, Clock::time_point now) const {
  if (control_.is_stepping()) return true;
  if (is_row) return now - last_row_ >= interval_;
  return now - last_frame_ >= interval_ && now - last_row_ >= kSlowRows * interval_;
}

void LiveSink::record(const State& state, const StepReport& report, bool is_row) {
  const StepRow step = make_step_row(report);
  certificate_.add(step);
  ++steps_;
  if (is_row) ++rows_;
  if (!worst_ || !(step.residual <= worst_->residual)) worst_ = step;
  const Clock::time_point now = Clock::now();
  if (!is_due(is_row, now)) {
    if (is_row) ++left_out_;
    return;
  }
  auto frame = make_frame(state, report, is_row);
  data_.add(std::move(frame), make_progress(state, now));
  last_frame_ = now;
  if (is_row) {
    last_row_ = now;
    worst_.reset();
  }
  interval_ = std::max<Clock::duration>(kFramePeriod, kShare * (Clock::now() - now));
}

LiveProgress LiveSink::make_progress(const State& state, Clock::time_point now) {
  LiveProgress progress;
  progress.time = state.t;
  progress.share = (state.t - start_) / (end_ - start_);
  progress.steps = steps_;
  progress.rows = rows_;
  progress.left_out = left_out_;
  const double seconds = duration<double>(now - last_frame_).count();
  progress.steps_per_second = seconds > 0.0 ? static_cast<double>(steps_ - last_steps_) / seconds : 0.0;
  last_steps_ = steps_;
  progress.certificate = certificate_.to_json(names_);
  return progress;
}

std::shared_ptr<const LiveFrame> LiveSink::make_frame(const State& state, const StepReport& report, bool is_row) {
  columns_.fill(row_, state, report);
  auto frame = std::make_shared<LiveFrame>();
  frame->number = ++number_;
  frame->time = state.t;
  frame->is_row = is_row;
  add_picture(*frame);
  frame->arrays.push_back({"contact_time", std::vector<double>{state.t}});
  if (const int point = find_column("/joints/point"); point >= 0) {
    frame->arrays.push_back({"joint_point", to_floats(row_.read(static_cast<std::size_t>(point)))});
  }
  if (!system_.contact_points().empty() || has_detected_) add_contacts(report, *frame);
  add_signals(*frame);
  return frame;
}

void LiveSink::add_picture(LiveFrame& frame) const {
  const int position = find_column("/bodies/position"), orientation = find_column("/bodies/orientation");
  if (position < 0 || orientation < 0) return;
  frame.arrays.push_back({"frame_time", std::vector<double>{frame.time}});
  const std::vector<double> p = row_.read(static_cast<std::size_t>(position));
  const std::vector<double> e = row_.read(static_cast<std::size_t>(orientation));
  std::vector<float> poses;
  poses.reserve(7 * system_.shown_bodies().size());
  for (std::size_t b = 0; b < system_.shown_bodies().size(); ++b) {
    for (std::size_t k = 0; k < 3; ++k) poses.push_back(static_cast<float>(p[3 * b + k]));
    for (std::size_t k = 0; k < 4; ++k) poses.push_back(static_cast<float>(e[4 * b + k]));
  }
  frame.arrays.push_back({"pose", std::move(poses)});
  const int q = find_column("/q");
  if (q < 0 || curves_.empty()) return;
  const std::vector<double> coordinates = row_.read(static_cast<std::size_t>(q));
  for (const auto& [b, drawn] : curves_) {
    std::vector<float> curve;
    drawn.sample(coordinates.data() + system_.bodies()[b].q_offset, curve);
    frame.arrays.push_back({fmt::format("curve/{}", b), std::move(curve)});
  }
}

/// Of a step between rows also what it looked at beyond the envelope.
void LiveSink::add_contacts(const StepReport& report, LiveFrame& frame) const {
  ContactList list;
  const double per_step = report.step > 0.0 ? 1.0 / report.step : 0.0;
  const std::size_t n_named = system_.contact_points().size();
  for (std::size_t k = 0; k < report.contacts.size(); ++k) {
    const bool is_named = k < n_named;
    if (is_named ? !has_named_ : !has_detected_) continue;
    const ContactReport& contact = report.contacts[k];
    const Vector3 percussion = world_force(contact, contact.percussion);
    const Vector3 force =
        is_named && has_forces_ ? world_force(contact, contact.force) : Vector3(per_step * percussion);
    list.add({.point = contact.position,
              .normal = contact.normal,
              .force = force,
              .percussion = percussion,
              .gap = contact.gap,
              .mu = friction_of(system_, contact),
              .status = static_cast<int>(contact.status),
              .body_a = contact.body_a,
              .body_b = contact.body_b,
              .index = is_named ? static_cast<int>(k) : -1});
  }
  frame.arrays.push_back({"contact_offset", std::vector<std::uint32_t>{static_cast<std::uint32_t>(list.index.size())}});
  frame.arrays.push_back({"contact_point", std::move(list.point)});
  frame.arrays.push_back({"contact_normal", std::move(list.normal)});
  frame.arrays.push_back({"contact_force", std::move(list.force)});
  frame.arrays.push_back({"contact_gap", std::move(list.gap)});
  frame.arrays.push_back({"contact_mu", std::move(list.mu)});
  frame.arrays.push_back({"contact_status", std::move(list.status)});
  frame.arrays.push_back({"contact_bodies", std::move(list.bodies)});
  frame.arrays.push_back({"contact_index", std::move(list.index)});
}

void LiveSink::add_signals(LiveFrame& frame) const {
  frame.arrays.push_back({"row_time", std::vector<double>{frame.time}});
  for (std::size_t k = 0; k < columns_.columns().size(); ++k) {
    const std::string& path = columns_.columns()[k].path;
    if (path != "/time" && shown_.contains(path)) frame.arrays.push_back({path, row_.read(k)});
  }
  for (const StepColumn& column : step_columns()) {
    if (column.of_automatic_steps && !automatic_) continue;
    const std::string path = std::string("/steps/") + column.name;
    if (shown_.contains(path)) frame.arrays.push_back({path, std::vector<double>{value_of(*worst_, column)}});
  }
}

}  // namespace stickslip
