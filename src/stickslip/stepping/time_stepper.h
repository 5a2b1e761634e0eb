// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "stickslip/constraints/step_report.h"
#include "stickslip/model/state.h"

namespace stickslip {

/// What a scheme knows of a step it has made, for the choice of step lengths. Of vectors of velocities the size is the
/// largest of sqrt(y^T M y / m) over the bodies, so that angles count as lengths by the radius of gyration.
struct StepEstimate {
  double position_error = 0.0;       // [m] local error of a smooth step, O(h^3)
  double velocity_error = 0.0;       // [m/s] the same; 0 in the first step after the scheme has forgotten its past
  double speed = 0.0;                // [m/s] at the end
  double acceleration_before = 0.0;  // [m/s^2] at the start; of gravity at least
  bool sets_changed = false;         // what is closed, sticks and slides is not as at the start
  bool velocity_jumped = false;      // by more than smooth motion does
  double velocity_jump = 0.0;        // [m/s]
  double acceleration_jump = 0.0;    // [m/s^2]
  bool in_parts = false;             // the step was not solved whole: all of the above are of its last part
};

/// One scheme, for one System. Owns its workspace; all that it carries from step to step is in the
/// State, so a stepper made anew goes on from a saved State with the same bits.
class TimeStepper {
 public:
  virtual ~TimeStepper() = default;

  virtual std::string_view name() const = 0;

  /// Whether reports have accelerations, and tell impulses from forces: else these are NaN.
  virtual bool knows_accelerations() const { return false; }
  virtual bool knows_impulses() const { return false; }
  /// Whether reports have the impulses of applied forces; else there are none.
  virtual bool knows_applied_impulses() const { return false; }
  /// Whether reports have the events within steps.
  virtual bool finds_events() const { return false; }
  /// Whether reports have the events of bodies that come and go.
  virtual bool moves_bodies_in_and_out() const { return false; }
  /// Tells the system which bodies take part in a state from elsewhere; step() does so itself.
  virtual void tell_system(const State& /*state*/) {}

  /// Completes a state with given t, q, u and inputs: normalises quaternions, fills scheme memory and the energy
  /// ledger, and reports the initial instant (percussions zero). Call once per run. Throws Interrupted as step() does.
  virtual void initialize(State& state, StepReport& report) = 0;

  /// Advances the state to t_end over a step of nominal length h. t_end is passed beside h
  /// because it is start + n h as a product, not state.t + h rounded.
  ///   ok       the laws hold to the solver's tolerance
  ///   inexact  advanced, but the residual is above it
  ///   failed   the state is untouched; report.message says why
  /// Throws Interrupted where the StopToken that the scheme was made with is raised: the state is then untouched, and
  /// the next step() goes as if there had been none before.
  [[nodiscard]] virtual Status step(State& state, double h, double t_end, StepReport& report) = 0;

  /// Whether the scheme can choose its steps (AutomaticSteps). The following are for those that can; their initialize()
  /// fills the scales of State::step_size.
  virtual bool estimates_errors() const { return false; }
  /// Of the step made last, from `before` to `after`.
  virtual void estimate_errors(const State& /*before*/, const State& /*after*/, StepEstimate& /*estimate*/) {}
  /// Drops what the scheme remembers, after a step with an event.
  virtual void forget(State& /*state*/) const {}
};

}  // namespace stickslip
