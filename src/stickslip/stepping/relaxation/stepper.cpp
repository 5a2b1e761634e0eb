// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "stickslip/base/input_error.h"
#include "stickslip/base/make_room.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/stiffness.h"
#include "stickslip/stepping/begin_run.h"
#include "stickslip/stepping/relaxation/explicit_forces.h"
#include "stickslip/stepping/relaxation/gates.h"
#include "stickslip/stepping/relaxation/part.h"
#include "stickslip/stepping/start_impact.h"

namespace stickslip {
namespace {

/// Parts of a step at most: what closes after so many closes at the end of the step.
constexpr int kMostParts = 16;
/// The same where instants at which gates switch are located: beyond it something chatters.
constexpr int kMostSwitches = 10000;
/// Parts of a step below this share of it are none. [-]
constexpr double kNoPart = 1e-12;
constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

class RelaxationStepper final : public TimeStepper {
 public:
  RelaxationStepper(const RelaxationOptions& options, const System& system, ConeSolver& solver, StopToken stop);

  std::string_view name() const override { return RelaxationOptions::kTraits.name; }
  bool knows_accelerations() const override { return true; }
  void initialize(State& state, StepReport& report) override;
  Status step(State& state, double h, double t_end, StepReport& report) override;

 private:
  bool is_gated() const { return options_.gate && options_.form == RelaxationForm::ode; }
  bool is_given_finite(const State& state, double t_end, StepReport& report) const;
  void begin_step(const State& state, double h, double t_end);
  double calc_least_gap(double t, const Vector& q);
  bool divide(double t, double h, const Inputs& inputs, StepReport& report, double& first);
  void advance(const State& state, double h, StepReport& report);
  void advance_controlled(const State& state, double t_end, StepReport& report);
  void accept(double h);
  void carry_deflections(ValuesById& warm);
  std::size_t slot(int cone) const;
  void save_gates(const BodySnapshot& end, ValuesById& warm);
  void report_step(const State& state, double h, StepReport& report);

  RelaxationOptions options_;
  const System& system_;
  StopToken stop_;
  RelaxationGates gates_;
  RelaxationPart part_;
  bool has_motions_;  // whether a body or a surface moves as prescribed
  StartImpact start_impact_;
  ConstraintSet start_constraints_;

  // Workspace, kept from step to step.
  BodySnapshot start_, end_;
  const ValuesById* warm_ = nullptr;                      // of the part's start
  EnergyLedger energy_;                                   // of the parts so far
  std::vector<std::array<double, kMaxConeDim>> percuss_;  // (points, joints, dry friction) [N s] of these
  ConeSolution reported_;
  std::vector<double> gamma_end_;
  ValuesById carried_, kept_;
};

RelaxationStepper::RelaxationStepper(const RelaxationOptions& options, const System& system, ConeSolver& solver,
                                     StopToken stop)
    : options_(options),
      system_(system),
      stop_(stop),
      gates_(options, system, stop),
      part_(options, system, solver, gates_, stop),
      has_motions_(system.has_surface_velocities() ||
                   std::ranges::any_of(system.bodies(), [](const Body& b) { return b.type == BodyType::moving; })),
      start_impact_(system, stop),
      start_constraints_(system, stop, false),
      start_(system),
      end_(system) {
}

void RelaxationStepper::initialize(State& state, StepReport& report) {
  begin_run(system_, state, report);
  start_.take(state.t, state.q, &state.u);
  gates_.find_touching(start_);
  gates_.meet(start_, kClosedAtStart, true);
  if (!is_gated()) gates_.set_reaches(start_, 0.0);
  gates_.open();
  part_.begin(state.q, state.u, state.warm);
  RelaxationEquations& equations = part_.equations();
  end_.take(state.t, state.q, nullptr);
  report_joints(system_, state.t, state.q, state.u, report);
  if (part_.evaluate_start(state.t, state.inputs, report)) {
    report.a = part_.last_rates().a;
    reported_ = equations.solution();
    const std::span<const double> gamma = equations.constraints().gamma();
    constexpr double kForces = 1.0;  // [s] percussions of a second are forces
    equations.constraints().report_contacts(end_, reported_, gamma, kForces, kNotKnown, report);
    for (ContactReport& contact : report.contacts) contact.percussion.fill(0.0);
    if (options_.model == RelaxationModel::penalty) {
      carry_deflections(state.warm);
    } else {
      equations.constraints().save_warm(reported_, state.warm);
    }
  } else {
    report.a.setConstant(system_.n_u(), kNotKnown);
    report_geometry(end_, gates_.points(), report, kNotKnown);
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

/// The points of a step, which take part from its start on, and its start.
void RelaxationStepper::begin_step(const State& state, double h, double t_end) {
  const State& start = start_impact_.settle(start_constraints_, state);
  start_.take(start.t, start.q, &start.u);
  gates_.find(start_, t_end, state.warm.ids());
  const std::size_t n = gates_.count() + system_.joints().size() + system_.dry_frictions().size();
  make_room(percuss_, n);
  percuss_.assign(n, {});
  if (options_.form == RelaxationForm::implicit) part_.set_delta(h);
  warm_ = &state.warm;
  part_.begin(start.q, start.u, state.warm);
  energy_ = start.energy;
  if (is_gated()) {
    gates_.meet(start_, kClosedGap, true);
  } else {
    gates_.set_reaches(start_, h);
  }
}

/// [m] Of what takes no part, at (t, q); infinite where there is none.
double RelaxationStepper::calc_least_gap(double t, const Vector& q) {
  end_.take(t, q, nullptr);
  return gates_.calc_least_gap(end_);
}

/// Where a part of length h ends with an overlap of what took no part: the time `first` to the first such contact,
/// by regula falsi, and the part ends there. False where an evaluation fails.
bool RelaxationStepper::divide(double t, double h, const Inputs& inputs, StepReport& report, double& first) {
  constexpr int kMostTries = 60;
  double low = 0.0;
  double high = h;
  double gap_high = calc_least_gap(t + h, part_.q1());
  double gap_low = calc_least_gap(t, part_.q0());
  first = h;
  int side = 0;
  for (int i = 0; i < kMostTries && high - low > kNoPart * h && gap_low > 0.0; ++i) {
    first = low + (high - low) * gap_low / (gap_low - gap_high);
    if (!(first > low && first < high)) first = 0.5 * (low + high);
    if (!part_.advance(t, first, inputs, report)) return false;
    const double gap = calc_least_gap(t + first, part_.q1());
    if (std::abs(gap) <= kClosedGap * gates_.sizes().least()) return true;
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
  return part_.advance(t, first, inputs, report);
}

std::size_t RelaxationStepper::slot(int cone) const {
  const ConstraintSet& set = part_.equations().constraints();
  const auto index = static_cast<std::size_t>(set.index(cone));
  switch (set.kind(cone)) {
    case ConstraintSet::Kind::contact:
      return index;
    case ConstraintSet::Kind::joint:
      return gates_.count() + index;
    case ConstraintSet::Kind::servo:  // of schemes on velocities alone
    case ConstraintSet::Kind::dry_friction:
      break;
  }
  return gates_.count() + system_.joints().size() + index;
}

/// A part of length h is over.
void RelaxationStepper::accept(double h) {
  energy_.work += h * part_.work();
  energy_.dissipated += h * part_.dissipated();
  const ConstraintSet& set = part_.equations().constraints();
  for (int i = 0; i < set.count(); ++i) {
    const Cone& cone = set.problem().cones[i];
    std::array<double, kMaxConeDim>& sum = percuss_[slot(i)];
    for (int r = 0; r < cone.dim; ++r) sum[r] += h * part_.mean()[cone.offset + r];
  }
  if (options_.model != RelaxationModel::penalty) return;
  carry_deflections(carried_);
  warm_ = &carried_;
}

/// What the penalty model carries on: e of friction, nothing of the other rows.
void RelaxationStepper::carry_deflections(ValuesById& warm) {
  const ConstraintSet& set = part_.equations().constraints();
  reported_.p = part_.e1();
  for (int i = 0; i < set.count(); ++i) {
    const Cone& cone = set.problem().cones[i];
    if (cone.kind == ConeKind::free) std::fill_n(reported_.p.begin() + cone.offset, cone.dim, 0.0);
    if (cone.kind == ConeKind::contact) reported_.p[cone.offset] = 0.0;
  }
  set.save_warm(reported_, warm);
}

/// By steps of given length, divided where gates switch on.
void RelaxationStepper::advance(const State& state, double h, StepReport& report) {
  double t = state.t;
  double length = h;
  while (true) {
    gates_.open();
    if (!part_.advance(t, length, state.inputs, report)) return;
    const bool closes = is_gated() && report.parts < kMostParts && calc_least_gap(t + length, part_.q1()) < 0.0;
    if (!closes) return accept(length);
    double first = 0.0;
    if (!divide(t, length, state.inputs, report, first)) {
      report.solve.status = Status::failed;
      return;
    }
    if (first > 0.0) {
      accept(first);
      t += first;
      length -= first;
      part_.begin(part_.q1(), part_.u1(), *warm_);
      ++report.parts;
    }
    end_.take(t, part_.q0(), nullptr);
    if (!gates_.meet(end_, kClosedGap, false) || !(length > kNoPart * h)) {
      // Nothing more to divide at.
      gates_.open();
      if (part_.advance(t, length, state.inputs, report)) accept(length);
      return;
    }
  }
}

/// By SUNDIALS, from switch to switch.
void RelaxationStepper::advance_controlled(const State& state, double t_end, StepReport& report) {
  double t = state.t;
  while (true) {
    gates_.open();
    double reached = t_end;
    if (!part_.advance_controlled(t, t_end, state.inputs, report, reached)) return;
    accept(reached - t);
    if (!(reached < t_end)) break;
    if (report.parts == kMostSwitches) {
      report.solve.status = Status::failed;
      report.solve.message = "contacts switch too often: use a shorter step";
      return;
    }
    t = reached;
    part_.switch_gates();
    part_.begin(part_.q1(), part_.u1(), *warm_);
    ++report.parts;
  }
  if (!part_.evaluate_end(t_end, state.inputs, report)) report.solve.status = Status::failed;
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
  begin_step(state, h, t_end);
  if (options_.controls_errors()) {
    advance_controlled(state, t_end, report);
  } else {
    advance(state, h, report);
  }
  Vector& q1 = part_.q1();
  const Vector& u1 = part_.u1();
  system_.normalize(t_end, q1);
  if (report.solve.status == Status::failed || !q1.allFinite() || !u1.allFinite()) {
    report.message = part_.message().empty() ? report.solve.message : part_.message();
    if (report.message.empty() || !u1.allFinite()) report.message += describe_non_finite(system_, q1, u1);
    if (report.message.empty()) report.message = "forces are not finite";
    if (const auto force = find_unstable_force(system_, state.t, state.q, state.u, h, most_explicit(options_))) {
      report.message += fmt::format("; {}: {}", force->path, force->text);
    }
    return report.status = Status::failed;
  }
  end_.take(t_end, q1, nullptr);
  report_step(state, h, report);
  save_gates(end_, carried_);

  // Last of all, so that the step can be left before.
  stop_.check();
  state.energy = energy_;
  state.q = q1;
  state.u = u1;
  state.t = t_end;
  ++state.step;
  std::swap(state.warm, carried_);
  report_energy(system_, state, report);
  return report.status;
}

/// What took part in the last evaluation, with its forces, but contacts without force whose gap is open.
void RelaxationStepper::save_gates(const BodySnapshot& end, ValuesById& warm) {
  const ConstraintSet& set = part_.equations().constraints();
  if (options_.model == RelaxationModel::baumgarte) set.save_warm(part_.equations().solution(), warm);
  if (!is_gated()) return;
  reported_.p.clear();  // (contacts) 0: to be left away
  bool some = false;
  for (int i = 0; i < set.count() && set.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const bool bears = part_.equations().solution().p[set.problem().cones[i].offset] > 0.0;
    const bool stays = bears || !(calc_gap(end, gates_.points()[set.index(i)]) > 0.0);
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
  ConstraintSet& set = part_.equations().constraints();
  const ConeSolution& last = part_.equations().solution();
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
  report.contact_work.made = state.energy.dissipated - energy_.dissipated;  // contacts store energy and give it back
  report.a = part_.last_rates().a;
  const Vector& u1 = part_.u1();
  report_joints(system_, end_.t(), end_.q(), u1, report);
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
  set.add_relative_velocities(u1, gamma_end_);
  gates_.contacts().extend(end_);
  set.report_contacts(end_, reported_, gamma_end_, h, kNotKnown, report);
  // What came and went has percussions, too.
  for (std::size_t i = 0; i < gates_.count() && options_.controls_errors(); ++i) {
    ContactReport& contact = report.contacts[i];
    const ContactPair& pair = system_.pair(gates_.points()[i]);
    std::copy_n(percuss_[i].begin(), 1 + pair.friction_dim, contact.percussion.begin());
    if (pair.has_moments()) contact.moment = calc_moment(pair.rows, percuss_[i].data(), contact);
  }
  for (int i = 0; i < set.count() && set.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const double* force = last.p.data() + set.problem().cones[i].offset;
    std::copy_n(force, 1 + set.friction_dim(i), report.contacts[set.index(i)].force.begin());
  }
  stop_.check();
  add_joint_drives(system_, state.inputs, end_.t(), end_.q(), u1, report);
  start_impact_.add_reactions(h, report);
  constexpr double kForces = 1.0;  // [s] percussions of a second are forces
  set.add_reactions(last, kForces, report);
}

/// Throws InputError for a contact that the relaxation has no law for.
void check_contact(const ContactPair& pair, const std::string& name) {
  const ContactLaw& law = pair.law();
  if (law.rebounds() || law.restitution_tangential != 0.0) {
    throw InputError({}, "scheme.type", "relaxation",
                     "another scheme, or no restitution: " + name +
                         " has one, and under the relaxation contacts bounce by scheme.zeta alone");
  }
  if (law.kinetic) {
    throw InputError({}, "scheme.type", "relaxation",
                     "another scheme, or friction that is one number or an expression of v: " + name +
                         " has static and kinetic friction, between which the relaxation knows no instant of rest");
  }
}

}  // namespace

std::unique_ptr<TimeStepper> make_relaxation(const RelaxationOptions& options, const System& system, ConeSolver& solver,
                                             StopToken stop) {
  options.check();
  for (const ContactPair& pair : system.contacts()) {
    check_contact(pair, "contact '" + pair.options.name + "'");
  }
  if (system.detection()) {
    for (const ContactPair& pair : system.detected_pairs()) check_contact(pair, "a detected contact");
  }
  return std::make_unique<RelaxationStepper>(options, system, solver, stop);
}

}  // namespace stickslip
