// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "stickslip/scene/scene.h"

namespace stickslip {

/// The instants of a run: t_n = start + n step, a product and never a sum; the last step is shortened to reach the
/// end. A part of them is written.
class StepGrid {
 public:
  /// Throws InputError where the steps cannot be counted.
  StepGrid(const SceneTime& time, const SceneOutput& output);

  /// Steps from start to end. [-]
  std::int64_t steps() const { return steps_; }
  /// t_n [s]
  double time(std::int64_t n) const;
  /// The length of step n, which ends at t_n. [s]
  double length(std::int64_t n) const;
  /// Whether t_n is written: every so many steps, and the last one.
  bool is_output(std::int64_t n) const { return n % steps_per_row_ == 0 || n == steps_; }
  /// Rows of the whole run, the initial state included. [-]
  std::int64_t rows() const { return 1 + steps_ / steps_per_row_ + (steps_ % steps_per_row_ != 0 ? 1 : 0); }
  /// An interval of simulated time in steps, rounded, at least 1. [-]
  std::int64_t steps_in(double interval) const;

 private:
  double start_;                    // [s]
  double end_;                      // [s]
  double step_;                     // [s]
  std::int64_t steps_ = 0;          // [-]
  bool last_is_short_ = false;      // the end is no multiple of the step
  std::int64_t steps_per_row_ = 1;  // [-]
};

}  // namespace stickslip
