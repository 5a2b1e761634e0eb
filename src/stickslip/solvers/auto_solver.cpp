// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/auto_solver.h"

#include <algorithm>
#include <cmath>

#include "stickslip/cone/infeasibility.h"
#include "stickslip/solvers/facet_lcp.h"
#include "stickslip/solvers/gauss_seidel.h"
#include "stickslip/solvers/gradient_progress.h"
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
/// Where contacts are coupled to so many on average, and there are so many of them, alternating directions are tried;
/// they stop where they promise to need more than so many iterations, each a solve, which then costs as much as a
/// thirtieth of a factorisation.
constexpr double kManyNeighbors = 12.0;
constexpr int kManyCones = 300;
constexpr double kPromisedDirections = 150.0;
/// From so many cones on gradients are tried first; they stop where they promise to cost more than so many Newton steps
/// in all.
constexpr int kVeryManyCones = 1000;
constexpr int kPromisedSteps = 200;
/// Before they have cost so many what they promise does not count: in a pile of 9449 contacts at 1e-4, where a Newton
/// step costs as much as 1700 of them, the first 330 promise a million, and 20 000 are enough.
constexpr double kTrialSteps = 4.0;
/// The residual is computed once the change of a sweep is below this many times the tolerance.
constexpr double kLooksConverged = 2.0;
/// Proximal Newton steps before interior points are tried, and after them.
constexpr int kNewtonSteps = 40;
/// Steps of interior points: they need some ten, and what takes them many more they do not solve.
constexpr int kInteriorPointSteps = 100;
/// Newton steps polish where they ended if the residual there is at most so many times the best: another iterate may
/// have a lower one and be farther from the solution. Otherwise these steps begin at the best at first.
constexpr double kStillNear = 10.0;
/// Newton steps on the Fischer-Burmeister function: they need some ten, or hardly ever end.
constexpr int kFischerBurmeisterSteps = 60;
/// Multiply-adds of a turn: some 5 ms, more than most problems need in all.
constexpr double kTurn = 2e7;
/// Interior points with short steps, and what polishes them, count so many times what they cost: of 26 planted problems
/// and jammed heaps that need turns under the exact law, Newton steps from the guess solve 18 first. With 1, 2, 3 the
/// sum of all times is 2.6, 2.2, 2.1 times that of the quickest method of each.
constexpr double kUnlikely = 3.0;
/// Gradients of the exact law, which may get nowhere, count so many times (1, 2, 4: 3.5, 3.0, 2.8 times, with kUnlikely
/// 1).
constexpr double kUnsure = 8.0;
/// Not so from this tolerance on: they solve a pile of 495 contacts at 1e-4 in half the time of interior points, at
/// 1e-6 in twice that.
constexpr double kLooseTolerance = 1e-4;
/// Sweeps between proximal Newton steps that were stuck and new ones, and those with Newton steps of nsgs before these.
constexpr int kRestartSweeps = 50;

/// Normal and free rows up to which a proof is looked for that there is no solution: dense, some seconds at most.
constexpr int kMaxProofRows = 400;
/// Rows up to which Lemke's method is tried in the end: some seconds at most.
constexpr int kMaxPivotRows = 2000;

bool is_small(const ConeProblem& problem) {
  return problem.n_cones() == 1 || problem.size() <= kFewRows;
}

/// Which gradients: accelerated ones are five times as quick as spectral ones under the associated law (a pile of 2359
/// contacts at 1e-4). Under the exact one they are quicker in a pile of 495 contacts and get nowhere in one of 2359.
bool is_accelerated(const ConeProblem& problem) {
  return problem.law == FrictionLaw::associated || problem.n_cones() < kVeryManyCones;
}
const char* gradient_name(const ConeProblem& problem) {
  return is_accelerated(problem) ? "apgd" : "spg";
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

SolveReport AutoSolver::solve(const ConeProblem& problem, ConeSolution& solution) {
  start_.assign(solution.p.begin(), solution.p.end());
  SolveReport report;
  try {
    report = escalate(problem, solution);
  } catch (const Interrupted&) {
    solution.p.assign(start_.begin(), start_.end());
    throw;
  }
  // Without a solution the answer is the least infeasible one.
  if (report.status != Status::inexact || solution.p.empty() || report.violation > 0.0) return report;
  // Iterates are kept by what they violate, relative residuals are over speeds, too.
  const Residual given = calc_residual(problem, start_);
  if (!(given.relative < report.residual.relative)) return report;
  solution.p.assign(start_.begin(), start_.end());
  problem.apply_delassus(solution.p, solution.u);
  for (std::size_t i = 0; i < solution.u.size(); ++i) solution.u[i] += problem.b[i];
  report.residual = given;
  return report;
}

/// The methods in turn, as the header says, from start_ on.
SolveReport AutoSolver::escalate(const ConeProblem& problem, ConeSolution& solution) {
  SolveReport report;
  const Deadline deadline(options_.time_limit, options_.stop);
  int used = 0;
  const bool is_small = stickslip::is_small(problem);
  if (is_small) {
    report = nsgs_.solve(problem, solution);
    report.method = "nsgs";
    report.effort.sweeps = report.iterations;
    if (report.status != Status::inexact) return report;
    used = report.iterations;
    const Effort effort = report.effort;
    report = {};
    report.effort = effort;
  }
  if (!iterate_.begin_solve(problem, solution, report)) return report;
  newton_.start();
  from_best_ = inside_ = from_guess_ = gradients_ = {};
  n_from_best_ = n_inside_ = n_polishes_ = 0;
  newton_from_guess_.start();
  report.method = "certificate";
  if (iterate_.best().relative > options_.tolerance) local_.prepare(problem, iterate_.rows());
  const auto is_open = [&] {
    return iterate_.best().relative > options_.tolerance && used < options_.max_iterations && !deadline.passed();
  };
  if (is_open() && !is_small) {
    const int sweeps = sweep_while_quick(problem, options_.max_iterations - used, deadline);
    used += sweeps;
    report.effort.sweeps += sweeps;
    report.method = "nsgs";
  }
  if (is_open() && problem.n_cones() >= kVeryManyCones) {
    iterate_.return_to_best();
    start_gradients(problem);
    used += descend_while_quick(problem, options_.max_iterations - used, deadline, report);
  }
  if (is_open() && problem.n_cones() >= kManyCones && directions_.start(problem) >= kManyNeighbors) {
    iterate_.return_to_best();
    const int steps = directions_.run(problem, options_.tolerance, options_.max_iterations - used, kPromisedDirections,
                                      deadline, iterate_);
    used += steps;
    report.effort.alternating_steps += steps;
    report.method = "admm";
  }
  const bool is_convex = problem.law == FrictionLaw::associated;
  from_guess_.has_ended = is_small || is_convex;  // convex ones depend on the start much less
  gradients_.has_ended = is_small;
  if (is_open()) used += take_turns(problem, Round::newton, used, deadline, report);
  if (is_open() && !is_small && is_convex) used += step_by_fischer_burmeister(problem, used, deadline, report);
  inside_.has_ended = InteriorPoint::find_reason_to_refuse(problem) != nullptr;
  if (is_open()) used += take_turns(problem, Round::inside, used, deadline, report);
  if (is_open() && is_small) used += step_by_fischer_burmeister(problem, used, deadline, report);
  if (is_open() && look_for_proof_) {
    const auto proof = find_infeasibility(
        problem, kMaxProofRows, [&] { return deadline.passed(); }, options_.stop);
    iterate_.return_to_best();
    if (proof && !is_contradicted(*proof, problem, iterate_.u())) {
      report.iterations = used;
      return solve_nearest(problem, *proof, deadline, report, solution);
    }
  }
  if (is_open()) pivot(problem, deadline, report);
  if (is_open() && !is_small) used += sweep_with_newton(problem, used, deadline, report);
  if (is_open()) used += take_turns(problem, Round::rest, used, deadline, report);
  while (is_open()) {
    report.method = "prox";
    iterate_.return_to_best();
    used += run_newton(problem, options_.max_iterations, ProximalNewton::kFirstParameter, used, deadline, report);
    iterate_.return_to_best();
    for (int k = 0; k < kRestartSweeps && is_open(); ++k, ++used, ++report.effort.sweeps) {  // it was stuck
      sweep_exactly(problem, local_, 1.0, iterate_);
      iterate_.judge();
    }
  }
  report.iterations = used + report.effort.pivots;
  iterate_.finish(options_.tolerance, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "sweeps, Newton steps, interior points: none converged";
  }
  return report;
}

/// Proximal Newton steps from the present iterate; returns how many.
int AutoSolver::run_newton(const ConeProblem& problem, int max_steps, double first_parameter, int used,
                           const Deadline& deadline, SolveReport& report) {
  const int budget = std::min(max_steps, options_.max_iterations - used);
  const int steps =
      newton_.run(problem, options_.tolerance, budget, HUGE_VAL, first_parameter, deadline, iterate_).iterations;
  report.effort.newton_steps += steps;
  return steps;
}

/// Turns, always of the one that has cost least so far. Round::newton: until Newton steps from the best iterate have
/// ended, with gradients where these are sure to converge; Round::inside: until interior points have ended and been
/// polished once; Round::rest: until none has anything to do. Returns how many iterations.
int AutoSolver::take_turns(const ConeProblem& problem, Round round, int used, const Deadline& deadline,
                           SolveReport& report) {
  int taken = 0;
  while (iterate_.best().relative > options_.tolerance && used + taken < options_.max_iterations &&
         !deadline.passed()) {
    const bool is_newton = round == Round::newton;
    if (is_newton && from_best_.has_ended) break;
    if (round == Round::inside && (inside_.has_ended || n_polishes_ > 0)) break;
    Contender* next = nullptr;
    const auto offer = [&](Contender& contender) {
      if (!contender.has_ended && (next == nullptr || contender.operations < next->operations)) next = &contender;
    };
    if (is_newton) {
      offer(from_best_);
      if (is_sure(problem)) offer(gradients_);
    } else {
      offer(inside_);
      offer(from_guess_);
      offer(gradients_);
    }
    if (next == nullptr) break;
    const int budget = options_.max_iterations - used - taken;
    if (next == &from_best_) {
      taken += step_from_best(problem, budget, deadline, report);
    } else if (next == &inside_) {
      taken += step_inside(problem, budget, deadline, report);
    } else if (next == &from_guess_) {
      taken += step_from_guess(problem, budget, deadline, report);
    } else {
      taken += step_by_gradients(problem, budget, deadline, report);
    }
  }
  return taken;
}

/// A turn of proximal Newton steps from the best iterate, with few rows from the guess: nsgs has been where the best
/// is. Returns how many.
int AutoSolver::step_from_best(const ConeProblem& problem, int budget, const Deadline& deadline, SolveReport& report) {
  report.method = "prox";
  const int most = std::min(kNewtonSteps - n_from_best_, budget);
  const double until = newton_.operations() + kTurn;
  ProximalNewton::Report newton;
  if (n_from_best_ == 0) {
    iterate_.return_to_best();
    if (is_small(problem)) go_to_guess();
    newton = newton_.run(problem, options_.tolerance, most, until, ProximalNewton::kFirstParameter, deadline, iterate_);
  } else {
    newton = newton_.resume(problem, options_.tolerance, most, until, deadline, iterate_);
  }
  n_from_best_ += newton.iterations;
  from_best_.operations = newton_.operations();
  from_best_.has_ended = newton.is_stuck || newton.iterations == 0 || n_from_best_ >= kNewtonSteps;
  report.effort.newton_steps += newton.iterations;
  return newton.iterations;
}

/// A turn of interior points, then of Newton steps that polish their answer; returns how many.
int AutoSolver::step_inside(const ConeProblem& problem, int budget, const Deadline& deadline, SolveReport& report) {
  if (n_polishes_ > 0) return polish(problem, budget, deadline, report);
  report.method = "ipm";
  if (!inside_.has_begun) interior_point_.start(problem, iterate_);
  const int most = std::min(kInteriorPointSteps - n_inside_, budget);
  int steps = interior_point_.advance(problem, options_.tolerance, most, kTurn, deadline, iterate_);
  report.effort.interior_point_steps += steps;
  n_inside_ += steps;
  inside_.operations += kUnlikely * steps * interior_point_.n_operations();
  inside_.has_begun = true;
  if (iterate_.best().relative <= options_.tolerance) return steps;
  if (!interior_point_.is_finished() && n_inside_ < kInteriorPointSteps) return steps;
  interior_point_.leave(iterate_);
  inside_end_.assign(iterate_.p().begin(), iterate_.p().end());
  if (steps < budget) steps += polish(problem, budget - steps, deadline, report);
  return steps;
}

/// Newton steps from where interior points ended; before that, if the best iterate is much better, some from there.
int AutoSolver::polish(const ConeProblem& problem, int budget, const Deadline& deadline, SolveReport& report) {
  report.method = "prox";
  const double before = newton_.operations();
  ProximalNewton::Report newton;
  if (n_polishes_ == 0 || (n_polishes_ == 1 && !is_polished_at_end_)) {
    if (n_polishes_++ == 0) {
      const double least = iterate_.calc_defect(iterate_.best());
      is_polished_at_end_ = !(iterate_.calc_defect(iterate_.last()) > kStillNear * least);
      if (!is_polished_at_end_) iterate_.return_to_best();
    } else {
      std::copy(inside_end_.begin(), inside_end_.end(), iterate_.p().begin());
      iterate_.judge();
    }
    newton = newton_.run(problem, options_.tolerance, std::min(kNewtonSteps, budget), HUGE_VAL,
                         ProximalNewton::kPolishParameter, deadline, iterate_);
  } else {
    newton = newton_.resume(problem, options_.tolerance, budget, before + kTurn, deadline, iterate_);
    inside_.has_ended = newton.is_stuck || newton.iterations == 0;
  }
  inside_.operations += kUnlikely * (newton_.operations() - before);
  report.effort.newton_steps += newton.iterations;
  return newton.iterations;
}

/// A turn of proximal Newton steps from the guess; returns how many.
int AutoSolver::step_from_guess(const ConeProblem& problem, int budget, const Deadline& deadline, SolveReport& report) {
  report.method = "prox";
  const double before = newton_from_guess_.operations();
  ProximalNewton::Report newton;
  if (!from_guess_.has_begun) {
    from_guess_.has_begun = true;
    go_to_guess();
    newton = newton_from_guess_.run(problem, options_.tolerance, budget, kTurn, ProximalNewton::kFirstParameter,
                                    deadline, iterate_);
  } else {
    newton = newton_from_guess_.resume(problem, options_.tolerance, budget, before + kTurn, deadline, iterate_);
  }
  from_guess_.operations += newton_from_guess_.operations() - before;
  from_guess_.has_ended = newton.is_stuck || newton.iterations == 0;
  report.effort.newton_steps += newton.iterations;
  return newton.iterations;
}

/// A turn of gradients, from the guess or where they ended; returns as how many iterations they count.
int AutoSolver::step_by_gradients(const ConeProblem& problem, int budget, const Deadline& deadline,
                                  SolveReport& report) {
  report.method = gradient_name(problem);
  if (!gradients_.has_begun) {
    go_to_guess();
    start_gradients(problem);
  }
  const double each = gradient_operations(problem);
  // An iteration is a Newton step, as they have been on average.
  const int newton_steps = std::max(1, report.effort.newton_steps);
  const double of_an_iteration =
      std::max(each, (newton_.operations() + newton_from_guess_.operations()) / newton_steps);
  const double most = std::min(std::max(kTurn, of_an_iteration), budget * of_an_iteration) / each;
  const int steps = advance_gradients(problem, std::max(1, static_cast<int>(most)), HUGE_VAL, deadline);
  report.effort.gradient_steps += steps;
  gradients_.operations += steps * each * (is_sure(problem) ? 1.0 : kUnsure);
  return static_cast<int>(std::ceil(steps * each / of_an_iteration));
}

/// Gradients, as long as they promise to be cheaper than Newton steps; returns as how many iterations they count.
int AutoSolver::descend_while_quick(const ConeProblem& problem, int budget, const Deadline& deadline,
                                    SolveReport& report) {
  report.method = gradient_name(problem);
  int steps = advance_gradients(problem, GradientProgress::kLeastIterations, HUGE_VAL, deadline);
  double of_a_step = GradientProgress::kLeastIterations;
  if (iterate_.best().relative > options_.tolerance) {
    interior_point_.start(problem, iterate_);  // for what a factorisation costs
    of_a_step = interior_point_.n_operations() / gradient_operations(problem);
    const double most = std::min(budget, kPromisedSteps) * of_a_step;
    const auto advance_to = [&](double total, double max_promised) {
      const int more = static_cast<int>(std::min(total, 1e9)) - steps;
      if (more > 0) steps += advance_gradients(problem, more, max_promised, deadline);
    };
    advance_to(std::min(most, kTrialSteps * of_a_step), HUGE_VAL);
    advance_to(most, most);
  }
  report.effort.gradient_steps += steps;
  gradients_.operations += steps * gradient_operations(problem);
  return static_cast<int>(std::ceil(steps / of_a_step));
}

double AutoSolver::gradient_operations(const ConeProblem& problem) const {
  return is_accelerated(problem) ? accelerated_gradient_.n_operations() : spectral_gradient_.n_operations();
}

/// From the present iterate.
void AutoSolver::start_gradients(const ConeProblem& problem) {
  gradients_.has_begun = true;
  if (is_accelerated(problem)) return accelerated_gradient_.start(problem, iterate_);
  spectral_gradient_.start(problem, iterate_);
}

int AutoSolver::advance_gradients(const ConeProblem& problem, int max_iterations, double max_promised,
                                  const Deadline& deadline) {
  if (is_accelerated(problem)) {
    return accelerated_gradient_.advance(options_.tolerance, max_iterations, max_promised, deadline, iterate_);
  }
  return spectral_gradient_.advance(problem, options_.tolerance, max_iterations, max_promised, deadline, iterate_);
}

/// Whether gradients converge, or are at least likely to.
bool AutoSolver::is_sure(const ConeProblem& problem) const {
  return problem.law == FrictionLaw::associated || options_.tolerance >= kLooseTolerance;
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
  const int sweeps = NsgsSolver(options).solve(problem, answer).iterations;
  report.method = "nsgs";
  report.effort.sweeps += sweeps;
  std::copy(answer.p.begin(), answer.p.end(), iterate_.p().begin());
  iterate_.judge();
  return sweeps;
}

/// Steps of newton_fb.h, which have a line search and hardly a proximal term, from the guess; returns how many.
int AutoSolver::step_by_fischer_burmeister(const ConeProblem& problem, int used, const Deadline& deadline,
                                           SolveReport& report) {
  NewtonFbOptions options;
  static_cast<StopOptions&>(options) = options_;
  options.max_iterations = std::min(kFischerBurmeisterSteps, options_.max_iterations - used);
  options.time_limit = deadline.calc_remaining();
  NewtonFbSolver solver(options);
  if (solver.refuses(problem)) return 0;
  ConeSolution answer{start_, {}};
  const int steps = solver.solve(problem, answer).iterations;
  report.method = "newton-fb";
  report.effort.newton_steps += steps;
  std::copy(answer.p.begin(), answer.p.end(), iterate_.p().begin());
  iterate_.judge();
  return steps;
}

/// Lemke's method, and Newton's on the Fischer-Burmeister function, for linear complementarity problems that are not
/// monotone, and where no disc has to become a polygon.
void AutoSolver::pivot(const ConeProblem& problem, const Deadline& deadline, SolveReport& report) {
  const bool has_discs =
      std::ranges::any_of(problem.blocks, [](const FrictionBlock& b) { return b.dim > 1 && b.facets == 0; }) ||
      std::ranges::any_of(problem.cones, [](const Cone& c) { return c.kind == ConeKind::ball && c.dim > 1; });
  if (has_discs || problem.size() > kMaxPivotRows) return;
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
  if (iterate_.best().relative <= options_.tolerance) return;
  const LcpResult result = solve_by_newton(lcp.m(), lcp.q(), Vector::Zero(lcp.q().size()), options_.tolerance,
                                           LcpNewtonOptions{}.max_iterations, deadline);
  report.effort.pivots += take(result, "lcp-newton");
}

/// The answer of the problem with velocities shifted as the proof says, which has one. Where that is not found, the
/// best iterate is left if it is better; where it is, other iterates can only have a lower residual for percussions
/// without bound, which hide what contacts violate.
SolveReport AutoSolver::solve_nearest(const ConeProblem& problem, const Infeasibility& proof, const Deadline& deadline,
                                      const SolveReport& so_far, ConeSolution& solution) {
  ConeSolution answer{start_, {}};  // the best iterate's percussions may have grown without bound
  ConeProblem nearest = problem;
  shift_velocities(proof, nearest.b);
  AutoOptions options = options_;
  options.time_limit = deadline.calc_remaining();
  AutoSolver solver(options);
  solver.look_for_proof_ = false;
  const SolveReport shifted = solver.solve(nearest, answer);
  const Residual given = calc_residual(problem, start_);
  const Residual found = calc_residual(problem, answer.p);
  SolveReport report = so_far;
  const bool is_better = iterate_.calc_defect(found) <= iterate_.calc_defect(given);
  if (shifted.status == Status::ok || (shifted.status != Status::failed && is_better)) {
    report.method = shifted.method;
    std::copy(answer.p.begin(), answer.p.end(), iterate_.p().begin());
    iterate_.judge();
  }
  iterate_.finish_with_last(options_.tolerance, solution, report);
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
  const double goal = options_.tolerance * iterate_.velocity_scale();
  int sweeps = 0;
  double before = 0.0;
  while (sweeps < max_sweeps && !deadline.passed()) {
    const double change = sweep_exactly(problem, local_, 1.0, iterate_);
    ++sweeps;
    if (sweeps == 1 || change <= kLooksConverged * goal) {  // contacts that do not couple need one sweep
      iterate_.judge();
      if (iterate_.best().relative <= options_.tolerance) return sweeps;
    }
    const double rate = change / before;
    before = change;
    if (sweeps < kLeastSweeps) continue;
    if (!(rate < 1.0) || std::log(goal / change) / std::log(rate) > kPromisedSweeps) break;
  }
  iterate_.judge();
  return sweeps;
}

}  // namespace stickslip
