// SPDX-License-Identifier: BSD-3-Clause
// Stepper within a phase: its integration, and the event or jump at which it ends.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "stickslip/math/find_crossing.h"
#include "stickslip/math/round_off.h"
#include "stickslip/stepping/event_driven/directions.h"
#include "stickslip/stepping/event_driven/stepper.h"

namespace stickslip::event_driven {
namespace {

/// Changes of the length of steps within a phase: how much of the length that the error allows, and how much at once.
/// [-]
constexpr double kSafety = 0.9;
constexpr double kShrinks = 0.2;
constexpr double kGrows = 5.0;
/// Of the error, by the orders of what estimates it. [-]
constexpr double kPower = -1.0 / 5.0;
constexpr double kPowerOfStiff = -1.0 / 4.0;
/// By how much bodies turn in a step at most, where there are contacts. [rad]
constexpr double kTurn = 0.3;
/// Parts of so much in a step at most: some seconds, in which nothing is told of the run. [-]
constexpr double kMostParts = 1e5;
/// What is held has at least so much of the speeds in play where a prescribed velocity has jumped. [-]
constexpr double kJump = 1e-6;
/// A step in which friction turns to the direction of slip by more than so many rates of its own is made implicitly: of
/// the explicit method some hundred parts would be needed from rest to where it turns slowly. [-]
constexpr double kStiff = 20.0;
/// What slows down comes nearer to its stop by this part of the way in a step at most, until it is about to stop:
/// friction is singular there. [-]
constexpr double kToStop = 0.1;
/// Mechanisms of slip by which its start is found at most, each from the last; and the slip [-] of the accelerations in
/// play that has no direction any more: round-off.
constexpr int kMaxOnsets = 8;
/// Each is found so much nearer to that start: slip has a direction there still, which a start itself has not. [-]
constexpr double kNearer = 0.01;
constexpr double kNoSlip = 1e-14;
/// Loads do not matter where slip with others is the same within this part, far above what CP1 leaves and far below
/// what other loads change where they do. [-]
constexpr double kSameSlip = 1e-3;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

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
    const double size = std::max(std::abs(step_from()(i)), std::abs(step_to()(i)));
    const double allowed = options_.absolute_tolerance + options_.relative_tolerance * size;
    error = std::max(error, std::abs(step_error()(i)) / allowed);
  }
  for (Eigen::Index i = 0; i < tolerances_.size(); ++i) {
    const Eigen::Index k = system_.n_q() + system_.n_u() + i;
    const double allowed = tolerances_(i) + options_.relative_tolerance * std::abs(step_to()(k));
    error = std::max(error, std::abs(step_error()(k)) / allowed);
  }
  return error;
}

/// y_ at the share theta of the last step, of length h.
void Stepper::interpolate(double theta, double h, Vector& y) {
  if (integrator_) {
    integrator_->interpolate(integrator_->start_time() + theta * h, y);
  } else if (is_stiff_) {
    stiff_.interpolate(theta, y);
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
double Stepper::bound_step(double t, const Vector& y, double h) {
  if (options_.max_step > 0.0) h = std::min(h, options_.max_step);
  turn_rate_ = 0.0;
  if (!system_.contact_points().empty() || !system_.dry_frictions().empty()) {
    turn_rate_ = course_.calc_angular_speed(t);
    fastest_ = -1;
    for (std::size_t i = 0; i < system_.bodies().size(); ++i) {
      const Body& body = system_.bodies()[i];
      const auto u = y.segment(system_.n_q() + body.u_offset, body.n_u);
      double omega = 0.0;
      if (body.type == BodyType::rigid) omega = u.tail<3>().stableNorm();
      if (body.type == BodyType::planar) omega = std::abs(u(2));
      if (!(omega > turn_rate_)) continue;
      turn_rate_ = omega;
      fastest_ = static_cast<int>(i);
    }
    if (turn_rate_ * h > kTurn) h = kTurn / turn_rate_;
  }
  return course_.bound(t, y, h);
}

/// Whether a body turns so fast that what is left of the step takes more parts than a step may; why_ says so.
bool Stepper::turns_too_fast(double t_end) {
  const double parts = turn_rate_ * (t_end - now_.t) / kTurn;
  if (parts <= kMostParts) return false;
  const std::string body =
      fastest_ < 0 ? "what is prescribed" : fmt::format("body '{}'", system_.bodies()[fastest_].name);
  why_ = fmt::format(": {} turns at {:.3g} rad/s, and the step takes {:.3g} parts of {} rad at most", body, turn_rate_,
                     parts, kTurn);
  const double step = 0.5 * kMostParts * kTurn / turn_rate_;
  if (step > kEpsilon * std::abs(t_end)) why_ += fmt::format(": time.step = {:.2g} s would do", step);
  return true;
}

/// y_ at the time h into the last step: by a Runge-Kutta step of that length, or by the polynomial of SUNDIALS.
bool Stepper::move_to(double h) {
  if (integrator_) {
    integrator_->interpolate(step_start() + h, y_);
  } else if (h == 0.0) {
    y_ = step_from();
  } else {
    if (!make_step(h)) return false;
    y_ = step_to();
  }
  return true;
}

/// The least of all watches at the time h into the last step, and y_ there.
double Stepper::calc_at(double h) {
  if (!move_to(h) || !solve(step_start() + h, y_)) return -1.0;
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

/// When the slip begins [s] that CP1 has found by the time `last` into the last step, where forces are not determined.
/// With d the accelerations that slip adds to those of what is held, and friction against the directions of d,
///
///   P(h) = d . M (u' of what slides - u' of what is held)
///
/// falls to zero where d . forces no longer exceed the friction that d meets: an upper bound of the instant up to which
/// friction can hold, and d at that instant has P = 0 there to second order (the kinematic theorem of limit loads). So
/// the zero is found, d is found anew a hundred times nearer to it, and so on. y_ is at the instant, and triggers_ say
/// what slips. `last`, where it is not a slip alone that begins.
///
/// Where what slides leaves forces undetermined as well, and loads matter, slip begins at `last` with the loads of that
/// instant, which are near to those that held it longest (Transition::let_slip).
double Stepper::find_onset(double last) {
  const Modes held = motion_.modes();
  const double zero_speed = transition_.scales().zero_speed;
  const auto go_back = [&](double h) { return motion_.set_modes(held, zero_speed), (void)calc_at(h), h; };
  StepRecord record;
  record.impulses.assign(percussions_.size(), {});
  Moment end;
  end.t = step_start() + last;
  unpack(y_, end.q, end.u);
  if (!transition_.begin(end, inputs_, triggers_, &held, motion_, record) || record.squeezed || record.inexact)
    return go_back(last);
  Modes slides = motion_.modes();
  std::vector<Trigger> slips;
  for (const StepEvent& event : record.events) {
    if (event.what != EventKind::slip || event.contact < 0 || motion_.has_polygon(event.contact)) return go_back(last);
    slips.push_back({Trigger::Kind::slips, true, event.contact, {}});
  }
  if (slips.empty()) return go_back(last);

  Vector added(system_.n_u());     // [m/s^2, rad/s^2] u' of what slides - u' of what is held
  Vector momentum(system_.n_u());  // M d
  const auto solve_at = [&](double h, const Modes& modes) {
    motion_.set_modes(held, zero_speed);
    if (!move_to(h)) return false;
    motion_.set_modes(modes, zero_speed);
    return solve(step_start() + h, y_);
  };
  const auto calc_added = [&](double h) {
    if (!solve_at(h, slides)) return false;
    added = motion_.a();
    if (!solve_at(h, held)) return false;
    added -= motion_.a();
    return true;
  };
  const auto hold_at = [&](double h) { return calc_added(h) ? -momentum.dot(added) : -1.0; };
  const double close = 2.0 * kEpsilon * (std::abs(step_start()) + last);
  const double acceleration = transition_.scales().acceleration;
  if (!calc_added(last) || !solve_at(last, slides)) return go_back(last);
  if (!motion_.determined()) {
    const Vector with_loads = motion_.a();
    for (Mode& mode : slides.contacts) mode.load = 0.0;
    if (!solve_at(last, slides)) return go_back(last);
    const double differs = (motion_.a() - with_loads).lpNorm<Eigen::Infinity>();
    if (differs > kSameSlip * added.lpNorm<Eigen::Infinity>()) return go_back(last);
  }
  double onset = last;
  double settled = last;  // where d was found
  for (int k = 0; k < kMaxOnsets; ++k) {
    system_.multiply_mass(added, momentum);
    const double at_last = hold_at(last);
    const double at_start = hold_at(0.0);
    if (!(at_last < 0.0) || (k == 0 && at_start < at_last)) return go_back(last);
    const double before = onset;
    onset = find_crossing(hold_at, 0.0, std::max(at_start, 0.0), last, close);
    settled = onset + kNearer * (settled - onset);
    if (std::abs(onset - before) <= close || !solve_at(settled, held)) break;
    const Vector near = motion_.a() + kNearer * added;
    if (!solve_at(settled, slides)) break;
    unpack(y_, end.q, end.u);
    if (!motion_.settle_directions(step_start() + settled, end.q, end.u, inputs_, near)) break;
    slides = motion_.modes();
    if (!calc_added(settled) || added.lpNorm<Eigen::Infinity>() <= kNoSlip * acceleration) break;
  }
  for (Trigger& slip : slips) slip.direction = slides.contacts[slip.index].direction;
  triggers_ = slips;
  return go_back(onset);
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
    double located = locate(over->first, over->second);
    triggers_ = search_.find_triggers(motion_, inputs_);
    const auto is_by_laws = [](const Trigger& trigger) { return trigger.kind == Trigger::Kind::laws; };
    if (std::ranges::all_of(triggers_, is_by_laws)) located = find_onset(located);
    accept(std::min(step_start() + located, t_end), y_);
    return Ended::by_event;
  }
  if (jump > h) return std::nullopt;
  (void)calc_at(jump);
  accept(std::min(step_start() + jump, t_end), y_);
  return Ended::by_jump;
}

/// Begins a step at now_: what is about to stop has its direction from here on.
bool Stepper::start_method() {
  pack();
  is_stiff_ = false;
  if (!method_.start(now_.t, y_)) return false;
  return !motion_.mark_stopping(transition_.stopping_speed()) || method_.start(now_.t, y_);
}

/// Whether a step of length h is to be made implicitly; it is then begun.
bool Stepper::choose_method(double h) {
  const auto turns_fast = [h](const SmoothMotion::Slip& slip) {
    return slip.stiffness * h > kStiff * (slip.speed + slip.rate * h);
  };
  is_stiff_ = std::ranges::any_of(slips_, turns_fast);
  return !is_stiff_ || stiff_.start(now_.t, method_.start());
}

/// Integrates the phase until t_end or its end.
Stepper::Ended Stepper::advance(double t_end) {
  if (integrator_) return advance_by_sundials(t_end);
  double h = t_end - now_.t;
  bool begins = true;
  while (now_.t < t_end) {
    if (!start_method()) return Ended::failed;
    const std::span<const SmoothMotion::Slip> slips = motion_.find_slips();
    slips_.assign(slips.begin(), slips.end());
    calc_tolerances();
    if (begins) {
      (void)search_.begin(motion_, inputs_);
    } else {
      search_.arm(motion_, inputs_);
    }
    begins = false;
    h = bound_step(now_.t, method_.start(), h);
    if (turns_too_fast(t_end)) return Ended::failed;
    for (const SmoothMotion::Slip& slip : slips_) {
      if (slip.rate < 0.0 && slip.speed > transition_.stopping_speed())
        h = std::min(h, kToStop * slip.speed / -slip.rate);
    }
    double error = 0.0;
    double power = 0.0;
    for (;;) {
      if (!choose_method(h)) return Ended::failed;
      const bool is_made = make_step(h);
      error = is_made ? calc_error() : 0.0;
      power = is_stiff_ ? kPowerOfStiff : kPower;
      if (is_made && error <= 1.0) break;
      h *= is_made ? std::clamp(kSafety * std::pow(error, power), kShrinks, 1.0) : kShrinks;
      if (h < least_) return Ended::failed;
    }
    ++parts_;
    if (const auto ended = end_within(h, t_end)) return *ended;
    const bool is_last = t_end - (now_.t + h) <= least_;
    accept(is_last ? t_end : now_.t + h, step_to());
    const double grows = error > 0.0 ? kSafety * std::pow(error, power) : kGrows;
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
  (void)bound_step(now_.t, y_, t_end - now_.t);
  if (turns_too_fast(t_end)) return Ended::failed;
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

}  // namespace stickslip::event_driven
