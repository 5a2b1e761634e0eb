// SPDX-License-Identifier: BSD-3-Clause
// `auto`: the methods in their order. Their turns are in auto_turns.cpp, the numbers in auto_rules.h.
#include "stickslip/solvers/auto_solver.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "stickslip/cone/infeasibility.h"
#include "stickslip/solvers/auto_rules.h"
#include "stickslip/solvers/facet_lcp.h"
#include "stickslip/solvers/gauss_seidel.h"
#include "stickslip/solvers/lcp.h"

namespace stickslip {
namespace {

using namespace auto_rules;

NsgsOptions make_nsgs_options(const AutoOptions& options) {
  NsgsOptions nsgs;
  static_cast<StopOptions&>(nsgs) = options;
  nsgs.max_iterations = std::min(options.max_iterations, kFewRowsSweeps);
  return nsgs;
}

AgsOptions make_ags_options(const AutoOptions& options) {
  AgsOptions ags;
  static_cast<StopOptions&>(ags) = options;
  ags.max_iterations = std::min(options.max_iterations, kHeapSweeps / kSweepsOfAnIteration) * kSweepsOfAnIteration;
  return ags;
}

}  // namespace

AutoSolver::AutoSolver(const AutoOptions& options)
    : options_(options), nsgs_(make_nsgs_options(options)), ags_(make_ags_options(options)) {
}

std::optional<std::string> AutoSolver::refuses(const ConeProblem&) const {
  return std::nullopt;
}

SolveReport AutoSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  start_.assign(solution.p.begin(), solution.p.end());
  tolerance_ = tolerance;
  const bool is_few = is_small(problem) && !is_linear(problem);
  try {
    SolveReport report;
    report.status = Status::inexact;  // so far
    if (is_few) {
      report = nsgs_.solve(problem, tolerance, solution);
      report.method = "nsgs";
      report.effort.sweeps = report.iterations;
    } else if (is_heap(problem, tolerance)) {
      report = solve_heap(problem, solution);
    }
    if (report.status == Status::inexact && std::string_view(report.message) != kTimeIsUp) {
      escalate(problem, solution, report);
    }
    return report;
  } catch (const Interrupted&) {
    solution.p.assign(start_.begin(), start_.end());
    throw;
  }
}

/// Accelerated sweeps; what they do not solve starts from their best.
SolveReport AutoSolver::solve_heap(const ConeProblem& problem, ConeSolution& solution) {
  SolveReport report = ags_.solve(problem, tolerance_, solution);
  report.method = report.iterations > 0 ? AgsOptions::kName.data() : "certificate";
  report.iterations = (report.iterations + kSweepsOfAnIteration - 1) / kSweepsOfAnIteration;
  return report;
}

/// The methods in turn, as the header says, from the solution on; `report` is of what nsgs took, where it was asked.
void AutoSolver::escalate(const ConeProblem& problem, ConeSolution& solution, SolveReport& report) {
  const Deadline deadline(options_.time_limit, options_.stop);
  Task task{problem, deadline, report, report.iterations};
  const Effort effort = report.effort;
  report = {};
  report.effort = effort;
  if (!iterate_.begin_solve(problem, solution, report)) return;
  begin(task);
  if (is_linear(problem) && !is_polished(iterate_.best(), tolerance_)) solve_linear(task);
  if (is_open(task) && !is_small(problem) && FreeRowElimination::suits(problem)) eliminate_free_rows(task);
  if (!iterate_.best().is_within(tolerance_)) local_.prepare(problem, iterate_.rows());
  const bool is_warm = std::ranges::any_of(iterate_.p(), [](double p) { return p != 0.0; });
  const bool is_likely = is_warm || FreeRows::are_beside_normals(problem);
  if (is_open(task) && !is_small(problem) &&
      delassus_.estimate_blocks(problem) < (is_likely ? kManyBlocks : kFewBlocks)) {
    first_.assign(iterate_.p().begin(), iterate_.p().end());
    run_newton(task, ProximalNewton::kPolishParameter, ProximalNewton::kMaxSteps);
    if (is_open(task)) {  // they may have gone astray
      std::copy(first_.begin(), first_.end(), iterate_.p().begin());
      iterate_.judge();
    }
  }
  if (is_open(task) && !is_small(problem)) sweep_while_quick(task);
  set_contenders(problem);
  look_at_pattern(task);
  weigh_contenders(problem);
  if (is_open(task) && !(is_pile_ && is_dear_)) take_turns(task, Round::newton);
  if (is_open(task)) take_turns(task, Round::inside);
  const bool may_go_on = task.used < options_.max_iterations && !deadline.passed();  // whatever this solve may take
  if (!iterate_.best().is_within(tolerance_) && may_go_on && look_for_proof_) {
    const auto proof = find_infeasibility(
        problem, kMaxProofRows, [&] { return deadline.passed(); }, options_.stop);
    iterate_.return_to_best();
    if (proof && !is_contradicted(*proof, problem, iterate_.p(), iterate_.u())) {
      report.iterations = task.used;
      report = solve_nearest(problem, *proof, deadline, report, solution);
      return;
    }
  }
  if (!tolerance_.may_give_up) {
    go_on(task);
  } else if (is_open(task) && is_pile_) {
    take_turns(task, Round::waiting);
  }
  report.iterations = task.used + report.effort.pivots;
  iterate_.finish(tolerance_, solution, report);
  if (report.status == Status::inexact) {
    report.message = deadline.is_time_up() ? kTimeIsUp : "sweeps, Newton steps, interior points: none converged";
  }
}

bool AutoSolver::is_open(const Task& task) const {
  return !iterate_.best().is_within(tolerance_) && calc_left(task) > 0 && !task.deadline.passed();
}

int AutoSolver::calc_left(const Task& task) const {
  return std::min(options_.max_iterations, tolerance_.most_iterations) - task.used;
}

/// What a solve starts with, at the guess.
void AutoSolver::begin(Task& task) {
  task.first = iterate_.last().defect();
  task.asked = iterate_.last().calc_asked(tolerance_);
  task.report.method = "certificate";
  delassus_.start(&iterate_.rows());
  newton_.start();
  newton_from_guess_.start();
  newton_from_best_.start();
  from_best_ = {&AutoSolver::step_from_best, kUnlikely};
  from_guess_ = {&AutoSolver::step_from_guess, kUnlikely};
  inside_ = {&AutoSolver::step_inside, kUnlikely};
  fischer_burmeister_ = {&AutoSolver::step_by_fischer_burmeister, kUnlikely};
  gradients_ = {&AutoSolver::step_by_gradients, kUnlikely};
  de_saxce_ = {&AutoSolver::step_by_fixed_shift};
  n_from_best_ = n_inside_ = 0;
  is_polished_ = is_pile_ = is_dear_ = false;
  step_operations_ = 0.0;
}

void AutoSolver::solve_linear(Task& task) {
  const int solves = free_rows_.solve(task.problem, tolerance_, options_.max_iterations, iterate_);
  task.used += solves;
  task.report.effort.newton_steps += solves;
  if (solves > 0) task.report.method = "linear";
}

/// The problem in the rows that are not free, by a solver of its own.
void AutoSolver::eliminate_free_rows(Task& task) {
  if (of_others_ == nullptr) {
    of_others_ = std::make_unique<AutoSolver>(options_);
    of_others_->look_for_proof_ = false;
  }
  Tolerance tolerance = tolerance_;
  tolerance.most_iterations = (calc_left(task) + 1) / 2;  // the rest is for the other methods, where this does not do
  const SolveReport report = elimination_.run(task.problem, tolerance, *of_others_, iterate_);
  iterate_.return_to_best();
  task.used += report.iterations;
  add_effort(report.effort, task.report.effort);
  task.report.method = *report.method == '\0' ? "linear" : report.method;
}

/// Proximal Newton steps from the present iterate until they end by themselves.
void AutoSolver::run_newton(Task& task, double first_parameter, int most) {
  task.report.method = "prox";
  const int steps = newton_
                        .run(task.problem, tolerance_, std::min(most, calc_left(task)), HUGE_VAL, first_parameter,
                             task.deadline, iterate_)
                        .iterations;
  task.used += steps;
  task.report.effort.newton_steps += steps;
  iterate_.return_to_best();
}

/// Which methods take turns, and which of them is the likeliest to get there.
void AutoSolver::set_contenders(const ConeProblem& problem) {
  const bool is_few = is_small(problem);
  const bool is_convex = is_convex_friction(problem);
  inside_.has_ended = InteriorPoint::find_reason_to_refuse(problem) != nullptr;
  fischer_burmeister_.has_ended = inside_.has_ended;
  from_guess_.has_ended = is_few || is_convex;
  gradients_.has_ended = is_few;
  de_saxce_.has_ended = is_few || problem.law == FrictionLaw::associated || !has_friction(problem);
  likeliest_ = is_few ? &fischer_burmeister_ : is_convex ? &gradients_ : &from_guess_;
  likeliest_->weight = 1.0;
  gradient_operations_ = FirstOrder::count_operations(problem);
}

/// What goes first by the pattern of W: gradients, before it is looked at and where Newton steps are dear by it, and
/// alternating directions.
void AutoSolver::look_at_pattern(Task& task) {
  const ConeProblem& problem = task.problem;
  if (is_open(task) && problem.n_cones() >= kManyCones) {
    step_operations_ = NewtonSystem::kOperationsOfARow * problem.size();
    for (int k = 0; k < kTurnsBeforeAnalysis && is_open(task); ++k) take_turn(task, gradients_);
  }
  const double neighbors = is_open(task) && !is_small(problem) ? directions_.start(problem) : 0.0;
  const double n_blocks = neighbors * problem.n_cones();
  has_few_blocks_ = n_blocks < kManyBlocks;
  if (!has_few_blocks_ && neighbors >= kManyNeighbors) {
    iterate_.return_to_best();
    const int steps =
        directions_.run(problem, tolerance_, calc_left(task), kPromisedDirections, task.deadline, iterate_);
    task.used += steps;
    task.report.effort.alternating_steps += steps;
    task.report.method = "admm";
  }
  is_pile_ = neighbors > 0.0 && neighbors < kPileNeighbors && !inside_.has_ended &&
             (is_convex_friction(problem) || has_discs(problem));
  is_inside_ready_ = is_open(task) && n_blocks >= (is_pile_ ? kSomeBlocks : kManyBlocks);
  if (!is_inside_ready_) return;
  interior_point_.start(problem, iterate_);
  step_operations_ = interior_point_.n_operations();
  is_dear_ = !has_few_blocks_ && step_operations_ >= kDearStep * gradient_operations_;
  if (is_dear_ || is_pile_) descend(task, calc_gradient_turns(problem));
}

/// As many as the Newton steps that another method will take.
int AutoSolver::calc_gradient_turns(const ConeProblem& problem) const {
  if (is_convex_friction(problem)) return is_pile_ ? kConvexPileTurns : kConvexTurns;
  return static_cast<int>(std::sqrt(kTurnsOfTheExactLaw * problem.n_cones()));
}

/// Up to so many turns of gradients, and while the tolerance will be met by then if their residual goes on to fall as
/// it has from the first on.
void AutoSolver::descend(Task& task, int turns) {
  const double asked = std::max(task.asked, iterate_.last().floor);
  for (int k = 1; k <= turns && is_open(task); ++k) {
    take_turn(task, gradients_);
    const double done = task.report.effort.gradient_steps * gradient_operations_ / (turns * step_operations_);
    if (done * std::log(task.first / asked) > std::log(task.first / calc_least_of_gradients(task.problem))) break;
  }
}

/// What the operations of each count, by the pattern of W and by what has been tried.
void AutoSolver::weigh_contenders(const ConeProblem& problem) {
  const bool is_convex = is_convex_friction(problem);
  if (has_few_blocks_ && is_convex) fischer_burmeister_.weight = 1.0;
  if (has_few_blocks_ && !is_convex) inside_.weight = kInsideWeight;
  if (gradients_.has_begun && (is_dear_ || !is_pile_) &&
      likeliest_ == &from_guess_) {  // the best is near a solution now
    std::swap(from_best_.weight, from_guess_.weight);
    likeliest_ = &from_best_;
  }
  first_inside_turn_ = has_few_blocks_ && !is_pile_ ? kInsideTurn : 1.0;
  if (!is_pile_) return;
  inside_.weight = 1.0;
  likeliest_->weight = kUnlikely;
  gradients_.cost = 0.0;
}

/// The last resorts, until the budget is used up.
void AutoSolver::go_on(Task& task) {
  if (is_open(task)) pivot(task, task.operations);
  if (is_open(task) && !is_small(task.problem)) sweep_with_newton(task);
  de_saxce_.weight = from_best_.weight;  // from here on as much as these
  de_saxce_.cost = from_best_.cost;
  if (is_open(task)) take_turns(task, Round::rest);
  if (is_open(task)) pivot(task, HUGE_VAL);
  while (is_open(task)) {
    iterate_.return_to_best();
    run_newton(task, ProximalNewton::kFirstParameter, options_.max_iterations);
    for (int k = 0; k < kRestartSweeps && is_open(task);
         ++k, ++task.used, ++task.report.effort.sweeps) {  // it was stuck
      sweep_exactly(task.problem, local_, 1.0, iterate_);
      iterate_.judge();
    }
  }
}

/// Sweeps while they promise to get there soon, judged where their changes are as small as the tolerance.
void AutoSolver::sweep_while_quick(Task& task) {
  task.report.method = "nsgs";
  const double goal = iterate_.last().calc_asked(tolerance_);
  const auto promises = [goal](double now, double before) {
    if (!(now < before)) return false;
    return now <= goal || (goal > 0.0 && std::log(goal / now) / std::log(now / before) <= kPromisedSweeps);
  };
  double before = 0.0;         // [m/s] the change of the last sweep
  double defect_before = 0.0;  // [m/s] after the last sweep, where it was judged
  for (int sweeps = 1; calc_left(task) > 0 && !task.deadline.passed(); ++sweeps) {
    const double change = sweep_exactly(task.problem, local_, 1.0, iterate_);
    ++task.used;
    ++task.report.effort.sweeps;
    double defect = 0.0;
    if (sweeps == 1 || change <= kLooksConverged * goal) {  // contacts that do not couple need one sweep
      iterate_.judge();
      if (iterate_.best().is_within(tolerance_)) return;
      defect = iterate_.last().defect();
    }
    // Small sweeps can leave a residual above the goal for hundreds of them: it has to fall as fast.
    const bool is_quick = promises(change, before) && (defect_before == 0.0 || promises(defect, defect_before));
    before = change;
    defect_before = defect;
    if (sweeps >= kLeastSweeps && !is_quick) break;
  }
  iterate_.judge();
}

/// Sweeps from the best iterate with dense Newton steps between them.
void AutoSolver::sweep_with_newton(Task& task) {
  NsgsOptions options = make_nsgs_options(options_);
  options.max_iterations = std::min(kRestartSweeps, calc_left(task));
  options.time_limit = task.deadline.calc_remaining();
  iterate_.return_to_best();
  ConeSolution answer{{iterate_.p().begin(), iterate_.p().end()}, {}};
  const int sweeps = NsgsSolver(options).solve(task.problem, tolerance_, answer).iterations;
  task.used += sweeps;
  task.report.method = "nsgs";
  task.report.effort.sweeps += sweeps;
  std::copy(answer.p.begin(), answer.p.end(), iterate_.p().begin());
  iterate_.judge();
}

/// Lemke's method, and Newton's on the Fischer-Burmeister function, for linear complementarity problems that are not
/// monotone, and where no disc has to become a polygon. A pivot costs n^2 multiply-adds, a Newton step n^3 / 3.
void AutoSolver::pivot(const Task& task, double most_operations) {
  const ConeProblem& problem = task.problem;
  const bool has_curved_cones =
      std::ranges::any_of(problem.blocks, [](const FrictionBlock& b) { return b.dim > 1 && b.facets == 0; }) ||
      std::ranges::any_of(problem.cones, [](const Cone& c) { return c.kind == ConeKind::ball && c.dim > 1; });
  if (has_curved_cones || problem.size() > kMaxPivotRows) return;
  FacetLcp lcp(FacetOptions{}.facets);
  lcp.build(problem, options_.stop);
  const auto take = [&](const LcpResult& result, const char* method) {
    task.report.method = method;
    lcp.recover(result.z, iterate_.p());
    iterate_.judge();
    return result.iterations;
  };
  const auto n = static_cast<double>(lcp.q().size());
  const auto count = [&](double cost, int most) {
    return static_cast<int>(std::clamp(most_operations / cost, 1.0, static_cast<double>(most)));
  };
  const int n_pivots = count(n * n, LemkeOptions{}.max_iterations);
  task.report.effort.pivots += take(solve_by_lemke(lcp.m(), lcp.q(), n_pivots, task.deadline), "lemke");
  if (iterate_.best().is_within(tolerance_)) return;
  const int n_steps = count(n * n * n / 3.0, kMostSteps);
  const LcpResult result = solve_by_newton(lcp.m(), lcp.q(), Vector::Zero(lcp.q().size()),
                                           iterate_.last().calc_share(tolerance_), n_steps, task.deadline);
  task.report.effort.pivots += take(result, "lcp-newton");
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
  add_effort(shifted.effort, report.effort);
  report.status = Status::inexact;  // whatever its residual: no answer satisfies all laws
  report.violation = proof.violation;
  report.bound = proof.bound;
  report.message = "no solution exists; this one is of the nearest problem that has one";
  return report;
}

}  // namespace stickslip
