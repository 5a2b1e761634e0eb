// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/position_projection.h"

#include <algorithm>
#include <cmath>

#include "stickslip/base/phase_clock.h"
#include "stickslip/math/round_off.h"

namespace stickslip {
namespace {

/// Newton steps at most, and the share of what is off that each must take away to be followed by another: from O(h^2)
/// two or three reach round-off.
constexpr int kMaxProjections = 10;
constexpr double kTakesAway = 0.5;
/// Gaps and joints are right within this multiple of the round-off of positions [-], gaps also within this part of the
/// smaller body [-]: a tenth of a billionth is a tenth of what a stack may overlap.
constexpr double kOfRoundOff = 8.0;
constexpr double kOfSize = 1e-10;
/// How exactly one of the linear steps is solved for, relative to what is off: the next one mends it. [-]
constexpr double kLinearTolerance = 1e-6;
/// Share of an admitted overlap that is left. With none all contacts of a heap are lifted by what few of them sink,
/// with all of it the same ones in each step. [-]
constexpr double kLeaves = 0.5;
/// Contacts this multiple of the deepest overlap apart take part in the first step; those that it closes do in the
/// next. [-]
constexpr double kReachOfOverlap = 4.0;

}  // namespace

bool is_on(Projection projection, const System& system) {
  if (projection != Projection::automatic) return projection == Projection::on;
  return std::ranges::any_of(system.joints(), &Joint::n_position_rows) || system.has_varying_contacts();
}

double correction_speed_of(const System& system, const ContactPoint& point, double of_scheme) {
  return system.pair(point).options.correction_speed.value_or(of_scheme);
}

PositionProjection::PositionProjection(const System& system, ConeSolver& solver, double correction_speed,
                                       StopToken stop)
    : system_(system), solver_(solver), stop_(stop), correction_speed_(correction_speed), sizes_(system) {
  for (const Body& body : system.bodies()) moves_.push_back(body.n_u > 0 ? 1 : 0);
  force_.resize(system.n_u());
  displacement_.resize(system.n_u());
}

double PositionProjection::project(double h, VelocityStep& step, Vector& q, BodySnapshot& at) {
  const PhaseScope phase(Phase::projection);
  const std::vector<ContactPoint>& points = step.contacts().points();
  const ConstraintSet& constraints = step.constraints();
  admitted_ = step.admitted_overlap();
  linear_tolerance_ = admitted_ > 0.0 ? std::max(kLinearTolerance, step.tolerance()) : kLinearTolerance;
  held_.assign(points.size(), Held::no);
  gaps_.assign(points.size(), 0.0);
  for (int i = 0; i < constraints.count() && constraints.kind(i) == ConstraintSet::Kind::contact; ++i) {
    const int k = constraints.index(i);
    prefetch_ahead(at, points, k);
    const double way = h * step.gamma_end()[constraints.problem().cones[i].offset];
    if (points[k].apart || (way > 0.0 && calc_gap(at, points[k]) + way >= 0.0)) continue;
    held_[k] = Held::yes;
  }
  const double off = calc_off(at, points);
  if (!(off > 1.0)) return 0.0;
  const double before = system_.calc_potential_energy(at.t(), q);
  correct(off, h, step, q, at);
  system_.count_turns(at.t(), q);
  return system_.calc_potential_energy(at.t(), q) - before;
}

/// Positions that are off by `off`, as calc_off() says.
void PositionProjection::correct(double off, double h, VelocityStep& step, Vector& q, BodySnapshot& at) {
  const std::vector<ContactPoint>& points = step.contacts().points();
  ConstraintSet& constraints = step.constraints();
  ConeSolution& solution = step.solution();
  const double t = at.t();
  for (int i = 0; i < kMaxProjections && off > 1.0; ++i) {
    constraints.gather_positions(at, points, kReachOfOverlap * deepest_);
    const bool capped = set_targets(constraints, points, h);
    solution.p.assign(constraints.size(), 0.0);
    const SolveReport report =
        solver_.solve(constraints.problem(), {.relative = linear_tolerance_, .absolute = 0.5 * finest_}, solution);
    if (report.status == Status::failed) return;
    constraints.calc_generalized_percussions(solution.p, force_);
    system_.solve_mass(force_, displacement_);
    q_before_ = q;
    system_.advance(1.0, displacement_, q);
    system_.normalize_quaternions(q);
    at.take(t, q, nullptr);
    const double before = off;
    const double deepest_before = deepest_;
    const bool is_finite = q.allFinite();
    if (is_finite) off = calc_off(at, points);
    const auto is_within = [&](double share) { return off < share * before || deepest_ < share * deepest_before; };
    if (!is_finite || !is_within(1.0)) {
      q = q_before_;
      at.take(t, q, nullptr);
    }
    if (!is_finite) return;
    if (is_within(kTakesAway)) {
      if (!capped) continue;
      // What is still too deep waits for the next time step; what lifting it moved joints by does not.
      bool some = false;
      for (std::size_t k = 0; k < points.size(); ++k) {
        if (held_[k] == Held::no || gaps_[k] >= 0.0) continue;
        held_[k] = Held::no;
        some = true;
      }
      if (!some) return;
      off = calc_off(at, points);
      continue;
    }
    if (!give_up_stuck()) return;
    off = calc_off(at, points);
  }
}

/// Lets go of overlaps that a step did not halve, so that they do not keep others from being put right; whether there
/// are some.
bool PositionProjection::give_up_stuck() {
  const auto n_stuck = std::ranges::count(held_, Held::stuck);
  std::ranges::replace(held_, Held::stuck, Held::no);
  return n_stuck > 0;
}

/// What positions of two bodies are right within. [m, and rad of rows that are angles]
double PositionProjection::calc_tolerance(const BodySnapshot& at, int body_a, int body_b) const {
  double far = sizes_.of_pair(body_a, body_b);
  for (const int body : {body_a, body_b}) {
    if (moves_[body] != 0) far = std::max(far, at[body].p.lpNorm<Eigen::Infinity>());
  }
  return kOfRoundOff * kSumRoundOff * std::max(far, 1e-3);
}

double PositionProjection::calc_off(const BodySnapshot& at, const std::vector<ContactPoint>& points) {
  double off = 0.0;
  deepest_ = 0.0;
  finest_ = std::numeric_limits<double>::infinity();
  const auto add = [&](double violation, double tolerance) {
    off = std::max(off, violation / tolerance);
    deepest_ = std::max(deepest_, violation);
    finest_ = std::min(finest_, tolerance);
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    stop_.check();
    prefetch_ahead(at, points, i);
    if (held_[i] == Held::no) continue;
    const ContactPoint& k = points[i];
    const double gap = calc_gap(at, k);
    held_[i] = gaps_[i] < 0.0 && !(gap > kTakesAway * gaps_[i]) ? Held::stuck : Held::yes;
    gaps_[i] = gap;
    if (gap >= 0.0) continue;
    const int first = system_.body(k, Side::first);
    const int second = system_.body(k, Side::second);
    add(-gap, std::max(kOfSize, admitted_) * sizes_.of_pair(first, second) + calc_tolerance(at, first, second));
  }
  JointVector g;
  for (std::size_t j = 0; j < system_.joints().size(); ++j) {
    stop_.check();
    const Joint& joint = system_.joints()[j];
    if (joint.n_position_rows == 0) continue;
    system_.calc_joint_position(static_cast<int>(j), at.t(), at.q(), g);
    double tolerance = joint.is_coupling() ? 0.0 : calc_tolerance(at, joint.first.body, joint.second.body);
    for (const JointTerm& term : joint.options.terms) {
      const Joint& part = system_.joints()[term.joint];
      const double turned = kSumRoundOff * std::abs(system_.calc_joint_coordinate(term.joint, at.t(), at.q()));
      tolerance += std::abs(term.coefficient) * (calc_tolerance(at, part.first.body, part.second.body) + turned);
    }
    add(g.lpNorm<Eigen::Infinity>(), tolerance);
  }
  return off;
}

/// The overlap that is left of one that is put right. [m]
double PositionProjection::calc_left(const ContactPoint& point) const {
  if (admitted_ == 0.0) return 0.0;
  return kLeaves * admitted_ * sizes_.of_pair(system_.body(point, Side::first), system_.body(point, Side::second));
}

/// The positions that b is made no more than the cap allows; whether it does not allow all.
bool PositionProjection::set_targets(ConstraintSet& constraints, const std::vector<ContactPoint>& points,
                                     double h) const {
  bool capped = false;
  ConeProblem& problem = constraints.problem();
  for (int i = 0; i < constraints.count(); ++i) {
    const Cone& cone = problem.cones[i];
    const bool is_contact = constraints.kind(i) == ConstraintSet::Kind::contact;
    const double most = h * (is_contact ? correction_speed_of(system_, points[constraints.index(i)], correction_speed_)
                                        : correction_speed_);
    const double left = is_contact ? calc_left(points[constraints.index(i)]) : 0.0;
    for (int row = cone.offset; row < cone.offset + cone.dim; ++row) {
      const bool is_held = !is_contact || held_[constraints.index(i)] != Held::no;
      double g = is_held ? problem.b[row] : std::max(problem.b[row], 0.0);
      if (is_contact && (is_held || g > 0.0)) g += left;
      problem.b[row] = std::clamp(g, -most, is_contact ? std::max(g, 0.0) : most);
      capped |= problem.b[row] != g;
    }
  }
  return capped;
}

}  // namespace stickslip
