// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "stickslip/io/csv_writer.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/result_writer.h"
#include "stickslip/scene/build.h"
#include "stickslip/sim/run.h"
#include "stickslip/sim/step_sequence.h"

namespace stickslip {

/// Hands a run's steps to its files: the result, and the CSV where one is wanted.
class Recorder {
 public:
  /// Makes the files under temporary names. The system and the steps must outlive this.
  Recorder(const Scene& scene, const BuiltScene& built, const State& initial, const StepSequence& steps,
           const RunOptions& options);

  /// The first row, and the files get their names.
  void begin(const State& state, const StepReport& report);
  /// The same, with all that a result had at a checkpoint.
  void begin(const Trajectory& from, const Checkpoint& checkpoint);

  /// A step that ends at state.
  void record(const State& state, const StepReport& report);
  void record_failure(const StepRow& row);
  /// Remembers where a run that ends here, or with the next step, can be taken up again.
  void mark(const State& state) { mark_ = result_.mark(state); }
  /// Makes what is recorded visible, and safe against the program's death.
  void save(const State& state);
  /// Ends the files; the result can be resumed from the mark.
  void finish(RunState outcome, const std::string& message);

 private:
  void publish();

  const StepSequence& steps_;
  std::optional<double> checkpoint_every_;  // [s] simulated; none: at each save()
  ResultWriter result_;
  std::optional<CsvWriter> csv_;
  Checkpoint mark_;
};

}  // namespace stickslip
