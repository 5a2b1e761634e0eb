// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/instant.h"
#include "stickslip/stepping/generalized_alpha_certificate.h"
#include "stickslip/stepping/generalized_alpha_estimate.h"
#include "stickslip/stepping/generalized_alpha_fixed_point.h"
#include "stickslip/stepping/generalized_alpha_nested.h"
#include "stickslip/stepping/generalized_alpha_newton.h"
#include "stickslip/stepping/generalized_alpha_step.h"
#include "stickslip/stepping/momentum_balance.h"
#include "stickslip/stepping/undetermined_forces.h"

namespace stickslip {
namespace {

class GeneralizedAlphaStepper final : public TimeStepper {
 public:
  GeneralizedAlphaStepper(const GeneralizedAlphaOptions& options, const System& system, ConeSolver& solver,
                          StopToken stop);

  std::string_view name() const override { return GeneralizedAlphaOptions::kTraits.name; }
  bool knows_accelerations() const override { return true; }
  bool knows_impulses() const override { return true; }
  void initialize(State& state, StepReport& report) override;
  Status step(State& state, double h, double t_end, StepReport& report) override;
  bool estimates_errors() const override { return true; }
  void estimate_errors(const State& before, const State& after, StepEstimate& estimate) override;
  void forget(State& state) const override;

 private:
  bool may_divide() const;
  bool advance_in_parts(State& state, double h, double t_end, int depth, StepReport& report);
  void join_parts(const StepReport& first, StepReport& report) const;
  void solve(const State& state, double h, double t_end, StepReport& report);
  void accept(State& state, StepReport& report);
  const State& take_inputs(const State& state);
  const State& rescale(const State& state, double h);
  const State& settle_start(const State& state, double h);
  StepSolve solve_step(const State& state);
  void choose(const State& state, StepSolve& solve);
  bool solve_held(const State& state, StepSolve& solve);
  std::string describe_non_finite_force() const;
  void certify(int unbalanced, StepReport& report);
  void account_energy(const State& state, EnergyLedger& ledger);
  void report_contacts(StepReport& report) const;
  void report_reactions(StepReport& report) const;

  GeneralizedAlphaOptions options_;
  const System& system_;
  GeneralizedAlphaStep step_;
  GeneralizedAlphaNewton newton_;
  GeneralizedAlphaNested nested_;
  Instant instant_;
  GeneralizedAlphaFixedPoint fixed_point_;
  GeneralizedAlphaEstimate estimate_;
  UndeterminedForces undetermined_;
  GeneralizedAlphaCertificate certificate_;
  MomentumBalance balance_;
  int fallbacks_ = 0;       // [-] passes of the nested iteration in this step
  bool continues_ = false;  // whether the forces of this step can be continued

  // Workspace.
  StepUnknowns nested_x_, newton_x_, chosen_x_;  // the best iterates
  std::vector<StepElement> chosen_elements_;     // with chosen_x_: on ties index sets follow from the last ones
  double chosen_tie_ = 0.0;                      // [-]
  Vector nonconservative_;                       // (n_u)
  Vector q_end_;                                 // (n_q)
  BodySnapshot snapshot_{system_};               // of the end of the step
  bool inputs_changed_ = false;                  // before the last step
  State moved_;                                  // the state of its start then
  State rescaled_;
  const State* start_ = nullptr;  // the state of the last try, with its memory as that took it
  EnergyLedger energy_;           // at its end
  bool in_parts_ = false;         // whether the last step was made so
  State whole_, part_start_;      // of a step in parts: as far as it is made, and where its last part began
};

GeneralizedAlphaStepper::GeneralizedAlphaStepper(const GeneralizedAlphaOptions& options, const System& system,
                                                 ConeSolver& solver, StopToken stop)
    : options_(options),
      system_(system),
      step_(options, system, stop),
      newton_(step_),
      nested_(step_, solver),
      instant_(system, solver, stop),
      fixed_point_(step_),
      estimate_(system),
      undetermined_(step_, options.contact_forces),
      certificate_(step_),
      balance_(system),
      nested_x_(step_.x),
      newton_x_(step_.x),
      chosen_x_(step_.x),
      chosen_elements_(step_.elements) {
  nonconservative_.setZero(system.n_u());
}

void GeneralizedAlphaStepper::initialize(State& state, StepReport& report) {
  system_.normalize(state.q);
  state.warm.clear();
  state.energy = {};
  state.energy.initial = system_.calc_kinetic_energy(state.u) + system_.calc_potential_energy(state.t, state.q);
  report = {};
  if (!step_.solve_start(state, instant_) && !instant_.joints_jump()) {
    report.status = Status::inexact;
    report.message = "no consistent accelerations and contact forces were found at the start";
  }
  undetermined_.settle_start(step_, state);
  step_.start_memory(state);
  state.remembered_inputs = state.inputs;
  state.step_size = {};
  state.step_size.speed = estimate_.size(state.u);
  state.step_size.acceleration = std::max(estimate_.size(step_.x.a), system_.gravity().norm());
  report.t = state.t;
  report.a = step_.x.a;
  report_geometry(snapshot_.take(state.t, state.q, nullptr), step_.contacts.points(), report);
  report_joints(system_, state.t, state.q, state.u, report);
  report_reactions(report);
  for (const StepElement& e : step_.elements) {
    if (e.kind != StepElement::Kind::contact || e.level < ContactLevel::velocity) continue;
    ContactReport& contact = report.contacts[e.index];
    for (int i = 0; i < e.dim; ++i) {
      contact.force[i] = step_.x.lambda(e.offset + i);
      contact.velocity[i] = e.xi[i];
    }
    contact.status =
        contact.force[0] > 0.0 ? (e.stick ? ContactStatus::stick : ContactStatus::slip) : ContactStatus::open;
  }
  report_energy(system_, state, report);
}

Status GeneralizedAlphaStepper::step(State& state, double h, double t_end, StepReport& report) {
  report.message = describe_non_finite_input(system_, state.inputs);
  if (!report.message.empty()) return report.status = Status::failed;
  solve(state, h, t_end, report);
  in_parts_ = report.status != Status::ok && may_divide();
  if (in_parts_) {
    whole_ = state;
    if (advance_in_parts(whole_, h, t_end, 1, report)) {
      whole_.step = state.step + 1;
      std::swap(state, whole_);
      return report.status;
    }
    in_parts_ = false;
    solve(state, h, t_end, report);
  }
  if (report.status != Status::failed) accept(state, report);
  return report.status;
}

/// Whether a step that no method solved may have a solution in parts: there is no proof against one.
bool GeneralizedAlphaStepper::may_divide() const {
  return options_.strategy == GeneralizedAlphaStrategy::newton && !(nested_.violation() > 0.0);
}

/// Index sets of a step can have no solution: friction percussions act on positions by dt/2 W_F Lambda_F, and lift off
/// a contact that is closed without them. Over a window of heights, that is, which other instants do not meet: such a
/// step is made in two halves, and these again. False once the shortest part is not solved: the step is then left
/// whole.
bool GeneralizedAlphaStepper::advance_in_parts(State& state, double h, double t_end, int depth, StepReport& report) {
  constexpr int kMostHalvings = 4;  // [-]
  const double half = 0.5 * h;
  StepReport first = report;  // what was spent so far
  const int iterations = report.solve.iterations;
  const int fallbacks = report.fallbacks;
  const auto advance = [&](double end, StepReport& part) {
    part_start_ = state;
    solve(state, half, end, part);
    if (part.status == Status::ok) {
      accept(state, part);
      return true;
    }
    return depth < kMostHalvings && may_divide() && advance_in_parts(state, half, end, depth + 1, part);
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
void GeneralizedAlphaStepper::join_parts(const StepReport& first, StepReport& report) const {
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
  report.fallbacks += first.fallbacks;
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

/// One try at a step, whole: all of it but the state.
void GeneralizedAlphaStepper::solve(const State& state, double h, double t_end, StepReport& report) {
  report.message.clear();
  fallbacks_ = 0;
  step_.holds = true;  // an earlier step may have been left anywhere
  const State& known = take_inputs(state);
  const State& start = state.step == 0 ? settle_start(known, h) : rescale(known, h);
  start_ = &start;
  StepSolve solve;
  const auto attempt = [&] {
    step_.r_scale = 1.0;
    step_.evaluate();
    StepSolve next = solve_step(start);
    choose(start, next);
    solve = {next.converged, solve.iterations + next.iterations};
  };
  step_.begin(start, h, t_end);
  attempt();
  // A body that was pushed may have gone where nothing was looked for: then again with what it met there.
  constexpr int kMaxExtensions = 3;  // [-] each is rare; contacts left over are met in the next step
  for (int i = 0; i < kMaxExtensions && step_.meets_others(); ++i) {
    step_.begin(start, h, t_end, true);
    attempt();
  }
  if (step_.drop_stretches()) {  // as from the beginning: nothing of the first attempt is kept
    step_.tie = 0.0;
    step_.set_start_values(start, true);
    attempt();
  }

  report.message = describe_non_finite(system_, step_.q, step_.u);
  if (report.message.empty() && !std::isfinite(step_.error())) report.message = describe_non_finite_force();
  if (!report.message.empty()) {
    report.status = Status::failed;
    return;
  }

  energy_ = state.energy;
  account_energy(state, energy_);
  q_end_ = step_.q;
  system_.normalize(q_end_);
  report.t = t_end;
  report.step = h;
  report.parts = 1;
  report.solve.iterations = solve.iterations;
  report.choices = step_.count_choices();
  report.a = step_.x.a;
  const int unbalanced = balance_.find_unbalanced(step_, start);
  continues_ = undetermined_.settle_forces(step_);
  undetermined_.settle_percussions(step_);
  report_geometry(snapshot_.take(t_end, q_end_, nullptr), step_.contacts.points(), report);
  step_.stop.check();
  report_contacts(report);
  report_joints(system_, t_end, q_end_, step_.u, report);
  step_.stop.check();
  report_reactions(report);
  certify(unbalanced, report);
  step_.stop.check();
}

/// Moves the state by what was solved last.
void GeneralizedAlphaStepper::accept(State& state, StepReport& report) {
  state.energy = energy_;
  if (start_ != &state) {
    state.memory = start_->memory;
    state.contacts = start_->contacts;
  }
  state.remembered_inputs = state.inputs;
  state.q = q_end_;
  state.u = step_.u;
  state.t = step_.t_end;
  ++state.step;
  // Accelerations go on smoothly unless the step had an impact: then its velocity jump is of the size of dt a or more.
  constexpr double kSmooth = 0.1;  // [-]
  step_.save_memory(state, continues_ && step_.x.U.norm() <= kSmooth * step_.h * step_.x.a.norm());
  report_energy(system_, state, report);
}

/// Which body's balance of forces is not finite.
std::string GeneralizedAlphaStepper::describe_non_finite_force() const {
  for (const Body& body : system_.bodies()) {
    if (!step_.r1.segment(body.u_offset, body.n_u).allFinite()) return "body '" + body.name + "': force is not finite";
  }
  return "a contact or joint force is not finite";
}

/// Newton's method from the last forces, then with half the prox parameters, or, of many contacts, the nested cone
/// problems; where these do not converge, nested cone problems as of few contacts, each few passes followed by Newton's
/// method from where they lead.
StepSolve GeneralizedAlphaStepper::solve_step(const State& state) {
  constexpr int kMaxNewton = 30;     // [-] more than any index set needs to settle
  constexpr int kRounds = 3;         // [-] of nested passes and Newton
  constexpr int kPasses = 4;         // [-] nested passes in a round
  constexpr int kPassesOfMany = 20;  // [-] the same where they come first
  if (options_.strategy == GeneralizedAlphaStrategy::fixed_point) return fixed_point_.solve(step_, newton_);
  step_.set_fastest();
  nested_.forget_proof();
  StepSolve total;
  double least_of_newton = std::numeric_limits<double>::infinity();
  const auto by_newton = [&](bool search) {
    const StepSolve solve = newton_.solve(step_, kMaxNewton, search);
    total.iterations += solve.iterations;
    if (!solve.converged && step_.error() < least_of_newton && step_.is_explained()) {
      least_of_newton = step_.error();
      newton_x_ = step_.x;
    }
    return solve.converged;
  };
  if (step_.error() > 1.0 && GeneralizedAlphaNewton::is_large(step_)) {
    total = nested_.solve_many(step_, kPassesOfMany);
  } else {
    total.converged = by_newton(false);
    if (!total.converged) {
      step_.r_scale = 0.5;
      step_.set_start_values(state, false);
      step_.evaluate();
      total.converged = by_newton(true);
    }
  }
  if (total.converged) return total;
  step_.r_scale = 1.0;
  step_.set_start_values(state, false);
  step_.evaluate();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRounds; ++i) {
    const StepSolve solve = nested_.solve(step_, kPasses);
    fallbacks_ += solve.iterations;
    if ((total.converged = solve.converged)) return total;
    if (step_.error() < least && step_.is_explained()) {
      least = step_.error();
      nested_x_ = step_.x;
    }
    // More passes would turn bodies until walls that close on them let them go.
    if (nested_.violation() > 0.0) break;
    if ((total.converged = by_newton(true))) return total;
  }
  // The nested problems balance all forces and hold the law of impact to their solver's tolerance, whatever is left;
  // an iterate of Newton's method that does not converge can be anything, and serves only where stiff forces, which
  // the nested problems take as they are, have thrown these far off.
  constexpr double kFarOff = 1e3;  // [-]
  if (std::isfinite(least) || std::isfinite(least_of_newton)) {
    step_.x = least <= kFarOff * least_of_newton ? nested_x_ : newton_x_;
  } else if (std::isfinite(step_.error())) {
    step_.set_start_values(state, false);  // all of them were too fast
  }
  newton_.judge_balanced(step_);
  return total;
}

/// Where a contact's normal force hardly pushes it apart, by way of the friction that comes with it, the step may have
/// several solutions [Capobianco2021, section 10.4], and which of them a Newton method finds is a matter of its
/// starting values and prox parameters. The rule: it opens; if that is no solution, it slides on; only if that is none
/// either, it stops by an impact. Of several such contacts one after the other.
void GeneralizedAlphaStepper::choose(const State& state, StepSolve& solve) {
  if (options_.strategy == GeneralizedAlphaStrategy::fixed_point) return;
  constexpr double kNear = 0.1;  // [-] A / G_NN changes within the step, by more in an impact than in sliding
  bool moved = false;
  for (StepElement& e : step_.elements) e.chosen = false;
  const auto keep = [this] {
    chosen_x_ = step_.x;
    chosen_elements_ = step_.elements;
    chosen_tie_ = step_.tie;
  };
  for (StepElement& e : step_.elements) {
    step_.stop.check();
    if (e.level < ContactLevel::velocity || !step_.could_choose(e, state, kNear)) continue;
    moved = true;
    keep();
    const Held known = !solve.converged ? Held::no : (e.stick ? Held::stopped : Held::sliding);
    int solutions = 0;
    Held first = Held::no;
    for (const Held held : {Held::open, Held::sliding, Held::stopped}) {
      if (held != known) {
        e.held = held;
        if (!solve_held(state, solve)) continue;
      }
      if (++solutions > 1) break;
      first = held;
      if (held != known) keep();
    }
    step_.x = chosen_x_;
    step_.elements = chosen_elements_;  // of the same size: e stays where it is
    step_.tie = chosen_tie_;
    e.chosen = solutions > 1;
    e.held = first;
    solve.converged |= solutions > 0;
    newton_.judge(step_);
  }
  if (moved) {
    for (StepElement& e : step_.elements) e.held = Held::no;
    step_.evaluate();
  }
  step_.mark_opened(state);
}

/// A solution with contacts held, which is one without as well.
bool GeneralizedAlphaStepper::solve_held(const State& state, StepSolve& solve) {
  constexpr int kMaxNewton = 30;  // [-]
  step_.tie = 0.0;
  step_.r_scale = 1.0;
  step_.set_start_values(state, true);
  step_.evaluate();
  const StepSolve held = newton_.solve(step_, kMaxNewton);
  solve.iterations += held.iterations;
  if (!held.converged) return false;
  step_.holds = false;
  const bool found = step_.evaluate() <= 1.0;
  step_.holds = true;
  return found;
}

/// `unbalanced`: a body whose momentum is not balanced, -1: none.
void GeneralizedAlphaStepper::certify(int unbalanced, StepReport& report) {
  const bool is_certified = certificate_.judge(step_, report);
  report.status = step_.error() <= 1.0 && is_certified && unbalanced < 0 ? Status::ok : Status::inexact;
  report.solve.status = report.status;
  report.fallbacks = fallbacks_;
  const bool is_ok = report.status == Status::ok;
  report.solve.violation = is_ok ? 0.0 : nested_.violation();
  report.solve.bound = is_ok ? 0.0 : nested_.bound();
  const bool is_only_unbalanced = step_.error() <= 1.0 && is_certified;
  report.solve.message = is_ok                          ? ""
                         : report.solve.violation > 0.0 ? "no solution exists; this step is near the least violation"
                         : is_only_unbalanced           ? "the momentum of a body is not balanced"
                                                        : "the residual of the step is above the tolerance";
  if (is_ok) return;
  report.message = report.solve.message;
  if (is_only_unbalanced) report.message += ": '" + system_.bodies()[unbalanced].name + "'";
}

/// The state with its memory as if its inputs had acted before; the state itself where nothing changes.
const State& GeneralizedAlphaStepper::take_inputs(const State& state) {
  inputs_changed_ = !(state.inputs == state.remembered_inputs);
  if (!inputs_changed_) return state;
  moved_ = state;
  nested_.calc_jump(step_, state);
  step_.move_memory(moved_);
  return moved_;
}

/// The state with its memory as of steps of length h; the state itself where nothing changes.
const State& GeneralizedAlphaStepper::rescale(const State& state, double h) {
  const double last_h = step_.remembered_step(state);
  if (last_h == 0.0 || last_h == h) return state;
  rescaled_ = state;
  step_.rescale_memory(rescaled_, h / last_h);
  return rescaled_;
}

/// Forces at the start that stop a sliding contact within the first step do not last: taken as the memory of the step
/// they would move bodies by dt^2 a, far beyond the dt u by which friction can move them. Such contacts start from the
/// forces of sticking.
const State& GeneralizedAlphaStepper::settle_start(const State& state, double h) {
  if (!step_.settle_start(state, h, instant_)) return state;
  undetermined_.settle_start(step_, state);
  step_.start_memory(rescaled_ = state);
  return rescaled_;
}

void GeneralizedAlphaStepper::estimate_errors(const State& before, const State& /*after*/, StepEstimate& estimate) {
  estimate_.calc(in_parts_ ? part_start_ : inputs_changed_ ? moved_ : before, step_, estimate);
  estimate.in_parts = in_parts_;
}

void GeneralizedAlphaStepper::forget(State& state) const {
  step_.forget_past(state);
}

/// Work and dissipation of second order; the scheme itself does not balance energy exactly. With gamma = W^T u + tau,
/// tau from prescribed motions, P . gamma is taken by contacts and dry friction and P . tau is put in. While forces act
/// smoothly gamma is that of the middle of the step, gamma' - dt/2 gamma_dot'; in an impact, the mean of before and
/// after it.
void GeneralizedAlphaStepper::account_energy(const State& state, EnergyLedger& ledger) {
  // The impulsive part is the larger one in an impact, and of third order in smooth motion.
  constexpr double kImpact = 0.1;  // [-] of P
  std::array<double, kMaxElementDim> before;
  std::array<double, kMaxElementDim> after;
  std::array<double, kMaxElementDim> tau_start;
  for (const StepElement& e : step_.elements) {
    if (!e.evaluated) continue;
    double squared_P = 0.0;
    double squared_Lambda = 0.0;
    for (int i = 0; i < e.dim; ++i) {
      squared_P += step_.P(e.offset + i) * step_.P(e.offset + i);
      squared_Lambda += step_.x.Lambda(e.offset + i) * step_.x.Lambda(e.offset + i);
    }
    if (squared_P == 0.0) continue;
    // Joints are held before and after an impact.
    const bool smooth = e.kind == StepElement::Kind::joint ||
                        (e.level == ContactLevel::acceleration && squared_Lambda <= kImpact * kImpact * squared_P);
    step_.multiply_transposed(e, step_.u, after.data());
    if (!smooth) step_.multiply_transposed(e, state.u, before.data());
    const bool driven = step_.calc_prescribed_velocity(e, state.t, state.q, tau_start.data());
    for (int i = 0; i < e.dim; ++i) {
      const double p = step_.P(e.offset + i);
      const double gamma = e.xi[i] - e.gamma_start[i];
      const double tau = driven ? gamma - after[i] : 0.0;
      const double middle = smooth ? gamma - 0.5 * step_.h * e.gamma_dot[i] : 0.5 * (before[i] + tau + gamma);
      if (e.kind != StepElement::Kind::joint) ledger.dissipated -= p * middle;
      if (driven) ledger.work -= p * 0.5 * (tau_start[i] + tau);
    }
  }
  if (system_.forces().empty() && system_.joints().empty() && step_.inputs.empty()) return;
  const auto calc_power = [&](double t, const Vector& q, const Vector& u) {
    system_.calc_nonconservative_forces(t, q, u, nonconservative_);
    system_.add_input_forces(step_.inputs, t, q, nonconservative_);
    return nonconservative_.dot(u) + system_.calc_prescribed_power(t, q, u);
  };
  ledger.work += 0.5 * step_.h * (calc_power(state.t, state.q, state.u) + calc_power(step_.t_end, step_.q, step_.u));
}

/// Reactions of the joints at the end of the step.
void GeneralizedAlphaStepper::report_reactions(StepReport& report) const {
  add_joint_drives(system_, step_.inputs, step_.t_end, step_.q, step_.u, report);
  for (const StepElement& e : step_.elements) {
    const JointVector lambda = step_.x.lambda.segment(e.offset, std::min(e.dim, kMaxJointDim));
    if (e.kind == StepElement::Kind::joint) {
      add_reaction(system_.calc_joint_reaction(e.index, step_.t_end, step_.q, lambda), report.joints[e.index]);
    } else if (e.kind == StepElement::Kind::dry_friction) {
      add_dry_friction(system_, e.index, step_.t_end, step_.q, lambda, report);
    } else {
      add_joint_limit(system_, step_.contacts.points()[e.index], step_.t_end, step_.q, lambda(0), report);
    }
  }
}

void GeneralizedAlphaStepper::report_contacts(StepReport& report) const {
  for (const StepElement& e : step_.elements) {
    if (e.kind != StepElement::Kind::contact) continue;
    ContactReport& contact = report.contacts[e.index];
    const bool closed = e.level >= ContactLevel::velocity && step_.P(e.offset) > 0.0;
    contact.status = !closed ? ContactStatus::open : (e.stick ? ContactStatus::stick : ContactStatus::slip);
    if (closed) ++report.closed_contacts;
    for (int i = 0; i < e.dim; ++i) {
      contact.force[i] = step_.x.lambda(e.offset + i);
      contact.impulse[i] = step_.x.Lambda(e.offset + i);
      contact.percussion[i] = step_.P(e.offset + i);
      if (e.evaluated) contact.velocity[i] = e.xi[i] - e.gamma_start[i];
    }
  }
}

}  // namespace

std::unique_ptr<TimeStepper> make_generalized_alpha(const GeneralizedAlphaOptions& options, const System& system,
                                                    ConeSolver& solver, StopToken stop) {
  options.check();
  return std::make_unique<GeneralizedAlphaStepper>(options, system, solver, stop);
}

}  // namespace stickslip
