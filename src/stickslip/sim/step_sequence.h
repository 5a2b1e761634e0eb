// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "stickslip/scene/build.h"
#include "stickslip/scene/scene.h"
#include "stickslip/sim/step_grid.h"
#include "stickslip/stepping/automatic_steps.h"

namespace stickslip {

/// The steps of a run, on a grid or of automatic length, and which of them are written.
///
/// Automatic: the steps meet the multiples of output.every exactly (a product: start + k every) and the end, and rows
/// are written there; without `every` each step is a row.
class StepSequence {
 public:
  /// Throws InputError where the steps cannot be counted. The stepper must outlive this.
  StepSequence(const Scene& scene, TimeStepper& stepper);

  /// Makes an initialised state ready for its first step.
  void begin(State& state) const;
  bool at_end(const State& state) const;
  /// Whether the next step would be another, or unwritten, if the run ended later.
  bool is_shaped_by_end(const State& state) const;
  /// Whether the state is at the instant that the number of its steps says.
  bool is_at_instant(const State& state) const { return !grid_ || state.t == grid_->time(state.step); }
  [[nodiscard]] Status step(State& state, StepReport& report);
  /// End and length of the step that was tried last. [s]
  double tried_time() const { return tried_time_; }
  double tried_length() const { return tried_length_; }

  /// Whether the step that ends at state is written. A step that ends at the end always is.
  bool is_output(const State& state) const;
  /// Whether the step that ended at state, of length h, passed a multiple of an interval of simulated time since the
  /// start: on a grid, of the interval rounded to steps.
  bool passes_multiple(const State& state, double h, double interval) const;
  /// Of the run's time. [-]
  double share(const State& state) const;
  /// Rows and steps of the whole run, the initial state included; automatic: more than there will be of rows in a
  /// chunk.
  std::int64_t expected_rows() const;
  std::int64_t expected_steps() const;

 private:
  double next_output(double t) const;

  double start_;                         // [s]
  double end_;                           // [s]
  std::optional<double> every_;          // [s]
  std::optional<StepGrid> grid_;         // fixed steps
  TimeStepper& stepper_;                 // fixed steps
  std::optional<AutomaticSteps> steps_;  // automatic steps
  double tried_time_ = 0.0;              // [s]
  double tried_length_ = 0.0;            // [s]
};

}  // namespace stickslip
