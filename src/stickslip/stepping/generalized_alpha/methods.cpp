// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/methods.h"

#include <algorithm>
#include <limits>
#include <span>

#include "stickslip/stepping/generalized_alpha/fixed_point.h"
#include "stickslip/stepping/generalized_alpha/index_sets.h"
#include "stickslip/stepping/generalized_alpha/memory.h"

namespace stickslip::generalized_alpha {
namespace {

enum class Method { newton, nested };

struct Try {
  Method method;
  bool afresh = false;  // from the start values as the last step left them; else from where the last try ended
  bool search = false;  // along Newton steps
  bool many = false;    // of the nested problems: contacts are many
  int max_passes = 8;   // of the nested problems; with two three times as many steps are inexact
};
constexpr Try kContinued = {.method = Method::newton};
constexpr Try kNewtonAfresh = {.method = Method::newton, .afresh = true};
constexpr Try kSearch = {.method = Method::newton, .search = true};
constexpr Try kAfresh = {.method = Method::nested, .afresh = true};
constexpr Try kMany = {.method = Method::nested, .many = true, .max_passes = 20};

/// Newton's method settles nearly all steps; on redundant contacts, and where sets cycle, the nested problems do, or
/// find sets from which Newton's method converges. What these leave is made in parts. Each of the three leaves fewer
/// steps inexact; further rounds of the last two only take time.
constexpr Try kTries[] = {kContinued, kAfresh, kSearch};
/// Among many contacts a whole Newton step changes dozens of index sets as if the others stayed, and costs a sparse
/// factorisation of all levels at once.
constexpr Try kTriesOfMany[] = {kMany, kAfresh, kSearch};
/// A system may be large by its joints. The nested problems settle nearly all steps of a robot on its feet, at a tenth
/// of the cost or less, but take forces other than those of joints as they are at the iterate: passes do not contract
/// where springs between points are stiff, nor where joints hold light bodies between heavy ones, as in a rope of
/// points.
constexpr Try kFewPasses = {.method = Method::nested, .many = true, .max_passes = 12};
constexpr Try kTriesOfMechanisms[] = {kFewPasses, kNewtonAfresh, kAfresh, kSearch};
/// Contacts of a mechanism at most. [-]
constexpr std::ptrdiff_t kFewContacts = 20;

/// What a step of few contacts may cost, Step::work: after that it is settled, without further tries. [-] With less
/// more steps are inexact; without a bound single steps take more than 20 ms.
constexpr double kMostWork = 2e5;

}  // namespace

StepSolve Methods::solve(Step& step, const State& state, bool parts_follow) {
  fallbacks_ = 0;
  nested_.forget_proof();
  evaluate(step);
  if (step.options.strategy == GeneralizedAlphaStrategy::fixed_point) return solve_by_fixed_point(step, newton_);
  StepSolve solve = solve_by_tries(step, state, parts_follow);
  const double work = step.work;
  step.work = 0.0;  // the branches have as much again
  painleve_.choose(step, state, newton_, solve);
  step.work = work;
  return solve;
}

StepSolve Methods::solve_by_tries(Step& step, const State& state, bool parts_follow) {
  const bool is_large = NewtonSystem::is_large(step);
  const auto n_contacts = std::ranges::count(step.elements, ConstraintElement::Kind::contact, &StepElement::kind);
  const bool many = is_large && n_contacts > kFewContacts;
  const std::span<const Try> tries = many       ? std::span<const Try>(kTriesOfMany)
                                     : is_large ? std::span<const Try>(kTriesOfMechanisms)
                                                : std::span<const Try>(kTries);
  step.most_work = is_large || n_contacts == 0 ? std::numeric_limits<double>::infinity() : kMostWork;
  const double work = step.work;
  StepSolve total;
  for (const Try& next : tries) {
    if (next.afresh) {
      set_start_values(step, state, false);
      evaluate(step);
    }
    StepSolve solve;
    if (next.method == Method::newton) {
      solve = newton_.solve(step, next.search);
    } else {
      solve = nested_.solve(step, next.max_passes, next.many);
    }
    (next.method == Method::nested && !next.many ? fallbacks_ : total.iterations) += solve.iterations;
    total.converged = solve.converged;
    if (solve.converged) break;
    // More passes would turn bodies until walls that close on them let them go.
    if (nested_.violation() > 0.0 || step.is_spent()) break;
    // Among many contacts that mostly means that there is no solution, and the other tries cost many times a part: of
    // 200 balls that settle tens of seconds, after which none of six such steps was solved.
    if (parts_follow && many) break;
  }
  if (is_large) step.work = work;  // what is not bounded is not counted
  return total;
}

void Methods::settle(Step& step, const State& state) {
  const SolveReport proof = nested_.proof();
  const bool is_proved = proof.violation > 0.0;
  if (is_proved) ended_ = step.x;
  set_start_values(step, state, false);
  settle_once(step);
  const bool has_rest = find_stuck(step);
  if (is_proved) {
    set_start_values(step, state, false);
    take_stuck(ended_, step);
    settle_once(step);
    nested_.set_proof(proof);
  }
  if (has_rest) solve_rest(step, state);
  balance_stiff_forces(step);
  evaluate_as_is(step);
}

void Methods::settle_once(Step& step) {
  balance_stiff_forces(step);
  evaluate(step);
  nested_.settle(step);
  evaluate_as_is(step);
}

/// Bodies that hang together by joints and contacts that are closed or overlap.
void Methods::find_parts(const Step& step) {
  parts_.reset(step.system.bodies().size());
  for (const StepElement& e : step.elements) {
    const bool holds = e.level > Level::open || (e.evaluated && e.gap[0] < 0.0);
    if (holds) e.join(parts_);
  }
}

/// Which bodies hang together with something that is stuck: in is_stuck_. Whether there are some, and others.
bool Methods::find_stuck(const Step& step) {
  const std::size_t n_bodies = step.system.bodies().size();
  find_parts(step);
  is_stuck_.assign(n_bodies, 0);
  const auto mark = [this](int body) { is_stuck_[parts_.find(body)] = 1; };
  for (std::size_t k = 0; k < step.elements.size(); ++k) {
    const StepElement& e = step.elements[k];
    if (!nested_.is_stuck(static_cast<int>(k))) continue;
    for (const auto& side : e.sides()) {
      if (side.touch >= 0) mark(side.body);
    }
  }
  for (std::size_t k = 0; k < n_bodies; ++k) is_stuck_[k] = is_stuck_[parts_.find(static_cast<int>(k))];
  bool some = false;
  bool others = false;
  for (std::size_t k = 0; k < n_bodies; ++k) {
    (is_stuck_[k] != 0 ? some : others) |= step.system.bodies()[k].n_u > 0;
  }
  return some && others;
}

/// Whether an element acts on a body that is stuck.
bool Methods::is_stuck(const StepElement& e) const {
  return std::any_of(e.sides().begin(), e.sides().end(),
                     [this](const auto& side) { return side.touch >= 0 && is_stuck_[side.body] != 0; });
}

/// x of what is stuck, into the iterate.
void Methods::take_stuck(const Unknowns& x, Step& step) const {
  for (std::size_t k = 0; k < is_stuck_.size(); ++k) {
    if (is_stuck_[k] == 0) continue;
    const Body& body = step.system.bodies()[k];
    for (const auto part : {&Unknowns::a, &Unknowns::U, &Unknowns::Q}) {
      (step.x.*part).segment(body.u_offset, body.n_u) = (x.*part).segment(body.u_offset, body.n_u);
    }
  }
  for (const StepElement& e : step.elements) {
    if (!is_stuck(e)) continue;
    step.x.kappa.segment(e.pos_offset, e.n_pos) = x.kappa.segment(e.pos_offset, e.n_pos);
    for (const auto part : {&Unknowns::Lambda, &Unknowns::lambda}) {
      (step.x.*part).segment(e.offset, e.dim) = (x.*part).segment(e.offset, e.dim);
    }
  }
}

/// The step again for the bodies that nothing stuck hangs together with, without the others' contacts and joints.
void Methods::solve_rest(Step& step, const State& state) {
  const SolveReport proof = nested_.proof();
  nested_.forget_proof();
  settled_ = step.x;
  const auto is_left_out = [this](const StepElement& e) { return is_stuck(e); };
  const double work = step.work;
  const double most_work = step.most_work;
  step.work = 0.0;  // the rest may cost as much again
  bool is_solved = false;
  {
    const KeptElements kept(step);
    const auto end = step.elements.begin() + static_cast<std::ptrdiff_t>(step.n_fixed);
    step.n_fixed -= static_cast<std::size_t>(std::count_if(step.elements.begin(), end, is_left_out));
    std::erase_if(step.elements, is_left_out);
    set_start_values(step, state, false);
    evaluate(step);
    is_solved = solve_by_tries(step, state, false).converged;
  }
  step.work = work;
  step.most_work = most_work;
  nested_.set_proof(proof);
  if (!is_solved) {
    step.x = settled_;
    return;
  }
  take_stuck(settled_, step);
}

/// Undone where it leads astray: percussions that are held turn a light plate under a heavy block over. What bodies may
/// be moved is the way of the fastest of those that they hang together with, by forces as well.
void Methods::balance_stiff_forces(Step& step) {
  before_ = step.x;
  evaluate_smooth(step);
  find_parts(step);
  for (const Force& force : step.system.forces()) {
    if (force.first.n_u > 0 && force.second.n_u > 0) parts_.join(force.first.body, force.second.body);
  }
  const int n_bodies = static_cast<int>(step.system.bodies().size());
  ways_.assign(n_bodies, 0.0);
  for (int k = 0; k < n_bodies; ++k) {
    double& way = ways_[parts_.find(k)];
    way = std::max(way, step.measure.displacement(k));
  }
  motion_ = step.v;
  bool is_balanced = solve_smooth(step, newton_);
  motion_ -= step.v;
  for (int k = 0; k < n_bodies && is_balanced; ++k) {
    is_balanced = measure_motion(step.system, k, motion_.data()) <= ways_[parts_.find(k)];
  }
  if (!is_balanced) step.x = before_;
}

}  // namespace stickslip::generalized_alpha
