// SPDX-License-Identifier: BSD-3-Clause
// `auto`: methods that take turns.
#include <algorithm>
#include <cmath>

#include "stickslip/solvers/auto_rules.h"
#include "stickslip/solvers/auto_solver.h"

namespace stickslip {
namespace {

using namespace auto_rules;

}  // namespace

/// Gives turns, always to the method with the least calc_cost_with_next(). Round::newton: the first steps from the best
/// iterate; inside: until interior points have been polished once; waiting: until these would be next again, so that
/// methods that waited for them have had turns; rest: until all have ended.
void AutoSolver::take_turns(Task& task, Round round) {
  const int max_stuck = is_pile_ ? 1 : is_convex_friction(task.problem) ? kStuckConvexSolves : kStuckSolves;
  while (is_open(task)) {
    const bool is_slow = newton_from_best_.n_stuck() >= max_stuck || n_from_best_ >= kMostSteps;
    if (round == Round::newton && (from_best_.has_ended || is_slow)) break;
    if (round == Round::inside && (inside_.has_ended || is_polished_)) break;
    Contender* next = nullptr;
    double least = 0.0;
    const auto offer = [&](Contender& contender) {
      if (round == Round::inside && is_pile_ && contender.weight == kUnlikely) return;  // they wait in piles
      const double cost = calc_cost_with_next(contender);
      if (contender.has_ended || (next != nullptr && cost >= least)) return;
      next = &contender;
      least = cost;
    };
    if (round != Round::newton) {
      for (Contender* contender : {&fischer_burmeister_, &gradients_, &inside_, &from_guess_}) offer(*contender);
    }
    if (round == Round::rest) offer(de_saxce_);
    offer(from_best_);
    if (next == nullptr || (round == Round::waiting && next == &inside_)) break;
    take_turn(task, *next);
  }
}

/// Its operations count `weight` times, also those so far.
void AutoSolver::weigh(Contender& contender, double weight) {
  contender.cost *= weight / contender.weight;
  contender.weight = weight;
}

/// The cost of a contender after one more Newton step of its weight, of interior points after their first turn.
double AutoSolver::calc_cost_with_next(const Contender& contender) const {
  const bool is_first = &contender == &inside_ && !contender.has_begun;
  return contender.cost + contender.weight * (is_first ? first_inside_turn_ : 1.0) * step_operations_;
}

void AutoSolver::take_turn(Task& task, Contender& contender) {
  const Turn turn = (this->*contender.step)(task);
  task.used += turn.iterations;
  task.operations += turn.operations;
  contender.has_begun = true;
  contender.cost += contender.weight * turn.operations;
  contender.n_steps += turn.iterations;
  const double weight = &contender == likeliest_ && &contender != &gradients_ ? kSlow : kUnlikely;
  if (contender.n_steps >= kManySteps && contender.weight < weight) weigh(contender, weight);
}

/// A turn of proximal Newton steps from the best iterate, with few rows from the guess: nsgs started at the best.
AutoSolver::Turn AutoSolver::step_from_best(const Task& task) {
  if (!from_best_.has_begun) {
    is_small(task.problem) ? go_to_guess() : iterate_.return_to_best();
  }
  const Turn turn = step_by_newton(task, newton_from_best_, ProximalNewton::kFirstParameter, from_best_);
  n_from_best_ += turn.iterations;
  if (n_from_best_ > 0) step_operations_ = newton_from_best_.operations() / n_from_best_;
  return turn;
}

/// A turn of proximal Newton steps from the guess.
AutoSolver::Turn AutoSolver::step_from_guess(const Task& task) {
  if (!from_guess_.has_begun) go_to_guess();
  return step_by_newton(task, newton_from_guess_, ProximalNewton::kFirstParameter, from_guess_);
}

/// Proximal Newton steps, the first ones from the present iterate: an inner solve.
AutoSolver::Turn AutoSolver::step_by_newton(const Task& task, ProximalNewton& newton, double first_parameter,
                                            Contender& contender) {
  task.report.method = "prox";
  const double before = newton.operations();
  const double until = std::nextafter(before, HUGE_VAL);
  const ProximalNewton::Report steps =
      contender.has_begun
          ? newton.resume(task.problem, tolerance_, calc_left(task), until, task.deadline, iterate_)
          : newton.run(task.problem, tolerance_, calc_left(task), until, first_parameter, task.deadline, iterate_);
  contender.has_ended = steps.is_stuck || steps.iterations == 0;
  task.report.effort.newton_steps += steps.iterations;
  return {steps.iterations, newton.operations() - before};
}

/// A turn of interior points, once they have ended of Newton steps that polish their answer.
AutoSolver::Turn AutoSolver::step_inside(const Task& task) {
  if (is_polished_) {
    return step_by_newton(task, newton_, ProximalNewton::kPolishParameter, inside_);
  }
  task.report.method = "ipm";
  if (!inside_.has_begun && !is_inside_ready_) interior_point_.start(task.problem, iterate_);
  const int most = std::min(kMostSteps - n_inside_, calc_left(task));
  Turn turn;
  turn.iterations = interior_point_.advance(task.problem, tolerance_, most, 1.0, task.deadline, iterate_);
  turn.operations = turn.iterations * interior_point_.n_operations();
  task.report.effort.interior_point_steps += turn.iterations;
  n_inside_ += turn.iterations;
  if (iterate_.best().is_within(tolerance_)) return turn;
  if (!interior_point_.is_finished() && n_inside_ < kMostSteps) return turn;
  interior_point_.leave(iterate_);
  is_polished_ = true;
  weigh(inside_, kUnlikely);
  if (is_pile_) weigh(*likeliest_, 1.0);
  task.report.method = "prox";
  const double before = newton_.operations();
  const int steps = newton_
                        .run(task.problem, tolerance_, std::min(kPolishSteps, calc_left(task) - turn.iterations),
                             HUGE_VAL, ProximalNewton::kPolishParameter, task.deadline, iterate_)
                        .iterations;
  task.report.effort.newton_steps += steps;
  turn.iterations += steps;
  turn.operations += newton_.operations() - before;
  return turn;
}

/// An inner solve of a method that has been started.
template <class Method>
AutoSolver::Turn AutoSolver::advance_once(const Task& task, Method& method) {
  const double before = method.operations();
  Turn turn;
  turn.iterations = method.advance(task.problem, tolerance_, calc_left(task), std::nextafter(before, HUGE_VAL),
                                   task.deadline, iterate_);
  turn.operations = method.operations() - before;
  task.report.effort.newton_steps += turn.iterations;
  return turn;
}

/// A turn of steps on the Fischer-Burmeister function, with a line search and hardly a proximal term, from the guess.
AutoSolver::Turn AutoSolver::step_by_fischer_burmeister(const Task& task) {
  task.report.method = "newton-fb";
  if (!fischer_burmeister_.has_begun) {
    go_to_guess();
    newton_fb_.start(task.problem, iterate_);
  }
  const Turn turn = advance_once(task, newton_fb_);
  if (turn.iterations > 0) step_operations_ = turn.operations / turn.iterations;
  fischer_burmeister_.has_ended = newton_fb_.is_stuck();
  return turn;
}

/// A turn of De Saxce's fixed point from the best iterate: an inner solve of Newton's method at its associated
/// problem.
AutoSolver::Turn AutoSolver::step_by_fixed_shift(const Task& task) {
  task.report.method = "de-saxce";
  if (!de_saxce_.has_begun) {
    iterate_.return_to_best();
    fixed_shift_.start(task.problem, iterate_);
  }
  const Turn turn = advance_once(task, fixed_shift_);
  de_saxce_.has_ended = fixed_shift_.has_ended() || fixed_shift_.is_stuck();
  return turn;
}

/// A turn of gradients from the guess, as many as cost as much as a Newton step where that is known.
AutoSolver::Turn AutoSolver::step_by_gradients(const Task& task) {
  task.report.method = is_accelerated(task.problem) ? "apgd" : "spg";
  if (!gradients_.has_begun) {
    go_to_guess();
    start_gradients(task.problem);
  }
  const double each = gradient_operations_;
  const double of_a_step = std::max(1.0, step_operations_ / each);
  const int steps = advance_gradients(task, std::max(FirstOrder::kJudgeEvery, static_cast<int>(of_a_step)));
  task.report.effort.gradient_steps += steps;
  return {static_cast<int>(std::ceil(steps / of_a_step)), steps * each};
}

/// Under the exact law momentum is the quicker with few contacts outside of piles; with many contacts spectral steps
/// are.
bool AutoSolver::is_accelerated(const ConeProblem& problem) const {
  return has_objective(problem) || !(is_pile_ || problem.n_cones() >= kManyCones);
}

/// From the present iterate.
void AutoSolver::start_gradients(const ConeProblem& problem) {
  if (is_accelerated(problem)) return accelerated_gradient_.start(problem, iterate_);
  spectral_gradient_.start(problem, iterate_);
}

/// The least residual that gradients have come to.
double AutoSolver::calc_least_of_gradients(const ConeProblem& problem) const {
  return is_accelerated(problem) ? accelerated_gradient_.least_defect() : spectral_gradient_.least_defect();
}

int AutoSolver::advance_gradients(const Task& task, int max_iterations) {
  if (is_accelerated(task.problem)) {
    return accelerated_gradient_.advance(tolerance_, max_iterations, task.deadline, iterate_);
  }
  return spectral_gradient_.advance(task.problem, tolerance_, max_iterations, task.deadline, iterate_);
}

void AutoSolver::go_to_guess() {
  std::copy(start_.begin(), start_.end(), iterate_.p().begin());
  iterate_.judge();
  if (!std::isfinite(iterate_.last().absolute)) iterate_.return_to_best();
}

}  // namespace stickslip
