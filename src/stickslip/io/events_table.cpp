// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/events_table.h"

#include <algorithm>
#include <array>

#include "stickslip/base/input_error.h"
#include "stickslip/io/checksum.h"
#include "stickslip/io/output_columns.h"

namespace stickslip {
namespace {

constexpr const char* kTimes = "/events/time";
constexpr const char* kNames = "/events/name";
constexpr const char* kKinds = "/events/what";
/// For the size of chunks. [-]
constexpr std::int64_t kTypicalEvents = 256;

constexpr std::array<std::string_view, 10> kEventNames = {"impact",   "touch",        "lift-off",    "stick", "slip",
                                                          "reversal", "accumulation", "no-solution", "enter", "leave"};

std::size_t longest_event_name(const System& system, bool of_bodies) {
  std::size_t bytes = 1;
  for (std::size_t k = 0; k < system.contact_points().size(); ++k) {
    bytes = std::max(bytes, contact_name(system, static_cast<int>(k)).size());
  }
  for (const Joint& joint : system.joints()) bytes = std::max(bytes, joint.options.name.size());
  for (const Force& force : system.forces()) bytes = std::max(bytes, force.name.size());
  for (std::size_t i = 0; of_bodies && i < system.bodies().size(); ++i) {
    bytes = std::max(bytes, system.bodies()[i].name.size());
  }
  return bytes;
}

Hdf5File& with_events(Hdf5File& file, const System& system, bool of_bodies) {
  std::size_t longest = 0;
  for (const std::string_view name : kEventNames) longest = std::max(longest, name.size());
  file.create_group("/events");
  file.create_texts(kNames, longest_event_name(system, of_bodies));
  file.describe(kNames, "1", "of the contact point, joint, force or body whose event it is");
  file.create_texts(kKinds, longest);
  file.describe(kKinds, "1",
                "impact, touch, lift-off, stick, slip, reversal, accumulation or no-solution; enter or leave");
  return file;
}

}  // namespace

std::string_view event_name(EventKind kind) {
  return kEventNames[static_cast<std::size_t>(kind)];
}

EventsTable::EventsTable(Hdf5File& file, const System& system, bool of_bodies)
    : file_(with_events(file, system, of_bodies)),
      system_(system),
      times_(file, {{kTimes, Hdf5Type::float64, {}, "s", "when it happened"}}, kTypicalEvents) {
}

std::string EventsTable::name_of(const StepEvent& event) const {
  if (event.body >= 0) return system_.bodies()[event.body].name;
  if (event.contact >= 0) return contact_name(system_, event.contact);
  const DryFrictionElement& element = system_.dry_frictions()[event.dry_friction];
  return element.joint >= 0 ? system_.joints()[element.joint].options.name : system_.forces()[element.force].name;
}

void EventsTable::record(const StepReport& report) {
  for (const StepEvent& event : report.events) {
    *times_.reals(0) = event.t;
    times_.end_row();
    names_.push_back(name_of(event));
    kinds_.emplace_back(event_name(event.what));
  }
}

/// Times last: what they count is there.
void EventsTable::flush() {
  file_.write_texts(kNames, written_, names_);
  file_.write_texts(kKinds, written_, kinds_);
  written_ += static_cast<std::int64_t>(names_.size());
  names_.clear();
  kinds_.clear();
  times_.flush();
}

void EventsTable::copy_rows(const Hdf5File& from, std::span<const RowSum> sums, const StopToken& stop) {
  const auto known =
      std::ranges::find_if(sums, [](const RowSum& sum) { return sum.path == checksum_of(std::string_view(kTimes)); });
  const std::int64_t rows = known == sums.end() ? 0 : known->rows;
  times_.copy_rows(from, rows, sums, stop);
  for (const auto& [path, texts] : {std::pair(kNames, &names_), std::pair(kKinds, &kinds_)}) {
    *texts = from.read_texts(path);
    if (static_cast<std::int64_t>(texts->size()) < rows) {
      throw InputError({from.name()}, path, std::to_string(texts->size()), "as many as there are times");
    }
    texts->resize(static_cast<std::size_t>(rows));
  }
}

std::vector<EventRow> read_events(const Hdf5File& file) {
  if (!file.has(kTimes)) return {};
  const std::vector<double> times = file.read_numbers(kTimes);
  const std::vector<std::string> names = file.read_texts(kNames);
  const std::vector<std::string> kinds = file.read_texts(kKinds);
  // A killed program may have written more rows of some than of others.
  std::vector<EventRow> events(std::min({times.size(), names.size(), kinds.size()}));
  for (std::size_t i = 0; i < events.size(); ++i) events[i] = {times[i], names[i], kinds[i]};
  return events;
}

}  // namespace stickslip
