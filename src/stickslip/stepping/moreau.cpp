// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/moreau.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "stickslip/base/input_error.h"
#include "stickslip/base/make_room.h"
#include "stickslip/base/phase_clock.h"
#include "stickslip/constraints/certificate.h"
#include "stickslip/stepping/free_rotation.h"
#include "stickslip/stepping/joint_loops.h"
#include "stickslip/stepping/velocity_step.h"

namespace stickslip {
namespace {

/// Of the speeds of bodies: what rests closes by the round-off and by the tolerance of the solver. [-]
constexpr double kRests = 1e-9;

class MoreauStepper final : public TimeStepper {
 public:
  MoreauStepper(const MoreauOptions& options, const System& system, ConeSolver& solver, StopToken stop, bool eases);

  std::string_view name() const override { return MoreauOptions::kTraits.name; }
  bool knows_applied_impulses() const override { return true; }
  void initialize(State& state, StepReport& report) override { velocity_.initialize(state, report); }
  Status step(State& state, double h, double t_end, StepReport& report) override;

 private:
  bool calc_free_velocity(const State& state, double h, double theta, double t_mid, StepReport& report);
  void gather_touching(const State& state, double h);
  /// With theta = 0 positions follow the velocity at the start alone, whatever the rate.
  bool moves_by_rates(double theta) const { return projection_.has_value() && theta > 0.0; }
  void set_motions(double t, double t_end, double share);
  void add_restitution();
  Status strike(const State& state, const Vector& u, StepReport& report);

  MoreauOptions options_;
  const System& system_;
  StopToken stop_;
  VelocityStep velocity_;
  std::optional<PositionProjection> projection_;
  bool closes_loops_;  // whether joints close loops whose rows depend on each other where joints fit alone

  // Workspace, kept from step to step.
  BodySnapshot start_, middle_, end_;  // at (t, q, u); (t_m, q_m, u); (t', q')
  Vector q_mid_, q_end_, q_dot_;       // (n_q)
  Vector u_move_;                      // (n_u) what positions follow where forces are implicit
  Vector u_free_;                      // (n_u) [m/s, rad/s]
  Vector u_work_;          // (n_u) [m/s, rad/s] u_free without the applied forces: u, turned by the gyroscopic term
  Vector force_;           // (n_u) [N, N m] at (t_m, q_m, u)
  bool has_phases_;        // whether a contact has an impact law of two phases
  std::vector<double> e_;  // (cones) [-] of contacts in an impact
  std::vector<double> impact_;  // (n) [N s] percussions of the impact at the start of the step; none: there was none
  std::vector<Cone> cones_;     // those of the step, while the impact has others
  std::vector<double> motion_rates_;  // (joints) [m/s, rad/s] in their rows
  std::vector<Gyroscopic> gyroscopic_;
  const std::vector<ContactPoint> no_points_;
};

MoreauStepper::MoreauStepper(const MoreauOptions& options, const System& system, ConeSolver& solver, StopToken stop,
                             bool eases)
    : options_(options),
      system_(system),
      stop_(stop),
      velocity_(system, solver, stop, eases),
      start_(system),
      middle_(system),
      end_(system) {
  velocity_.constraints().use_finite_motions();
  if (is_on(options.projection, system)) projection_.emplace(system, solver, kCorrectionSpeed, stop);
  closes_loops_ = projection_ && has_overconstrained_loops(system);
  q_mid_.resize(system.n_q());
  q_dot_.resize(system.n_q());
  q_end_.resize(system.n_q());
  for (Vector* v : {&u_free_, &u_work_, &u_move_, &force_}) v->resize(system.n_u());
  gyroscopic_ = find_gyroscopic(system);
  motion_rates_.assign(system.joints().size(), 0.0);
  const auto has_phases = [](const ContactPair& pair) { return pair.law().impact != ImpactLaw::newton; };
  has_phases_ =
      std::ranges::any_of(system.contacts(), has_phases) || std::ranges::any_of(system.detected_pairs(), has_phases);
}

Status MoreauStepper::step(State& state, double h, double t_end, StepReport& report) {
  const bool implicit = velocity_.is_implicit(state, h);
  const double theta = implicit || velocity_.has_servos() ? 1.0 : options_.theta;
  const double h1 = (1.0 - theta) * h;
  const double h2 = theta * h;
  const double t_mid = state.t + h1;
  report.message.clear();
  if (!velocity_.are_given_finite(state.inputs, {t_mid, t_end}, report)) return report.status = Status::failed;

  const State& start = velocity_.settle_start(state);
  if (!velocity_.begin_servos(start, t_end, report)) return report.status = Status::failed;
  velocity_.constraints().set_joint_loads(state.joint_loads);
  ContactFinder& contacts = velocity_.contacts();
  if (contacts.detects()) {
    start_.take(start.t, start.q, &start.u);
    contacts.find(start_, t_end);
  }
  EnergyLedger energy = start.energy;
  q_mid_ = start.q;
  if (implicit) {
    if (velocity_.has_adhesion()) velocity_.find_adhesion(start_.take(start.t, start.q, &start.u));
    report.message = calc_mean_rotations(system_, gyroscopic_, start.u, h, stop_, u_work_);
    if (!report.message.empty()) return report.status = Status::failed;
    velocity_.calc_implicit_free_velocity(start, state.inputs, h, t_end, u_work_, u_free_);
  } else {
    system_.advance(h1, start.u, q_mid_);
    if (closes_loops_) {
      middle_.take(t_mid, q_mid_, nullptr);
      velocity_.constraints().gather(middle_, no_points_, 0.0, h);  // so that joints alone are put right
      energy.projection += projection_->project(h, velocity_, q_mid_, middle_);
    }
    if (velocity_.has_adhesion()) {
      contacts.follow(middle_.take(t_mid, q_mid_, &start.u), h1);
      velocity_.find_adhesion(middle_);
    }
    if (!calc_free_velocity(start, h, theta, t_mid, report)) return report.status = Status::failed;
  }

  middle_.take(t_mid, q_mid_, &start.u);
  contacts.follow(middle_, h1);
  if (projection_) {
    velocity_.look_ahead(middle_, h);
    gather_touching(state, h);
    if (moves_by_rates(theta)) {
      for (std::size_t i = 0; i < system_.joints().size(); ++i) {
        const Joint& joint = system_.joints()[i];
        motion_rates_[i] = joint.options.motion ? joint.motion_rate.value(t_mid) : 0.0;
      }
      set_motions(start.t, t_end, h1 / h2);
    }
  } else {
    const PhaseScope phase(Phase::gather);
    velocity_.constraints().gather(middle_, contacts.points(), options_.activation, h);
  }
  add_restitution();
  if (has_phases_ && strike(state, start.u, report) == Status::failed) return report.status = Status::failed;
  const Status struck = report.solve.status;
  if (velocity_.solve(u_free_, state, report) == Status::failed) return report.status = Status::failed;
  if (!impact_.empty()) {
    velocity_.add_percussions(impact_);
    report.solve.status = std::max(report.solve.status, struck);
  }

  q_end_ = q_mid_;
  if (implicit) {
    calc_mean_velocity(gyroscopic_, start.u, u_work_, velocity_.u_end(), u_move_);
    system_.calc_coordinate_rates(q_mid_, u_move_, q_dot_);
    q_end_ += h * q_dot_;
  } else {
    system_.advance(h2, velocity_.u_end(), q_end_);
  }
  system_.normalize(t_end, q_end_);
  if (const std::string what = describe_non_finite(system_, q_end_, velocity_.u_end()); !what.empty()) {
    report.message += what;
    return report.status = Status::failed;
  }
  end_.take(t_end, q_end_, nullptr);
  contacts.extend(end_);

  if (moves_by_rates(theta)) set_motions(start.t, t_end, 0.0);
  if (implicit) {
    velocity_.account_energy(state.inputs, velocity_.t_ahead(), velocity_.q_ahead(), velocity_.u_end(), u_work_, h,
                             energy);
    velocity_.calc_implicit_impulse(u_work_, force_);
    velocity_.report_forces(h, state.inputs, t_end, q_end_, velocity_.u_end(), &force_, report);
  } else {
    velocity_.account_energy(state.inputs, t_mid, q_mid_, start.u, u_work_, h, energy);
    // Planar: u_work is u.
    velocity_.report_forces(h, state.inputs, t_mid, q_mid_, u_work_, &force_, report);
  }
  if (projection_) energy.projection += projection_->project(h, velocity_, q_end_, end_);
  velocity_.report_places(end_, report);
  return velocity_.finish(energy, q_end_, t_end, state, report);
}

/// u_free = u + M^-1 h h(t_m, q_m, u), rotations by the exact balance of angular momentum.
bool MoreauStepper::calc_free_velocity(const State& state, double h, double theta, double t_mid, StepReport& report) {
  system_.calc_applied_forces(t_mid, q_mid_, state.u, force_);
  velocity_.add_input_forces(state.inputs, t_mid, q_mid_, force_);
  if (velocity_.has_adhesion()) force_ += velocity_.adhesion();
  force_ *= h;
  system_.solve_mass(force_, u_free_);
  u_free_ += state.u;
  u_work_ = state.u;
  for (const Gyroscopic& k : gyroscopic_) {
    stop_.check();
    const FreeRotation rotation = solve_free_rotation(k.inertia, k.inverse_inertia, state.u.segment<3>(k.row),
                                                      force_.segment<3>(k.row), (1.0 - theta) * h, theta * h);
    if (!rotation.converged) {
      const Body& body = system_.bodies()[k.body];
      const bool force_is_finite = force_.segment<3>(body.u_offset).allFinite();
      const bool is_finite = force_is_finite && force_.segment<3>(k.row).allFinite();
      const char* what = force_is_finite ? "torque" : "force";  // which has a torque about the body's origin, too
      report.message =
          is_finite ? turns_too_far(system_, k.body) : "body '" + body.name + "': a " + what + " on it is not finite";
      return false;
    }
    u_free_.segment<3>(k.row) = rotation.omega;
    u_work_.segment<3>(k.row) = rotation.omega - k.inverse_inertia * force_.segment<3>(k.row);
  }
  return true;
}

/// With positions put right contacts that bear touch, and what their surfaces turn in half a step opens them by O(h^2).
/// So contacts that bore something in the last step stay active up to a gap that gravity closes within a step: else
/// they would fall, and be lifted again by the projection, in every other one. Points of manifolds stay so that were
/// active at all: faces have more of them than their forces need, and one that happens to bear nothing in a step would
/// be lost to those after it, until what is gripped by the rest turns.
void MoreauStepper::gather_touching(const State& state, double h) {
  const PhaseScope phase(Phase::gather);
  const std::vector<ContactPoint>& points = velocity_.contacts().points();
  const ValuesById& before = state.warm;
  const double fall = std::max(options_.activation, h * h * system_.gravity().norm());
  std::size_t k = 0;  // of `before`, whose ids ascend as those of the points do
  const auto activation_of = [&](std::size_t i) {
    if (i == 0) k = 0;
    while (k < before.size() && before.ids()[k] < points[i].id) ++k;
    const bool was_active = k < before.size() && before.ids()[k] == points[i].id && !before[k].empty();
    return was_active && (points[i].frozen != nullptr || before[k][0] > 0.0) ? fall : options_.activation;
  };
  velocity_.constraints().gather(middle_, points, std::ref(activation_of), h);  // by reference: allocates nothing
}

/// Takes the rates of motions to be `share` of the way further than their means over the step, in place of those of
/// the instant gathered or of the share before. The projection puts joints where their motions are, and positions move
/// by (1 - theta) h u + theta h u': so they are there already, but for terms of fourth order, if the rate that goes
/// into u' is the mean and (1 - theta)/theta of the way from the one at the start to that of both ends. Else what rests
/// on such a joint by friction, which is not projected, would lag. Over the step it has moved by the mean, whose work
/// is booked.
void MoreauStepper::set_motions(double t, double t_end, double share) {
  ConstraintSet& constraints = velocity_.constraints();
  for (int i = 0; i < constraints.count(); ++i) {
    if (constraints.kind(i) != ConstraintSet::Kind::joint) continue;
    const Joint& joint = system_.joints()[constraints.index(i)];
    if (!joint.options.motion) continue;
    const double at_start = joint.motion_rate.value(t);
    const double of_ends = 0.5 * (at_start + joint.motion_rate.value(t_end));
    const double rate = calc_mean_rate(joint, t, t_end) + share * (of_ends - at_start);
    double& taken = motion_rates_[constraints.index(i)];
    constraints.add_motion_rate(i, rate - taken);
    taken = rate;
  }
}

/// xi = gamma' + e gamma(u).
void MoreauStepper::add_restitution() {
  ConstraintSet& constraints = velocity_.constraints();
  std::vector<double>& added = velocity_.added();
  std::vector<double>& sizes = velocity_.added_sizes();
  added.clear();
  sizes.clear();
  if (!constraints.has_restitution()) return;
  make_room(added, constraints.size());
  make_room(sizes, constraints.size());
  added.assign(constraints.size(), 0.0);
  sizes.assign(constraints.size(), 0.0);
  constraints.add_restitution(added);
  if (std::ranges::all_of(added, [](double x) { return x == 0.0; })) return;
  constraints.add_speeds(middle_.u(), sizes);
}

/// Where contacts with an impact law of two phases close: the impact of all contacts at the velocities u before the
/// step, without forces, in which dry friction and servos do nothing. Its percussions are in impact_, u_free_ is after
/// it.
Status MoreauStepper::strike(const State& state, const Vector& u, StepReport& report) {
  impact_.clear();
  report.solve.status = Status::ok;
  ConstraintSet& constraints = velocity_.constraints();
  ConeProblem& problem = constraints.problem();
  std::vector<double>& speeds = impact_;
  speeds.assign(constraints.size(), 0.0);
  constraints.add_speeds(u, speeds);
  e_.assign(constraints.count(), -1.0);
  bool closes = false;
  for (int i = 0; i < constraints.count() && constraints.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const int row = problem.cones[i].offset;
    if (!constraints.has_phases(i)) continue;
    e_[i] = constraints.restitution(i).normal;
    closes |= constraints.gamma()[row] < -kRests * speeds[row];
  }
  impact_.clear();
  if (!closes) return Status::ok;
  cones_ = problem.cones;
  for (int i = 0; i < constraints.count(); ++i) {
    problem.cones[i].radius = 0.0;
    if (constraints.kind(i) == ConstraintSet::Kind::servo) problem.cones[i].kind = ConeKind::ball;
  }
  const Status status = velocity_.solve_impact(u, e_, state, report);
  problem.cones = cones_;
  if (status == Status::failed) return status;
  impact_ = velocity_.solution().p;
  u_free_ += velocity_.u_end() - u;
  velocity_.added().clear();
  velocity_.added_sizes().clear();
  return status;
}

}  // namespace

void MoreauOptions::check() const {
  if (!(theta >= 0.0 && theta <= 1.0)) throw InputError({}, "scheme.theta", std::to_string(theta), "in [0, 1]");
  if (!std::isfinite(activation)) throw InputError({}, "scheme.activation", std::to_string(activation), "finite");
}

std::unique_ptr<TimeStepper> make_moreau(const MoreauOptions& options, const System& system, ConeSolver& solver,
                                         StopToken stop, bool eases) {
  options.check();
  return std::make_unique<MoreauStepper>(options, system, solver, stop, eases);
}

}  // namespace stickslip
