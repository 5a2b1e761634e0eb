// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/moreau.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/input_error.h"
#include "stickslip/base/make_room.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/constraints/constraint_set.h"
#include "stickslip/constraints/contact_finder.h"
#include "stickslip/stepping/free_rotation.h"
#include "stickslip/stepping/start_impact.h"

namespace stickslip {
namespace {

/// Round-off in a sum over the velocities of two bodies, as a multiple of the spacing of numbers and of the terms. [-]
constexpr double kRoundOff = 4.0 * std::numeric_limits<double>::epsilon();
/// What a report says of accelerations and impulses, which the scheme does not know.
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

class MoreauStepper final : public TimeStepper {
 public:
  MoreauStepper(const MoreauOptions& options, const System& system, ConeSolver& solver, StopToken stop);

  std::string_view name() const override { return MoreauOptions::kTraits.name; }
  void initialize(State& state, StepReport& report) override;
  Status step(State& state, double h, double t_end, StepReport& report) override;

 private:
  const State& settle_start(const State& state);
  bool are_given_finite(const Inputs& inputs, double t_mid, double t_end, StepReport& report) const;
  bool calc_free_velocity(const State& state, double h, double t_mid, StepReport& report);
  void calc_free_relative_velocities();
  template <class F>
  void for_each_row(F&& f) const;
  void calc_end_velocity();
  void account_energy(const State& state, double h, EnergyLedger& ledger);

  MoreauOptions options_;
  const System& system_;
  ConeSolver& solver_;
  StopToken stop_;
  ContactFinder contacts_;
  ConstraintSet constraints_;
  StartImpact start_impact_;
  State settled_;     // the start, after its impact
  bool has_motions_;  // whether a body moves as prescribed

  // Workspace, kept from step to step.
  BodySnapshot outer_, middle_;  // at (t, q, u), then (t', q'); at (t_m, q_m, u)
  ConeSolution solution_;
  std::vector<double> gamma_end_;  // (n) [m/s] of u_end_; before the solve the speeds that b is the sum of
  std::vector<double> residual_work_;
  Vector q_mid_, q_end_;    // (n_q)
  Vector u_free_, u_end_;   // (n_u) [m/s, rad/s]
  Vector u_work_;           // (n_u) [m/s, rad/s] u_free without the applied forces: u, turned by the gyroscopic term
  Vector force_;            // (n_u) [N, N m] at (t_m, q_m, u)
  Vector nonconservative_;  // (n_u) [N, N m]
};

MoreauStepper::MoreauStepper(const MoreauOptions& options, const System& system, ConeSolver& solver, StopToken stop)
    : options_(options),
      system_(system),
      solver_(solver),
      stop_(stop),
      contacts_(system, stop),
      constraints_(system, stop),
      start_impact_(system, stop),
      has_motions_(std::ranges::any_of(system.bodies(), [](const Body& b) { return b.type == BodyType::moving; })),
      outer_(system),
      middle_(system) {
  q_mid_.resize(system.n_q());
  q_end_.resize(system.n_q());
  for (Vector* v : {&u_free_, &u_end_, &u_work_, &force_, &nonconservative_}) v->resize(system.n_u());
}

void MoreauStepper::initialize(State& state, StepReport& report) {
  system_.normalize(state.q);
  state.memory.resize(0);
  state.warm.clear();
  state.contacts.clear();
  state.remembered_inputs.clear();
  state.energy = {};
  state.energy.initial = system_.calc_kinetic_energy(state.u) + system_.calc_potential_energy(state.t, state.q);
  report = {};
  report.t = state.t;
  report.a.setConstant(system_.n_u(), kUnknown);
  outer_.take(state.t, state.q, nullptr);
  contacts_.find_touching(outer_);
  report_geometry(outer_, contacts_.points(), report, kUnknown);
  report_joints(system_, state.t, state.q, state.u, report);
  report_energy(system_, state, report);
}

Status MoreauStepper::step(State& state, double h, double t_end, StepReport& report) {
  const double h1 = (1.0 - options_.theta) * h;
  const double h2 = options_.theta * h;
  const double t_mid = state.t + h1;
  report.message.clear();
  if (!are_given_finite(state.inputs, t_mid, t_end, report)) return report.status = Status::failed;

  const State& start = settle_start(state);
  q_mid_ = start.q;
  system_.advance(h1, start.u, q_mid_);
  if (!calc_free_velocity(start, h, t_mid, report)) return report.status = Status::failed;

  if (contacts_.detects()) {
    outer_.take(start.t, start.q, &start.u);
    contacts_.find(outer_, t_end);
  }
  middle_.take(t_mid, q_mid_, &start.u);
  constraints_.gather(middle_, contacts_.points(), options_.activation, h);
  calc_free_relative_velocities();

  constraints_.load_warm(state.warm, solution_);
  report.solve = solver_.solve(constraints_.problem(), solution_);
  constraints_.report_worst(report.solve.residual, report);
  report.message = report.solve.message;
  if (report.solve.status == Status::failed) return report.status = Status::failed;

  stop_.check();
  calc_end_velocity();
  q_end_ = q_mid_;
  system_.advance(h2, u_end_, q_end_);
  system_.normalize(q_end_);
  if (!q_end_.allFinite() || !u_end_.allFinite()) {
    report.message += describe_non_finite(system_, q_end_, u_end_);
    return report.status = Status::failed;
  }

  report.coulomb_residual =
      constraints_.problem().law == FrictionLaw::coulomb
          ? report.solve.residual.absolute
          : calc_residual(constraints_.problem(), FrictionLaw::coulomb, solution_.p, residual_work_).absolute;
  EnergyLedger energy = start.energy;
  account_energy(start, h, energy);
  report.status = report.solve.status;
  report.t = t_end;
  report.step = h;
  report.choices = report.solve.choices;
  outer_.take(t_end, q_end_, nullptr);
  contacts_.extend(outer_);
  stop_.check();
  report_joints(system_, t_end, q_end_, u_end_, report);
  constraints_.report_contacts(outer_, solution_, gamma_end_, h, kUnknown, report);
  stop_.check();
  add_joint_drives(system_, state.inputs, t_mid, q_mid_, u_work_, report);  // planar: u_work is u
  constraints_.add_reactions(solution_, h, report);
  if (&start != &state) start_impact_.add_reactions(h, report);

  // Last of all, so that the step can be left before.
  stop_.check();
  state.energy = energy;
  state.q = q_end_;
  state.u = u_end_;
  state.t = t_end;
  ++state.step;
  constraints_.save_warm(solution_, state.warm);
  report_energy(system_, state, report);
  return report.status;
}

/// The state with velocities that joints allow; the state itself where it has them, and after the first step.
const State& MoreauStepper::settle_start(const State& state) {
  if (state.step > 0) return state;
  settled_ = state;
  return start_impact_.act(constraints_, settled_) ? settled_ : state;
}

/// Whether inputs and prescribed motions are finite.
bool MoreauStepper::are_given_finite(const Inputs& inputs, double t_mid, double t_end, StepReport& report) const {
  report.message = describe_non_finite_input(system_, inputs);
  if (!report.message.empty()) return false;
  if (!has_motions_) return true;
  for (const double t : {t_mid, t_end}) {
    report.message = describe_non_finite_motion(system_, t);
    if (!report.message.empty()) return false;
  }
  return true;
}

/// u_free = u + M^-1 h h(t_m, q_m, u), rotations by the exact balance of angular momentum.
bool MoreauStepper::calc_free_velocity(const State& state, double h, double t_mid, StepReport& report) {
  system_.calc_applied_forces(t_mid, q_mid_, state.u, force_);
  system_.add_input_forces(state.inputs, t_mid, q_mid_, force_);
  force_ *= h;
  system_.solve_mass(force_, u_free_);
  u_free_ += state.u;
  u_work_ = state.u;
  const std::vector<Body>& bodies = system_.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    stop_.check();
    const Body& body = bodies[i];
    if (body.type != BodyType::rigid || !body.gyroscopic) continue;
    const int row = body.u_offset + 3;
    const Matrix3 inverse_inertia = system_.inverse_mass(static_cast<int>(i)).bottomRightCorner<3, 3>();
    const FreeRotation rotation =
        solve_free_rotation(body.inertia, inverse_inertia, state.u.segment<3>(row), force_.segment<3>(row),
                            (1.0 - options_.theta) * h, options_.theta * h);
    if (!rotation.converged) {
      report.message = "body '" + body.name + "': turns too far in one step, reduce time.step";
      return false;
    }
    u_free_.segment<3>(row) = rotation.omega;
    u_work_.segment<3>(row) = rotation.omega - inverse_inertia * force_.segment<3>(row);
  }
  return true;
}

/// b = gamma(u_free) + e gamma(u): what xi is without percussions.
void MoreauStepper::calc_free_relative_velocities() {
  std::vector<double>& b = constraints_.problem().b;
  for_each_row([&](int row, double e) { b[row] = constraints_.tau(row) + e * constraints_.gamma()[row]; });
  constraints_.add_relative_velocities(u_free_, b);
  // gamma(u) is a sum of the same size.
  std::vector<double>& speeds = gamma_end_;
  make_room(speeds, b.size());
  speeds.assign(b.size(), 0.0);
  constraints_.add_speeds(u_free_, speeds);
  double squared = 0.0;
  for_each_row([&](int row, double e) {
    const double size = (1.0 + e) * (speeds[row] + std::abs(constraints_.tau(row)));
    squared += size * size;
  });
  constraints_.problem().floor = kRoundOff * std::sqrt(squared);
}

/// f(row, e) with the restitution of the row, in order.
template <class F>
void MoreauStepper::for_each_row(F&& f) const {
  for (int i = 0; i < constraints_.count(); ++i) {
    const Cone& cone = constraints_.problem().cones[i];
    const ConstraintSet::Restitution e = constraints_.restitution(i);
    f(cone.offset, e.normal);
    for (int row = cone.offset + 1; row < cone.offset + cone.dim; ++row) f(row, e.tangential);
  }
}

/// u' = u_free + M^-1 W P, and its relative velocities gamma' = xi - e gamma(u).
void MoreauStepper::calc_end_velocity() {
  constraints_.calc_generalized_percussions(solution_.p, force_);
  system_.solve_mass(force_, u_end_);
  u_end_ += u_free_;
  for_each_row([&](int row, double e) { gamma_end_[row] = solution_.u[row] - e * constraints_.gamma()[row]; });
}

/// The step balances M (u' - u_work) = h f + W P, u_work the velocity u after the gyroscopic term, which does no work;
/// times (u' + u_work) / 2 that is the change of kinetic energy. So the work of a percussion over the step is
/// P . (gamma(u_work) + gamma') / 2; what prescribed motions put in, P . tau, counts as work. Joints dissipate nothing:
/// what they take because the scheme bends their directions in steps stays visible as error of the balance.
/// The problem is done with: its b has room for gamma(u_work).
void MoreauStepper::account_energy(const State& state, double h, EnergyLedger& ledger) {
  std::vector<double>& gamma_work = constraints_.problem().b;
  constraints_.get_tau(gamma_work);
  constraints_.add_relative_velocities(u_work_, gamma_work);
  for (int i = 0; i < constraints_.count(); ++i) {
    const Cone& cone = constraints_.problem().cones[i];
    for (int row = cone.offset; row < cone.offset + cone.dim; ++row) {
      const double p = solution_.p[row];
      if (constraints_.kind(i) != ConstraintSet::Kind::joint) {
        ledger.dissipated -= p * 0.5 * (gamma_work[row] + gamma_end_[row]);
      }
      ledger.work -= p * constraints_.tau(row);
    }
  }
  const double t_mid = state.t + (1.0 - options_.theta) * h;
  system_.calc_nonconservative_forces(t_mid, q_mid_, state.u, nonconservative_);
  system_.add_input_forces(state.inputs, t_mid, q_mid_, nonconservative_);
  ledger.work += 0.5 * h * nonconservative_.dot(u_work_ + u_end_);
  ledger.work += h * system_.calc_prescribed_power(t_mid, q_mid_, state.u);
}

}  // namespace

void MoreauOptions::check() const {
  if (!(theta >= 0.0 && theta <= 1.0)) throw InputError({}, "scheme.theta", std::to_string(theta), "in [0, 1]");
  if (!std::isfinite(activation)) throw InputError({}, "scheme.activation", std::to_string(activation), "finite");
}

std::unique_ptr<TimeStepper> make_moreau(const MoreauOptions& options, const System& system, ConeSolver& solver,
                                         StopToken stop) {
  options.check();
  return std::make_unique<MoreauStepper>(options, system, solver, stop);
}

}  // namespace stickslip
