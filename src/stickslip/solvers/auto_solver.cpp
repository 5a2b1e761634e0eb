// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/auto_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stickslip/cone/infeasibility.h"
#include "stickslip/solvers/facet_lcp.h"
#include "stickslip/solvers/gauss_seidel.h"
#include "stickslip/solvers/lcp.h"
#include "stickslip/solvers/newton_fb.h"

namespace stickslip {
namespace {

/// Up to these many rows nsgs, whose Newton steps are dense, is quicker than anything sparse.
constexpr int kFewRows = 16;
/// Its sweeps before something else is tried.
constexpr int kFewRowsSweeps = 200;
/// Sweeps at least, before their rate means anything, and how many more they may promise to need.
constexpr int kLeastSweeps = 3;
constexpr double kPromisedSweeps = 12.0;
/// Where W has fewer blocks than this, Newton steps go first: real problems that they solve in milliseconds have fewer.
constexpr double kManyBlocks = 2500.0;
/// Coupled to so many contacts on average alternating directions are tried, while they promise so many iterations.
constexpr double kManyNeighbors = 12.0;
constexpr double kPromisedDirections = 150.0;
/// Gradients go first where a Newton step costs as much as so many: in piles of 457, 510, 2265, 8502 contacts 24, 28,
/// 70, 283. With 25 the first takes 2 to 3 times the quickest under the associated law, with 20 at most 1.6.
constexpr double kDearStep = 20.0;
/// They have what so many Newton steps cost, fewer where they get nowhere: when it was halved last after k turns, the
/// best iterate's residual must halve once more by turn 2 k + 2.
constexpr int kGradientTurns = 60;
/// Piles: contacts are coupled to fewer than so many, as in those of spheres (4.8 to 7.9 from 278 to 8502 contacts),
/// and friction has discs or is associated. Interior points come early there. In a planar problem of 7002 contacts
/// under the exact law they take 80 to 130 steps, and Newton steps by themselves fewer. Of 150 planted problems of 17
/// to 400 contacts coupled to so few 2 to 6 exceed 3 times the quickest + 10 ms in a run, 6 to 10 without.
constexpr double kPileNeighbors = 9.0;
/// Interior points start anew: gradients have as long as these take there, and end where, falling as from the first on,
/// they will not be there by then. 11 to 31 steps under the exact law, 8 to 17 under the associated one (278 to 2265
/// contacts). With 24 8502 take 3 to 5 times as long at 1e-4, with 28 457 contacts 3.5 times the quickest, associated.
constexpr int kPileTurns = 30;
constexpr int kConvexPileTurns = 15;
/// Turns of gradients there where a step is not dear but W has so many blocks: at 1e-2 278 to 457 contacts take 3 to 15
/// times the quickest without, 1.3 to 2 with; with 10, or with fewer blocks, real problems of 1 to 3 ms 2 to 2.7 times.
constexpr double kSomeBlocks = 1000.0;
constexpr int kFewTurns = 6;
/// From kManyForMomentum cones on so many turns of 12 iterations come before the analysis of W, which takes as long as
/// 30: warm piles of 2359 and 9449 contacts take 40 at 1e-2, the latter 120 from none, associated.
constexpr int kTurnsBeforeAnalysis = 4;
constexpr int kConvexTurnsBeforeAnalysis = 8;
/// Up to so many cones accelerated gradients are those of the exact law, too: twice as quick as spectral ones in a pile
/// of 495 contacts, and they get nowhere in one of 2359.
constexpr int kManyForMomentum = 1000;
/// The residual is computed once a sweep's change is below this many times the tolerance.
constexpr double kLooksConverged = 2.0;
/// Newton steps from the best iterate go on until so many of their inner solves got stuck, then others get turns. The
/// time of 119 planted problems (621 to 900) is 1.15 times that with 4 with 2, of 211 others 1.05, 1.03, 1.02, 1.05
/// times with 1, 2, 3, 20; associated, .92 times with 2 (155), and 3, 1, 5 of 270 exceed 3 times + 10 ms with 1, 2, 4.
constexpr int kStuckSolves = 4;
constexpr int kStuckConvexSolves = 2;
/// And so many steps at most, as interior points: real problems take up to 55 Newton steps, interior points some ten,
/// and where there is no solution neither end by themselves.
constexpr int kMostSteps = 100;
/// Newton steps from where interior points end before these count as one of the others: jammed spheres take up to 48.
constexpr int kPolishSteps = 50;
/// What other methods cost than the likeliest to get there counts so many times. Of 211 planted and jammed problems
/// that need turns the time is 1.08, 1.03, 1, .99 with 9, 14, 20, 30; with 30 what others solve takes twice as long.
constexpr double kUnlikely = 20.0;
/// Where W has few blocks Fischer-Burmeister steps count once under the associated law, too, as gradients do, and
/// interior points so many times under the exact one: they solve most of what the likeliest method does not. And so
/// many steps count before a first turn of interior points, which is not cut: some thirty go nowhere there. Of 540
/// planted and jammed problems 22 exceed 3 times the quickest + 10 ms without these three, 8 with them.
constexpr double kInsideWeight = 5.0;
constexpr double kInsideTurn = 10.0;
/// Sweeps between proximal Newton steps that were stuck and new ones, and those of nsgs before these.
constexpr int kRestartSweeps = 50;

/// Normal and free rows up to which a proof is looked for that there is no solution: dense, some seconds at most.
constexpr int kMaxProofRows = 400;
/// Rows up to which Lemke's method is tried in the end: some seconds at most.
constexpr int kMaxPivotRows = 2000;

bool is_small(const ConeProblem& problem) {
  return problem.n_cones() == 1 || problem.size() <= kFewRows;
}

/// One linear system; a single cone has its direct solve.
bool is_linear(const ConeProblem& problem) {
  return problem.n_cones() > 1 && FreeRows::are_all(problem);
}

bool has_friction(const ConeProblem& problem) {
  return std::ranges::any_of(problem.blocks, [](const FrictionBlock& block) { return block.mu > 0.0; });
}

/// Whether some friction has discs, or what is made of them.
bool has_discs(const ConeProblem& problem) {
  return std::ranges::any_of(problem.blocks, [](const FrictionBlock& block) { return block.dim > 1; });
}

/// Whether the law makes friction a convex program. Without friction both say the same, and the exact one's is quicker.
bool is_convex_friction(const ConeProblem& problem) {
  return problem.law == FrictionLaw::associated && has_friction(problem);
}

bool is_accelerated(const ConeProblem& problem) {
  return is_convex_friction(problem) || problem.n_cones() < kManyForMomentum;
}

NsgsOptions make_nsgs_options(const AutoOptions& options) {
  NsgsOptions nsgs;
  static_cast<StopOptions&>(nsgs) = options;
  nsgs.max_iterations = std::min(options.max_iterations, kFewRowsSweeps);
  return nsgs;
}

}  // namespace

AutoSolver::AutoSolver(const AutoOptions& options) : options_(options), nsgs_(make_nsgs_options(options)) {
}

std::optional<std::string> AutoSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

SolveReport AutoSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  start_.assign(solution.p.begin(), solution.p.end());
  tolerance_ = tolerance;
  const bool is_few = is_small(problem) && !is_linear(problem);
  try {
    SolveReport report = is_few ? nsgs_.solve(problem, tolerance, solution) : SolveReport{};
    if (is_few) {
      report.method = "nsgs";
      report.effort.sweeps = report.iterations;
    }
    if (!is_few || report.status == Status::inexact) escalate(problem, solution, report);
    return report;
  } catch (const Interrupted&) {
    solution.p.assign(start_.begin(), start_.end());
    throw;
  }
}

/// The methods in turn, as the header says, from start_ on; `report` is of what nsgs took, where it was asked.
void AutoSolver::escalate(const ConeProblem& problem, ConeSolution& solution, SolveReport& report) {
  const Deadline deadline(options_.time_limit, options_.stop);
  const bool is_small = stickslip::is_small(problem);
  int used = report.iterations;
  const Effort effort = report.effort;
  report = {};
  report.effort = effort;
  if (!iterate_.begin_solve(problem, solution, report)) return;
  const double first = iterate_.last().defect();
  const double asked = iterate_.last().calc_asked(tolerance_);
  delassus_.start();
  newton_.start();
  from_best_ = {&AutoSolver::step_from_best, kUnlikely};
  from_guess_ = {&AutoSolver::step_from_guess, kUnlikely};
  inside_ = {&AutoSolver::step_inside, kUnlikely};
  fischer_burmeister_ = {&AutoSolver::step_by_fischer_burmeister, kUnlikely};
  gradients_ = {&AutoSolver::step_by_gradients, kUnlikely};
  de_saxce_ = {&AutoSolver::step_by_fixed_shift};
  n_from_best_ = n_inside_ = 0;
  is_polished_ = false;
  step_operations_ = 0.0;
  newton_from_guess_.start();
  newton_from_best_.start();
  report.method = "certificate";
  if (is_linear(problem) && !is_polished(iterate_.best(), tolerance_)) {
    used = report.effort.newton_steps =
        free_rows_.solve(problem, tolerance_, options_.max_iterations, iterate_);  // the first that is tried
    if (used > 0) report.method = "linear";
  }
  if (!iterate_.best().is_within(tolerance_)) local_.prepare(problem, iterate_.rows());
  const auto is_open = [&] {
    return !iterate_.best().is_within(tolerance_) && used < options_.max_iterations && !deadline.passed();
  };
  if (is_open() && !is_small && FreeRows::are_beside_normals(problem) &&
      delassus_.estimate_blocks(problem) < kManyBlocks) {
    report.method = "prox";
    const int steps = newton_
                          .run(problem, tolerance_, std::min(ProximalNewton::kMaxSteps, options_.max_iterations),
                               HUGE_VAL, ProximalNewton::kPolishParameter, deadline, iterate_)
                          .iterations;
    used += steps;
    report.effort.newton_steps += steps;
    iterate_.return_to_best();
  }
  if (is_open() && !is_small) {
    const int sweeps = sweep_while_quick(problem, options_.max_iterations - used, deadline);
    used += sweeps;
    report.effort.sweeps += sweeps;
    report.method = "nsgs";
  }
  const bool is_convex = is_convex_friction(problem);
  inside_.has_ended = InteriorPoint::find_reason_to_refuse(problem) != nullptr;
  fischer_burmeister_.has_ended = inside_.has_ended;
  from_guess_.has_ended = is_small || is_convex;
  gradients_.has_ended = is_small;
  de_saxce_.has_ended = is_small || problem.law == FrictionLaw::associated || !has_friction(problem);
  likeliest_ = is_small ? &fischer_burmeister_ : is_convex ? &gradients_ : &from_guess_;
  likeliest_->weight = 1.0;
  gradient_operations_ = FirstOrder::count_operations(problem);
  is_pile_ = false;
  const auto descend = [&](double of_a_step, int turns) {
    step_operations_ = of_a_step;
    double halved = iterate_.best().defect();
    int needed = 1;  // turns until it was
    for (int k = 1; k <= turns && (is_pile_ || k <= 2 * (needed + 1)) && is_open(); ++k) {
      used += take_turn(gradients_, problem, options_.max_iterations - used, deadline, report);
      const double now = iterate_.best().defect();
      const double done = report.effort.gradient_steps * gradient_operations_ / (turns * of_a_step);
      if (is_pile_ && done * std::log(first / asked) > std::log(first / now)) break;
      if (now > 0.5 * halved) continue;
      halved = now;
      needed = k;
    }
  };
  if (is_open() && problem.n_cones() >= kManyForMomentum) {
    descend(NewtonSystem::kOperationsOfARow * problem.size(),
            is_convex ? kConvexTurnsBeforeAnalysis : kTurnsBeforeAnalysis);
  }
  const double neighbors = is_open() && !is_small ? directions_.start(problem) : 0.0;
  const double n_blocks = neighbors * problem.n_cones();
  const bool has_few_blocks = n_blocks < kManyBlocks;
  if (!has_few_blocks && neighbors >= kManyNeighbors) {
    iterate_.return_to_best();
    const int steps =
        directions_.run(problem, tolerance_, options_.max_iterations - used, kPromisedDirections, deadline, iterate_);
    used += steps;
    report.effort.alternating_steps += steps;
    report.method = "admm";
  }
  is_pile_ = neighbors > 0.0 && neighbors < kPileNeighbors && !inside_.has_ended && (is_convex || has_discs(problem));
  bool is_dear = false;
  is_inside_ready_ = is_open() && n_blocks >= (is_pile_ ? kSomeBlocks : kManyBlocks);
  if (is_inside_ready_) {
    interior_point_.start(problem, iterate_);
    step_operations_ = interior_point_.n_operations();
    is_dear = !has_few_blocks && step_operations_ >= kDearStep * gradient_operations_;
    const int turns_in_pile = !is_dear ? kFewTurns : is_convex ? kConvexPileTurns : kPileTurns;
    if (is_dear || is_pile_) descend(step_operations_, is_pile_ ? turns_in_pile : kGradientTurns);
  }
  if (has_few_blocks && is_convex) fischer_burmeister_.weight = 1.0;
  if (has_few_blocks && !is_convex) inside_.weight = kInsideWeight;
  if (gradients_.has_begun && (is_dear || !is_pile_) &&
      likeliest_ == &from_guess_) {  // the best is near a solution now
    std::swap(from_best_.weight, from_guess_.weight);
    likeliest_ = &from_best_;
  }
  first_inside_turn_ = has_few_blocks && !is_pile_ ? kInsideTurn : 1.0;
  const bool are_inside_next = is_pile_ && is_dear;
  if (is_pile_) {
    inside_.weight = 1.0;
    likeliest_->weight = kUnlikely;
    if (!are_inside_next && !is_convex) from_best_.weight = 1.0;
    gradients_.cost = 0.0;
  }
  if (is_open() && !are_inside_next) used += take_turns(problem, Round::newton, used, deadline, report);
  if (is_open()) used += take_turns(problem, Round::inside, used, deadline, report);
  if (is_open() && look_for_proof_) {
    const auto proof = find_infeasibility(
        problem, kMaxProofRows, [&] { return deadline.passed(); }, options_.stop);
    iterate_.return_to_best();
    if (proof && !is_contradicted(*proof, problem, iterate_.u())) {
      report.iterations = used;
      report = solve_nearest(problem, *proof, deadline, report, solution);
      return;
    }
  }
  const auto goes_on = [&] { return is_open() && !tolerance_.may_give_up; };
  if (goes_on()) pivot(problem, deadline, report);
  if (goes_on() && !is_small) used += sweep_with_newton(problem, used, deadline, report);
  de_saxce_.weight = from_best_.weight;  // from here on as much as these
  de_saxce_.cost = from_best_.cost;
  if (goes_on()) used += take_turns(problem, Round::rest, used, deadline, report);
  while (goes_on()) {
    report.method = "prox";
    iterate_.return_to_best();
    const int steps = newton_
                          .run(problem, tolerance_, options_.max_iterations - used, HUGE_VAL,
                               ProximalNewton::kFirstParameter, deadline, iterate_)
                          .iterations;
    used += steps;
    report.effort.newton_steps += steps;
    iterate_.return_to_best();
    for (int k = 0; k < kRestartSweeps && is_open(); ++k, ++used, ++report.effort.sweeps) {  // it was stuck
      sweep_exactly(problem, local_, 1.0, iterate_);
      iterate_.judge();
    }
  }
  report.iterations = used + report.effort.pivots;
  iterate_.finish(tolerance_, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "sweeps, Newton steps, interior points: none converged";
  }
}

/// Turns, always of the one with the least calc_cost_with_next(). Round::newton: the first steps from the best iterate;
/// inside: until interior points have been polished once; rest: until none goes on. Returns how many iterations.
int AutoSolver::take_turns(const ConeProblem& problem, Round round, int used, const Deadline& deadline,
                           SolveReport& report) {
  const int max_stuck = is_pile_ ? 1 : is_convex_friction(problem) ? kStuckConvexSolves : kStuckSolves;
  int taken = 0;
  while (!iterate_.best().is_within(tolerance_) && used + taken < options_.max_iterations && !deadline.passed()) {
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
    if (next == nullptr) break;
    taken += take_turn(*next, problem, options_.max_iterations - used - taken, deadline, report);
  }
  return taken;
}

/// Its operations count so many times, those so far, too.
void AutoSolver::weigh(Contender& contender, double weight) {
  contender.cost *= weight / contender.weight;
  contender.weight = weight;
}

/// What a contender will have cost after one more Newton step of its weight, interior points after their first turn.
double AutoSolver::calc_cost_with_next(const Contender& contender) const {
  const bool is_first = &contender == &inside_ && !contender.has_begun;
  return contender.cost + contender.weight * (is_first ? first_inside_turn_ : 1.0) * step_operations_;
}

/// A turn of this one; returns how many iterations.
int AutoSolver::take_turn(Contender& contender, const ConeProblem& problem, int budget, const Deadline& deadline,
                          SolveReport& report) {
  const Turn turn = (this->*contender.step)(problem, budget, deadline, report);
  contender.has_begun = true;
  contender.cost += contender.weight * turn.operations;
  return turn.iterations;
}

/// A turn of proximal Newton steps from the best iterate; from the guess with few rows: nsgs has been at the best.
AutoSolver::Turn AutoSolver::step_from_best(const ConeProblem& problem, int budget, const Deadline& deadline,
                                            SolveReport& report) {
  if (!from_best_.has_begun) {
    is_small(problem) ? go_to_guess() : iterate_.return_to_best();
  }
  const Turn turn = step_by_newton(problem, newton_from_best_, ProximalNewton::kFirstParameter, 0.0, budget, deadline,
                                   from_best_, report);
  n_from_best_ += turn.iterations;
  if (n_from_best_ > 0) step_operations_ = newton_from_best_.operations() / n_from_best_;
  return turn;
}

/// A turn of proximal Newton steps from the guess.
AutoSolver::Turn AutoSolver::step_from_guess(const ConeProblem& problem, int budget, const Deadline& deadline,
                                             SolveReport& report) {
  if (!from_guess_.has_begun) go_to_guess();
  return step_by_newton(problem, newton_from_guess_, ProximalNewton::kFirstParameter, 0.0, budget, deadline,
                        from_guess_, report);
}

/// Proximal Newton steps, the first ones from the present iterate: an inner solve, and more until they have taken so
/// many operations.
AutoSolver::Turn AutoSolver::step_by_newton(const ConeProblem& problem, ProximalNewton& newton, double first_parameter,
                                            double operations, int budget, const Deadline& deadline,
                                            Contender& contender, SolveReport& report) {
  report.method = "prox";
  const double before = newton.operations();
  const double until = std::nextafter(before + operations, HUGE_VAL);
  const ProximalNewton::Report steps =
      contender.has_begun ? newton.resume(problem, tolerance_, budget, until, deadline, iterate_)
                          : newton.run(problem, tolerance_, budget, until, first_parameter, deadline, iterate_);
  contender.has_ended = steps.is_stuck || steps.iterations == 0;
  report.effort.newton_steps += steps.iterations;
  return {steps.iterations, newton.operations() - before};
}

/// A turn of interior points, once they have ended of Newton steps that polish their answer.
AutoSolver::Turn AutoSolver::step_inside(const ConeProblem& problem, int budget, const Deadline& deadline,
                                         SolveReport& report) {
  if (is_polished_) {
    return step_by_newton(problem, newton_, ProximalNewton::kPolishParameter, 0.0, budget, deadline, inside_, report);
  }
  report.method = "ipm";
  if (!inside_.has_begun && !is_inside_ready_) interior_point_.start(problem, iterate_);
  const int most = std::min(kMostSteps - n_inside_, budget);
  Turn turn;
  turn.iterations = interior_point_.advance(problem, tolerance_, most, 1.0, deadline, iterate_);
  turn.operations = turn.iterations * interior_point_.n_operations();
  report.effort.interior_point_steps += turn.iterations;
  n_inside_ += turn.iterations;
  if (iterate_.best().is_within(tolerance_)) return turn;
  if (!interior_point_.is_finished() && n_inside_ < kMostSteps) return turn;
  interior_point_.leave(iterate_);
  is_polished_ = true;
  weigh(inside_, kUnlikely);
  if (is_pile_) {
    weigh(from_best_, kUnlikely);
    weigh(*likeliest_, 1.0);
  }
  report.method = "prox";
  const double before = newton_.operations();
  const int steps = newton_
                        .run(problem, tolerance_, std::min(kPolishSteps, budget - turn.iterations), HUGE_VAL,
                             ProximalNewton::kPolishParameter, deadline, iterate_)
                        .iterations;
  report.effort.newton_steps += steps;
  turn.iterations += steps;
  turn.operations += newton_.operations() - before;
  return turn;
}

/// A turn of steps on the Fischer-Burmeister function, with a line search and hardly a proximal term, from the guess.
AutoSolver::Turn AutoSolver::step_by_fischer_burmeister(const ConeProblem& problem, int budget,
                                                        const Deadline& deadline, SolveReport& report) {
  report.method = "newton-fb";
  if (!fischer_burmeister_.has_begun) {
    go_to_guess();
    newton_fb_.start(problem, iterate_);
  }
  const double before = newton_fb_.operations();
  Turn turn;
  turn.iterations =
      newton_fb_.advance(problem, tolerance_, budget, std::nextafter(before, HUGE_VAL), deadline, iterate_);
  turn.operations = newton_fb_.operations() - before;
  if (turn.iterations > 0) step_operations_ = turn.operations / turn.iterations;
  fischer_burmeister_.has_ended = newton_fb_.is_stuck();
  report.effort.newton_steps += turn.iterations;
  return turn;
}

/// A turn of De Saxce's fixed point from the best iterate: an inner solve of Newton's method at its associated problem.
AutoSolver::Turn AutoSolver::step_by_fixed_shift(const ConeProblem& problem, int budget, const Deadline& deadline,
                                                 SolveReport& report) {
  report.method = "de-saxce";
  if (!de_saxce_.has_begun) {
    iterate_.return_to_best();
    fixed_shift_.start(problem, iterate_);
  }
  const double before = fixed_shift_.operations();
  Turn turn;
  turn.iterations =
      fixed_shift_.advance(problem, tolerance_, budget, std::nextafter(before, HUGE_VAL), deadline, iterate_);
  turn.operations = fixed_shift_.operations() - before;
  de_saxce_.has_ended = fixed_shift_.has_ended() || fixed_shift_.is_stuck();
  report.effort.newton_steps += turn.iterations;
  return turn;
}

/// A turn of gradients from the guess, as many as cost as much as a Newton step where that is known.
AutoSolver::Turn AutoSolver::step_by_gradients(const ConeProblem& problem, int, const Deadline& deadline,
                                               SolveReport& report) {
  report.method = is_accelerated(problem) ? "apgd" : "spg";
  if (!gradients_.has_begun) {
    go_to_guess();
    start_gradients(problem);
  }
  const double each = gradient_operations_;
  const double of_a_step = std::max(1.0, step_operations_ / each);
  const int steps =
      advance_gradients(problem, std::max(FirstOrder::kJudgeEvery, static_cast<int>(of_a_step)), deadline);
  report.effort.gradient_steps += steps;
  return {static_cast<int>(std::ceil(steps / of_a_step)), steps * each};
}

/// From the present iterate.
void AutoSolver::start_gradients(const ConeProblem& problem) {
  if (is_accelerated(problem)) return accelerated_gradient_.start(problem, iterate_);
  spectral_gradient_.start(problem, iterate_);
}

int AutoSolver::advance_gradients(const ConeProblem& problem, int max_iterations, const Deadline& deadline) {
  if (is_accelerated(problem)) {
    return accelerated_gradient_.advance(tolerance_, max_iterations, deadline, iterate_);
  }
  return spectral_gradient_.advance(problem, tolerance_, max_iterations, deadline, iterate_);
}

void AutoSolver::go_to_guess() {
  std::copy(start_.begin(), start_.end(), iterate_.p().begin());
  iterate_.judge();
  if (!std::isfinite(iterate_.last().absolute)) iterate_.return_to_best();
}

/// Sweeps from the best iterate with dense Newton steps between them; returns how many sweeps.
int AutoSolver::sweep_with_newton(const ConeProblem& problem, int used, const Deadline& deadline, SolveReport& report) {
  NsgsOptions options = make_nsgs_options(options_);
  options.max_iterations = std::min(kRestartSweeps, options_.max_iterations - used);
  options.time_limit = deadline.calc_remaining();
  iterate_.return_to_best();
  ConeSolution answer{{iterate_.p().begin(), iterate_.p().end()}, {}};
  const int sweeps = NsgsSolver(options).solve(problem, tolerance_, answer).iterations;
  report.method = "nsgs";
  report.effort.sweeps += sweeps;
  std::copy(answer.p.begin(), answer.p.end(), iterate_.p().begin());
  iterate_.judge();
  return sweeps;
}

/// Lemke's method, and Newton's on the Fischer-Burmeister function, for linear complementarity problems that are not
/// monotone, and where no disc has to become a polygon.
void AutoSolver::pivot(const ConeProblem& problem, const Deadline& deadline, SolveReport& report) {
  const bool has_curved_cones =
      std::ranges::any_of(problem.blocks, [](const FrictionBlock& b) { return b.dim > 1 && b.facets == 0; }) ||
      std::ranges::any_of(problem.cones, [](const Cone& c) { return c.kind == ConeKind::ball && c.dim > 1; });
  if (has_curved_cones || problem.size() > kMaxPivotRows) return;
  FacetLcp lcp(FacetOptions{}.facets);
  lcp.build(problem, options_.stop);
  const auto take = [&](const LcpResult& result, const char* method) {
    report.method = method;
    lcp.recover(result.z, iterate_.p());
    iterate_.judge();
    return result.iterations;
  };
  const int n_max = LemkeOptions{}.max_iterations;
  report.effort.pivots += take(solve_by_lemke(lcp.m(), lcp.q(), n_max, deadline), "lemke");
  if (iterate_.best().is_within(tolerance_)) return;
  const LcpResult result =
      solve_by_newton(lcp.m(), lcp.q(), Vector::Zero(lcp.q().size()), iterate_.last().calc_share(tolerance_),
                      LcpNewtonOptions{}.max_iterations, deadline);
  report.effort.pivots += take(result, "lcp-newton");
}

/// The answer of the problem with velocities shifted as the proof says, which has one; not found, the best iterate if
/// it is better: where it is, others have a lower residual only for percussions without bound, which hide violations.
SolveReport AutoSolver::solve_nearest(const ConeProblem& problem, const Infeasibility& proof, const Deadline& deadline,
                                      const SolveReport& so_far, ConeSolution& solution) {
  ConeSolution answer{start_, {}};  // the best iterate's percussions may have grown without bound
  ConeProblem nearest = problem;
  shift_velocities(proof, nearest.b);
  AutoOptions options = options_;
  options.time_limit = deadline.calc_remaining();
  AutoSolver solver(options);
  solver.look_for_proof_ = false;
  const SolveReport shifted = solver.solve(nearest, tolerance_, answer);
  const Residual given = calc_residual(problem, start_);
  const Residual found = calc_residual(problem, answer.p);
  SolveReport report = so_far;
  const bool is_better = found.defect() <= given.defect();
  if (shifted.status == Status::ok || (shifted.status != Status::failed && is_better)) {
    report.method = shifted.method;
    std::copy(answer.p.begin(), answer.p.end(), iterate_.p().begin());
    iterate_.judge();
  }
  iterate_.finish_with_last(tolerance_, solution, report);
  report.iterations += shifted.iterations;
  report.effort.sweeps += shifted.effort.sweeps;
  report.effort.gradient_steps += shifted.effort.gradient_steps;
  report.effort.alternating_steps += shifted.effort.alternating_steps;
  report.effort.newton_steps += shifted.effort.newton_steps;
  report.effort.interior_point_steps += shifted.effort.interior_point_steps;
  report.effort.pivots += shifted.effort.pivots;
  report.status = Status::inexact;  // whatever its residual: no answer satisfies all laws
  report.violation = proof.violation;
  report.bound = proof.bound;
  report.message = "no solution exists; this one is of the nearest problem that has one";
  return report;
}

/// Sweeps, judged where their changes are as small as the tolerance; returns how many.
int AutoSolver::sweep_while_quick(const ConeProblem& problem, int max_sweeps, const Deadline& deadline) {
  const double goal = iterate_.last().calc_asked(tolerance_);
  const auto promises = [goal](double now, double before) {
    if (!(now < before)) return false;
    return now <= goal || (goal > 0.0 && std::log(goal / now) / std::log(now / before) <= kPromisedSweeps);
  };
  int sweeps = 0;
  double before = 0.0;         // [m/s] the change of the last sweep
  double defect_before = 0.0;  // [m/s] after the last sweep, where it was judged
  while (sweeps < max_sweeps && !deadline.passed()) {
    const double change = sweep_exactly(problem, local_, 1.0, iterate_);
    ++sweeps;
    double defect = 0.0;
    if (sweeps == 1 || change <= kLooksConverged * goal) {  // contacts that do not couple need one sweep
      iterate_.judge();
      if (iterate_.best().is_within(tolerance_)) return sweeps;
      defect = iterate_.last().defect();
    }
    // Small sweeps can leave a residual above the goal for hundreds of them: it has to fall as fast.
    const bool is_quick = promises(change, before) && (defect_before == 0.0 || promises(defect, defect_before));
    before = change;
    defect_before = defect;
    if (sweeps >= kLeastSweeps && !is_quick) break;
  }
  iterate_.judge();
  return sweeps;
}

}  // namespace stickslip
