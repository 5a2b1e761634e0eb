// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "stickslip/io/checkpoint.h"
#include "stickslip/io/contact_sets.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/output_columns.h"
#include "stickslip/io/step_row.h"
#include "stickslip/io/table.h"
#include "stickslip/io/write_lock.h"

namespace stickslip {

/// The version of the layout that docs/results.md describes.
inline constexpr std::int64_t kResultFormat = 1;

/// What a result says of the run beside its numbers.
struct ResultHeader {
  std::string name;    // of the scene
  std::string scene;   // its text as run
  std::string scheme;  // name
  std::string solver;  // name
  double start = 0.0;  // [s]
  double end = 0.0;    // [s]
  std::int64_t threads = 1;
  std::int64_t seed = 0;
  bool single_precision = false;    // of what is recorded at output instants
  std::int64_t expected_rows = 1;   // [-] output rows of the whole run
  std::int64_t expected_steps = 1;  // [-] steps of the whole run
};

/// How a run ended, or that it has not. Stored as the attribute `outcome`.
enum class RunState { running, done, interrupted, failed };

/// Writes a result file (docs/results.md): made under a temporary name, given its own by publish(), readable from
/// then on at any moment. Everything throws WriteError when the disk refuses.
class ResultWriter {
 public:
  /// Makes the file with all its groups, datasets and attributes, without rows. The system must outlive this.
  /// Throws InputError where `path` cannot be a result or another run is writing it.
  ResultWriter(const std::filesystem::path& path, const System& system, const State& state, const ResultHeader& header);

  /// Takes over what a result had at a checkpoint, instead of a first row. Throws InputError.
  void copy_rows(const Hdf5File& from, const Checkpoint& checkpoint);
  /// A row of /time and its companions.
  void record(const State& state, const StepReport& report);
  /// A row of /steps.
  void record_step(const StepRow& row);
  /// Where a run could go on, were it to go on from here.
  Checkpoint mark(const State& state) const { return {output_.rows(), steps_.rows(), state}; }
  /// Stores it, after all rows so far.
  void checkpoint(const Checkpoint& checkpoint);
  /// Makes all rows so far visible to readers.
  void flush();
  void publish() { file_name_.publish(); }
  /// Ends the file: the checkpoint goes in both slots, so that it depends on where the run ended alone.
  void finish(RunState outcome, const std::string& message, const Checkpoint& checkpoint);

 private:
  Hdf5File create_file(const System& system, const ResultHeader& header);

  const System& system_;
  NewFile file_name_;
  OutputColumns columns_;
  Hdf5File file_;
  Table output_;
  Table steps_;
  std::optional<ContactSets> contact_sets_;  // of a system with detected contacts
  CheckpointSlots slots_;
  WriteLock lock_;
};

}  // namespace stickslip
