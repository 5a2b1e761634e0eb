// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/painleve.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/rank_revealing_solve.h"
#include "stickslip/math/round_off.h"
#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/memory.h"

namespace stickslip::generalized_alpha {
namespace {

/// Rows of an element whose acceleration is zero: all of a joint, the normal of a contact, and what sticks.
template <class Function>
void for_held_rows(const StepElement& e, bool with_normal, Function&& add) {
  if (e.kind == ConstraintElement::Kind::joint) {
    for (int i = 0; i < e.dim; ++i) add(i);
    return;
  }
  if (e.kind == ConstraintElement::Kind::contact && with_normal) add(0);
  for (int set = 0; set < e.n_sets; ++set) {
    const FrictionSet& rows = e.friction[set];
    for (int i = rows.first; i < rows.first + rows.n && e.states[set].stick_acceleration; ++i) add(i);
  }
}

/// What the friction of a contact that slides does to a row, over its normal force. [1/kg]
double calc_friction_response(const Step& step, const StepElement& on, int row, const StepElement& e) {
  double sum = 0.0;
  for (int set = 0; set < e.n_sets; ++set) {
    if (e.states[set].stick_acceleration) continue;
    const FrictionSet& rows = e.friction[set];
    for (int i = rows.first; i < rows.first + rows.n; ++i) {
      sum -= e.friction_of(set) * e.slip[i] * step.rows.calc_coupling(on, row, e, i);
    }
  }
  return sum;
}

/// A of a sliding contact while joints and the other closed contacts hold: with G between all rows that are held and
/// the contact's own, each with the friction that follows it, the Schur complement G_kk - G_kr G_rr^+ G_rk. [1/kg]
double calc_normal_response(const Step& step, const StepElement& e) {
  struct Row {
    const StepElement* element;
    int row;
  };
  std::vector<Row> held;
  for (const StepElement& f : step.elements) {
    if (&f != &e && f.level < Level::acceleration) continue;
    for_held_rows(f, &f != &e, [&](int i) { held.push_back({&f, i}); });
  }
  // What a multiplier does to a row: along its own direction and, where it is the normal force of a sliding contact,
  // by friction.
  const auto response = [&](const Row& on, const Row& of) {
    const StepElement& f = *of.element;
    const double sum = step.rows.calc_coupling(*on.element, on.row, f, of.row);
    if (f.kind != ConstraintElement::Kind::contact || of.row > 0) return sum;
    return sum + calc_friction_response(step, *on.element, on.row, f);
  };
  const Row own{&e, 0};
  const auto n = static_cast<int>(held.size());
  std::vector<double> matrix(held.size() * held.size());
  std::vector<double> given_way(held.size());
  for (int i = 0; i < n; ++i) {
    step.stop.check();
    for (int j = 0; j < n; ++j) matrix[static_cast<std::size_t>(i) * held.size() + j] = response(held[i], held[j]);
    given_way[i] = response(held[i], own);
  }
  double A = response(own, own);
  if (n == 0) return A;
  solve_least_norm(n, matrix.data(), given_way.data(), given_way.data(), kRankThreshold);
  for (int i = 0; i < n; ++i) A -= response(own, held[i]) * given_way[i];
  return A;
}

/// Whether the step may have several solutions because of a contact that slid before it: its normal force or
/// percussion hardly pushes it apart, or even pulls, by way of the friction that comes with it: A <= near G_NN.
bool could_choose(Step& step, const StepElement& e, const State& state, double near) {
  if (e.kind != ConstraintElement::Kind::contact || !e.evaluated || e.friction[0].n == 0) return false;
  const FrictionSet& sliding = e.friction[0];
  const auto size_of_coupling = [&](const FrictionSet& rows) { return norm(e.coupling.data() + rows.first, rows.n); };
  double turning = 0.0;  // [1/kg] the most that spinning and rolling can do
  for (int set = 1; set < e.n_sets; ++set) turning += e.friction_of(set) * size_of_coupling(e.friction[set]);
  if (e.diagonal[0] - e.mu * size_of_coupling(sliding) - turning > near * e.diagonal[0]) return false;
  std::array<double, kMaxElementDim> gamma;
  step.rows.calc_velocity(e, state.t, state.q, state.u, gamma.data());
  const double speed = norm(gamma.data() + sliding.first, sliding.n);
  const double along = dot(sliding.n, gamma.data() + sliding.first, e.coupling.data() + sliding.first);
  return (e.diagonal[0] - turning) * speed - e.mu * along <= near * e.diagonal[0] * speed &&
         step.h * speed > step.options.tolerance * step.measure.displacement();
}

}  // namespace

void open_by_choice(Step& step, StepElement& e) {
  if (e.sticks_wholly()) return;
  double A = e.diagonal[0];
  for (int set = 0; set < e.n_sets; ++set) {
    const FrictionSet& rows = e.friction[set];
    for (int i = rows.first; i < rows.first + rows.n && !e.sticks(set); ++i) {
      A -= e.friction_of(set) * e.coupling[i] * e.slip[i];
    }
  }
  if (A > 0.0) return;
  A = calc_normal_response(step, e);
  if (A > 0.0) return;
  if (e.gamma_dot[0] - A * step.x.lambda(e.offset) <= 0.0) return;
  e.opened_by_choice = true;
  exclude_above(step, e, Level::velocity);
}

int count_choices(const Step& step) {
  return static_cast<int>(std::count_if(step.elements.begin(), step.elements.end(),
                                        [](const StepElement& e) { return e.opened_by_choice || e.has_choice; }));
}

void Painleve::choose(Step& step, const State& state, Newton& newton, StepSolve& solve) {
  // A / G_NN changes within the step, by more in an impact than in sliding. [-] With 0 solutions are missed; with 1
  // steps take several times the iterations.
  constexpr double kNear = 0.1;
  bool moved = false;
  for (StepElement& e : step.elements) e.has_choice = false;
  for (StepElement& e : step.elements) {
    step.stop.check();
    if (e.level < Level::velocity || !could_choose(step, e, state, kNear)) continue;
    moved = true;
    keep(step);
    const Branch known = !solve.converged ? Branch::any : (e.sticks() ? Branch::stopped : Branch::sliding);
    int solutions = 0;
    Branch first = Branch::any;
    for (const Branch branch : {Branch::open, Branch::sliding, Branch::stopped}) {
      if (branch != known) {
        e.branch = branch;
        if (!solve_branch(step, state, newton, solve)) continue;
      }
      if (++solutions > 1) break;
      first = branch;
      if (branch != known) keep(step);
    }
    restore(step);  // elements of the same size: e stays where it is
    e.has_choice = solutions > 1;
    e.branch = first;
    solve.converged |= solutions > 0;
    newton.judge(step);
  }
  if (moved) {
    for (StepElement& e : step.elements) e.branch = Branch::any;
    evaluate(step);
  }
  // Contacts that have opened where a force or percussion could as well have held them.
  for (StepElement& e : step.elements) {
    if (e.kind != ConstraintElement::Kind::contact || e.level >= Level::velocity) continue;
    if (step.start_lambda(e.offset) > 0.0 && could_choose(step, e, state, 0.0)) e.has_choice = true;
  }
}

/// A solution on the branches that the contacts are asked for, which is one without as well.
bool Painleve::solve_branch(Step& step, const State& state, Newton& newton, StepSolve& solve) {
  set_start_values(step, state, true);
  evaluate(step);
  const StepSolve next = newton.solve(step);
  solve.iterations += next.iterations;
  if (!next.converged) return false;
  step.follows_branches = false;
  const bool found = evaluate(step) <= 1.0;
  step.follows_branches = true;
  return found;
}

void Painleve::keep(const Step& step) {
  x_ = step.x;
  elements_ = step.elements;
}

void Painleve::restore(Step& step) const {
  step.x = x_;
  step.elements = elements_;
}

}  // namespace stickslip::generalized_alpha
