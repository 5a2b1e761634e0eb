// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/nested.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/cone/cone_defect.h"
#include "stickslip/constraints/sliding_newton.h"
#include "stickslip/math/round_off.h"
#include "stickslip/stepping/generalized_alpha/equations.h"
#include "stickslip/stepping/generalized_alpha/index_sets.h"

namespace stickslip::generalized_alpha {
namespace {

/// Share of a level's tolerance that its problem may leave; the rest is for what else adds to the residual of the step.
/// With .1 more steps are inexact; with all of it forces of least norm break the laws.
constexpr double kShare = 0.5;  // [-]
/// Repetitions of the acceleration level until friction belongs to normal forces, and of its growing push among many
/// contacts. [-] Newton's method takes two or three, and cycles where it takes many; one leaves a ball in a corner
/// inexact.
constexpr int kMaxRepetitions = 3;

/// One of the bodies that an element moves.
int moving_body(const StepElement& e) {
  return e.sides()[e.sides()[0].touch >= 0 ? 0 : 1].body;
}

}  // namespace

Nested::Nested(const Step& step, ConeSolver& solver)
    : solver_(solver), stiff_(step.system, problem_.delassus.emplace<FactoredDelassus>()) {
  auto& delassus = std::get<FactoredDelassus>(problem_.delassus);
  const int n_bodies = static_cast<int>(step.system.bodies().size());
  for (int i = 0; i < n_bodies; ++i) {
    const bool moves = step.system.bodies()[i].n_u > 0;
    delassus_body_.push_back(moves ? delassus.add_body(step.system.inverse_mass(i)) : -1);
  }
  const int n_u = step.system.n_u();
  for (Vector* y : {&free_, &change_, &response_, &change_u_, &change_a_, &change_v_, &work_}) y->setZero(n_u);
  best_ = step.x;
}

void Nested::clear() {
  problem_.clear_cones();
  std::get<FactoredDelassus>(problem_.delassus).clear_rows();
  rows_.clear();
  has_stiff_rows_ = false;
}

/// One level: the value of each row at the iterate is in problem_.b, its multiplier in solution_.p, M^-1 times the
/// residual in free_. Solves for b = value - W^T (M^-1 W p + free), and leaves change_ = M^-1 W (p' - p) - free. The
/// residual is to be at most `allowed`, whatever the solver's tolerance, and less where that is below the scheme's; 0:
/// relative to the values themselves. Passes let the solver give up; settle() takes what its last resorts come to,
/// within the bound of a call and until the step has cost what it may.
void Nested::solve_level(Step& step, double allowed) {
  step.stop.check();
  const double strictness = std::min(1.0, solver_.tolerance() / step.options.tolerance);
  const double work_of_iteration = kWorkOfRow * std::max(problem_.size(), 1);
  Tolerance tolerance{.relative = allowed > 0.0 ? 0.0 : solver_.tolerance(),
                      .absolute = kShare * allowed * strictness,
                      .may_give_up = is_stuck_.empty() || step.is_spent()};
  if (std::isfinite(step.most_work)) {
    tolerance.most_iterations = static_cast<int>(step.most_work_of_a_call() / work_of_iteration);
  }
  response_.setZero();
  std::array<double, kMaxElementDim> p = {};
  const auto add_all = [&] {
    for (const Rows& rows : rows_) {
      const StepElement& e = step.elements[rows.element];
      p.fill(0.0);
      scatter(step, rows, solution_.p.data() + rows.offset, p.data());
      step.rows.add_response(e, p.data(), response_);
    }
    if (has_stiff_rows_) stiff_.add_response(solution_.p, response_);
  };
  add_all();
  response_ += free_;
  std::array<double, kMaxElementDim> w;
  std::array<double, kMaxElementDim> values;
  for (const Rows& rows : rows_) {
    step.rows.multiply_transposed(step.elements[rows.element], response_, w.data());
    contract(step, rows, w.data(), values.data());
    for (int i = 0; i < rows.n; ++i) problem_.b[rows.offset + i] -= values[i];
  }
  if (has_stiff_rows_) stiff_.subtract_velocities(response_, problem_);
  change_ = -response_;
  SolveReport report;
  if (!rows_.empty()) report = solver_.solve(problem_, tolerance, solution_);
  step.work += work_of_iteration * report.iterations;
  response_.setZero();
  add_all();
  change_ += response_;
  exact_ &= report.status == Status::ok;
  last_ = report;
  if (!is_stuck_.empty() && report.status != Status::ok) mark_stuck(step, tolerance.absolute);
}

/// Marks the elements whose laws the solution of a level misses by more than Certificate takes for solved.
void Nested::mark_stuck(const Step& step, double allowed) {
  std::array<double, kMaxElementDim> u;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Rows& rows = rows_[k];
    const StepElement& e = step.elements[rows.element];
    std::copy_n(solution_.u.begin() + rows.offset, rows.n, u.begin());
    for (const Stretch& s : problem_.stretches) {
      if (s.row >= rows.offset && s.row < rows.offset + rows.n) s.apply(u.data() + s.row - rows.offset);
    }
    const double* p = solution_.p.data() + rows.offset;
    double largest = 0.0;  // [N s]
    for (int i = 0; i < rows.n; ++i) largest = std::max(largest, std::abs(p[i]));
    const double w = e.diagonal[0];
    const double defect = calc_squared_defect(problem_, FrictionLaw::coulomb, problem_.cones[k], w, p, u.data());
    const double solved = Measure::kSolved * (1.0 + e.sum_of_friction()) * (allowed + kSumRoundOff * w * largest);
    if (!(defect <= solved * solved)) is_stuck_[rows.element] = 1;
  }
}

/// What error() allows of the residuals of a level, the least of its elements: [m], [m/s], [m/s^2].
double Nested::calc_allowed(const Step& step, Level level) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Rows& rows : rows_) {
    const StepElement& e = step.elements[rows.element];
    least =
        std::min(least, level == Level::position   ? step.measure.tolerance_position(step, e)
                        : level == Level::velocity ? step.measure.tolerance_velocity(step, e) / step.h
                                                   : step.measure.tolerance_acceleration(step, e) / (step.h * step.h));
  }
  return rows_.empty() ? 0.0 : least;
}

/// (131), (137).
void Nested::velocity_pass(Step& step) {
  clear();
  solution_.p.clear();
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (e.level == Level::open) continue;
    add_cone(step, static_cast<int>(k), e.dim, Friction::all, e.bound * step.h);
    for (int i = 0; i < e.dim; ++i) {
      problem_.b[rows_.back().offset + i] = e.xi[i];
      solution_.p.push_back(step.P(e.offset + i));
    }
    for (int set = 0; set < e.n_sets; ++set) {
      if (!(e.states[set].stretch.tau > 0.0)) continue;
      problem_.stretches.push_back(e.states[set].stretch);
      problem_.stretches.back().row = rows_.back().offset + e.friction[set].first;
    }
  }
  response_ = step.r2 + step.gamma_step() * step.r1;
  stiff_.add_forces(-step.gamma_step(), response_);
  step.system.solve_mass(response_, free_);
  solve_level(step, calc_allowed(step, Level::velocity));
  impact_ = last_;
  change_u_ = change_;
  P_ = step.P;
  take_solution(step, P_);
}

/// The outcome of the velocity level: its rows are those of rows_ and solution_. Whether it changes index sets.
bool Nested::classify_percussions(Step& step) {
  bool changes = false;
  for (const Rows& rows : rows_) {
    StepElement& e = step.elements[rows.element];
    const bool was_closed = e.level >= Level::velocity;
    const auto before = e.states;
    std::array<double, kMaxElementDim> xi;
    std::copy_n(solution_.u.begin() + rows.offset, rows.n, xi.begin());
    classify_percussion(step, e, xi.data(), P_.data() + e.offset);
    changes |= was_closed != (e.level >= Level::velocity);
    for (int set = 0; set < e.n_sets; ++set)
      changes |= e.states[set].stick != before[set].stick || e.has_sliding_friction(set);
  }
  return changes;
}

void Nested::acceleration_pass(Step& step) {
  lambda_ = step.x.lambda;
  step.system.solve_mass(step.r1, free_);
  change_a_.setZero();
  stiff_.forget_forces();
  sliding_.clear();
  push_.clear();
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (e.kind != ConstraintElement::Kind::contact || e.level < Level::velocity) continue;
    if (e.has_sliding_friction()) sliding_.push_back(static_cast<int>(k));
  }
  if (many_) {
    settle_many_sliding(step);
  } else {
    settle_sliding(step);
  }
}

/// At fixed (q', u') the level is linear but for the friction of sliding contacts, which follows their normal forces y:
/// y = Phi(y), Phi the normal forces of the solution with lambda_F = -mu y n held. Repetition contracts at the ratio
/// mu |G_NF| / G_NN; where that is slow, or above one though a solution exists, Newton's method on Phi, which is linear
/// in pieces. Given up where the solver leaves the level unsolved: then there is mostly no Phi(y), and each try costs
/// all its iterations.
void Nested::settle_sliding(Step& step) {
  // Relative change of a that is round-off. [-] With less round-off counts as change; with 1e-6 a jammed heap is not
  // solved, and with the tolerance of the step a ball in a corner takes other iterations than published.
  constexpr double kSettled = 1e-13;
  const auto m = static_cast<int>(sliding_.size());
  for (int i = 0; i < kMaxRepetitions; ++i) {
    get_sliding_normals(step, held_);
    solve_accelerations(step);
    if (last_.status != Status::ok || (is_stuck_.empty() && step.is_spent())) return;
    get_sliding_normals(step, found_);
    const double change = set_sliding_forces(step);
    if (change <= kSettled * (step.x.a.norm() + change_a_.norm())) return;
    if (i > 0 && m > 0 && m <= kMaxNewtonRows) newton_on_sliding(step);
  }
}

/// The same for many sliding contacts. With push n, larger than any tangential acceleration, in the place of its
/// present value gamma_dot_F, Coulomb's law on the acceleration level is lambda_F = -mu lambda_N n: exactly, where
/// friction has one dimension, and else up to what changes across n, over push. So one cone problem settles nearly all
/// of them. A contact that resists any push, with forces that grow with it, is jammed: there are no accelerations with
/// which it slides [Capobianco2021, section 10.4]; the forces of the least push are then kept, for other index sets
/// to be found.
void Nested::settle_many_sliding(Step& step) {
  // Push over the accelerations at the iterate, and its growth where it was too small. [-] A thousand makes more steps
  // in parts, and with 1e6 steps of dense discs stay inexact.
  constexpr double kPush = 8.0;
  const double largest = step.measure.deviation() / (step.h * step.h);
  for (const int k : sliding_) {
    const StepElement& e = step.elements[k];
    double most = 0.0;
    for (int set = 0; set < e.n_sets; ++set) {
      if (!e.has_sliding_friction(set)) continue;
      const int first = e.friction[set].first;
      most = std::max(most, std::abs(dot(e.friction[set].n, e.slip.data() + first, e.gamma_dot.data() + first)));
    }
    push_.push_back(kPush * (most + largest));
  }
  bool settled = false;
  least_lambda_ = lambda_;
  least_change_a_ = change_a_;
  double least = std::numeric_limits<double>::infinity();  // [m/s^2] of accelerations that a repetition changed
  for (int i = 0; i < kMaxRepetitions && !settled; ++i) {
    along_ = i > 0;
    solve_accelerations(step);
    const double change = set_sliding_forces(step);
    settled = change <= kShare * allowed_acceleration_;
    if (!(change < least)) {
      lambda_ = least_lambda_;
      change_a_ = least_change_a_;
      break;
    }
    least = change;
    least_lambda_ = lambda_;
    least_change_a_ = change_a_;
    for (double& push : push_) push *= kPush;
  }
  push_.clear();
}

/// y = lambda_N of the sliding contacts.
void Nested::get_sliding_normals(const Step& step, std::vector<double>& y) const {
  y.clear();
  for (const int k : sliding_) y.push_back(lambda_(step.elements[k].offset));
}

/// lambda_F = -mu lambda_N n of what slides of an element, and p (dim) what that changes.
void Nested::set_sliding_friction(const StepElement& e, double normal, double* p) {
  for (int set = 0; set < e.n_sets; ++set) {
    if (e.sticks(set)) continue;
    const double radius = friction_radius_acceleration(e, set, normal);
    for (int i = e.friction[set].first; i < e.friction[set].first + e.friction[set].n; ++i) {
      const double next = -radius * e.slip[i];
      p[i] = next - lambda_(e.offset + i);
      lambda_(e.offset + i) = next;
    }
  }
}

/// Gives the sliding contacts the normal forces y and the friction that belongs to them.
void Nested::hold_sliding(const Step& step, const double* y) {
  std::array<double, kMaxElementDim> p;
  for (std::size_t k = 0; k < sliding_.size(); ++k) {
    const StepElement& e = step.elements[sliding_[k]];
    p.fill(0.0);
    p[0] = y[k] - lambda_(e.offset);
    lambda_(e.offset) = y[k];
    set_sliding_friction(e, y[k], p.data());
    step.rows.add_response(e, p.data(), change_a_);
  }
}

/// A step of Newton's method for y = Phi(y), whose y it holds.
void Nested::newton_on_sliding(Step& step) {
  step_sliding_newton(held_, found_, moved_, [&](std::vector<double>& y) {
    hold_sliding(step, y.data());
    solve_accelerations(step);
    get_sliding_normals(step, y);
  });
  hold_sliding(step, held_.data());
}

/// One solution of the acceleration level with the friction forces of sliding contacts as they are in lambda_; moves
/// lambda_ and change_a_.
/// (134), (140), the friction of what slides apart.
void Nested::solve_accelerations(Step& step) {
  clear();
  solution_.p.clear();
  std::array<double, kMaxElementDim> moved;
  std::size_t next_pushed = 0;
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (e.level < Level::velocity) continue;
    const bool slides = e.kind != ConstraintElement::Kind::joint && !e.sticks_wholly();
    if (slides && e.kind == ConstraintElement::Kind::dry_friction) continue;
    const bool pushed = next_pushed < push_.size() && sliding_[next_pushed] == static_cast<int>(k);
    const Friction friction = !slides || (pushed && !along_) ? Friction::all
                              : pushed                       ? Friction::along
                                                             : Friction::held;
    add_cone(step, static_cast<int>(k), e.dim, friction, e.bound);
    const Rows& rows = rows_.back();
    step.rows.multiply_transposed(e, change_a_, moved.data());
    for (int i = 0; i < e.dim; ++i) moved[i] += e.gamma_dot[i];
    contract(step, rows, moved.data(), problem_.b.data() + rows.offset);
    if (pushed) push(e, rows, push_[next_pushed]);
    solution_.p.resize(solution_.p.size() + rows.n);
    contract(step, rows, lambda_.data() + e.offset, solution_.p.data() + rows.offset);
    next_pushed += pushed ? 1 : 0;
  }
  allowed_acceleration_ = calc_allowed(step, Level::acceleration);
  has_stiff_rows_ = stiff_.exist();
  stiff_.add_rows(change_a_, delassus_body_, problem_, solution_.p);
  solve_level(step, allowed_acceleration_);
  stiff_.take_solution(solution_.p);
  change_a_ += change_;
  free_.setZero();
  take_solution(step, lambda_);
}

/// lambda_F = -mu lambda_N n where a contact slides, lambda = 0 where it is open; adds what that does to change_a_ and
/// returns its norm.
double Nested::set_sliding_forces(const Step& step) {
  std::array<double, kMaxElementDim> p;
  change_.setZero();
  for (const StepElement& e : step.elements) {
    if (e.kind == ConstraintElement::Kind::joint || (e.level >= Level::velocity && e.sticks_wholly())) continue;
    const bool open = e.level < Level::velocity;
    if (open && !e.evaluated) continue;
    p.fill(0.0);
    if (!open) set_sliding_friction(e, lambda_(e.offset), p.data());
    for (int i = 0; open && i < e.dim; ++i) {
      p[i] = -lambda_(e.offset + i);
      lambda_(e.offset + i) = 0.0;
    }
    step.rows.add_response(e, p.data(), change_);
  }
  change_a_ += change_;
  return change_.norm();
}

/// (128).
void Nested::position_pass(Step& step, const Vector& residual) {
  response_ = residual;
  step.system.solve_mass(response_, free_);
  // What the friction percussions add: dt/2 dP + dt^2 (beta' - gamma'/2) dlambda on rows without position level.
  const double by_lambda = step.beta_step() - 0.5 * step.h * step.gamma_step();
  std::array<double, kMaxElementDim> p;
  clear();
  solution_.p.clear();
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (e.level == Level::open) continue;
    p.fill(0.0);
    for (int i = e.n_pos; i < e.dim; ++i) {
      const int j = e.offset + i;
      p[i] = -0.5 * step.h * (P_(j) - last_P_(j)) - by_lambda * (lambda_(j) - step.x.lambda(j));
    }
    step.rows.add_response(e, p.data(), free_);
    if (e.n_pos == 0) continue;
    add_cone(step, static_cast<int>(k), e.n_pos, Friction::none, 0.0);
    for (int i = 0; i < e.n_pos; ++i) {
      problem_.b[rows_.back().offset + i] = e.gap[i];
      solution_.p.push_back(step.kappa_hat(e.pos_offset + i));
    }
  }
  solve_level(step, calc_allowed(step, Level::position));
  change_v_ = change_;
  kappa_hat_ = step.kappa_hat;
  for (const Rows& rows : rows_) {
    const StepElement& e = step.elements[rows.element];
    std::copy_n(solution_.p.begin() + rows.offset, rows.n, kappa_hat_.data() + e.pos_offset);
  }
}

/// Where joints are stiff the acceleration level tells the others what forces change by, and is solved again if the
/// velocity level has other index sets. The position level then takes what the pass changes friction's percussions by.
/// Without stiff joints it leaves that to the next pass: a few more steps of random scenes get there.
void Nested::pass(Step& step) {
  const bool is_stiff = stiff_.exist();
  last_P_ = step.P;
  if (is_stiff) acceleration_pass(step);
  velocity_pass(step);
  const bool changes = classify_percussions(step);
  if (!is_stiff) last_P_ = step.P;
  if (changes || !is_stiff) acceleration_pass(step);
  work_ = step.r3 + step.beta_step() * step.r1;
  stiff_.add_forces(-step.beta_step(), work_);
  position_pass(step, work_);
  step.x.a += change_a_;
  step.x.U += change_u_ - step.gamma_step() * change_a_;
  step.x.Q += change_v_ - step.beta_step() * change_a_;
  step.x.lambda = lambda_;
  set_multipliers(step);
}

StepSolve Nested::solve(Step& step, int max_passes, bool many) {
  StepSolve result;
  many_ = many;
  is_stuck_.clear();
  exact_ = true;
  history_.clear();
  double best = step.measure.error();
  best_ = step.x;
  while (best > (many && result.iterations == 0 ? Measure::kContinued : 1.0) && result.iterations < max_passes &&
         exact_ && !step.is_spent()) {
    stiff_.begin(step);
    if (many && !stiff_.exist()) close_contacts(step);
    exact_ = true;
    pass(step);
    evaluate(step);
    ++result.iterations;
    if (!std::isfinite(step.measure.error())) break;
    const bool is_best = step.measure.error() < best;
    if (is_best) {
      best = step.measure.error();
      best_ = step.x;
    }
    if (!many) continue;
    // Among sets that stand the error falls by some hundreds a pass.
    if (!history_.add(signature(step)) || (history_.stand() && !is_best)) break;
  }
  if (!(step.measure.error() <= best)) {
    step.x = best_;
    evaluate(step);
  }
  result.converged = step.measure.error() <= 1.0;
  return result;
}

void Nested::settle(Step& step) {
  many_ = true;
  stiff_.clear();
  best_ = step.x;
  is_stuck_.assign(step.elements.size(), 0);
  pass(step);
  if (!find_jammed(step)) return;
  const SolveReport proof = impact_;
  step.x = best_;
  evaluate(step);
  const KeptElements kept(step);
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    StepElement& e = step.elements[k];
    if (e.n_touches == 0 || energy_[components_.find(moving_body(e))] >= 0.0) continue;
    is_stuck_[k] = 1;
    e.drop_friction();
    e.e_normal = 0.0;
    e.e_tangent = 0.0;
    e.gamma_start.fill(0.0);
    for (FrictionState& state : e.states) state.stretch = {};
  }
  evaluate(step);
  pass(step);
  if (proof.violation > 0.0) impact_ = proof;
}

/// Whether the percussions of the last pass move bodies by more than an impact can, and where. Of the bodies that
/// closed elements hold together, with u the velocities without percussions and V what prescribed motions move, both in
/// the measure of kinetic energy, |M^-1 W P| is at most (1 + e) |(u, V)| where kinetic energy falls, e at most one.
/// Friction that jams bodies, with P beyond all bounds, is seen so; where percussions beyond all bounds cancel, as
/// between two walls that friction holds a body by, each one alone, against the momentum that the heaviest of the
/// bodies has with all of it: a plate under a block bears the block's weight. Sets energy_ by component: below zero
/// where they are jammed.
bool Nested::find_jammed(const Step& step) {
  // [-] Levers make percussions larger than what drives them, a wedge of one degree fifty times; those of jammed bodies
  // are 1e6 times as large and grow without bounds from step to step.
  constexpr double kLevers = 1e3;
  const std::size_t n_bodies = step.system.bodies().size();
  components_.reset(n_bodies);
  energy_.assign(n_bodies, 0.0);
  response_.setZero();
  std::array<double, kMaxElementDim> tau;
  for (const StepElement& e : step.elements) {
    if (e.level == Level::open || e.n_touches == 0) continue;
    step.rows.add_response(e, P_.data() + e.offset, response_);
    e.join(components_);
  }
  for (const StepElement& e : step.elements) {
    if (e.level == Level::open || e.n_touches == 0) continue;
    if (!step.rows.calc_prescribed_velocity(e, step.t_end, step.q, tau.data())) continue;
    double& energy = energy_[components_.find(moving_body(e))];
    for (int i = 0; i < e.dim; ++i) energy += 4.0 * e.lever(i) * e.lever(i) * e.mass * tau[i] * tau[i];
  }
  change_ = step.u + change_u_ - response_;
  for (std::size_t k = 0; k < n_bodies; ++k) {
    const int body = static_cast<int>(k);
    const double speed = measure_motion(step.system, body, change_.data());
    energy_[components_.find(body)] += 4.0 * step.system.bodies()[k].mass * speed * speed;
  }
  allowed_energy_ = energy_;
  heaviest_.assign(n_bodies, 0.0);
  for (std::size_t k = 0; k < n_bodies; ++k) {
    const Body& body = step.system.bodies()[k];
    double& mass = heaviest_[components_.find(static_cast<int>(k))];
    if (body.n_u > 0) mass = std::max(mass, body.mass);
  }
  for (std::size_t k = 0; k < n_bodies; ++k) {
    const int body = static_cast<int>(k);
    const double moved = measure_motion(step.system, body, response_.data());
    energy_[components_.find(body)] -= step.system.bodies()[k].mass * moved * moved;
  }
  for (const StepElement& e : step.elements) {
    if (e.level == Level::open || e.n_touches == 0) continue;
    double alone = 0.0;
    const int component = components_.find(moving_body(e));
    for (int i = 0; i < e.dim; ++i) alone += std::pow(P_(e.offset + i) / e.lever(i), 2) / heaviest_[component];
    if (alone > kLevers * kLevers * allowed_energy_[component]) energy_[component] = -alone;
  }
  return std::any_of(energy_.begin(), energy_.end(), [](double energy) { return energy < 0.0; });
}

/// The position level alone, forces and percussions held, until no more contacts are closed: an impact in a dense heap
/// closes them layer by layer. More rounds, until bodies hardly move, take more time and leave more steps to be made in
/// parts. Passes with stiff joints gain nothing by it.
void Nested::close_contacts(Step& step) {
  const auto count_closed = [&] {
    return std::count_if(step.elements.begin(), step.elements.end(),
                         [](const StepElement& e) { return e.level >= Level::position; });
  };
  for (auto closed = count_closed(), before = closed - 1; closed > before; closed = count_closed()) {
    before = closed;
    P_ = last_P_ = step.P;
    lambda_ = step.x.lambda;
    position_pass(step, step.r3);
    step.x.Q += change_v_;
    set_multipliers(step);
    evaluate(step);
  }
}

/// Lambda and kappa of the new P and kappa_hat, with x.lambda.
void Nested::set_multipliers(Step& step) const {
  for (const StepElement& e : step.elements) {
    set_percussions(step, e, P_.data() + e.offset, kappa_hat_.data() + e.pos_offset);
  }
}

}  // namespace stickslip::generalized_alpha
