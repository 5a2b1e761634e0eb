// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/relaxation/part.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/make_room.h"
#include "stickslip/math/find_crossing.h"
#include "stickslip/math/round_off.h"

namespace stickslip {
namespace {

/// The tolerance of what bounds no step; its inverse, a weight, is a number. [units of y]
constexpr double kNoBound = 1e100;

/// y += factor x, of as many as there are in both.
void add_multiple(double factor, const std::vector<double>& x, std::vector<double>& y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}

SundialsMethod sundials_method(RelaxationIntegrator integrator) {
  if (integrator == RelaxationIntegrator::arkode_explicit) return SundialsMethod::erk;
  return integrator == RelaxationIntegrator::arkode_implicit ? SundialsMethod::dirk : SundialsMethod::bdf;
}

}  // namespace

RelaxationPart::RelaxationPart(const RelaxationOptions& options, const System& system, ConeSolver& solver,
                               RelaxationGates& gates, StopToken stop)
    : options_(options),
      system_(system),
      stop_(stop),
      gates_(gates),
      equations_(options, system, solver, stop),
      delta_(options.delta),
      zeta_(options.form == RelaxationForm::implicit ? 0.5 : options.zeta),
      at_(system),
      look_(system),
      sizes_(system) {
  for (Vector* v : {&u0_, &u1_, &u_}) v->setZero(system.n_u());
  for (Vector* v : {&q0_, &q1_, &q_}) v->setZero(system.n_q());
  for (Rates& rates : stages_) {
    rates.q_dot.setZero(system.n_q());
    rates.a.setZero(system.n_u());
  }
  if (!options.controls_errors()) return;
  integrator_ = std::make_unique<SundialsIntegrator>(
      sundials_method(options.integrator), options.relative_tolerance, options.absolute_tolerance,
      [this](double t, const Vector& y, Vector& rates) { return calc_controlled(t, y, rates); });
}

void RelaxationPart::begin(const Vector& q, const Vector& u, const ValuesById& warm) {
  q0_ = q;
  u0_ = u;
  warm_ = &warm;
}

bool RelaxationPart::evaluate(double t, const Vector& q, const Vector& u, bool is_first, const Inputs& inputs,
                              Rates& rates, StepReport& report) {
  last_ = static_cast<int>(&rates - stages_.data());
  equations_.set_deflections(is_first ? nullptr : &e_);
  return equations_.evaluate(t, q, u, gates_.points(), gates_.activations(), inputs, delta_, zeta_,
                             is_first ? warm_ : nullptr, rates, report);
}

bool RelaxationPart::evaluate_start(double t, const Inputs& inputs, StepReport& report) {
  const bool found = evaluate(t, q0_, u0_, true, inputs, stages_[0], report);
  e1_ = equations_.deflections();
  return found;
}

bool RelaxationPart::evaluate_end(double t, const Inputs& inputs, StepReport& report) {
  e_ = e1_;
  return evaluate(t, q1_, u1_, false, inputs, stages_[0], report);
}

bool RelaxationPart::advance(double t, double h, const Inputs& inputs, StepReport& report) {
  return options_.integrator == RelaxationIntegrator::rk4 && options_.form == RelaxationForm::ode
             ? advance_rk4(t, h, inputs, report)
             : advance_euler(t, h, inputs, report);
}

/// Adds the forces and powers of the last evaluation to the means of a part.
void RelaxationPart::weigh(double weight) {
  const std::vector<double>& lambda = equations_.solution().p;
  make_room(mean_, lambda.size());
  mean_.resize(lambda.size(), 0.0);
  for (std::size_t row = 0; row < lambda.size(); ++row) mean_[row] += weight * lambda[row];
}

/// The classical method of order 4; rows are the same in its four evaluations.
bool RelaxationPart::advance_rk4(double t, double h, const Inputs& inputs, StepReport& report) {
  constexpr std::array<double, kStages> kAt = {0.0, 0.5, 0.5, 1.0};
  constexpr std::array<double, kStages> kWeight = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  mean_.clear();
  work_ = dissipated_ = 0.0;
  q1_ = q0_;
  u1_ = u0_;
  for (int s = 0; s < kStages; ++s) {
    const double at = kAt[s] * h;
    if (s > 0) {
      q_ = q0_ + at * stages_[s - 1].q_dot;
      u_ = u0_ + at * stages_[s - 1].a;
      e_ = e0_;
      add_multiple(at, stages_[s - 1].e, e_);
    }
    const bool is_first = s == 0;
    if (!evaluate(t + at, is_first ? q0_ : q_, is_first ? u0_ : u_, is_first, inputs, stages_[s], report)) return false;
    if (s == 0) e1_ = e0_ = equations_.deflections();
    add_multiple(h * kWeight[s], stages_[s].e, e1_);
    weigh(kWeight[s]);
    q1_ += h * kWeight[s] * stages_[s].q_dot;
    u1_ += h * kWeight[s] * stages_[s].a;
    work_ += kWeight[s] * stages_[s].work;
    dissipated_ += kWeight[s] * stages_[s].dissipated;
  }
  return true;
}

/// u' = u + h a(t, q, u), q' = q + h B u'. Powers are those of the mean velocity, with which that balances.
bool RelaxationPart::advance_euler(double t, double h, const Inputs& inputs, StepReport& report) {
  mean_.clear();
  Rates& rates = stages_[0];
  if (!evaluate(t, q0_, u0_, true, inputs, rates, report)) return false;
  weigh(1.0);
  e1_ = equations_.deflections();
  add_multiple(h, rates.e, e1_);
  u1_ = u0_ + h * rates.a;
  q1_ = q0_;
  system_.advance(h, u1_, q1_);
  // Half of what velocities change by in the step.
  ConstraintSet& set = equations_.constraints();
  std::vector<double>& change = set.problem().b;
  change.assign(change.size(), 0.0);
  set.add_relative_velocities(rates.a, change);
  dissipated_ = rates.dissipated;
  for (int i = 0; i < set.count(); ++i) {
    const Cone& cone = set.problem().cones[i];
    if (set.kind(i) == ConstraintSet::Kind::joint) continue;
    for (int row = cone.offset; row < cone.offset + cone.dim; ++row) {
      dissipated_ -= 0.5 * h * change[row] * mean_[row];
    }
  }
  system_.calc_nonconservative_forces(t, q0_, u0_, u_);
  system_.add_input_forces(inputs, t, q0_, u_);
  u_ += equations_.adhesion();
  work_ = rates.work + 0.5 * h * u_.dot(rates.a);
  return true;
}

// --- By SUNDIALS

/// Quaternions of length 1: joints do not fit otherwise, and rows that others imply would contradict them.
void RelaxationPart::unpack(const Vector& y) {
  q_ = y.head(system_.n_q());
  system_.normalize_quaternions(q_);
  u_ = y.segment(system_.n_q(), system_.n_u());
  const Eigen::Index first = system_.n_q() + system_.n_u();
  const std::size_t n = options_.model == RelaxationModel::penalty ? e0_.size() : 0;
  e_.resize(n);
  for (std::size_t row = 0; row < n; ++row) e_[row] = y(first + static_cast<Eigen::Index>(row));
}

void RelaxationPart::pack(const Rates& rates, Vector& y_dot) {
  y_dot.head(system_.n_q()) = rates.q_dot;
  y_dot.segment(system_.n_q(), system_.n_u()) = rates.a;
  Eigen::Index next = system_.n_q() + system_.n_u();
  if (options_.model == RelaxationModel::penalty) {
    for (const double x : rates.e) y_dot(next++) = x;
  }
  y_dot(next++) = rates.work;
  y_dot(next++) = rates.dissipated;
  equations_.constraints().calc_generalized_percussions(equations_.solution().p, resultant_);
  y_dot.segment(next, system_.n_u()) = resultant_;
  next += system_.n_u();
  for (const double x : equations_.solution().p) y_dot(next++) = x;
}

/// Where the integrator tries: what fails there is tried again nearer by, and what a solver leaves there is no residual
/// of the motion.
bool RelaxationPart::calc_controlled(double t, const Vector& y, Vector& rates) {
  unpack(y);
  trial_.solve = {};
  equations_.set_deflections(&e_);
  const bool found = equations_.evaluate(t, q_, u_, gates_.points(), gates_.activations(), *inputs_, delta_, zeta_,
                                         reload_ ? warm_ : nullptr, stages_[1], trial_);
  report_->solve.iterations += trial_.solve.iterations;
  reload_ = !found;
  if (found) {
    pack(stages_[1], rates);
  } else {
    why_ = trial_.solve.message;
  }
  return found;
}

/// Positive while no gate switches: the least of the gaps of what takes no part [m], and of what does while it touches
/// [m] or bears something [N]; -1 where it cannot be had. What has a gap and bears nothing is by as much below zero as
/// its eta_N is above [m/s^2].
double RelaxationPart::calc_switch(double t, const Vector& y) {
  unpack(y);
  at_.take(t, q_, nullptr);
  const std::vector<ContactPoint>& points = gates_.points();
  make_room(switches_, gates_.count());
  switches_.assign(gates_.count(), Gate::stays);
  double least = std::numeric_limits<double>::infinity();
  bool some = false;
  for (std::size_t i = 0; i < gates_.count(); ++i) {
    stop_.check();
    if (points[i].apart) continue;
    const double gap = calc_gap(at_, points[i]);
    if (gates_.takes_part(i)) {
      const double touches = gates_.touching(i) - gap;
      some |= touches < 0.0;
      if (touches >= 0.0) least = std::min(least, touches);
      continue;
    }
    if (gap < 0.0) switches_[i] = Gate::closes;
    least = std::min(least, gap);
  }
  if (!some) return least;
  if (!calc_controlled(t, y, y_dot_)) return -1.0;
  const ConstraintSet& set = equations_.constraints();
  const ConeSolution& solution = equations_.solution();
  for (int k = 0; k < set.count() && set.kind(k) == ConstraintSet::Kind::contact; ++k) {
    const auto i = static_cast<std::size_t>(set.index(k));
    const int row = set.problem().cones[k].offset;
    double bears = solution.p[row];
    if (!(bears > 0.0)) {
      bears = options_.model == RelaxationModel::penalty
                  ? -options_.stiffness * set.gap(k) - options_.damping * set.gamma()[row]
                  : -solution.u[row];
    }
    const double stays = std::max(gates_.touching(i) - set.gap(k), bears);
    if (stays < 0.0) switches_[i] = Gate::opens;
    least = std::min(least, stays);
  }
  return least;
}

/// Gaps of what takes no part, and their rates, at t.
void RelaxationPart::look_at_gaps(double t, GapCourse::Sample& gaps) {
  integrator_->interpolate(t, y_);
  unpack(y_);
  look_.take(t, q_, &u_);
  gaps.values.clear();
  gaps.rates.clear();
  ContactGeometry geometry;
  ContactVector gamma;
  for (std::size_t i = 0; i < gates_.count(); ++i) {
    stop_.check();
    const ContactPoint& point = gates_.points()[i];
    if (point.apart || gates_.takes_part(i)) continue;
    calc_contact_within(look_, point, std::numeric_limits<double>::infinity(), geometry, gamma);
    gaps.values.push_back(geometry.gap + gates_.touching(i));
    gaps.rates.push_back(gamma(0));
  }
}

/// Where a gate switches in the last step: after the time returned and before `last`. Gaps are followed throughout,
/// what takes part is looked at at quarters of the step; `last` the end: none of it switches.
double RelaxationPart::find_switch(double& last) {
  constexpr int kLooks = 4;
  const double start = integrator_->start_time();
  const double h = integrator_->time() - start;
  double before = start;
  for (int i = 1; i <= kLooks; ++i) {
    last = i == kLooks ? integrator_->time() : start + h * i / kLooks;
    integrator_->interpolate(last, y_);
    if (calc_switch(last, y_) < 0.0) break;
    before = last;
  }
  const auto gaps =
      gap_course_.find_first(h, [this, start, h](double theta, auto& at) { look_at_gaps(start + theta * h, at); });
  if (!gaps || !(start + gaps->before * h < last)) return before;
  integrator_->interpolate(start + gaps->behind * h, y_);
  if (!(calc_switch(start + gaps->behind * h, y_) < 0.0)) return before;
  last = start + gaps->behind * h;
  return start + gaps->before * h;
}

/// The zero of calc_switch() in (first, last], into y_ just beyond it.
double RelaxationPart::locate(double first, double last) {
  const auto calc = [this](double t) {
    integrator_->interpolate(t, y_);
    return calc_switch(t, y_);
  };
  const double close = 2.0 * kEpsilon * std::max(std::abs(first), std::abs(last));
  last = find_crossing(calc, first, std::max(calc(first), 0.0), last, close);
  (void)calc(last);
  return last;
}

/// What the integrals may be off by: work and what is dissipated; the impulses of what all forces add up to, as the
/// velocities which these would give by themselves, compared with the speeds in play. Single forces are not unique
/// where directions depend on each other: they may jump while nothing else does, and no step is short enough for that.
/// So their integrals bound no step.
void RelaxationPart::calc_tolerances() {
  const ConeProblem& problem = equations_.constraints().problem();
  system_.calc_applied_forces(equations_.at().t(), q0_, u0_, u_);
  const MotionScales scales = calc_motion_scales(system_, sizes_, equations_.at(), u_);
  tolerances_.resize(2 + system_.n_u() + problem.size());
  tolerances_.head(2).setConstant(scales.energy_tolerance(options_.relative_tolerance, options_.absolute_tolerance));
  const double speed = scales.speed_tolerance(options_.relative_tolerance, options_.absolute_tolerance);
  tolerances_.segment(2, system_.n_u()) = speed * system_.inverse_mass_diagonal().cwiseInverse();
  tolerances_.tail(problem.size()).setConstant(kNoBound);
}

bool RelaxationPart::advance_controlled(double t, double t_end, const Inputs& inputs, StepReport& report,
                                        double& reached) {
  const bool is_gated = options_.gate;
  inputs_ = &inputs;
  report_ = &report;
  why_ = "";
  message_.clear();
  reload_ = false;
  if (!evaluate(t, q0_, u0_, true, inputs, stages_[0], report)) return false;
  e0_ = equations_.deflections();
  const bool has_e = options_.model == RelaxationModel::penalty;
  const auto n = static_cast<Eigen::Index>(equations_.solution().p.size());
  const Eigen::Index n_motion = system_.n_q() + system_.n_u();
  const Eigen::Index n_of_motion = n_motion + (has_e ? n : 0);
  const Eigen::Index n_of_forces = n_of_motion + 2 + system_.n_u();
  const Eigen::Index n_all = n_of_forces + n;
  y_.setZero(n_all);
  y_.head(system_.n_q()) = q0_;
  y_.segment(system_.n_q(), system_.n_u()) = u0_;
  for (Eigen::Index row = 0; has_e && row < n; ++row) y_(n_motion + row) = e0_[static_cast<std::size_t>(row)];
  y_dot_.resize(n_all);
  switches_.assign(gates_.count(), Gate::stays);
  reached = t_end;
  calc_tolerances();
  bool goes_on = integrator_->start(t, y_, tolerances_, t_end);
  while (goes_on && integrator_->time() < t_end) {
    goes_on = integrator_->step();
    if (!goes_on || !is_gated) continue;
    double last = 0.0;
    const double first = find_switch(last);
    if (first < last) {
      reached = locate(first, last);
      break;
    }
  }
  if (!goes_on) {
    report.solve.status = Status::failed;
    message_ = integrator_->message();
    if (*why_ != 0) message_ += std::string("; ") + why_;
    return false;
  }
  if (!(reached < t_end)) y_ = integrator_->end();
  unpack(y_);
  q1_ = q_;
  u1_ = u_;
  e1_ = e_;
  const double per_second = 1.0 / (reached - t);
  work_ = per_second * y_(n_of_motion);
  dissipated_ = per_second * y_(n_of_motion + 1);
  make_room(mean_, static_cast<std::size_t>(n));
  mean_.resize(static_cast<std::size_t>(n));
  for (Eigen::Index row = 0; row < n; ++row) {
    mean_[static_cast<std::size_t>(row)] = per_second * y_(n_of_forces + row);
  }
  return true;
}

void RelaxationPart::switch_gates() {
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (switches_[i] == Gate::closes) gates_.switch_on(i);
    if (switches_[i] == Gate::opens) gates_.switch_off(i);
  }
}

}  // namespace stickslip
