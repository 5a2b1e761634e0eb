// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stickslip/stepping/event_driven/event_driven.h"
#include "stickslip/stepping/event_driven/event_search.h"
#include "stickslip/stepping/event_driven/lawful_percussions.h"
#include "stickslip/stepping/event_driven/radau.h"
#include "stickslip/stepping/event_driven/runge_kutta.h"
#include "stickslip/stepping/event_driven/time_course.h"
#include "stickslip/stepping/event_driven/transition.h"
#include "stickslip/stepping/gap_course.h"
#include "stickslip/stepping/start_impact.h"
#include "stickslip/stepping/sundials_integrator.h"

namespace stickslip::event_driven {

/// EventDrivenOptions as a scheme: phases of a step in stepper.cpp, their integration and their ends in phase.cpp.
class Stepper final : public TimeStepper {
 public:
  Stepper(const EventDrivenOptions& options, const System& system, ConeSolver& solver, StopToken stop);

  std::string_view name() const override { return EventDrivenOptions::kTraits.name; }
  bool knows_accelerations() const override { return true; }
  bool knows_impulses() const override { return true; }
  bool finds_events() const override { return true; }
  void initialize(State& state, StepReport& report) override;
  Status step(State& state, double h, double t_end, StepReport& report) override;

 private:
  enum class Ended { at_end, by_event, by_jump, failed };

  bool calc_rates(double t, const Vector& y, Vector& rates);
  void unpack(const Vector& y, Vector& q, Vector& u) const;
  bool solve(double t, const Vector& y);
  void calc_tolerances();
  double calc_error() const;
  void pack();
  Ended advance(double t_end);
  Ended advance_by_sundials(double t_end);
  double step_start() const { return integrator_ ? integrator_->start_time() : method_.start_time(); }
  const Vector& step_from() const { return integrator_ ? integrator_->start() : method_.start(); }
  const Vector& step_to() const { return integrator_ ? integrator_->end() : is_stiff_ ? stiff_.end() : method_.end(); }
  const Vector& step_error() const { return is_stiff_ ? stiff_.error() : method_.error(); }
  bool start_method();
  bool make_step(double h) { return is_stiff_ ? stiff_.step(h) : method_.step(h); }
  bool choose_method(double h);
  void interpolate(double theta, double h, Vector& y);
  bool look_at(double theta, double h, EventSearch::Look& look);
  void look_at_gaps(double theta, double h, GapCourse::Sample& gaps);
  std::optional<std::pair<double, double>> find_sign_change(double h);
  double bound_step(double t, const Vector& y, double h);
  bool turns_too_fast(double t_end);
  bool move_to(double h);
  double calc_at(double h);
  double find_onset(double last);
  double locate(double first, double last);
  void accept(double t, const Vector& end);
  Status fail(const std::string& message, StepReport& report) const;
  bool take_modes(const Vector& memory);
  double find_jump(double h);
  std::optional<Ended> end_within(double h, double t_end);
  bool cross(double h, double t_end);
  void report_motion(StepReport& report);
  void report_crossing(StepReport& report);
  void report_forces(StepReport& report);

  const EventDrivenOptions options_;
  const System& system_;
  StopToken stop_;
  bool is_driven_;  // whether a body or a joint moves as prescribed
  Transition transition_;
  SmoothMotion motion_;
  EventSearch search_;
  LawfulPercussions lawful_;
  TimeCourse course_;
  RungeKutta method_;
  Radau stiff_;
  bool is_stiff_ = false;                           // whether the last step is that one's
  std::unique_ptr<SundialsIntegrator> integrator_;  // in its place
  StartImpact start_;
  ConstraintSet start_constraints_;

  // Of the step under way.
  Moment now_;
  Inputs inputs_;
  double least_ = 0.0;  // [s] the smallest part of a step: what is left of it and is shorter is round-off
  StepRecord record_;
  std::vector<Trigger> triggers_;
  std::vector<ContactComponents> percussions_;  // (contact points) [N s] of forces
  State working_;
  Modes before_;          // the modes of the phase that ended
  double crossed_ = 0.0;  // [s] length of the last part of the step, where it was crossed

  // Workspace.
  Vector q_, u_, q_dot_, y_;
  Vector tolerances_;                      // of the integrals in y_
  std::vector<SmoothMotion::Slip> slips_;  // where the step starts
  EventSearch::Look middle_, last_;
  BodySnapshot snapshot_;
  GapCourse gap_course_;
  std::vector<double> rates_;  // (n) [m/s^2]
  int parts_ = 0;              // of the integrator, in the step
  double turn_rate_ = 0.0;     // [rad/s] the fastest one, where the step was bounded last
  int fastest_ = -1;           // the body that has it; -1: a prescribed motion
  std::string why_;
};

}  // namespace stickslip::event_driven
