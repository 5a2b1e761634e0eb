// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/stepping/step_control.h"
#include "stickslip/stepping/time_stepper.h"

namespace stickslip {

/// Steps whose length StepControl chooses, by a scheme that estimates its errors.
class AutomaticSteps {
 public:
  /// The stepper must outlive this, and TimeStepper::estimates_errors() hold.
  AutomaticSteps(const StepControlOptions& options, TimeStepper& stepper);

  /// Plans the first step of an initialised state.
  void begin(State& state) const { state.step_size.next = control_.first_length(state.step_size); }
  /// One step, as long as the tolerance allows, which does not pass `limit`. Of a failed step even the shortest try
  /// failed: the state is untouched but for its step_size, and tried() is what was tried last. Where the stepper throws
  /// Interrupted the state is untouched.
  [[nodiscard]] Status advance(State& state, double limit, StepReport& report);
  /// Whether the next step would be another with another limit.
  bool is_shaped_by(const State& state, double limit) const {
    return control_.plan(state.step_size, state.t, limit).shaped_by_limit;
  }
  const StepControl::Plan& tried() const { return plan_; }

 private:
  StepControl control_;
  TimeStepper& stepper_;
  StepControl::Plan plan_;
  State before_;  // workspace
};

}  // namespace stickslip
