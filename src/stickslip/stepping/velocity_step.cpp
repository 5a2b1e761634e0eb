// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/velocity_step.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/base/make_room.h"
#include "stickslip/base/phase_clock.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/contact_work.h"
#include "stickslip/math/round_off.h"
#include "stickslip/stepping/begin_run.h"
#include "stickslip/stepping/solve_nearer.h"

namespace stickslip {
namespace {

/// How exactly the velocities by which joints move bodies are found, relative to those of bodies: rows that depend on
/// each other are fulfilled to the tolerance of the solver, and at rest zeta is no more than its round-off. [-]
constexpr double kLooksAhead = 1e-12;
constexpr int kLooksAheadMost = 100;  // iterations

}  // namespace

VelocityStep::VelocityStep(const System& system, ConeSolver& solver, StopToken stop, bool eases)
    : system_(system),
      solver_(solver),
      stop_(stop),
      eases_(eases),
      tolerance_(solver.tolerance()),
      contacts_(system, stop),
      constraints_(system, stop),
      has_motions_(system.has_surface_velocities() ||
                   std::ranges::any_of(system.bodies(), [](const Body& b) { return b.type == BodyType::moving; })),
      start_impact_(system, stop),
      phased_(system, solver, stop),
      implicit_(system, stop),
      adhesion_(system),
      servos_(system),
      ahead_(system) {
  for (Vector* v : {&u_end_, &force_, &nonconservative_}) v->resize(system.n_u());
  if (has_adhesion()) adhesive_.setZero(system.n_u());
  look_within(0.0);
}

void VelocityStep::initialize(State& state, StepReport& report) {
  begin_run(system_, state, report);
  report.a.setConstant(system_.n_u(), kUnknown);
  BodySnapshot start(system_);
  start.take(state.t, state.q, nullptr);
  contacts_.find_touching(start);
  report_geometry(start, contacts_.points(), report, kUnknown);
  report_joints(system_, state.t, state.q, state.u, report);
  report_energy(system_, state, report);
  report.applied_impulse.assign(system_.bodies().size(), Vector3::Zero());
}

const State& VelocityStep::settle_start(const State& state) {
  goes_on_ = false;
  is_implicit_ = false;
  tolerance_ = solver_.tolerance();  // until solve() knows the contacts
  constraints_.set_implicit(nullptr);
  constraints_.set_servos(nullptr);
  return start_impact_.settle(constraints_, state);
}

bool VelocityStep::begin_servos(const State& state, double t_end, StepReport& report) {
  report.message = servos_.begin(state, t_end);
  constraints_.set_servos(&servos_);
  return report.message.empty();
}

void VelocityStep::find_adhesion(const BodySnapshot& at) {
  adhesive_.setZero();
  adhesion_.add_forces(at, contacts_.points(), adhesive_);
}

bool VelocityStep::are_given_finite(const Inputs& inputs, std::initializer_list<double> times,
                                    StepReport& report) const {
  report.message = describe_non_finite_input(system_, inputs);
  if (!report.message.empty()) return false;
  if (!has_motions_) return true;
  for (const double t : times) {
    report.message = describe_non_finite_motion(system_, t);
    if (!report.message.empty()) return false;
  }
  return true;
}

void VelocityStep::calc_implicit_free_velocity(const State& state, const Inputs& inputs, double h, double t_end,
                                               const Vector& u_work, Vector& u_free) {
  q_dot_.resize(system_.n_q());
  system_.calc_coordinate_rates(state.q, state.u, q_dot_);
  q_ahead_ = state.q + 0.5 * h * q_dot_;
  t_ahead_ = 0.5 * (state.t + t_end);
  system_.normalize(t_ahead_, q_ahead_);
  implicit_.linearise(state, t_ahead_, q_ahead_, h);
  servos_.add_springs(t_ahead_, q_ahead_);
  is_implicit_ = true;
  if (implicit_.change_mass()) constraints_.set_implicit(&implicit_);
  system_.calc_applied_forces(t_ahead_, q_ahead_, state.u, force_, JointSprings::left_out);
  add_input_forces(inputs, t_ahead_, q_ahead_, force_);
  if (has_adhesion()) force_ += adhesive_;
  u_free = u_work - state.u;
  system_.multiply_mass(u_free, nonconservative_);
  force_ = h * force_ + nonconservative_ + implicit_.pull();
  implicit_.solve(force_, u_free);
  u_free += state.u;
}

/// What the projection will do to joints at constant velocities: with zeta in gamma' = J u' + zeta the displacement h
/// d, J d + h/2 zeta = 0, the least one in the metric of the masses. Motions of joints lead them to where they are by
/// themselves.
void VelocityStep::look_ahead(const BodySnapshot& at, double h) {
  constraints_.set_ahead(nullptr);
  if (system_.joints().empty() || !constraints_.may_carry(at, contacts_.points(), h)) return;
  constraints_.gather_positions(at, no_points_, 0.0);
  ConeProblem& problem = constraints_.problem();
  JointVector zeta;
  for (int i = 0; i < constraints_.count(); ++i) {
    const int j = constraints_.index(i);
    const Joint& joint = system_.joints()[j];
    system_.calc_joint_acceleration_bias(j, at.t(), at.q(), at.u(), zeta);
    if (joint.options.motion) zeta(ConstraintSet::motion_row(joint)) += joint.motion_acceleration.value(at.t());
    for (int r = 0; r < problem.cones[i].dim; ++r) problem.b[problem.cones[i].offset + r] = 0.5 * h * zeta(r);
  }
  solution_.p.assign(problem.size(), 0.0);
  const double exactness = kLooksAhead * at.u().lpNorm<Eigen::Infinity>();
  if (ConstVectorView(problem.b.data(), problem.size()).lpNorm<Eigen::Infinity>() <= exactness) return;
  const SolveReport report = solver_.solve(
      problem, {.absolute = exactness, .may_give_up = true, .most_iterations = kLooksAheadMost}, solution_);
  if (report.status != Status::ok) return;
  constraints_.calc_generalized_percussions(solution_.p, force_);
  system_.solve_mass(force_, u_end_);
  u_end_ += at.u();
  if (!u_end_.allFinite()) return;
  ahead_.take(at.t(), at.q(), &u_end_);
  constraints_.set_ahead(&ahead_);
}

/// A step without constraints.
Status VelocityStep::fly(const Vector& u_free, StepReport& report) {
  u_end_ = u_free;
  solution_.p.clear();
  solution_.u.clear();
  gamma_end_.clear();
  report.solve = {};
  report.message.clear();
  report.coulomb_residual = 0.0;
  report.choices = 0;
  constraints_.report_worst(report.solve.residual, report);
  return Status::ok;
}

/// Pairs of bodies with contacts in the problem.
int VelocityStep::count_pairs() {
  pairs_.clear();
  for (int i = 0; i < constraints_.count() && constraints_.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const ContactPoint& point = contacts_.points()[constraints_.index(i)];
    const std::pair<int, int> bodies =
        std::minmax({system_.body(point, Side::first), system_.body(point, Side::second)});
    if (pairs_.empty() || pairs_.back() != bodies) append(pairs_, bodies);
  }
  // Points go by shapes, so those of two bodies with several shapes each need not be one after the other.
  if (!std::ranges::is_sorted(pairs_)) std::ranges::sort(pairs_);
  return static_cast<int>(std::unique(pairs_.begin(), pairs_.end()) - pairs_.begin());
}

void VelocityStep::go_on() {
  constraints_.save_warm(solution_, warm_);
  goes_on_ = true;
}

/// Solves the CCP (10) [Negrut2017], u = W p + b with b = J u_free + tau + added.
Status VelocityStep::solve(const Vector& u_free, const State& state, StepReport& report) {
  ConeProblem& problem = constraints_.problem();
  tolerance_ = eases_ ? calc_contact_tolerance(count_pairs()) : solver_.tolerance();
  report.tolerance = tolerance_;
  if (constraints_.count() == 0) return fly(u_free, report);
  const auto n = static_cast<std::size_t>(constraints_.size());
  const bool adds = !added_.empty();
  STICKSLIP_ASSERT(!adds || (added_.size() == n && added_sizes_.size() == n));
  for (std::size_t row = 0; row < n; ++row) {
    problem.b[row] = constraints_.tau(static_cast<int>(row)) + (adds ? added_[row] : 0.0);
  }
  std::vector<double>& speeds = solution_.u;  // that b is the sum of
  make_room(speeds, n);
  speeds.assign(n, 0.0);
  constraints_.add_relative_velocities(u_free, problem.b, speeds);
  double squared = 0.0;
  for (std::size_t row = 0; row < n; ++row) {
    const double size =
        speeds[row] + std::abs(constraints_.tau(static_cast<int>(row))) + (adds ? added_sizes_[row] : 0.0);
    squared += size * size;
  }
  problem.floor = kSumRoundOff * std::sqrt(squared);

  constraints_.load_warm(goes_on_ ? warm_ : state.warm, solution_);
  int iterations = 0;
  do {
    const PhaseScope phase(Phase::solve);
    report.solve = solve_nearer(solver_, problem, nearest_, tolerance_, solution_);
    iterations = report.solve.iterations += iterations;
  } while (report.solve.status != Status::failed && constraints_.restore_static_friction(solution_.u, added_));
  constraints_.report_worst(report.solve.residual, report);
  report.message = report.solve.message;
  if (report.solve.status == Status::failed) return Status::failed;

  stop_.check();
  set_end(u_free);
  const bool is_exact = problem.law == FrictionLaw::coulomb && !constraints_.has_polygon();
  report.coulomb_residual = is_exact ? report.solve.residual.absolute : constraints_.calc_exact_residual(solution_.p);
  report.choices = report.solve.choices;
  return report.solve.status;
}

/// u' = u_free + M^-1 J^T p: (5b) [Negrut2017], (25) [Trinkle2003]; and the relative velocities at the end.
void VelocityStep::set_end(const Vector& u_free) {
  constraints_.calc_generalized_percussions(solution_.p, force_);
  is_implicit_ ? implicit_.solve(force_, u_end_) : system_.solve_mass(force_, u_end_);
  u_end_ += u_free;
  gamma_end_.resize(added_.size());
  for (std::size_t row = 0; row < gamma_end_.size(); ++row) gamma_end_[row] = solution_.u[row] - added_[row];
}

Status VelocityStep::solve_impact(const Vector& u, std::span<const double> e, const State& state, StepReport& report) {
  const Status compressed = solve(u, state, report);
  const bool has_phases = std::ranges::any_of(e, [](double x) { return x >= 0.0; });
  if (compressed == Status::failed || !has_phases) return compressed;
  const Status expanded = phased_.expand(constraints_, contacts_.points(), e, added_, tolerance_, solution_);
  if (expanded == Status::failed) report.message = "the expansion of an impact was not solved";
  report.solve.status = std::max(report.solve.status, expanded);
  if (expanded != Status::failed) set_end(u);
  return report.solve.status;
}

void VelocityStep::add_percussions(std::span<const double> p) {
  for (std::size_t row = 0; row < p.size(); ++row) solution_.p[row] += p[row];
}

void VelocityStep::account_energy(const Inputs& inputs, double t, const Vector& q, const Vector& u,
                                  const Vector& u_work, double h, EnergyLedger& ledger) {
  std::vector<double>& gamma_work = constraints_.problem().b;
  const std::span<const double> gamma_end = this->gamma_end();
  constraints_.get_tau_at_start(gamma_work);
  constraints_.add_relative_velocities(u_work, gamma_work);
  double made = 0.0;  // [J] by contacts
  contact_work_ = {};
  for (int i = 0; i < constraints_.count(); ++i) {
    const Cone& cone = constraints_.problem().cones[i];
    const bool is_contact = constraints_.kind(i) == ConstraintSet::Kind::contact;
    if (constraints_.kind(i) == ConstraintSet::Kind::servo) {
      const ServoRows::Row& servo = servos_.rows()[constraints_.index(i)];
      const double p = solution_.p[cone.offset];
      const double at_end = gamma_end[cone.offset] - servo.shift - servo.compliance * p;
      const double way = 0.5 * (gamma_work[cone.offset] + at_end);
      if (!servo.is_spring || servo.stiffness == 0.0) {
        ledger.work += p * way;
        continue;
      }
      // The rest of p has a potential, into which prescribed motions put work.
      const double damped = -h * servo.damping * (at_end / servo.scale + servo.moved);
      ledger.work += damped * way / servo.scale - (servo.scale * p - damped) * servo.moved;
      continue;
    }
    for (int row = cone.offset; row < cone.offset + cone.dim; ++row) {
      const double p = solution_.p[row];
      if (constraints_.kind(i) != ConstraintSet::Kind::joint) {
        const double work = p * 0.5 * (gamma_work[row] + gamma_end[row]);
        ledger.dissipated -= work;
        if (is_contact) made += work;
      }
      ledger.work -= p * constraints_.tau_at_instant(row);
    }
  }
  if (!(made <= 0.0)) account_contacts(h, gamma_work, gamma_end);
  const JointSprings springs = this->springs();
  system_.calc_nonconservative_forces(t, q, u, nonconservative_, springs);
  add_input_forces(inputs, t, q, nonconservative_);
  if (has_adhesion()) nonconservative_ += adhesive_;
  ledger.work += 0.5 * h * nonconservative_.dot(u_work + u_end_);
  ledger.work += h * system_.calc_prescribed_power(t, q, u, springs);
  if (!is_implicit_ || system_.state_forces().empty()) return;
  // Those that depend on the state are implicit in part, and work as they were.
  system_.calc_state_forces(t, q, u, force_);
  force_ *= -h;
  implicit_.add_state_impulse(u_end_, force_);
  ledger.work += 0.5 * force_.dot(u_work + u_end_);
}

/// What contacts make, and how much of it their law forbids. What a scheme adds to a normal row may be restitution, or
/// take back an overlap: that is a correction, as far as it does not pass the overlap within the step.
void VelocityStep::account_contacts(double h, std::span<const double> gamma_work, std::span<const double> gamma_end) {
  std::array<double, kMaxConeDim> before;
  std::array<double, kMaxConeDim> after;
  std::array<double, kMaxConeDim> law;
  ContactWorkSum sum;
  const ConeProblem& problem = constraints_.problem();
  for (int i = 0; i < constraints_.count() && constraints_.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const Cone& cone = problem.cones[i];
    if (!(solution_.p[cone.offset] > 0.0)) continue;
    const ConstraintSet::Restitution e = constraints_.restitution(i);
    for (int r = 0; r < cone.dim; ++r) {
      const int row = cone.offset + r;
      before[r] = gamma_work[row];
      after[r] = gamma_end[row];
      law[r] = added_.empty() ? 0.0 : added_[row];
    }
    const double returned = e.normal * std::min(constraints_.gamma()[cone.offset], 0.0);
    const double overlap = std::max(-constraints_.gap(i), 0.0);
    const double correction = h > 0.0 ? std::clamp(returned - law[0], 0.0, overlap / h) : 0.0;
    before[0] -= correction;
    after[0] -= correction;
    law[0] = std::max(law[0] + correction, returned);
    const ContactPoint& point = contacts_.points()[constraints_.index(i)];
    double mu = 0.0;
    for (const FrictionBlock& block : problem.friction(cone)) mu += block.mu;
    sum.add(system_.body(point, Side::first), system_.body(point, Side::second), cone.dim, mu,
            constraints_.has_phases(i) ? std::numeric_limits<double>::infinity() : e.normal,  // no ratio of velocities
            cone.n_blocks > 1 ? 0.0 : e.tangential,  // turning is not given back
            solution_.p.data() + cone.offset, before.data(), after.data(), law.data());
  }
  contact_work_ = sum.result();
}

void VelocityStep::calc_implicit_impulse(const Vector& u_work, Vector& impulse) {
  nonconservative_ = u_end_ - u_work;
  system_.multiply_mass(nonconservative_, impulse);
  if (constraints_.count() == 0) return;
  constraints_.calc_generalized_percussions(solution_.p, nonconservative_);
  impulse -= nonconservative_;
}

void VelocityStep::report_forces(double h, const Inputs& inputs, double t, const Vector& q, const Vector& u,
                                 const Vector* impulse, StepReport& report) {
  const PhaseScope phase(Phase::report);
  report.status = report.solve.status;
  report.step = h;
  report.contact_work = contact_work_;
  begin_joints(system_, report);
  constraints_.report_percussions(solution_, gamma_end(), h, kUnknown, report);
  stop_.check();
  add_joint_drives(system_, inputs, t, q, u, report, springs());
  for (const JointInput& known : servos_.known().joints()) add_joint_effort(system_, known, t, q, report);
  if (impulse != nullptr) report_applied_impulse(system_, *impulse, h, report);
  constraints_.add_reactions(solution_, h, report);
  servos_.keep_limits(report);
  start_impact_.add_reactions(h, report);
  constraints_.save_warm(solution_, warm_);
}

void VelocityStep::report_places(const BodySnapshot& end, StepReport& report) const {
  const PhaseScope phase(Phase::report);
  report.t = end.t();
  report_joint_places(system_, end.t(), end.q(), u_end_, report);
  stickslip::report_places(end, contacts_.points(), kUnknown, report);
}

Status VelocityStep::finish(const EnergyLedger& energy, const Vector& q_end, double t_end, State& state,
                            StepReport& report) {
  stop_.check();
  state.energy = energy;
  state.q = q_end;
  state.u = u_end_;
  state.t = t_end;
  ++state.step;
  std::swap(state.warm, warm_);
  report_energy(system_, state, report);
  return report.status;
}

}  // namespace stickslip
