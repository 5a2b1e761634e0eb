// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/closest_approach.h"
#include "stickslip/constraints/implicit_forces.h"
#include "stickslip/constraints/instant.h"
#include "stickslip/constraints/stiffness.h"
#include "stickslip/stepping/body_sizes.h"
#include "stickslip/stepping/generalized_alpha/certificate.h"
#include "stickslip/stepping/generalized_alpha/estimate.h"
#include "stickslip/stepping/generalized_alpha/generalized_alpha.h"
#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/memory.h"
#include "stickslip/stepping/generalized_alpha/methods.h"
#include "stickslip/stepping/generalized_alpha/momentum_balance.h"
#include "stickslip/stepping/generalized_alpha/report.h"
#include "stickslip/stepping/generalized_alpha/start.h"
#include "stickslip/stepping/generalized_alpha/step.h"
#include "stickslip/stepping/generalized_alpha/undetermined_forces.h"

namespace stickslip {
namespace generalized_alpha {
namespace {

/// Of a step, and twice as many among many contacts. Each leaves half of the windows in which there are no index sets
/// (advance_in_parts), which steps of many contacts meet often. With less more steps stay inexact; where what a step
/// may cost is bounded, more take from what settles it.
constexpr int kHalvings = 4;  // [-]

class Stepper final : public TimeStepper {
 public:
  Stepper(const GeneralizedAlphaOptions& options, const System& system, ConeSolver& solver, StopToken stop)
      : system_(system),
        step_(options, system, stop),
        methods_(step_, solver),
        instant_(system, solver, stop),
        estimate_(system),
        undetermined_(step_, options.contact_forces),
        certificate_(step_),
        balance_(system),
        sizes_(system),
        approach_(system),
        nonconservative_(Vector::Zero(system.n_u())),
        change_(Vector::Zero(system.n_u())),
        impulse_(Vector::Zero(system.n_u())),
        has_forces_(!system.make_force_blocks().empty()),
        state_stiffness_(system) {
    for (const ForceStiffness& stiffness : find_stiffness(system)) {
      if (stiffness.kind != ForceStiffness::Kind::beam) springs_.push_back(stiffness);
    }
  }

  std::string_view name() const override { return GeneralizedAlphaOptions::kTraits.name; }
  bool knows_accelerations() const override { return true; }
  bool knows_impulses() const override { return true; }
  bool knows_applied_impulses() const override { return true; }
  void initialize(State& state, StepReport& report) override;
  Status step(State& state, double h, double t_end, StepReport& report) override;
  bool estimates_errors() const override { return true; }
  void estimate_errors(const State& before, const State& after, StepEstimate& estimate) override;
  void forget(State& state) const override { forget_past(system_, state); }

 private:
  bool may_divide() const;
  bool puts_aside(const State& state);
  bool advance_in_parts(State& state, double h, double t_end, int halvings, StepReport& report);
  void join_parts(const StepReport& first, StepReport& report) const;
  void join_applied_impulses(const StepReport& first, StepReport& report) const;
  void set_out(const State& state, double h, double t_end);
  void solve(const State& state, double h, double t_end, StepReport& report);
  void try_solve(const State& state, double h, double t_end, StepReport& report);
  void settle(const State& state, StepReport& report);
  void finish(const State& state, const StepSolve& solve, StepReport& report);
  void accept(State& state, StepReport& report);
  const State& take_inputs(const State& state);
  const State& rescale(const State& state, double h);
  const State& begin_to_stick(const State& state, double h);
  bool starts_unresolved(const State& state, double h, double t_end);
  bool has_stiff_forces(const State& state, double h);
  const State& forget_all(const State& state);
  StepSolve solve_equations();
  std::string describe_failure() const;
  void report_step(const StepSolve& solve, StepReport& report);
  void certify(int unbalanced, bool gains, StepReport& report);
  void miss_open_contacts(StepReport& report) const;

  const System& system_;
  Step step_;
  Methods methods_;
  Instant instant_;
  Estimate estimate_;
  UndeterminedForces undetermined_;
  Certificate certificate_;
  MomentumBalance balance_;
  BodySizes sizes_;
  ClosestApproach approach_;

  // Workspace.
  Vector nonconservative_;               // (n_u)
  Vector change_, impulse_;              // (n_u) [m/s], [N s, N m s] of calc_smooth_impulse()
  Vector q_end_;                         // (n_q)
  bool has_forces_ = false;              // springs, dampers, beams
  std::vector<ForceStiffness> springs_;  // and dampers
  StateStiffness state_stiffness_;       // of forces that depend on the state
  BodySnapshot snapshot_{system_};       // of the end of the step
  bool inputs_changed_ = false;          // before the last step
  State moved_;                          // the state of its start then
  State rescaled_;
  State released_;                // the state of the start without memory
  const State* start_ = nullptr;  // the state of the last try, with its memory as that took it
  EnergyLedger energy_;           // at its end
  bool continues_ = false;        // whether the forces of the last step can be continued
  bool parts_follow_ = true;      // whether a try that fails is divided
  bool in_parts_ = false;         // whether the last step was made so
  State whole_, part_start_;      // of a step in parts: as far as it is made, and where its last part began
};

void Stepper::initialize(State& state, StepReport& report) {
  system_.normalize(state.t, state.q);
  state.warm.clear();
  state.energy = {};
  state.energy.initial = system_.calc_kinetic_energy(state.u) + system_.calc_potential_energy(state.t, state.q);
  report = {};
  step_.turned.clear();
  if (!solve_start(step_, state, instant_) && !instant_.joints_jump()) {
    report.status = Status::inexact;
    report.message = "no consistent accelerations and contact forces were found at the start";
  }
  undetermined_.settle_start(step_, state);
  start_memory(step_, state);
  state.remembered_inputs = state.inputs;
  state.step_size = {};
  state.step_size.speed = measure_motion(system_, state.u);
  state.step_size.acceleration = std::max(measure_motion(system_, step_.x.a), system_.gravity().norm());
  report.t = state.t;
  report.applied_impulse.assign(system_.bodies().size(), Vector3::Zero());
  report.a = step_.x.a;
  report_geometry(snapshot_.take(state.t, state.q, nullptr), step_.contacts.points(), report);
  report_joints(system_, state.t, state.q, state.u, report);
  report_reactions(step_, report);
  report_start_contacts(step_, report);
  report_energy(system_, state, report);
}

Status Stepper::step(State& state, double h, double t_end, StepReport& report) {
  report.message = describe_non_finite_input(system_, state.inputs);
  if (report.message.empty()) report.message = describe_non_finite_motion(system_, t_end);
  if (!report.message.empty()) return report.status = Status::failed;
  in_parts_ = false;
  parts_follow_ = true;
  step_.work = 0.0;
  step_.most_work = std::numeric_limits<double>::infinity();  // until the methods say so
  solve(state, h, t_end, report);
  const bool is_ok = report.status == Status::ok;
  if ((!is_ok || puts_aside(state)) && step_.options.strategy == GeneralizedAlphaStrategy::newton) {
    if (may_divide()) {
      in_parts_ = true;
      whole_ = state;
      if (advance_in_parts(whole_, h, t_end, NewtonSystem::is_large(step_) ? 2 * kHalvings : kHalvings, report)) {
        whole_.step = state.step + 1;
        std::swap(state, whole_);
        return report.status;
      }
      in_parts_ = false;
      if (is_ok) {
        solve(state, h, t_end, report);
      } else {
        set_out(state, h, t_end);
      }
    }
    if (!is_ok) settle(state, report);
  }
  if (report.status != Status::failed) accept(state, report);
  return report.status;
}

/// Whether a step that no method solved may have a solution in parts: there is no proof against one, and it may cost
/// more.
bool Stepper::may_divide() const {
  return !(methods_.violation() > 0.0) && !step_.is_spent();
}

/// Whether a contact that was open closes without a percussion, by more than shapes that touch may: its bodies came
/// past where they would strike within the step and do not approach at its end, so that the position level puts them
/// aside. In shorter steps the velocity level sees them approach.
bool Stepper::puts_aside(const State& state) {
  std::array<double, kMaxElementDim> lift;
  bool at_start = false;
  for (const StepElement& e : step_.elements) {
    const bool is_contact = e.kind == ConstraintElement::Kind::contact;
    if (!is_contact || step_.P(e.offset) > 0.0 || !(step_.kappa_hat(e.pos_offset) > 0.0)) continue;
    const ContactPoint& point = step_.rows.point(e);
    if (point.joint >= 0) continue;  // the stop of a joint
    const double apart = kApart * sizes_.of_pair(system_.body(point, Side::first), system_.body(point, Side::second));
    step_.rows.multiply_transposed(e, step_.x.Q, lift.data());
    if (!(lift[0] > apart)) continue;
    if (!std::exchange(at_start, true)) snapshot_.take(state.t, state.q, nullptr);
    if (approach_.calc_gap(snapshot_, point) > 0.0) return true;
  }
  return false;
}

/// Index sets of a step can have no solution: friction percussions act on positions by dt/2 W_F Lambda_F, and lift off
/// a contact that is closed without them. Over a window of heights, that is, which other instants do not meet: such a
/// step is made in two halves, and these again. False once the shortest part is not solved: the step is then left
/// whole.
bool Stepper::advance_in_parts(State& state, double h, double t_end, int halvings, StepReport& report) {
  const double half = 0.5 * h;
  StepReport first = report;  // what was spent so far
  const int iterations = report.solve.iterations;
  const int fallbacks = report.fallbacks;
  const auto advance = [&](double end, StepReport& part) {
    part_start_ = state;
    parts_follow_ = halvings > 1;
    solve(state, half, end, part);
    if (part.status == Status::ok && !(halvings > 1 && puts_aside(state))) {
      accept(state, part);
      return true;
    }
    return halvings > 1 && may_divide() && advance_in_parts(state, half, end, halvings - 1, part);
  };
  if (!advance(t_end - half, first) || !advance(t_end, report)) return false;
  join_parts(first, report);
  report.step = h;
  report.parts = first.parts + report.parts;
  report.solve.iterations += iterations;
  report.fallbacks += fallbacks;
  return true;
}

/// Makes the report of the second part that of both.
void Stepper::join_parts(const StepReport& first, StepReport& report) const {
  const int iterations = first.solve.iterations + report.solve.iterations;
  if (first.solve.residual.absolute > report.solve.residual.absolute) {
    report.solve = first.solve;
    report.missed = first.missed;
    report.worst_kind = first.worst_kind;
    report.worst = first.worst;
    report.worst_a = first.worst_a;
    report.worst_b = first.worst_b;
  }
  report.solve.iterations = iterations;
  report.coulomb_residual = std::max(report.coulomb_residual, first.coulomb_residual);
  report.choices += first.choices;
  report.contact_work.add(first.contact_work);
  report.fallbacks += first.fallbacks;
  join_applied_impulses(first, report);
  for (const ContactReport& before : first.contacts) {
    const auto same = std::find_if(report.contacts.begin(), report.contacts.end(),
                                   [&](const ContactReport& contact) { return contact.id == before.id; });
    if (same != report.contacts.end()) {
      for (std::size_t i = 0; i < before.percussion.size(); ++i) {
        same->impulse[i] += before.impulse[i];
        same->percussion[i] += before.percussion[i];
      }
    } else if (before.percussion[0] != 0.0) {  // left behind since: open, where it was
      report.contacts.push_back(before);
      report.contacts.back().status = ContactStatus::open;
      report.contacts.back().force = {};
    }
  }
  std::sort(report.contacts.begin() + step_.contacts.n_named(), report.contacts.end(),
            [](const ContactReport& a, const ContactReport& b) { return a.id < b.id; });
}

/// The balance of momentum goes with percussions in the directions at the end and with reactions there: what these were
/// otherwise in the first part is in the applied impulses. Before percussions are summed.
void Stepper::join_applied_impulses(const StepReport& first, StepReport& report) const {
  std::vector<Vector3>& impulse = report.applied_impulse;
  for (std::size_t i = 0; i < impulse.size(); ++i) impulse[i] += first.applied_impulse[i];
  const auto act = [&](int first_body, int second_body, const Vector3& change) {
    impulse[second_body] += change;
    impulse[first_body] -= change;
  };
  for (std::size_t j = 0; j < first.joints.size(); ++j) {
    const Joint& joint = system_.joints()[j];
    act(joint.first.body, joint.second.body,
        first.step * (first.joints[j].reaction_force - report.joints[j].reaction_force));
  }
  const auto in_world = [&](const ContactComponents& p, const ContactReport& at) {
    Vector3 sum = p[0] * at.normal + p[1] * at.tangent;
    const double second = p[2] * law_of(system_, at).second_tangent();
    if (!system_.planar()) sum += second * at.normal.cross(at.tangent);
    return sum;
  };
  for (const ContactReport& before : first.contacts) {
    const auto same = std::ranges::find(report.contacts, before.id, &ContactReport::id);
    if (same == report.contacts.end()) continue;
    act(before.body_a, before.body_b, in_world(before.percussion, before) - in_world(before.percussion, *same));
  }
}

/// Begins a step as its state and inputs say.
void Stepper::set_out(const State& state, double h, double t_end) {
  const State& known = take_inputs(state);
  step_.weights = Weights(step_.options.rho_inf);
  start_ = state.step == 0 ? &begin_to_stick(known, h) : &rescale(known, h);
  if (state.step == 0 && starts_unresolved(*start_, h, t_end)) start_ = &forget_all(*start_);
  begin(step_, *start_, h, t_end);
}

/// One try at a step, whole, and more where kinetic friction turns contacts back: all of it but the state.
void Stepper::solve(const State& state, double h, double t_end, StepReport& report) {
  step_.turned.clear();
  int iterations = 0;
  do {
    try_solve(state, h, t_end, report);
    iterations = report.solve.iterations += iterations;
  } while (report.status != Status::failed && restore_static_friction(step_));
}

void Stepper::try_solve(const State& state, double h, double t_end, StepReport& report) {
  set_out(state, h, t_end);
  finish(state, solve_equations(), report);
  if (step_.weights.forgets || report.status == Status::failed || !has_stiff_forces(state, h)) return;
  if (!balance_.makes_elastic_energy(step_, *start_, energy_)) return;
  const auto calc_energy = [this] {
    return system_.calc_kinetic_energy(step_.u) + system_.calc_potential_energy(step_.t_end, step_.q);
  };
  const double energy = calc_energy();
  int iterations = report.solve.iterations;
  start_ = &forget_all(*start_);
  begin(step_, *start_, h, t_end);
  finish(state, solve_equations(), report);
  if (report.status == Status::failed || !(calc_energy() <= energy)) {  // an impact within the step: as published
    iterations += report.solve.iterations;
    set_out(state, h, t_end);
    finish(state, solve_equations(), report);
  }
  report.solve.iterations += iterations;
}

/// The last resort, a step that is balanced.
void Stepper::settle(const State& state, StepReport& report) {
  methods_.settle(step_, *start_);
  while (meets_others(step_)) {
    step_.work = 0.0;
    begin(step_, *start_, step_.h, step_.t_end, true);
    methods_.settle(step_, *start_);
  }
  finish(state, {false, report.solve.iterations}, report);
}

/// What follows from the end of a try.
void Stepper::finish(const State& state, const StepSolve& solve, StepReport& report) {
  report.message = describe_failure();
  if (!report.message.empty()) {
    report.status = Status::failed;
    return;
  }
  energy_ = state.energy;
  account_energy(step_, state, nonconservative_, energy_, report.contact_work);
  report_step(solve, report);
}

/// A body that was pushed may have gone where nothing was looked for: then again with what it met there, which is new
/// each time; each may cost as much as the first.
StepSolve Stepper::solve_equations() {
  StepSolve solve;
  const auto attempt = [&] {
    const StepSolve next = methods_.solve(step_, *start_, parts_follow_);
    solve = {next.converged, solve.iterations + next.iterations};
  };
  attempt();
  while (solve.converged && meets_others(step_)) {
    step_.work = 0.0;
    begin(step_, *start_, step_.h, step_.t_end, true);
    attempt();
  }
  if (drop_stretches(step_)) {  // as from the beginning: nothing of the first attempt is kept
    set_start_values(step_, *start_, true);
    attempt();
  }
  return solve;
}

/// What of the end of the step is not finite; empty: nothing.
std::string Stepper::describe_failure() const {
  std::string message = describe_non_finite(system_, step_.q, step_.u);
  if (!message.empty() || std::isfinite(step_.measure.error())) return message;
  for (const Body& body : system_.bodies()) {
    if (!step_.r1.segment(body.u_offset, body.n_u).allFinite()) return "body '" + body.name + "': force is not finite";
  }
  return "a contact or joint force is not finite";
}

void Stepper::report_step(const StepSolve& solve, StepReport& report) {
  q_end_ = step_.q;
  system_.normalize(step_.t_end, q_end_);
  report.t = step_.t_end;
  report.step = step_.h;
  report.parts = 1;
  report.solve.iterations = solve.iterations;
  report.choices = count_choices(step_);
  report.a = step_.x.a;
  const int unbalanced = balance_.find_unbalanced(step_, *start_);
  const bool gains = balance_.gains_energy(step_, *start_, energy_.work - start_->energy.work);
  calc_smooth_impulse(step_, change_, impulse_);
  continues_ = undetermined_.settle_forces(step_);
  undetermined_.settle_percussions(step_);
  report_geometry(snapshot_.take(step_.t_end, q_end_, nullptr), step_.contacts.points(), report);
  step_.stop.check();
  report_contacts(step_, report);
  report_joints(system_, step_.t_end, q_end_, step_.u, report);
  step_.stop.check();
  report_reactions(step_, report);
  report_smooth_impulse(step_, impulse_, report);
  certify(unbalanced, gains, report);
  step_.stop.check();
}

/// Moves the state by what was solved last.
void Stepper::accept(State& state, StepReport& report) {
  state.energy = energy_;
  if (start_ != &state) {
    state.memory = start_->memory;
    state.contacts = start_->contacts;
  }
  if (inputs_changed_) state.remembered_inputs = state.inputs;
  state.q.swap(q_end_);
  state.u = step_.u;
  state.t = step_.t_end;
  ++state.step;
  // Accelerations go on smoothly unless the step had an impact: then its velocity jump is of the size of dt a or more.
  save_memory(step_, state, continues_ && step_.x.U.norm() <= kImpulsive * step_.h * step_.x.a.norm());
  report_energy(system_, state, report);
}

/// `unbalanced`: a body whose momentum is not balanced, -1: none. `gains`: energy that nothing explains.
void Stepper::certify(int unbalanced, bool gains, StepReport& report) {
  const bool is_certified = certificate_.judge(step_, balance_.response(), report);
  const bool is_solved = step_.measure.error() <= 1.0 && is_certified;
  const bool is_ok = is_solved && unbalanced < 0 && !gains;
  report.status = is_ok ? Status::ok : Status::inexact;
  if (!is_ok) miss_open_contacts(report);
  report.solve.status = report.status;
  report.fallbacks = methods_.fallbacks();
  report.solve.violation = is_ok ? 0.0 : methods_.violation();
  report.solve.bound = is_ok ? 0.0 : methods_.bound();
  report.solve.message = is_ok                          ? ""
                         : report.solve.violation > 0.0 ? "no solution exists; this step is near the least violation"
                         : is_solved && unbalanced >= 0 ? "the momentum of a body is not balanced"
                         : is_solved                    ? "the step gains energy that nothing explains"
                                                        : "the residual of the step is above the tolerance";
  report.message = report.solve.message;
  if (is_solved && unbalanced >= 0) report.message += ": '" + system_.bodies()[unbalanced].name + "'";
}

/// A step that is not solved may leave contacts open that overlap and close: no law is imposed on them, and they miss
/// what they close by.
void Stepper::miss_open_contacts(StepReport& report) const {
  double squared = report.missed * report.missed;
  for (const ContactReport& contact : report.contacts) {
    if (contact.status != ContactStatus::open || !(contact.gap < 0.0) || !(contact.velocity[0] < 0.0)) continue;
    squared += contact.velocity[0] * contact.velocity[0];
  }
  report.missed = std::sqrt(squared);
}

/// The state with its memory as if its inputs had acted before; the state itself where nothing changes.
const State& Stepper::take_inputs(const State& state) {
  inputs_changed_ = !(state.inputs == state.remembered_inputs);
  if (!inputs_changed_) return state;
  moved_ = state;
  methods_.nested().calc_jump(step_, state);
  move_memory(step_, moved_);
  return moved_;
}

/// The state with its memory as of steps of length h; the state itself where nothing changes.
const State& Stepper::rescale(const State& state, double h) {
  const double last_h = MemoryView(system_, state.memory).step();
  if (last_h == 0.0 || last_h == h) return state;
  rescaled_ = state;
  rescale_memory(system_, rescaled_, h / last_h);
  return rescaled_;
}

/// The state with the forces of settle_start() as its memory; the state itself where there are none.
const State& Stepper::begin_to_stick(const State& state, double h) {
  if (!settle_start(step_, state, h, instant_)) return state;
  undetermined_.settle_start(step_, state);
  start_memory(step_, rescaled_ = state);
  return rescaled_;
}

/// Whether springs and dampers give accelerations at the start that do not last a step, by one from no memory: what
/// they leave at its end is less than half of them.
bool Stepper::starts_unresolved(const State& state, double h, double t_end) {
  if (!has_forces_) return false;
  const std::vector<int> bodies = find_unresolved(step_, state, h);
  if (bodies.empty()) return false;
  begin(step_, forget_all(state), h, t_end);
  const bool is_found = methods_.solve(step_, released_, false).converged;
  step_.work = 0.0;
  step_.weights = Weights(step_.options.rho_inf);
  const Vector a = MemoryView(system_, state.memory).a();
  const auto lasts = [&](int body) {
    return measure_motion(system_, body, a.data()) <= 2.0 * measure_motion(system_, body, step_.x.a.data());
  };
  return is_found && !std::ranges::all_of(bodies, lasts);
}

/// Whether a step of h does not resolve some spring, damper or force that depends on the state.
bool Stepper::has_stiff_forces(const State& state, double h) {
  const auto is_stiff = [h](const ForceStiffness& s) { return s.ratio(h) > ImplicitForces::kMostExplicit; };
  return std::ranges::any_of(springs_, is_stiff) ||
         std::ranges::any_of(state_stiffness_.calc(state.t, state.q, state.u), is_stiff);
}

/// The state without memory, for a step of backward Euler.
const State& Stepper::forget_all(const State& state) {
  step_.weights = Weights::backward_euler();
  released_ = state;
  released_.memory.setZero();
  released_.contacts.clear();
  return released_;
}

void Stepper::estimate_errors(const State& before, const State& /*after*/, StepEstimate& estimate) {
  estimate_.calc(in_parts_ ? part_start_ : inputs_changed_ ? moved_ : before, step_, estimate);
  estimate.in_parts = in_parts_;
}

}  // namespace
}  // namespace generalized_alpha

std::unique_ptr<TimeStepper> make_generalized_alpha(const GeneralizedAlphaOptions& options, const System& system,
                                                    ConeSolver& solver, StopToken stop) {
  options.check();
  return std::make_unique<generalized_alpha::Stepper>(options, system, solver, stop);
}

}  // namespace stickslip
