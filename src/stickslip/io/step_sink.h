// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "stickslip/base/stop_token.h"
#include "stickslip/constraints/step_report.h"
#include "stickslip/io/checkpoint.h"
#include "stickslip/io/step_row.h"
#include "stickslip/stepping/limits.h"

namespace stickslip {

class Trajectory;

/// How a run ended, or that it has not. Stored in results as the attribute `outcome`.
enum class RunState { running, done, interrupted, failed };

/// The end of a run.
struct RunEnd {
  RunState outcome = RunState::done;
  std::string message;           // why a step failed, or what ended the run
  const Checkpoint& checkpoint;  // where it can be taken up again
  std::span<const LimitEntry> limits;
};

/// Where the steps of a run go: a result file, a table of text, later a window. All throw WriteError where the disk
/// refuses.
class StepSink {
 public:
  virtual ~StepSink() = default;

  /// The initial state.
  virtual void begin(const State& state, const StepReport& report) = 0;
  /// Instead, all that the result of the same run holds up to a checkpoint. Throws InputError where it is damaged. Asks
  /// `stop` chunk by chunk, and throws Interrupted where it is raised.
  virtual void begin(const Trajectory& before, const Checkpoint& checkpoint, const StopToken& stop) = 0;
  /// What is written shows under its name from here on: all sinks have begun well.
  virtual void publish() = 0;
  /// A step that ends at state; is_row: at an output instant.
  virtual void record(const State& state, const StepReport& report, bool is_row) = 0;
  /// A step that failed, the last one.
  virtual void record_failure(const StepRow& /*row*/) {}
  /// Makes recorded rows visible to readers and safe if the program dies.
  virtual void flush() = 0;
  /// Flushes and stores a checkpoint from which the run can go on.
  virtual void checkpoint(const Checkpoint& checkpoint, std::span<const LimitEntry> limits) = 0;
  virtual void finish(const RunEnd& end) = 0;
};

}  // namespace stickslip
