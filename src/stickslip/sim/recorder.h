// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stickslip/constraints/envelope.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/result_writer.h"
#include "stickslip/io/step_sink.h"
#include "stickslip/scene/build.h"
#include "stickslip/sim/run.h"
#include "stickslip/sim/step_sequence.h"
#include "stickslip/stepping/limit_monitor.h"

namespace stickslip {

/// What the result of a scene says of it.
ResultHeader make_result_header(const Scene& scene, const BuiltScene& built, const StepSequence& steps);

/// Hands a run's steps to its sinks: the result, and the CSV and RunOptions::make_sink's where they are wanted. Without
/// files (RunOptions::writes) it has none.
class Recorder {
 public:
  /// Makes the files under temporary names. The system, the limits and the steps must outlive this.
  Recorder(const Scene& scene, const BuiltScene& built, const State& initial, const LimitMonitor& limits,
           const StepSequence& steps, const RunOptions& options);

  /// The first row, and the files get their names.
  void begin(const State& state, StepReport& report);
  /// The same, with all that a result had at a checkpoint.
  void begin(const Trajectory& from, const Checkpoint& checkpoint, const StopToken& stop);

  /// A step that ends at state, and that the limits have seen. Of a row the report is completed (Envelope).
  void record(const State& state, StepReport& report);
  void record_failure(const StepRow& row);
  /// Remembers where a run that ends here, or with the next step, can be taken up again.
  void mark(const State& state) { mark_ = make_mark(state); }
  /// Makes what is recorded visible, and safe against the program's death.
  void save(const State& state);
  /// Ends the files; the result can be resumed from the mark.
  void finish(RunState outcome, const std::string& message, std::span<const LimitEntry> limits);

 private:
  Checkpoint make_mark(const State& state) const;
  void checkpoint(const State& state);

  const LimitMonitor& limits_;
  const StepSequence& steps_;
  Envelope envelope_;
  std::optional<double> checkpoint_every_;  // [s] simulated; none: at each save()
  bool keeps_inputs_;                       // in checkpoints
  std::vector<std::unique_ptr<StepSink>> sinks_;
  ResultWriter* result_ = nullptr;  // the first of them
  Checkpoint mark_;
};

}  // namespace stickslip
