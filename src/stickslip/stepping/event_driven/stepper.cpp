// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "stickslip/constraints/certificate.h"
#include "stickslip/math/find_crossing.h"
#include "stickslip/math/round_off.h"
#include "stickslip/stepping/begin_run.h"
#include "stickslip/stepping/event_driven/event_driven.h"
#include "stickslip/stepping/event_driven/event_search.h"
#include "stickslip/stepping/event_driven/runge_kutta.h"
#include "stickslip/stepping/event_driven/time_course.h"
#include "stickslip/stepping/event_driven/transition.h"
#include "stickslip/stepping/gap_course.h"
#include "stickslip/stepping/start_impact.h"
#include "stickslip/stepping/sundials_integrator.h"

namespace stickslip {
namespace event_driven {
namespace {

/// Changes of the length of steps within a phase: how much of the length that the error allows, and how much at once.
/// [-]
constexpr double kSafety = 0.9;
constexpr double kShrinks = 0.2;
constexpr double kGrows = 5.0;
/// Phases of one step at most: what goes on longer accumulates in a way that no rule crosses.
constexpr int kMaxPhases = 10000;
/// Smallest part of a step, relative to its length, in which smooth motion is integrated; below it forces have no
/// bound. [-]
constexpr double kLeastStep = 1e-13;
/// By how much bodies turn in a step at most, where there are contacts. [rad]
constexpr double kTurn = 0.3;
/// Parts in which a motion is crossed that nothing keeps from closing: as often as expressions of time are looked at,
/// but a thousand in a step at most. [s], [-]
constexpr double kCrossing = 1e-3;
constexpr double kCrossingPart = 1e-3;
/// What is held has at least so much of the speeds in play where a prescribed velocity has jumped. [-]
constexpr double kJump = 1e-6;
constexpr double kNever = std::numeric_limits<double>::infinity();

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
  const Vector& step_to() const { return integrator_ ? integrator_->end() : method_.end(); }
  void interpolate(double theta, double h, Vector& y);
  bool look_at(double theta, double h, EventSearch::Look& look);
  void look_at_gaps(double theta, double h, GapCourse::Sample& gaps);
  std::optional<std::pair<double, double>> find_sign_change(double h);
  double bound_step(double t, const Vector& y, double h) const;
  double calc_at(double h);
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
  TimeCourse course_;
  RungeKutta method_;
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
  Vector tolerances_;  // of the integrals in y_
  EventSearch::Look middle_, last_;
  BodySnapshot snapshot_;
  GapCourse gap_course_;
  int parts_ = 0;  // of the integrator, in the step
  std::string why_;
};

Stepper::Stepper(const EventDrivenOptions& options, const System& system, ConeSolver& solver, StopToken stop)
    : options_(options),
      system_(system),
      stop_(stop),
      is_driven_(is_driven(system)),
      transition_(options, system, solver, stop),
      motion_(system, FrictionPolygon(options.facets, options.orientation), stop),
      search_(system, transition_),
      course_(system),
      method_([this](double t, const Vector& y, Vector& rates) { return calc_rates(t, y, rates); }),
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

void Stepper::unpack(const Vector& y, Vector& q, Vector& u) const {
  q = y.head(system_.n_q());
  u = y.segment(system_.n_q(), system_.n_u());
}

bool Stepper::solve(double t, const Vector& y) {
  stop_.check();
  unpack(y, q_, u_);
  return motion_.solve(t, q_, u_, inputs_);
}

/// y: q, u, work, what is dissipated, and the integrals of all forces lambda.
bool Stepper::calc_rates(double t, const Vector& y, Vector& rates) {
  if (!solve(t, y)) return false;
  q_dot_.setZero();
  system_.calc_coordinate_rates(q_, u_, q_dot_);
  rates.head(system_.n_q()) = q_dot_;
  rates.segment(system_.n_q(), system_.n_u()) = motion_.a();
  Eigen::Index next = system_.n_q() + system_.n_u();
  rates(next++) = motion_.working_power(inputs_);
  rates(next++) = motion_.dissipated_power();
  for (const double x : motion_.lambda()) rates(next++) = x;
  return rates.allFinite();
}

/// What the integrals of a phase may be off by: work and what is dissipated; the impulses of what holds, as the
/// velocities which these would give by themselves, compared with the speeds in play.
void Stepper::calc_tolerances() {
  const Scales& scales = transition_.scales();
  tolerances_.resize(2 + motion_.constraints().size());
  tolerances_.head(2).setConstant(scales.energy_tolerance(options_.relative_tolerance, options_.absolute_tolerance));
  const double speed = scales.speed_tolerance(options_.relative_tolerance, options_.absolute_tolerance);
  for (int row = 0; row < motion_.constraints().size(); ++row) {
    const double response = motion_.calc_response(row);
    tolerances_(2 + row) = response > 0.0 ? speed / response : speed * scales.mass;
  }
}

/// Of the last step, in units of the tolerances: of coordinates, of velocities, and of integrals.
double Stepper::calc_error() const {
  double error = 0.0;
  for (Eigen::Index i = 0; i < system_.n_q() + system_.n_u(); ++i) {
    const double size = std::max(std::abs(method_.start()(i)), std::abs(method_.end()(i)));
    const double allowed = options_.absolute_tolerance + options_.relative_tolerance * size;
    error = std::max(error, std::abs(method_.error()(i)) / allowed);
  }
  for (Eigen::Index i = 0; i < tolerances_.size(); ++i) {
    const Eigen::Index k = system_.n_q() + system_.n_u() + i;
    const double allowed = tolerances_(i) + options_.relative_tolerance * std::abs(method_.end()(k));
    error = std::max(error, std::abs(method_.error()(k)) / allowed);
  }
  return error;
}

/// y_ at the share theta of the last step, of length h.
void Stepper::interpolate(double theta, double h, Vector& y) {
  if (integrator_) {
    integrator_->interpolate(integrator_->start_time() + theta * h, y);
  } else {
    method_.interpolate(theta, y);
  }
}

/// Looks at the share theta of the last step, of length h: whether there is anything to see there.
bool Stepper::look_at(double theta, double h, EventSearch::Look& look) {
  if (theta < 1.0) {
    interpolate(theta, h, y_);
  } else {
    y_ = step_to();
  }
  if (!solve(step_start() + theta * h, y_)) return false;
  search_.look(motion_, inputs_, look);
  return look.least >= 0.0;
}

/// Open gaps and their rates at the share theta of the last step, of length h.
void Stepper::look_at_gaps(double theta, double h, GapCourse::Sample& gaps) {
  interpolate(theta, h, y_);
  unpack(y_, q_, u_);
  snapshot_.take(step_start() + theta * h, q_, &u_);
  search_.look_at_gaps(snapshot_, gaps);
}

/// Whether the phase ends within the step of length h that was made last: times into it [s], at the first of which it
/// goes on, and at the second of which it is over.
std::optional<std::pair<double, double>> Stepper::find_sign_change(double h) {
  double first = 0.0;
  double last = 0.0;
  if (!look_at(0.5, h, middle_)) {
    last = 0.5;
  } else if (!look_at(1.0, h, last_)) {
    first = 0.5;
    last = 1.0;
  } else if (const double low = search_.find_low(search_.first(), middle_, last_); low > 0.0) {
    if (!look_at(low, h, last_)) {
      first = low > 0.5 ? 0.5 : 0.0;
      last = low;
    }
  }
  const auto gaps = gap_course_.find_first(h, [this, h](double theta, auto& at) { look_at_gaps(theta, h, at); });
  if (gaps && (last == 0.0 || gaps->before < last) && !look_at(gaps->behind, h, last_)) {
    std::tie(first, last) = std::pair(gaps->before, gaps->behind);
  }
  return last > 0.0 ? std::optional(std::pair(first * h, last * h)) : std::nullopt;
}

/// How long a step from here may be [s], at most h: bodies turn by a part of a radian alone, so that what goes up and
/// down with their turns is seen, and expressions of time take a simple course.
double Stepper::bound_step(double t, const Vector& y, double h) const {
  if (options_.max_step > 0.0) h = std::min(h, options_.max_step);
  if (!system_.contact_points().empty() || !system_.dry_frictions().empty()) {
    double omega = course_.calc_angular_speed(t);
    for (const Body& body : system_.bodies()) {
      const auto u = y.segment(system_.n_q() + body.u_offset, body.n_u);
      if (body.type == BodyType::rigid) omega = std::max(omega, u.tail<3>().norm());
      if (body.type == BodyType::planar) omega = std::max(omega, std::abs(u(2)));
    }
    if (omega * h > kTurn) h = kTurn / omega;
  }
  return course_.bound(t, h);
}

/// The least of all watches at the time h into the last step, and y_ there: by a Runge-Kutta step of that length, or by
/// the polynomial of SUNDIALS.
double Stepper::calc_at(double h) {
  const double t = step_start();
  if (integrator_) {
    integrator_->interpolate(t + h, y_);
  } else {
    if (!method_.step(h)) return -1.0;
    y_ = method_.end();
  }
  if (!solve(t + h, y_)) return -1.0;
  return search_.calc_least(motion_, inputs_);
}

/// The zero of the least of all watches in (first, last], from the start of the last step, and y_ there.
double Stepper::locate(double first, double last) {
  const double t = step_start();
  double at_first = first > 0.0 ? calc_at(first) : 0.0;
  if (first > 0.0 && at_first < 0.0) std::tie(first, last) = std::pair(0.0, first);  // something else was before
  if (first == 0.0) {
    (void)solve(t, step_from());
    at_first = std::max(search_.calc_least(motion_, inputs_), 0.0);
  }
  const double close = 2.0 * kEpsilon * std::max(std::abs(t) + last, last);
  last = find_crossing([this](double h) { return calc_at(h); }, first, at_first, last, close);
  (void)calc_at(last);
  return last;
}

/// How far into the last step, of length h, a prescribed velocity jumps, so that what is held moves at once; infinity:
/// it does not. There the phase is over, and the next begins with an impact, or with contacts that open or slide:
/// nothing pulls a body along. What has drifted that far is no jump. [s]
double Stepper::find_jump(double h) {
  const double most = kJump * transition_.scales().speed;
  if (!is_driven_ || !solve(step_start() + h, step_to()) || motion_.calc_held_speed() <= most) return kNever;
  const auto hold_at = [this, most](double part) { return (void)calc_at(part), most - motion_.calc_held_speed(); };
  const double close = std::max(least_, 2.0 * kEpsilon * (std::abs(step_start()) + h));
  const double jump = find_crossing(hold_at, 0.0, std::max(hold_at(0.0), 0.0), h, close);
  const double before = hold_at(std::max(jump - close, 0.0));
  return before - hold_at(jump) > 0.5 * most ? jump : kNever;
}

/// Moves to `end`, at t.
void Stepper::accept(double t, const Vector& end) {
  const Eigen::Index n = system_.n_q() + system_.n_u();
  unpack(end, now_.q, now_.u);
  now_.energy.work += end(n);
  now_.energy.dissipated += end(n + 1);
  for (std::size_t k = 0; k < percussions_.size(); ++k) {
    const int cone = motion_.contact_cone(static_cast<int>(k));
    if (cone < 0) continue;
    const Cone& rows = motion_.constraints().problem().cones[cone];
    for (int r = 0; r < rows.dim; ++r) percussions_[k][r] += end(n + 2 + rows.offset + r);
  }
  now_.t = t;
  system_.normalize(now_.t, now_.q);
}

/// y_ at the start of what is integrated next.
void Stepper::pack() {
  motion_.gather(now_.t, now_.q, now_.u);
  y_.setZero(system_.n_q() + system_.n_u() + 2 + motion_.constraints().size());
  y_.head(system_.n_q()) = now_.q;
  y_.segment(system_.n_q(), system_.n_u()) = now_.u;
}

/// Ends the phase in the last step, of length h, at the first event or jump in it.
std::optional<Stepper::Ended> Stepper::end_within(double h, double t_end) {
  const double jump = find_jump(h);
  if (const auto over = find_sign_change(std::min(h, jump))) {
    const double located = locate(over->first, over->second);
    triggers_ = search_.find_triggers(motion_, inputs_);
    accept(std::min(step_start() + located, t_end), y_);
    return Ended::by_event;
  }
  if (jump > h) return std::nullopt;
  (void)calc_at(jump);
  accept(std::min(step_start() + jump, t_end), y_);
  return Ended::by_jump;
}

/// Integrates the phase until t_end or its end.
Stepper::Ended Stepper::advance(double t_end) {
  if (integrator_) return advance_by_sundials(t_end);
  double h = t_end - now_.t;
  bool begins = true;
  while (now_.t < t_end) {
    pack();
    if (!method_.start(now_.t, y_)) return Ended::failed;
    calc_tolerances();
    if (begins) {
      (void)search_.begin(motion_, inputs_);
    } else {
      search_.arm(motion_, inputs_);
    }
    begins = false;
    h = bound_step(now_.t, y_, h);
    double error = 0.0;
    for (;;) {
      const bool is_made = method_.step(h);
      error = is_made ? calc_error() : 0.0;
      if (is_made && error <= 1.0) break;
      h *= is_made ? std::clamp(kSafety * std::pow(error, -0.2), kShrinks, 1.0) : kShrinks;
      if (h < least_) return Ended::failed;
    }
    ++parts_;
    if (const auto ended = end_within(h, t_end)) return *ended;
    const bool is_last = t_end - (now_.t + h) <= least_;
    accept(is_last ? t_end : now_.t + h, method_.end());
    const double grows = error > 0.0 ? kSafety * std::pow(error, -0.2) : kGrows;
    h = std::min(h * std::clamp(grows, kShrinks, kGrows), t_end - now_.t);
  }
  return Ended::at_end;
}

/// The same by SUNDIALS, which begins anew with each phase and goes on within it.
Stepper::Ended Stepper::advance_by_sundials(double t_end) {
  pack();
  if (!solve(now_.t, y_)) return Ended::failed;
  (void)search_.begin(motion_, inputs_);
  calc_tolerances();
  bool goes_on = integrator_->start(now_.t, y_, tolerances_, t_end);
  for (double h = t_end - now_.t; goes_on && integrator_->time() < t_end;) {
    const double t = integrator_->time();
    const double most = t + bound_step(t, integrator_->end(), std::min(kGrows * h, t_end - t));
    goes_on = integrator_->step(t_end - most <= least_ ? t_end : most);
    if (!goes_on) break;
    ++parts_;
    h = integrator_->time() - integrator_->start_time();
    if (const auto ended = end_within(h, t_end)) return *ended;
    search_.arm(motion_, inputs_);
  }
  if (!goes_on) {
    why_ = ": " + integrator_->message();
    return Ended::failed;
  }
  accept(t_end, integrator_->end());
  return Ended::at_end;
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
  // As after the impacts that the first step begins with.
  const bool begins = transition_.begin(now_, inputs_, {}, nullptr, motion_, record_);
  const bool is_solved = begins && !record_.squeezed && motion_.solve(now_.t, now_.q, now_.u, inputs_);
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
      motion_.set_modes(make_open_modes(system_), transition_.scales().zero_speed);
      if (!(now_.t < t_end)) break;
      if (!cross(h, t_end)) return fail(record_.message, report);
      if (!(now_.t < t_end)) break;
      continue;
    }
    before_ = motion_.modes();
    known = &before_;
    if (!(now_.t < t_end)) break;
    const Ended ended = advance(t_end);
    if (ended == Ended::failed) {
      if (why_.empty()) why_ = ": accelerations have no bound";
      return fail(fmt::format("the motion cannot be integrated beyond t = {:.9g}{}", now_.t, why_), report);
    }
    if (t_end - now_.t <= least_) now_.t = t_end;  // an event at the end of the step, but for round-off
    if (ended == Ended::by_jump) {
      triggers_.clear();
      motion_.set_modes(make_open_modes(system_), transition_.scales().zero_speed);
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
  motion_.set_modes(before_, transition_.scales().zero_speed);
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

}  // namespace
}  // namespace event_driven

std::unique_ptr<TimeStepper> make_event_driven(const EventDrivenOptions& options, const System& system,
                                               ConeSolver& solver, StopToken stop) {
  options.check();
  event_driven::refuse_contacts(options, system);
  return std::make_unique<event_driven::Stepper>(options, system, solver, stop);
}

}  // namespace stickslip
