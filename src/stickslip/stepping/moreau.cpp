// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/moreau.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/base/input_error.h"
#include "stickslip/stepping/certificate.h"
#include "stickslip/stepping/contact_finder.h"
#include "stickslip/stepping/free_rotation.h"
#include "stickslip/stepping/warm_start.h"

namespace stickslip {
namespace {

/// Joints and dry friction elements share the id space of contacts; these bits tell them apart and keep ids in the
/// order in which cones are collected.
constexpr std::uint64_t kJointBit = std::uint64_t{1} << 62;
constexpr std::uint64_t kDryFrictionBit = std::uint64_t{1} << 63;

class MoreauStepper final : public TimeStepper {
 public:
  MoreauStepper(const MoreauOptions& options, const System& system, ConeSolver& solver, StopToken stop);

  std::string_view name() const override { return "moreau"; }
  void initialize(State& state, StepReport& report) override;
  Status step(State& state, double h, double t_end, StepReport& report) override;

 private:
  enum class Kind { contact, joint, dry_friction };
  /// One cone of the step's problem.
  struct ActiveCone {
    int index;  // into the points of contacts_, System::joints() or dry_frictions()
    Kind kind;
    ContactGeometry geometry;  // contacts: at (t_m, q_m)
  };

  bool are_given_finite(const Inputs& inputs, double t_mid, double t_end, StepReport& report) const;
  bool calc_free_velocity(const State& state, double h, double t_mid, StepReport& report);
  void collect_contacts(const State& state, double t_mid);
  void collect_joints(const State& state, double t_mid);
  void collect_dry_frictions(const State& state, double h, double t_mid);
  template <class FillJacobian>
  void add_cone_rows(const Attachment& first, const Attachment& second, int dim, FillJacobian&& fill_jacobian);
  VectorView last_rows(std::vector<double>& values) const;
  void set_relative_velocities();
  void calc_end_velocity();
  void account_energy(const State& state, double h, EnergyLedger& ledger);
  void report_worst(StepReport& report) const;
  void report_contacts(double h, StepReport& report);
  void report_reactions(const Inputs& inputs, double h, double t_mid, StepReport& report);

  MoreauOptions options_;
  const System& system_;
  ConeSolver& solver_;
  StopToken stop_;
  ContactFinder contacts_;
  std::vector<int> delassus_body_;  // per body of the system: index in the Delassus operator, -1 without velocities

  // Workspace, kept from step to step.
  ConeProblem problem_;
  ConeSolution solution_;
  std::vector<ActiveCone> active_;
  std::vector<double> gamma_;        // (n) [m/s] at the start of the step: gamma(t_m, q_m, u)
  std::vector<double> gamma_work_;   // (n) [m/s] of u_work_: what the percussions' work starts from
  std::vector<double> tau_;          // (n) [m/s] the part of gamma that prescribed motions give
  std::vector<double> restitution_;  // (n) [-]
  std::vector<double> residual_work_;
  Vector q_mid_, q_end_;    // (n_q)
  Vector u_free_, u_end_;   // (n_u) [m/s, rad/s]
  Vector u_work_;           // (n_u) [m/s, rad/s] u_free without the applied forces: u, turned by the gyroscopic term
  Vector force_;            // (n_u) [N, N m] at (t_m, q_m, u)
  Vector nonconservative_;  // (n_u) [N, N m]
};

MoreauStepper::MoreauStepper(const MoreauOptions& options, const System& system, ConeSolver& solver, StopToken stop)
    : options_(options), system_(system), solver_(solver), stop_(stop), contacts_(system, stop) {
  auto& delassus = problem_.delassus.emplace<FactoredDelassus>();
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    stop_.check();
    const bool moves = system.bodies()[i].n_u > 0;
    delassus_body_.push_back(moves ? delassus.add_body(system.inverse_mass(static_cast<int>(i))) : -1);
  }
  q_mid_.resize(system.n_q());
  q_end_.resize(system.n_q());
  for (Vector* v : {&u_free_, &u_end_, &u_work_, &force_, &nonconservative_}) v->resize(system.n_u());
  active_.reserve(contacts_.points().size() + system.joints().size() + system.dry_frictions().size());
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
  report.a.setConstant(system_.n_u(), std::numeric_limits<double>::quiet_NaN());
  contacts_.find_touching(state.t, state.q);
  report_geometry(system_, contacts_.points(), state.t, state.q, report);
  report_joints(system_, state.t, state.q, state.u, report);
  for (ContactReport& contact : report.contacts) contact.impulse.fill(std::numeric_limits<double>::quiet_NaN());
  report_energy(system_, state, report);
}

Status MoreauStepper::step(State& state, double h, double t_end, StepReport& report) {
  const double h1 = (1.0 - options_.theta) * h;
  const double h2 = options_.theta * h;
  const double t_mid = state.t + h1;
  report.message.clear();
  if (!are_given_finite(state.inputs, t_mid, t_end, report)) return report.status = Status::failed;

  q_mid_ = state.q;
  system_.advance(h1, state.u, q_mid_);
  if (!calc_free_velocity(state, h, t_mid, report)) return report.status = Status::failed;

  contacts_.find(state.t, state.q, state.u, t_end);
  problem_.clear_cones();
  std::get<FactoredDelassus>(problem_.delassus).clear_rows();
  active_.clear();
  for (std::vector<double>* rows : {&gamma_, &gamma_work_, &tau_, &restitution_}) rows->clear();
  collect_contacts(state, t_mid);
  collect_joints(state, t_mid);
  collect_dry_frictions(state, h, t_mid);

  load_warm(state.warm, problem_, solution_);
  report.solve = solver_.solve(problem_, solution_);
  report_worst(report);
  report.message = report.solve.message;
  if (report.solve.status == Status::failed) return report.status = Status::failed;

  stop_.check();
  calc_end_velocity();
  q_end_ = q_mid_;
  system_.advance(h2, u_end_, q_end_);
  system_.normalize(q_end_);
  report.message += describe_non_finite(system_, q_end_, u_end_);
  if (!q_end_.allFinite() || !u_end_.allFinite()) return report.status = Status::failed;

  EnergyLedger energy = state.energy;
  account_energy(state, h, energy);
  report.status = report.solve.status;
  report.t = t_end;
  report.step = h;
  report.choices = report.solve.choices;
  contacts_.extend(t_end, q_end_);
  report_geometry(system_, contacts_.points(), t_end, q_end_, report);
  stop_.check();
  report_joints(system_, t_end, q_end_, u_end_, report);
  report_contacts(h, report);
  stop_.check();
  report_reactions(state.inputs, h, t_mid, report);

  // Last of all, so that the step can be left before.
  stop_.check();
  state.energy = energy;
  state.q = q_end_;
  state.u = u_end_;
  state.t = t_end;
  ++state.step;
  save_warm(problem_, solution_, state.warm);
  report_energy(system_, state, report);
  return report.status;
}

/// Whether inputs and prescribed motions are finite.
bool MoreauStepper::are_given_finite(const Inputs& inputs, double t_mid, double t_end, StepReport& report) const {
  report.message = describe_non_finite_input(system_, inputs);
  if (!report.message.empty()) return false;
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

void MoreauStepper::collect_contacts(const State& state, double t_mid) {
  const std::vector<ContactPoint>& points = contacts_.points();
  ActiveCone cone{};
  cone.kind = Kind::contact;
  for (std::size_t i = 0; i < points.size(); ++i) {
    stop_.check();
    const ContactPoint& k = points[i];
    system_.calc_contact(k, t_mid, q_mid_, cone.geometry);
    if (!(cone.geometry.gap <= options_.activation)) continue;
    const ContactPair& pair = system_.law(k);
    const FrictionBlock friction{pair.friction_dim, pair.options.friction, 0, 0.0};
    const std::size_t n_blocks = pair.friction_dim > 0 ? 1 : 0;
    cone.index = static_cast<int>(i);
    const int dim = 1 + pair.friction_dim;
    problem_.add_contact({&friction, n_blocks}, k.id);
    last_rows(gamma_) = system_.calc_contact_velocity(k, cone.geometry, t_mid, q_mid_, state.u).head(dim);
    VectorView tau = last_rows(tau_);
    if (system_.has_prescribed_motion(k)) {
      u_end_.setZero();
      tau = system_.calc_contact_velocity(k, cone.geometry, t_mid, q_mid_, u_end_).head(dim);
    }
    VectorView restitution = last_rows(restitution_);
    restitution.setConstant(pair.options.restitution_tangential);
    restitution(0) = pair.options.restitution_normal;
    add_cone_rows(k.first, k.second, dim, [&](Side side, Eigen::Ref<RowMatrix> J) {
      system_.calc_contact_jacobian(k, cone.geometry, q_mid_, side, J);
    });
    active_.push_back(cone);
    set_relative_velocities();
  }
}

/// Bilateral rows hold on velocities at the end of the step: J(t_m, q_m) u' + tau(t_m) = 0.
void MoreauStepper::collect_joints(const State& state, double t_mid) {
  ActiveCone cone{};
  cone.kind = Kind::joint;
  JointVector gamma;
  const std::vector<Joint>& joints = system_.joints();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    stop_.check();
    const int j = static_cast<int>(i);
    const int dim = joints[i].dim;
    cone.index = j;
    problem_.add_free(dim, kJointBit | static_cast<std::uint64_t>(j));
    system_.calc_joint_velocity(j, t_mid, q_mid_, state.u, gamma);
    last_rows(gamma_) = gamma;
    VectorView tau = last_rows(tau_);
    if (system_.joint_has_prescribed_motion(j)) {
      u_end_.setZero();
      system_.calc_joint_velocity(j, t_mid, q_mid_, u_end_, gamma);
      tau = gamma;
    }
    add_cone_rows(joints[i].first, joints[i].second, dim,
                  [&](Side side, Eigen::Ref<RowMatrix> J) { system_.calc_joint_jacobian(j, t_mid, q_mid_, side, J); });
    active_.push_back(cone);
    set_relative_velocities();
  }
}

void MoreauStepper::collect_dry_frictions(const State& state, double h, double t_mid) {
  ActiveCone cone{};
  cone.kind = Kind::dry_friction;
  JointVector gamma;
  for (std::size_t i = 0; i < system_.dry_frictions().size(); ++i) {
    stop_.check();
    const int k = static_cast<int>(i);
    const DryFrictionElement& e = system_.dry_frictions()[i];
    cone.index = k;
    problem_.add_ball(e.dim, h * e.bound, kDryFrictionBit | static_cast<std::uint64_t>(k));
    system_.calc_dry_friction_velocity(k, t_mid, q_mid_, state.u, gamma);
    last_rows(gamma_) = gamma;
    u_end_.setZero();
    system_.calc_dry_friction_velocity(k, t_mid, q_mid_, u_end_, gamma);
    last_rows(tau_) = gamma;
    add_cone_rows(e.first, e.second, e.dim, [&](Side side, Eigen::Ref<RowMatrix> J) {
      system_.calc_dry_friction_jacobian(k, t_mid, q_mid_, side, J);
    });
    active_.push_back(cone);
    set_relative_velocities();
  }
}

/// Appends the rows W^T of a cone to the Delassus operator; on a beam only columns of the attachment's range are
/// filled.
template <class FillJacobian>
void MoreauStepper::add_cone_rows(const Attachment& first, const Attachment& second, int dim,
                                  FillJacobian&& fill_jacobian) {
  auto& delassus = std::get<FactoredDelassus>(problem_.delassus);
  delassus.begin_row(dim);
  for (const Side side : {Side::first, Side::second}) {
    const Attachment& at = side == Side::first ? first : second;
    if (at.n_u == 0) continue;
    RowMatrixView block = delassus.add_block(delassus_body_[at.body]);
    fill_jacobian(side, block.middleCols(at.u_offset - system_.bodies()[at.body].u_offset, at.n_u));
  }
}

/// The last cone's rows in values by row, which are made as long as the problem, by zeros.
VectorView MoreauStepper::last_rows(std::vector<double>& values) const {
  const Cone& cone = problem_.cones.back();
  values.resize(static_cast<std::size_t>(problem_.size()), 0.0);
  return VectorView(values.data() + cone.offset, cone.dim);
}

/// b = gamma(u_free) + e gamma(u): what xi is without percussions; and gamma(u_work). Of the last cone.
void MoreauStepper::set_relative_velocities() {
  const auto& delassus = std::get<FactoredDelassus>(problem_.delassus);
  const Cone& cone = problem_.cones.back();
  VectorView gamma_work = last_rows(gamma_work_);
  gamma_work = last_rows(tau_);
  VectorView b(problem_.b.data() + cone.offset, cone.dim);
  b = last_rows(tau_) + last_rows(restitution_).cwiseProduct(last_rows(gamma_));
  for (const FactoredDelassus::Block& block : delassus.row(problem_.n_cones() - 1)) {
    const FactoredDelassus::Body& body = delassus.body(block.body);
    const ConstRowMatrixView J(delassus.values(block), cone.dim, body.n_v);
    b.noalias() += J * u_free_.segment(body.v_offset, body.n_v);
    gamma_work.noalias() += J * u_work_.segment(body.v_offset, body.n_v);
  }
}

/// u' = u_free + M^-1 W P.
void MoreauStepper::calc_end_velocity() {
  const auto& delassus = std::get<FactoredDelassus>(problem_.delassus);
  force_.setZero();  // W P
  for (int i = 0; i < problem_.n_cones(); ++i) {
    const Cone& cone = problem_.cones[i];
    const ConstVectorView p(solution_.p.data() + cone.offset, cone.dim);
    for (const FactoredDelassus::Block& block : delassus.row(i)) {
      const FactoredDelassus::Body& body = delassus.body(block.body);
      const ConstRowMatrixView J(delassus.values(block), cone.dim, body.n_v);
      force_.segment(body.v_offset, body.n_v).noalias() += J.transpose() * p;
    }
  }
  system_.solve_mass(force_, u_end_);
  u_end_ += u_free_;
}

/// The step balances M (u' - u_work) = h f + W P, u_work the velocity u after the gyroscopic term, which does no work;
/// times (u' + u_work) / 2 that is the change of kinetic energy. So the work of a percussion over the step is
/// P . (gamma(u_work) + gamma') / 2; what prescribed motions put in, P . tau, counts as work. Joints dissipate nothing:
/// what they take because the scheme bends their directions in steps stays visible as error of the balance.
void MoreauStepper::account_energy(const State& state, double h, EnergyLedger& ledger) {
  for (int i = 0; i < problem_.n_cones(); ++i) {
    const Cone& cone = problem_.cones[i];
    for (int row = cone.offset; row < cone.offset + cone.dim; ++row) {
      const double p = solution_.p[row];
      const double gamma_end = solution_.u[row] - restitution_[row] * gamma_[row];
      if (active_[i].kind != Kind::joint) ledger.dissipated -= p * 0.5 * (gamma_work_[row] + gamma_end);
      ledger.work -= p * tau_[row];
    }
  }
  const double t_mid = state.t + (1.0 - options_.theta) * h;
  system_.calc_nonconservative_forces(t_mid, q_mid_, state.u, nonconservative_);
  system_.add_input_forces(state.inputs, t_mid, q_mid_, nonconservative_);
  ledger.work += 0.5 * h * nonconservative_.dot(u_work_ + u_end_);
  ledger.work += h * system_.calc_prescribed_power(t_mid, q_mid_, state.u);
}

/// What the solver's answer missed, and the cone that it solved worst.
void MoreauStepper::report_worst(StepReport& report) const {
  report.missed = report.solve.residual.missed;
  const int worst = report.solve.residual.worst;
  if (worst < 0) return report_no_worst(report);
  const int index = active_[worst].index;
  switch (active_[worst].kind) {
    case Kind::contact:
      return report_worst_contact(contacts_.points()[index], index, report);
    case Kind::joint:
      return report_worst_joint(system_, index, report);
    case Kind::dry_friction:
      return report_worst_dry_friction(system_, index, report);
  }
}

void MoreauStepper::report_contacts(double h, StepReport& report) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  for (ContactReport& contact : report.contacts) contact.impulse.fill(kUnknown);
  std::array<double, kMaxConeDim * kMaxConeDim> block;
  for (int i = 0; i < problem_.n_cones(); ++i) {
    const ActiveCone& active = active_[i];
    if (active.kind != Kind::contact) continue;
    const Cone& cone = problem_.cones[i];
    ContactReport& contact = report.contacts[active.index];
    // Where and along which directions the percussion acted: the predicted configuration.
    contact.position = active.geometry.position_second;
    contact.normal = active.geometry.normal;
    contact.tangent = active.geometry.tangent1;
    const double* p = solution_.p.data() + cone.offset;
    const double* xi = solution_.u.data() + cone.offset;
    for (int j = 0; j < cone.dim; ++j) {
      contact.percussion[j] = p[j];
      contact.force[j] = p[j] / h;
      contact.velocity[j] = xi[j] - restitution_[cone.offset + j] * gamma_[cone.offset + j];
    }
    problem_.calc_diagonal_block(i, {block.data(), static_cast<std::size_t>(cone.dim * cone.dim)});
    double trace = 0.0;
    for (int j = 0; j < cone.dim; ++j) trace += block[j * cone.dim + j];
    const double mu = cone.n_blocks > 0 ? problem_.friction(cone).front().mu : 0.0;
    contact.status = contact_status(p, xi, cone.dim, mu, trace / cone.dim);
    if (contact.status != ContactStatus::open) ++report.closed_contacts;
  }
  report.coulomb_residual = problem_.law == FrictionLaw::coulomb
                                ? report.solve.residual.absolute
                                : calc_residual(problem_, FrictionLaw::coulomb, solution_.p, residual_work_).absolute;
}

void MoreauStepper::report_reactions(const Inputs& inputs, double h, double t_mid, StepReport& report) {
  add_joint_drives(system_, inputs, t_mid, q_mid_, u_work_, report);  // planar: u_work is the velocity before the step
  JointVector lambda;
  for (int i = 0; i < problem_.n_cones(); ++i) {
    const ActiveCone& active = active_[i];
    const Cone& cone = problem_.cones[i];
    lambda = ConstVectorView(solution_.p.data() + cone.offset, std::min(cone.dim, kMaxJointDim)) / h;
    if (active.kind == Kind::joint) {
      add_reaction(system_.calc_joint_reaction(active.index, t_mid, q_mid_, lambda), report.joints[active.index]);
    } else if (active.kind == Kind::dry_friction) {
      add_dry_friction(system_, active.index, t_mid, q_mid_, lambda, report);
    } else {
      add_joint_limit(system_, contacts_.points()[active.index], t_mid, q_mid_, lambda(0), report);
    }
  }
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
