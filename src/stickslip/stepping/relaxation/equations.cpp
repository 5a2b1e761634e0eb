// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/relaxation/equations.h"

#include <algorithm>
#include <cmath>

#include "stickslip/base/make_room.h"
#include "stickslip/cone/residual.h"
#include "stickslip/math/round_off.h"
#include "stickslip/stepping/solve_nearer.h"

namespace stickslip {
namespace {

/// A gap is the difference of two positions, each rounded to half of the spacing of numbers: a quarter of what a sum of
/// products is counted with. [-]
constexpr double kOfRelaxedPositions = 0.25;

/// Tolerance of the solver under an integrator that controls errors. [-] What is left is noise in the rates, which the
/// integrator follows by ever shorter steps, at loose tolerances too: with 1e-8 a run takes twenty times as long; with
/// 1e-13 the solver takes longer.
constexpr double kQuiet = 1e-11;

}  // namespace

RelaxationEquations::RelaxationEquations(const RelaxationOptions& options, const System& system, ConeSolver& solver,
                                         StopToken stop)
    : options_(options),
      system_(system),
      solver_(solver),
      stop_(stop),
      at_(system),
      set_(system, stop),
      adhesion_(system) {
  set_.problem().law = options.inclusion == RelaxationInclusion::associated ? FrictionLaw::associated  //
                                                                            : FrictionLaw::coulomb;
  if (options.inclusion == RelaxationInclusion::facets) {
    set_.set_polygon(FrictionPolygon(options.facets, options.orientation));
  }
  for (Vector* v : {&force_, &free_, &nonconservative_, &adhesive_}) v->setZero(system.n_u());
  has_powers_ = !system.forces().empty() || !system.joints().empty() || adhesion_.exists();
}

/// Rates of (39) [Kikuuwe2017] with lambda of (65), or of the penalty model.
bool RelaxationEquations::evaluate(double t, const Vector& q, const Vector& u, const std::vector<ContactPoint>& points,
                                   std::span<const double> activation, const Inputs& inputs, double delta, double zeta,
                                   const ValuesById* warm, Rates& rates, StepReport& report) {
  stop_.check();
  at_.take(t, q, &u);
  rates.q_dot.resize(system_.n_q());
  system_.calc_coordinate_rates(q, u, rates.q_dot);
  system_.calc_applied_forces(t, q, u, force_);
  system_.add_gyroscopic_forces(u, force_);
  system_.add_input_forces(inputs, t, q, force_);
  if (adhesion_.exists()) {
    adhesive_.setZero();
    adhesion_.add_forces(at_, points, adhesive_);
    force_ += adhesive_;
  }
  system_.solve_mass(force_, free_);
  constexpr double kForces = 1.0;  // [s] percussions of a second are forces
  set_.gather(at_, points, activation, kForces);
  if (warm != nullptr) set_.load_warm(*warm, solution_);
  if (solution_.p.size() != static_cast<std::size_t>(set_.size())) {  // a gap that is no number is not in the set
    report.solve.status = Status::failed;
    report.solve.message = "gaps are not finite";
    return false;
  }
  if (find_forces(delta, zeta, points, rates, report) == Status::failed) return false;

  set_.calc_generalized_percussions(solution_.p, force_);
  system_.solve_mass(force_, rates.a);
  rates.a += free_;
  rates.work = 0.0;
  if (has_powers_ || !inputs.empty()) {
    system_.calc_nonconservative_forces(t, q, u, nonconservative_);
    system_.add_input_forces(inputs, t, q, nonconservative_);
    nonconservative_ += adhesive_;
    rates.work = nonconservative_.dot(u) + system_.calc_prescribed_power(t, q, u);
  }
  rates.dissipated = 0.0;
  for (int i = 0; i < set_.count(); ++i) {
    const Cone& cone = set_.problem().cones[i];
    for (int row = cone.offset; row < cone.offset + cone.dim; ++row) {
      const double p = solution_.p[row];
      rates.dissipated -= p * set_.gamma()[row];
      rates.work -= p * set_.tau(row);
    }
  }
  return true;
}

Status RelaxationEquations::find_forces(double delta, double zeta, const std::vector<ContactPoint>& points,
                                        Rates& rates, StepReport& report) {
  if (options_.model == RelaxationModel::baumgarte) {
    fill_problem(points, delta, zeta);
    return solve(report);
  }
  if (!system_.joints().empty()) fill_problem(points, delta, zeta);
  return bend(rates, report);
}

/// Forces of springs and dampers, and e'; then joints.
Status RelaxationEquations::bend(Rates& rates, StepReport& report) {
  const ConeProblem& problem = set_.problem();
  const double stiffness = options_.stiffness;
  const double damping = options_.damping;
  const auto n = static_cast<std::size_t>(set_.size());
  deflections_ = given_ != nullptr ? *given_ : solution_.p;
  make_room(rates.e, n);
  rates.e.assign(n, 0.0);
  for (int i = 0; i < set_.count(); ++i) {
    const Cone& cone = problem.cones[i];
    if (cone.kind == ConeKind::free) continue;
    const double* gamma = set_.gamma().data() + cone.offset;
    double* lambda = solution_.p.data() + cone.offset;
    double radius = cone.radius;
    int first = 0;
    if (cone.kind == ConeKind::contact) {
      lambda[0] = std::max(0.0, -stiffness * set_.gap(i) - damping * gamma[0]);
      radius = cone.n_blocks > 0 ? problem.friction(cone).front().mu * lambda[0] : 0.0;
      first = 1;
    }
    double squared = 0.0;
    for (int r = first; r < cone.dim; ++r) {
      lambda[r] = stiffness * deflections_[cone.offset + r] - damping * gamma[r];
      squared += lambda[r] * lambda[r];
    }
    const double scale = squared > radius * radius ? radius / std::sqrt(squared) : 1.0;
    for (int r = first; r < cone.dim; ++r) {
      lambda[r] *= scale;
      rates.e[cone.offset + r] = (lambda[r] - stiffness * deflections_[cone.offset + r]) / damping;
    }
  }
  if (!clip_.hold_joints(problem, solution_)) {
    report.solve.status = Status::failed;
    report.solve.message = "forces are not finite";
  }
  return report.solve.status;
}

/// J' u (dim) of the contact of a cone, by hand where that is known.
void RelaxationEquations::calc_contact_bias(const ContactPoint& point, int cone, double* zeta) {
  const int dim = set_.problem().cones[cone].dim;
  if (has_contact_rows(system_, point)) {
    if (!system_.planar()) {
      return stickslip::calc_contact_bias(system_, point, at_[system_.ball(point).body], set_.normal(cone),
                                          set_.tangent(cone), zeta);
    }
    calc_contact_rows(system_, point, at_.q(), at_.u(), contact_rows_);
    std::copy_n(contact_rows_.zeta.begin(), dim, zeta);
    return;
  }
  const ContactVector general = system_.calc_contact_acceleration_bias(point, at_.t(), at_.q(), at_.u());
  std::copy_n(general.data(), dim, zeta);
}

/// b of (27) [Kikuuwe2017] with the opposite sign: the left-hand side of (64) without lambda; and how large round-off
/// in it may be.
void RelaxationEquations::fill_problem(const std::vector<ContactPoint>& points, double delta, double zeta) {
  ConeProblem& problem = set_.problem();
  std::vector<double>& b = problem.b;
  const auto n = static_cast<std::size_t>(set_.size());
  const double damping = 2.0 * zeta / delta;
  const double stiffness = 1.0 / (delta * delta);
  make_room(sizes_, n);
  sizes_.assign(n, 0.0);
  force_ = damping * at_.u().cwiseAbs() + free_.cwiseAbs();
  set_.add_speeds(force_, sizes_);
  const double far = at_.q().size() > 0 ? at_.q().lpNorm<Eigen::Infinity>() : 0.0;
  JointVector of_joint;
  for (int i = 0; i < set_.count(); ++i) {
    stop_.check();
    const Cone& cone = problem.cones[i];
    const int k = set_.index(i);
    double* rows = b.data() + cone.offset;
    switch (set_.kind(i)) {
      case ConstraintSet::Kind::contact: {
        calc_contact_bias(points[k], i, rows);
        rows[0] += stiffness * set_.gap(i);
        sizes_[cone.offset] += stiffness * (std::abs(set_.gap(i)) + kOfRelaxedPositions * far);
        break;
      }
      case ConstraintSet::Kind::joint:
        system_.calc_joint_acceleration_bias(k, at_.t(), at_.q(), at_.u(), of_joint);
        std::copy_n(of_joint.data(), cone.dim, rows);
        if (system_.joints()[k].n_position_rows == 0) break;
        system_.calc_joint_position(k, at_.t(), at_.q(), of_joint);
        for (int r = 0; r < system_.joints()[k].n_position_rows; ++r) {
          rows[r] += stiffness * of_joint(r);
          const double size = system_.joints()[k].is_angle_row(r) ? 1.0 : far;
          sizes_[cone.offset + r] += stiffness * kOfRelaxedPositions * size;
        }
        break;
      case ConstraintSet::Kind::servo:  // of schemes on velocities alone
      case ConstraintSet::Kind::dry_friction:
        system_.calc_dry_friction_acceleration_bias(k, at_.t(), at_.q(), at_.u(), of_joint);
        std::copy_n(of_joint.data(), cone.dim, rows);
        break;
    }
  }
  for (std::size_t row = 0; row < n; ++row) {
    sizes_[row] += std::abs(b[row]);
    b[row] += damping * set_.gamma()[row];
  }
  set_.add_relative_velocities(free_, b);
  double squared = 0.0;
  for (const double size : sizes_) squared += size * size;
  problem.floor = kSumRoundOff * std::sqrt(squared);
}

/// lambda and eta of the inclusion (65) [Kikuuwe2017], by the chosen way; of the evaluations of a step the report keeps
/// the worst.
Status RelaxationEquations::solve(StepReport& report) {
  ConeProblem& problem = set_.problem();
  SolveReport found;
  double exact = 0.0;
  bool clips = options_.inclusion == RelaxationInclusion::clip || options_.inclusion == RelaxationInclusion::clip_axis;
  // Newton's iterates are off the constraints, where redundant rows of joints contradict each other in terms of second
  // order, and forces of least squares are what is wanted. Joints alone: nothing is clipped.
  const auto is_joint = [](const Cone& cone) { return cone.kind == ConeKind::free; };
  clips |= options_.is_implicit() && std::ranges::all_of(problem.cones, is_joint);
  if (!clips && options_.is_implicit() && std::ranges::any_of(problem.cones, is_joint))
    clip_.drop_contradictions(problem);
  if (clips) {
    const bool solved = clip_.solve(problem, options_.inclusion == RelaxationInclusion::clip_axis, solution_);
    found.method = "clip";
    found.status = solved ? Status::ok : Status::failed;
    if (!solved) found.message = "forces are not finite";
    if (solved) exact = set_.calc_exact_residual(solution_.p);
  } else {
    const double judged = solver_.tolerance();
    found = solve_nearer(solver_, problem, options_.controls_errors() ? kQuiet : judged, judged, solution_);
    exact = found.residual.absolute;
    if (options_.inclusion != RelaxationInclusion::exact && found.status != Status::failed) {
      exact = set_.calc_exact_residual(solution_.p);
    }
  }
  report.choices += found.choices;
  report.coulomb_residual = std::max(report.coulomb_residual, exact);
  const bool is_worse =
      found.status > report.solve.status ||
      (found.status == report.solve.status && found.residual.relative >= report.solve.residual.relative);
  const int iterations = report.solve.iterations + found.iterations;
  if (is_worse) {
    report.solve = found;
    set_.report_worst(found.residual, report);
  }
  report.solve.iterations = iterations;
  return found.status;
}

}  // namespace stickslip
