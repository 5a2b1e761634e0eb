// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/event_driven/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "stickslip/constraints/certificate.h"
#include "stickslip/math/round_off.h"
#include "stickslip/stepping/begin_run.h"

namespace stickslip {
namespace event_driven {
namespace {

/// Phases of one step at most: what goes on longer accumulates in a way that no rule crosses.
constexpr int kMaxPhases = 10000;
/// Smallest part of a step, relative to its length, in which smooth motion is integrated; below it forces have no
/// bound. [-]
constexpr double kLeastStep = 1e-13;
/// Parts in which a motion is crossed that nothing keeps from closing: as often as expressions of time are looked at,
/// but a thousand in a step at most. [s], [-]
constexpr double kCrossing = 1e-3;
constexpr double kCrossingPart = 1e-3;

}  // namespace

Stepper::Stepper(const EventDrivenOptions& options, const System& system, ConeSolver& solver, StopToken stop)
    : options_(options),
      system_(system),
      stop_(stop),
      is_driven_(is_driven(system)),
      transition_(options, system, solver, stop),
      motion_(system, FrictionPolygon(options.facets, options.orientation), stop),
      search_(system, transition_),
      lawful_(system, stop),
      course_(system),
      method_([this](double t, const Vector& y, Vector& rates) { return calc_rates(t, y, rates); }),
      stiff_([this](double t, const Vector& y, Vector& rates) { return calc_rates(t, y, rates); },
             [this](Matrix& slopes) { motion_.calc_slip_slopes(slopes); }, system.n_q(), system.n_u(),
             options.relative_tolerance, options.absolute_tolerance),
      start_(system, stop),
      start_constraints_(system, stop, false),
      snapshot_(system) {
  q_dot_.setZero(system.n_q());
  if (options.integrator == EventIntegrator::dormand_prince) return;
  integrator_ = std::make_unique<SundialsIntegrator>(
      options.integrator == EventIntegrator::cvode ? SundialsMethod::bdf : SundialsMethod::erk,
      options.relative_tolerance, options.absolute_tolerance,
      [this](double t, const Vector& y, Vector& rates) { return calc_rates(t, y, rates); });
}

Status Stepper::fail(const std::string& message, StepReport& report) const {
  report.message = message;
  return report.status = Status::failed;
}

void Stepper::initialize(State& state, StepReport& report) {
  begin_run(system_, state, report);
  write_modes(make_open_modes(system_), state.memory);
  state.memory.setZero();
  now_ = {state.t, state.q, state.u, state.energy};
  inputs_ = state.inputs;
  record_ = {};
  record_.impulses.assign(system_.contact_points().size(), {});
  percussions_ = record_.impulses;
  motion_.begin_from({});
  // As after the impacts that the first step begins with.
  const bool begins = transition_.begin(now_, inputs_, {}, nullptr, motion_, record_);
  const bool is_solved = begins && !record_.squeezed && motion_.solve(now_.t, now_.q, now_.u, inputs_);
  if (is_solved) transition_.make_lawful(now_, inputs_, motion_);
  BodySnapshot at(system_);
  at.take(state.t, state.q, nullptr);
  report_geometry(at, system_.contact_points(), report);
  report_joints(system_, state.t, state.q, state.u, report);
  if (is_solved) {
    report.a = motion_.a();
    record_.impulses.assign(system_.contact_points().size(), {});
    report_forces(report);
  } else {
    report.a.setConstant(system_.n_u(), VelocityStep::kUnknown);
    report.status = Status::inexact;
    report.message = "no accelerations and contact forces were found at the start: " + record_.message;
  }
  report_energy(system_, state, report);
}

Status Stepper::step(State& state, double h, double t_end, StepReport& report) {
  report.events.clear();
  report.message = describe_non_finite_input(system_, state.inputs);
  if (report.message.empty()) report.message = describe_non_finite_motion(system_, t_end);
  if (!report.message.empty()) return report.status = Status::failed;

  working_ = state;
  if (state.step == 0) start_.act(start_constraints_, working_);
  now_ = {state.t, state.q, working_.u, working_.energy};
  inputs_ = state.inputs;
  record_ = {};
  record_.impulses.assign(system_.contact_points().size(), {});
  percussions_ = record_.impulses;
  triggers_.clear();
  least_ = std::max(kLeastStep * h, 8.0 * kEpsilon * std::abs(t_end));
  parts_ = 0;
  why_.clear();
  const Modes* known = nullptr;
  motion_.begin_from({});  // each step anew, so that a run that is resumed has the same forces
  for (int phase = 0;; ++phase) {
    if (phase == 0 && take_modes(state.memory)) known = &before_;
    if (phase == kMaxPhases) {
      return fail(
          fmt::format("more than {} events in a step: they accumulate{}", phase, transition_.describe_last(record_)),
          report);
    }
    const bool goes_on = phase == 0 && known != nullptr && search_.begin(motion_, inputs_);
    if (!goes_on && !transition_.begin(now_, inputs_, triggers_, known, motion_, record_))
      return fail(record_.message, report);
    crossed_ = 0.0;
    if (record_.squeezed) {
      record_.inexact = true;
      known = nullptr;
      motion_.set_modes(make_open_modes(system_), transition_.scales().zero_slip);
      if (!(now_.t < t_end)) break;
      if (!cross(h, t_end)) return fail(record_.message, report);
      if (!(now_.t < t_end)) break;
      continue;
    }
    before_ = motion_.modes();
    known = &before_;
    if (!(now_.t < t_end)) break;
    transition_.make_lawful(now_, inputs_, motion_);
    const Ended ended = advance(t_end);
    if (ended == Ended::failed) {
      if (why_.empty()) why_ = ": accelerations have no bound";
      return fail(fmt::format("the motion cannot be integrated beyond t = {:.9g}{}", now_.t, why_), report);
    }
    if (t_end - now_.t <= least_) now_.t = t_end;  // an event at the end of the step, but for round-off
    if (ended == Ended::by_jump) {
      triggers_.clear();
      motion_.set_modes(make_open_modes(system_), transition_.scales().zero_slip);
    }
    motion_.project_positions(now_.t, now_.q);
    motion_.project_velocities(now_.t, now_.q, now_.u, now_.energy);
    if (ended == Ended::at_end) break;
  }
  if (crossed_ > 0.0) {
    report_crossing(report);
  } else {
    report_motion(report);
  }
  report.step = h;
  record_.fill(report);
  report.parts = std::max(parts_, 1);

  // Last of all, so that the step can be left before.
  stop_.check();
  state.energy = now_.energy;
  state.q = now_.q;
  state.u = now_.u;
  state.t = t_end;
  ++state.step;
  if (record_.squeezed) {
    state.memory.setZero();
  } else {
    write_modes(motion_.modes(), state.memory);
  }
  report_energy(system_, state, report);
  return report.status;
}

/// The modes in which the last step ended, into motion_, solved there; false: there was none.
bool Stepper::take_modes(const Vector& memory) {
  before_ = make_open_modes(system_);
  if (!read_modes(memory, before_)) return false;
  transition_.go_on(now_, inputs_);
  motion_.set_modes(before_, transition_.scales().zero_slip);
  return motion_.solve(now_.t, now_.q, now_.u, inputs_);
}

/// What contacts, joints and dry friction do by the forces of the instant that was solved last.
void Stepper::report_forces(StepReport& report) {
  const ConstraintSet& set = motion_.constraints();
  report.closed_contacts = 0;
  for (std::size_t k = 0; k < report.contacts.size(); ++k) {
    ContactReport& contact = report.contacts[k];
    contact.impulse = record_.impulses[k];
    for (int r = 0; r < kMaxContactDim; ++r) contact.percussion[r] = percussions_[k][r] + record_.impulses[k][r];
    const int cone = motion_.contact_cone(static_cast<int>(k));
    if (cone < 0) continue;
    const Cone& rows = set.problem().cones[cone];
    for (int r = 0; r < rows.dim; ++r) {
      contact.force[r] = motion_.lambda()[rows.offset + r];
      contact.velocity[r] = set.gamma()[rows.offset + r];
    }
    contact.status = motion_.modes().contacts[k].sticks ? ContactStatus::stick : ContactStatus::slip;
    ++report.closed_contacts;
  }
  add_joint_drives(system_, inputs_, motion_.at().t(), motion_.at().q(), motion_.at().u(), report);
  ConeSolution forces;
  forces.p.assign(motion_.lambda().begin(), motion_.lambda().end());
  constexpr double kForces = 1.0;  // [s]
  set.add_reactions(forces, kForces, report);
}

/// A part of the step of length h, in which nothing keeps contacts from closing; joints are put right behind it.
bool Stepper::cross(double h, double t_end) {
  y_.resize(system_.n_q() + system_.n_u());
  y_ << now_.q, now_.u;
  crossed_ = bound_step(now_.t, y_, std::min(t_end - now_.t, std::max(kCrossing, kCrossingPart * h)));
  const bool is_last = t_end - (now_.t + crossed_) <= least_;
  if (!transition_.cross(now_, inputs_, crossed_, percussions_, record_)) return false;
  if (is_last) now_.t = t_end;
  motion_.project_positions(now_.t, now_.q);
  motion_.project_velocities(now_.t, now_.q, now_.u, now_.energy);
  return true;
}

/// The end of a step that smooth motion reaches.
void Stepper::report_motion(StepReport& report) {
  report.t = now_.t;
  record_.inexact |= !motion_.solve(now_.t, now_.q, now_.u, inputs_);
  transition_.make_lawful(now_, inputs_, motion_);
  lawful_.project_into_cones(motion_, percussions_);
  report_geometry(motion_.at(), system_.contact_points(), report);
  report_joints(system_, now_.t, now_.q, now_.u, report);
  report_forces(report);
  report.a = motion_.a();
}

/// The end of one whose last part was crossed.
void Stepper::report_crossing(StepReport& report) {
  snapshot_.take(now_.t, now_.q, &now_.u);
  transition_.report_crossing(snapshot_, crossed_, inputs_, report);
  for (std::size_t k = 0; k < report.contacts.size(); ++k) {
    ContactReport& contact = report.contacts[k];
    contact.impulse = record_.impulses[k];
    for (int r = 0; r < kMaxContactDim; ++r) contact.percussion[r] = percussions_[k][r] + record_.impulses[k][r];
  }
  report.a.setConstant(system_.n_u(), VelocityStep::kUnknown);
}

}  // namespace event_driven

std::unique_ptr<TimeStepper> make_event_driven(const EventDrivenOptions& options, const System& system,
                                               ConeSolver& solver, StopToken stop) {
  options.check();
  event_driven::refuse_contacts(system);
  return std::make_unique<event_driven::Stepper>(options, system, solver, stop);
}

}  // namespace stickslip
