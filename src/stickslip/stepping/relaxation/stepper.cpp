// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/base/make_room.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/stepping/body_sizes.h"
#include "stickslip/stepping/relaxation/equations.h"

namespace stickslip {
namespace {

/// Parts of a step at most: what closes after so many closes at the end of the step.
constexpr int kMostParts = 16;
/// Gaps up to this part of the smaller body are closed where the contact is approaching: what is left of the search for
/// the instant at which they are zero; at the start of a run of positions of scenes, which are rounded. [-]
constexpr double kClosedGap = 1e-13;
constexpr double kClosedAtStart = 1e-9;
/// Parts of a step below this share of it are none. [-]
constexpr double kNoPart = 1e-12;
/// As printed, contacts take part up to the gap at which one that approaches with so many times the largest relative
/// velocity, and is accelerated to it within delta, would bear a force. [-]
constexpr double kReach = 4.0;
constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

/// y += factor x, of as many as there are in both.
void add_multiple(double factor, const std::vector<double>& x, std::vector<double>& y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}

class RelaxationStepper final : public TimeStepper {
 public:
  RelaxationStepper(const RelaxationOptions& options, const System& system, ConeSolver& solver, StopToken stop);

  std::string_view name() const override { return RelaxationOptions::kTraits.name; }
  bool knows_accelerations() const override { return true; }
  void initialize(State& state, StepReport& report) override;
  Status step(State& state, double h, double t_end, StepReport& report) override;

 private:
  using Rates = RelaxationEquations::Rates;
  static constexpr int kStages = 4;

  bool is_gated() const { return options_.gate && options_.form == RelaxationForm::ode; }
  bool is_given_finite(const State& state, double t_end, StepReport& report) const;
  void find_points(const State& state, double t_end);
  void open_gates();
  bool meet(const BodySnapshot& at, double closed, bool approaching);
  void set_reaches(double h);
  bool evaluate(double t, const Vector& q, const Vector& u, const State& state, Rates& rates, StepReport& report);
  bool advance(double t, double h, const State& state, StepReport& report);
  bool advance_rk4(double t, double h, const State& state, StepReport& report);
  bool advance_euler(double t, double h, const State& state, StepReport& report);
  void weigh(double weight);
  double calc_least_gap(double t);
  bool divide(double t, double h, const State& state, StepReport& report, double& first);
  void accept(double h);
  void carry_deflections(ValuesById& warm);
  std::size_t slot(int cone) const;
  void save_gates(const BodySnapshot& end, ValuesById& warm);
  void report_step(const State& state, double h, StepReport& report);

  RelaxationOptions options_;
  const System& system_;
  StopToken stop_;
  ContactFinder contacts_;
  RelaxationEquations equations_;
  BodySizes sizes_;
  double delta_, zeta_;
  bool has_motions_;  // whether a body moves as prescribed

  // Workspace, kept from step to step.
  BodySnapshot start_, end_;
  std::vector<char> takes_part_;                          // (points) gated: whether its gate is on
  std::vector<double> activations_;                       // (points) [m]
  std::vector<double> e0_, e1_, e_;                       // (n) [m] of the penalty model, likewise
  const ValuesById* warm_ = nullptr;                      // of the part's start
  Vector q0_, u0_, q1_, u1_, q_, u_;                      // of a part: its start, its end; of a stage
  std::array<Rates, kStages> stages_;                     // of a part
  std::vector<double> mean_;                              // (n) [N, N m] forces of a part, over its length
  double work_ = 0.0, dissipated_ = 0.0;                  // [W] likewise
  EnergyLedger energy_;                                   // of the parts so far
  std::vector<std::array<double, kMaxConeDim>> percuss_;  // (points, joints, dry friction) [N s] of these
  std::size_t n_points_ = 0;                              // of the step
  ConeSolution reported_;
  std::vector<double> gamma_end_;
  ValuesById carried_, kept_;
};

RelaxationStepper::RelaxationStepper(const RelaxationOptions& options, const System& system, ConeSolver& solver,
                                     StopToken stop)
    : options_(options),
      system_(system),
      stop_(stop),
      contacts_(system, stop),
      equations_(options, system, solver, stop),
      sizes_(system),
      delta_(options.delta),
      zeta_(options.form == RelaxationForm::implicit ? 0.5 : options.zeta),
      has_motions_(std::ranges::any_of(system.bodies(), [](const Body& b) { return b.type == BodyType::moving; })),
      start_(system),
      end_(system) {
  for (Vector* v : {&u0_, &u1_, &u_}) v->setZero(system.n_u());
  for (Vector* v : {&q0_, &q1_, &q_}) v->setZero(system.n_q());
  for (Rates& rates : stages_) {
    rates.q_dot.setZero(system.n_q());
    rates.a.setZero(system.n_u());
  }
}

void RelaxationStepper::initialize(State& state, StepReport& report) {
  system_.normalize(state.t, state.q);
  state.memory.resize(0);
  state.warm.clear();
  state.contacts.clear();
  state.remembered_inputs.clear();
  state.energy = {};
  state.energy.initial = system_.calc_kinetic_energy(state.u) + system_.calc_potential_energy(state.t, state.q);
  report = {};
  report.t = state.t;
  start_.take(state.t, state.q, &state.u);
  contacts_.find_touching(start_);
  takes_part_.assign(contacts_.points().size(), 0);
  meet(start_, kClosedAtStart, true);
  if (!is_gated()) set_reaches(0.0);
  open_gates();
  Rates& rates = stages_[0];
  warm_ = &state.warm;
  end_.take(state.t, state.q, nullptr);
  report_joints(system_, state.t, state.q, state.u, report);
  if (evaluate(state.t, state.q, state.u, state, rates, report)) {
    report.a = rates.a;
    reported_ = equations_.solution();
    const std::span<const double> gamma = equations_.constraints().gamma();
    constexpr double kForces = 1.0;  // [s] percussions of a second are forces
    equations_.constraints().report_contacts(end_, reported_, gamma, kForces, kNotKnown, report);
    for (ContactReport& contact : report.contacts) contact.percussion.fill(0.0);
    if (options_.model == RelaxationModel::penalty) {
      e1_ = equations_.deflections();
      carry_deflections(state.warm);
    } else {
      equations_.constraints().save_warm(reported_, state.warm);
    }
  } else {
    report.a.setConstant(system_.n_u(), kNotKnown);
    report_geometry(end_, contacts_.points(), report, kNotKnown);
  }
  report_energy(system_, state, report);
}

bool RelaxationStepper::is_given_finite(const State& state, double t_end, StepReport& report) const {
  report.message = describe_non_finite_input(system_, state.inputs);
  for (const double t : {state.t, t_end}) {
    if (has_motions_ && report.message.empty()) report.message = describe_non_finite_motion(system_, t);
  }
  return report.message.empty();
}

/// The points of a step, and which take part from its start on.
void RelaxationStepper::find_points(const State& state, double t_end) {
  start_.take(state.t, state.q, &state.u);
  contacts_.find(start_, t_end, state.warm.ids());
  const std::vector<ContactPoint>& points = contacts_.points();
  n_points_ = points.size();
  make_room(takes_part_, n_points_);
  takes_part_.assign(n_points_, 0);
  const std::span<const ElementId> on = state.warm.ids();
  for (std::size_t i = 0; i < n_points_ && is_gated(); ++i) {
    takes_part_[i] = std::ranges::binary_search(on, points[i].id) ? 1 : 0;
  }
  const std::size_t n = n_points_ + system_.joints().size() + system_.dry_frictions().size();
  make_room(percuss_, n);
  percuss_.assign(n, {});
}

/// Activations by the gates: gaps are no matter where one is on, so that rows are the same in all of a part.
void RelaxationStepper::open_gates() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  make_room(activations_, takes_part_.size());
  activations_.resize(takes_part_.size());
  std::ranges::transform(takes_part_, activations_.begin(), [](char on) { return on != 0 ? kInfinity : -kInfinity; });
}

/// Switches on what is closed there; whether there was something.
bool RelaxationStepper::meet(const BodySnapshot& at, double closed, bool approaching) {
  const std::vector<ContactPoint>& points = contacts_.points();
  bool met = false;
  ContactGeometry geometry;
  ContactVector gamma;
  for (std::size_t i = 0; i < takes_part_.size(); ++i) {
    stop_.check();
    if (takes_part_[i] != 0 || points[i].apart) continue;
    const double touches =
        closed * sizes_.of_pair(system_.body(points[i], Side::first), system_.body(points[i], Side::second));
    if (approaching) {
      if (!calc_contact_within(at, points[i], touches, geometry, gamma)) continue;
      if (geometry.gap > 0.0 && gamma(0) > 0.0) continue;
    } else if (!(calc_gap(at, points[i]) <= touches)) {
      continue;
    }
    takes_part_[i] = 1;
    met = true;
  }
  return met;
}

/// What takes part in a step as printed: see kReach. A force on a contact accelerates others by about speed/delta at
/// most.
void RelaxationStepper::set_reaches(double h) {
  const std::vector<ContactPoint>& points = contacts_.points();
  double fastest = 0.0;
  ContactGeometry geometry;
  ContactVector gamma;
  make_room(activations_, points.size());
  activations_.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    stop_.check();
    calc_contact_within(start_, points[i], std::numeric_limits<double>::infinity(), geometry, gamma);
    fastest = std::max(fastest, gamma.norm());
    activations_[i] = geometry.gap;
  }
  const double delta = options_.form == RelaxationForm::implicit ? h : delta_;
  const double fall = (delta + h) * (delta + h) * system_.gravity().norm();
  const double time =
      options_.model == RelaxationModel::penalty ? options_.damping / options_.stiffness : (2.0 * zeta_ + 1.0) * delta;
  const double reach = kReach * ((time + h) * fastest + fall);
  for (std::size_t i = 0; i < points.size(); ++i) takes_part_[i] = activations_[i] <= reach ? 1 : 0;
}

bool RelaxationStepper::evaluate(double t, const Vector& q, const Vector& u, const State& state, Rates& rates,
                                 StepReport& report) {
  const bool is_first = &rates == stages_.data();
  equations_.set_deflections(is_first ? nullptr : &e_);
  return equations_.evaluate(t, q, u, contacts_.points(), activations_, state.inputs, delta_, zeta_,
                             is_first ? warm_ : nullptr, rates, report);
}

/// From (q0_, u0_) to (q1_, u1_).
bool RelaxationStepper::advance(double t, double h, const State& state, StepReport& report) {
  return options_.integrator == RelaxationIntegrator::rk4 && options_.form == RelaxationForm::ode
             ? advance_rk4(t, h, state, report)
             : advance_euler(t, h, state, report);
}

/// Adds the forces and powers of the last evaluation to the means of a part.
void RelaxationStepper::weigh(double weight) {
  const std::vector<double>& lambda = equations_.solution().p;
  make_room(mean_, lambda.size());
  mean_.resize(lambda.size(), 0.0);
  for (std::size_t row = 0; row < lambda.size(); ++row) mean_[row] += weight * lambda[row];
}

/// The classical method of order 4; rows are the same in its four evaluations.
bool RelaxationStepper::advance_rk4(double t, double h, const State& state, StepReport& report) {
  constexpr std::array<double, kStages> kAt = {0.0, 0.5, 0.5, 1.0};
  constexpr std::array<double, kStages> kWeight = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  mean_.clear();
  work_ = dissipated_ = 0.0;
  q1_ = q0_;
  u1_ = u0_;
  for (int s = 0; s < kStages; ++s) {
    const double at = kAt[s] * h;
    q_ = q0_;
    u_ = u0_;
    if (s > 0) {
      q_ += at * stages_[s - 1].q_dot;
      u_ += at * stages_[s - 1].a;
      e_ = e0_;
      add_multiple(at, stages_[s - 1].e, e_);
    }
    if (!evaluate(t + at, q_, u_, state, stages_[s], report)) return false;
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
bool RelaxationStepper::advance_euler(double t, double h, const State& state, StepReport& report) {
  mean_.clear();
  Rates& rates = stages_[0];
  if (!evaluate(t, q0_, u0_, state, rates, report)) return false;
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
  system_.add_input_forces(state.inputs, t, q0_, u_);
  work_ = rates.work + 0.5 * h * u_.dot(rates.a);
  return true;
}

/// [m] Of what takes no part, at (t, q1_); infinite where there is none.
double RelaxationStepper::calc_least_gap(double t) {
  end_.take(t, q1_, nullptr);
  const std::vector<ContactPoint>& points = contacts_.points();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n_points_; ++i) {
    stop_.check();
    if (takes_part_[i] == 0 && !points[i].apart) least = std::min(least, calc_gap(end_, points[i]));
  }
  return least;
}

/// Where a part of length h ends with an overlap of what took no part: the time `first` to the first such contact,
/// by regula falsi, and (q1_, u1_) there. False where an evaluation fails.
bool RelaxationStepper::divide(double t, double h, const State& state, StepReport& report, double& first) {
  constexpr int kMostTries = 60;
  double low = 0.0;
  double high = h;
  double gap_high = calc_least_gap(t + h);
  q1_ = q0_;
  double gap_low = calc_least_gap(t);
  first = h;
  int side = 0;
  for (int i = 0; i < kMostTries && high - low > kNoPart * h && gap_low > 0.0; ++i) {
    first = low + (high - low) * gap_low / (gap_low - gap_high);
    if (!(first > low && first < high)) first = 0.5 * (low + high);
    if (!advance(t, first, state, report)) return false;
    const double gap = calc_least_gap(t + first);
    if (std::abs(gap) <= kClosedGap * sizes_.least()) return true;
    if (gap > 0.0) {
      low = first;
      gap_low = gap;
      if (side > 0) gap_high *= 0.5;
      side = 1;
    } else {
      high = first;
      gap_high = gap;
      if (side < 0) gap_low *= 0.5;
      side = -1;
    }
  }
  first = gap_low > 0.0 ? high : 0.0;
  return advance(t, first, state, report);
}

std::size_t RelaxationStepper::slot(int cone) const {
  const ConstraintSet& set = equations_.constraints();
  const auto index = static_cast<std::size_t>(set.index(cone));
  switch (set.kind(cone)) {
    case ConstraintSet::Kind::contact:
      return index;
    case ConstraintSet::Kind::joint:
      return n_points_ + index;
    case ConstraintSet::Kind::dry_friction:
      break;
  }
  return n_points_ + system_.joints().size() + index;
}

/// A part of length h is over.
void RelaxationStepper::accept(double h) {
  energy_.work += h * work_;
  energy_.dissipated += h * dissipated_;
  const ConstraintSet& set = equations_.constraints();
  for (int i = 0; i < set.count(); ++i) {
    const Cone& cone = set.problem().cones[i];
    std::array<double, kMaxConeDim>& sum = percuss_[slot(i)];
    for (int r = 0; r < cone.dim; ++r) sum[r] += h * mean_[cone.offset + r];
  }
  if (options_.model != RelaxationModel::penalty) return;
  carry_deflections(carried_);
  warm_ = &carried_;
}

/// What the penalty model carries on: e of friction, nothing of the other rows.
void RelaxationStepper::carry_deflections(ValuesById& warm) {
  const ConstraintSet& set = equations_.constraints();
  reported_.p = e1_;
  for (int i = 0; i < set.count(); ++i) {
    const Cone& cone = set.problem().cones[i];
    if (cone.kind == ConeKind::free) std::fill_n(reported_.p.begin() + cone.offset, cone.dim, 0.0);
    if (cone.kind == ConeKind::contact) reported_.p[cone.offset] = 0.0;
  }
  set.save_warm(reported_, warm);
}

Status RelaxationStepper::step(State& state, double h, double t_end, StepReport& report) {
  report.message.clear();
  report.solve = {};
  report.choices = 0;
  report.fallbacks = 0;
  report.coulomb_residual = 0.0;
  report.parts = 1;
  report_no_worst(report);
  report.missed = 0.0;
  if (!is_given_finite(state, t_end, report)) return report.status = Status::failed;
  const bool has_joints = !system_.joints().empty();
  if (h > (1.0 + kNoPart) * (has_joints ? options_.longest_step_of_joints() : options_.longest_step())) {
    report.message = "the step is longer than the relaxation's integrator is stable with: use a shorter one";
    return report.status = Status::failed;
  }
  if (options_.form == RelaxationForm::implicit) delta_ = h;
  find_points(state, t_end);
  q0_ = state.q;
  u0_ = state.u;
  energy_ = state.energy;
  warm_ = &state.warm;
  if (is_gated()) {
    meet(start_, kClosedGap, true);
  } else {
    set_reaches(h);
  }

  double t = state.t;
  double length = h;
  while (true) {
    open_gates();
    if (!advance(t, length, state, report)) break;
    const bool closes = is_gated() && report.parts < kMostParts && calc_least_gap(t + length) < 0.0;
    if (!closes) {
      accept(length);
      break;
    }
    double first = 0.0;
    if (!divide(t, length, state, report, first)) {
      report.solve.status = Status::failed;
      break;
    }
    if (first > 0.0) {
      accept(first);
      t += first;
      length -= first;
      q0_ = q1_;
      u0_ = u1_;
      ++report.parts;
    }
    end_.take(t, q0_, nullptr);
    if (!meet(end_, kClosedGap, false) || !(length > kNoPart * h)) {
      // Nothing more to divide at.
      open_gates();
      if (advance(t, length, state, report)) accept(length);
      break;
    }
  }
  system_.normalize(t_end, q1_);
  if (report.solve.status == Status::failed || !q1_.allFinite() || !u1_.allFinite()) {
    report.message = report.solve.message;
    if (report.message.empty() || !u1_.allFinite()) report.message += describe_non_finite(system_, q1_, u1_);
    if (report.message.empty()) report.message = "forces are not finite";
    return report.status = Status::failed;
  }
  end_.take(t_end, q1_, nullptr);
  report_step(state, h, report);
  save_gates(end_, carried_);

  // Last of all, so that the step can be left before.
  stop_.check();
  state.energy = energy_;
  state.q = q1_;
  state.u = u1_;
  state.t = t_end;
  ++state.step;
  std::swap(state.warm, carried_);
  report_energy(system_, state, report);
  return report.status;
}

/// What took part in the last evaluation, with its forces, but contacts without force whose gap is open.
void RelaxationStepper::save_gates(const BodySnapshot& end, ValuesById& warm) {
  const ConstraintSet& set = equations_.constraints();
  if (options_.model == RelaxationModel::baumgarte) set.save_warm(equations_.solution(), warm);
  if (!is_gated()) return;
  reported_.p.clear();  // (contacts) 0: to be left away
  bool some = false;
  for (int i = 0; i < set.count() && set.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const bool bears = equations_.solution().p[set.problem().cones[i].offset] > 0.0;
    const bool stays = bears || !(calc_gap(end, contacts_.points()[set.index(i)]) > 0.0);
    some |= !stays;
    append(reported_.p, stays ? 1.0 : 0.0);
  }
  if (!some) return;
  kept_.clear();
  for (std::size_t k = 0; k < warm.size(); ++k) {
    if (k < reported_.p.size() && reported_.p[k] == 0.0) continue;
    const std::span<const double> from = warm[k];
    std::ranges::copy(from, kept_.add(warm.ids()[k], from.size()).begin());
  }
  std::swap(warm, kept_);
}

/// Forces and u' are those of the last evaluation: of rk4 at the end of the step; percussions those of the whole step.
void RelaxationStepper::report_step(const State& state, double h, StepReport& report) {
  ConstraintSet& set = equations_.constraints();
  const ConeSolution& last = equations_.solution();
  // Residuals of accelerations count by the velocities that they give over the step.
  for (double* x : {&report.solve.residual.absolute, &report.solve.residual.missed, &report.solve.residual.size,
                    &report.solve.residual.given, &report.solve.residual.floor, &report.coulomb_residual,
                    &report.missed, &report.solve.violation}) {
    *x *= h;
  }
  report.message = report.solve.message;
  report.status = report.solve.status;
  report.t = end_.t();
  report.step = h;
  const bool is_rk4 = options_.integrator == RelaxationIntegrator::rk4 && options_.form == RelaxationForm::ode;
  report.a = stages_[is_rk4 ? kStages - 1 : 0].a;
  report_joints(system_, end_.t(), end_.q(), u1_, report);
  const std::size_t n = last.p.size();
  for (std::vector<double>* rows : {&reported_.p, &reported_.u, &gamma_end_}) {
    make_room(*rows, n);
    rows->assign(n, 0.0);
  }
  for (int i = 0; i < set.count(); ++i) {
    const Cone& cone = set.problem().cones[i];
    for (int r = 0; r < cone.dim; ++r) {
      reported_.p[cone.offset + r] = percuss_[slot(i)][r];
      reported_.u[cone.offset + r] = h * last.u[cone.offset + r];
    }
  }
  set.get_tau(gamma_end_);
  set.add_relative_velocities(u1_, gamma_end_);
  contacts_.extend(end_);
  set.report_contacts(end_, reported_, gamma_end_, h, kNotKnown, report);
  for (int i = 0; i < set.count() && set.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const Cone& cone = set.problem().cones[i];
    for (int r = 0; r < cone.dim; ++r) report.contacts[set.index(i)].force[r] = last.p[cone.offset + r];
  }
  stop_.check();
  add_joint_drives(system_, state.inputs, end_.t(), end_.q(), u1_, report);
  constexpr double kForces = 1.0;  // [s] percussions of a second are forces
  set.add_reactions(last, kForces, report);
}

/// Throws InputError for a contact that the relaxation has no law for.
void check_contact(const RelaxationOptions& options, const ContactLaw& law, int friction_dim, const std::string& name) {
  if (law.restitution_normal != 0.0 || law.restitution_tangential != 0.0) {
    throw InputError({}, "scheme.type", "relaxation",
                     "another scheme, or no restitution: " + name +
                         " has one, and under the relaxation contacts bounce by scheme.zeta alone");
  }
  if (options.inclusion == RelaxationInclusion::facets && friction_dim > 2 && law.friction > 0.0) {
    throw InputError(
        {}, "scheme.inclusion", "facets",
        "another inclusion: " + name + " has Coulomb-Contensou friction, which has three dimensions and no polygons");
  }
}

}  // namespace

std::unique_ptr<TimeStepper> make_relaxation(const RelaxationOptions& options, const System& system, ConeSolver& solver,
                                             StopToken stop) {
  options.check();
  for (const ContactPair& pair : system.contacts()) {
    check_contact(options, pair.law(), pair.friction_dim, "contact '" + pair.options.name + "'");
  }
  if (system.detection()) check_contact(options, system.detection()->law, 0, "contact_default");
  return std::make_unique<RelaxationStepper>(options, system, solver, stop);
}

}  // namespace stickslip
