// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "stickslip/io/checkpoint.h"
#include "stickslip/io/contact_sets.h"
#include "stickslip/io/events_table.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/limits_table.h"
#include "stickslip/io/measures.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/output_columns.h"
#include "stickslip/io/sensors.h"
#include "stickslip/io/step_row.h"
#include "stickslip/io/step_sink.h"
#include "stickslip/io/table.h"
#include "stickslip/io/write_lock.h"

namespace stickslip {

/// The version of the layout that docs/results.md describes. (Format 1 was never released.)
inline constexpr std::int64_t kResultFormat = 2;

/// What a result says of the run beside its numbers.
struct ResultHeader {
  std::string name;    // of the scene
  std::string scene;   // its text as run
  std::string scheme;  // name
  std::string solver;  // name
  double start = 0.0;  // [s]
  double end = 0.0;    // [s]
  std::int64_t threads = 1;
  std::int64_t ranks = 1;
  std::int64_t seed = 0;
  OutputChoice output;           // of what is recorded at output instants
  bool automatic_steps = false;  // steps have estimated errors
  bool events = false;           // the scheme finds events within steps, or bodies come and go
  bool body_events = false;      // bodies come and go
  LimitOptions limits;           // of the scene
  std::vector<MeasureOptions> measures;
  std::vector<SensorOptions> sensors;
  std::int64_t expected_rows = 1;   // [-] output rows of the whole run
  std::int64_t expected_steps = 1;  // [-] steps of the whole run
};

/// What a result will take on the disk with so many detected contacts in each row. [bytes]
double estimate_result_bytes(const System& system, const State& state, const ResultHeader& header, double contacts);
/// What a row takes with them. [bytes]
double estimate_row_bytes(const System& system, const OutputChoice& output, double contacts);

/// Writes a result file (docs/results.md): made under a temporary name, given its own by publish(), readable from
/// then on at any moment.
class ResultWriter final : public StepSink {
 public:
  /// Makes the file with all its groups, datasets and attributes, without rows. The system must outlive this.
  /// Throws InputError where `path` cannot be a result or another run is writing it, WriteError.
  ResultWriter(const std::filesystem::path& path, const System& system, const State& state, const ResultHeader& header);

  void begin(const State& state, const StepReport& report) override;
  void begin(const Trajectory& before, const Checkpoint& checkpoint, const StopToken& stop) override;
  void publish() override { file_name_.publish(); }
  void record(const State& state, const StepReport& report, bool is_row) override;
  void record_failure(const StepRow& row) override { record_step(row); }
  void flush() override;
  void checkpoint(const Checkpoint& checkpoint, std::span<const LimitEntry> limits) override;
  /// The checkpoint goes in both slots, so that the file depends on where the run ended alone.
  void finish(const RunEnd& end) override;

  /// Where a run could go on, were it to go on from here.
  Checkpoint mark(const State& state) const;

 private:
  Hdf5File create_file(const System& system, const ResultHeader& header);
  void record_row(const State& state, const StepReport& report);
  void record_step(const StepRow& row);

  NewFile file_name_;
  OutputColumns columns_;
  std::vector<StepColumn> step_columns_;
  Hdf5File file_;
  Table output_;
  Table steps_;
  std::optional<ContactSets> contact_sets_;  // of a system with detected contacts
  std::optional<MeasuresTable> measures_;    // of a scene with measures
  std::optional<SensorsTable> sensors_;      // of a scene with sensors
  std::optional<EventsTable> events_;        // of a scheme that finds them
  LimitsTable limits_;
  CheckpointSlots slots_;
  WriteLock lock_;
};

}  // namespace stickslip
