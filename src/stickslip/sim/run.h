// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/phase_clock.h"
#include "stickslip/base/stop_token.h"
#include "stickslip/model/system.h"
#include "stickslip/scene/scene.h"
#include "stickslip/sim/progress.h"
#include "stickslip/sim/summary.h"

namespace stickslip {

class StepSink;
struct ResultHeader;

/// Sets the inputs of the next step from the state at its start, of which they are a part: those of the last step
/// until they are changed. What it sets may depend on its arguments alone; then a run that is resumed with it has the
/// same bits as one that was not interrupted. A controller that remembers more must keep that itself.
using Control = std::function<void(const System&, const State&, Inputs&)>;

enum class Outcome {
  done,         // the end was reached and every step held the laws, within the limits
  inexact,      // the end was reached; some steps stayed above the tolerance or passed a limit
  failed,       // a step failed; the result holds all up to it
  stopped,      // a limit was passed that ends the run; the result holds all up to it
  interrupted,  // `stop` was raised; the result can be resumed
};

inline std::string_view outcome_name(Outcome outcome) {
  constexpr std::array<std::string_view, 5> kNames = {"done", "inexact", "failed", "stopped", "interrupted"};
  return kNames[static_cast<std::size_t>(outcome)];
}
/// Of a command whose run ends so. (docs/runs.md)
inline int exit_status(Outcome outcome) {
  constexpr std::array kStatuses = {0, 4, 3, 3, 130};
  return kStatuses[static_cast<std::size_t>(outcome)];
}

struct RunResult {
  Outcome outcome = Outcome::done;
  bool is_written = true;  // false: interrupted before there was a result; what stood in its place still does
  Summary summary;
  std::string message;                          // why a step failed, or what ended the run
  double time = 0.0;                            // [s] simulated time reached
  double wall_seconds = 0.0;                    // [s] wall-clock time of this run
  std::vector<std::filesystem::path> problems;  // contact problems of failed or inexact steps that were written
};

struct RunOptions {
  std::filesystem::path output;                 // the result file
  std::optional<std::filesystem::path> csv;     // the output rows as text too
  std::optional<std::filesystem::path> resume;  // go on from this result's last checkpoint
  std::optional<double> checkpoint_every;       // [s] simulated; none: once a second of wall-clock time
  std::optional<std::int64_t> problems_every;   // [-] steps between contact problems written beside the result
  int threads = 1;                              // [-] that share the work of large steps; 0: one for each processor
  bool writes = true;                           // whether this process writes files; of ranks only the first
  std::int64_t problems_failed = 0;             // [-] writes the problems of the first so many failed or inexact steps
  PhaseClock* phases = nullptr;                 // measures processor time by phase, if it is activated
  StopToken stop;                               // raised by someone else: drop the step under way and end
  /// Called once, before anything is written: likely mistakes in the scene, as check_scene() finds them.
  std::function<void(const std::vector<std::string>&)> tell_warnings;
  std::function<void()> before_writing;  // called once: up to here there is nothing to keep
  /// Called once, when all files are closed and before the memory of the run is given back, which takes .1 s at 1e5
  /// bodies: a program that was interrupted may end here.
  std::function<void(const RunResult&)> ended;
  std::function<void(const Progress&)> progress;  // called now and then, and at the end
  std::function<void(const LimitEntry&)> warn;    // called when a limit is passed, the first time by each pair or joint
  Control control;                                // called before each step, and before row 0 is made
  bool control_is_momentary = false;              // inputs last one step: the run can be resumed without control
  /// Makes one more sink of the run's steps, beside the result's, of the system, the state at the start and what the
  /// result says of itself. The system outlives it.
  std::function<std::unique_ptr<StepSink>(const System&, const State&, const ResultHeader&)> make_sink;
  /// Called before each step and may wait, but only briefly once `stop` is raised. `save` writes all rows recorded so
  /// far; call it before a long wait.
  std::function<void(const State&, const std::function<void()>& save)> before_step;
};

/// Simulates a scene and writes its result. Throws InputError (nothing is written then) and WriteError.
RunResult run(Scene scene, const RunOptions& options);

}  // namespace stickslip
