// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/sim/run.h"

namespace stickslip {

/// One scene under several schemes, solvers and steps: each with each.
struct CompareOptions {
  std::vector<std::string> schemes;                  // as in scene files; none: the scene's
  std::vector<std::string> solvers;                  // the same
  std::vector<double> steps;                         // [s] > 0; none: the scene's
  std::vector<std::string> settings;                 // "key.path=value" for all of them, see LoadOptions
  SceneConverter convert;                            // see LoadOptions; called by several threads
  int threads = 1;                                   // [-] runs at a time
  StopToken stop;                                    // raised by someone else: drop all runs and throw Interrupted
  std::function<void(int ended, int all)> progress;  // called after each run, by one thread at a time
};

/// The largest over bodies and written rows of the distance from the reference: of centres of mass, of points of beams.
struct MotionError {
  std::optional<double> position;  // [m]
  std::optional<double> velocity;  // [m/s]
};

/// One run of a comparison.
struct CompareRow {
  std::string scheme, solver;
  double step = 0.0;        // [s] 0 where it is automatic
  bool is_refused = false;  // the scheme or the solver cannot take the scene: nothing below is known
  Outcome outcome = Outcome::done;
  std::string message;        // why it was refused, failed or was stopped
  std::int64_t steps = 0;     // [-] made
  double cost_seconds = 0.0;  // [s] processor time of the run's own thread, for the steps
  MotionError error;
  /// log(e'/e) / log(h'/h), e' and h' those of the next coarser step under the same scheme and solver.
  std::optional<double> order_position, order_velocity;
  double penetration = 0.0;   // [m] the deepest of any step
  double drift = 0.0;         // [m] of joints, the largest of any step
  double energy_error = 0.0;  // [J] the largest of any step
  double residual = 0.0;      // [m/s] the worst of any step
};

struct SchemeComparison {
  std::string reference;         // what errors are against; empty: nothing
  std::vector<CompareRow> rows;  // by scheme, solver and step, the coarsest first
};

/// Runs a scene under all of them and compares; leaves no files. Errors are against the scene's `reference`, or else
/// against the run with the finest step, of those the one of the scheme with the highest order, of those the first;
/// that run has no error then. Rows are compared that both runs have at the same time: the scene's output.every, or by
/// default multiples of the coarsest step.
///
/// A scheme or solver that refuses the scene has a row that says so. Throws InputError if the scene cannot be read, for
/// unknown names, and if all runs are refused; Interrupted.
SchemeComparison compare(const std::filesystem::path& scene, const CompareOptions& options);

/// The worst outcome of all runs that were not refused.
Outcome worst_outcome(const SchemeComparison& comparison);

/// For a terminal, as Markdown, and as docs/compare.md says.
std::string to_text(const SchemeComparison& comparison);
std::string to_markdown(const SchemeComparison& comparison);
std::string to_json(const SchemeComparison& comparison);
/// A page for any browser, offline: the table, errors over the step with their orders, cost against error.
/// scene: what it was run with, for the title.
std::string to_html(const SchemeComparison& comparison, const std::string& scene);

}  // namespace stickslip
