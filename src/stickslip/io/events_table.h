// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/constraints/step_report.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/table.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// As in results: "impact", "lift-off", ...
std::string_view event_name(EventKind kind);

/// /events: events at instants within steps, in order of time, under schemes that find such instants, and of bodies
/// that come and go.
class EventsTable {
 public:
  /// Makes the group and its datasets in the file, which must outlive this, as must the system. of_bodies: there are
  /// events of bodies.
  EventsTable(Hdf5File& file, const System& system, bool of_bodies);

  void record(const StepReport& report);
  void flush();
  void add_sums(std::vector<RowSum>& sums) const { times_.add_sums(sums); }
  /// Takes over the events of another file up to a checkpoint with these sums. Throws InputError where they are not
  /// there.
  void copy_rows(const Hdf5File& from, std::span<const RowSum> sums, const StopToken& stop);

 private:
  std::string name_of(const StepEvent& event) const;

  Hdf5File& file_;
  const System& system_;
  Table times_;
  std::vector<std::string> names_, kinds_;  // that are not in the file yet
  std::int64_t written_ = 0;                // [-] that are
};

/// One event of a result.
struct EventRow {
  double time = 0.0;  // [s]
  std::string name;   // of the contact point, joint, force or body
  std::string what;
};

/// The events of a result; none where its scheme finds none. Throws InputError.
std::vector<EventRow> read_events(const Hdf5File& file);

}  // namespace stickslip
