// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "stickslip/model/state.h"
#include "stickslip/stepping/step_report.h"

namespace stickslip {

/// One scheme, for one System. Owns its workspace; all that it carries from step to step is in the
/// State, so a stepper made anew goes on from a saved State with the same bits.
class TimeStepper {
 public:
  virtual ~TimeStepper() = default;

  virtual std::string_view name() const = 0;

  /// Completes a state of which t, q, u are given: normalises quaternions, fills scheme memory and
  /// the energy ledger, and reports the initial instant (percussions zero). Call once per run.
  virtual void initialize(State& state, StepReport& report) = 0;

  /// Advances the state to t_end over a step of nominal length h. t_end is passed beside h
  /// because it is start + n h as a product, not state.t + h rounded.
  ///   ok       the laws hold to the solver's tolerance
  ///   inexact  advanced, but the residual is above it
  ///   failed   the state is untouched; report.message says why
  [[nodiscard]] virtual Status step(State& state, double h, double t_end, StepReport& report) = 0;
};

}  // namespace stickslip
