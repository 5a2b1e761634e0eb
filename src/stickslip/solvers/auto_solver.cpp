// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/auto_solver.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "stickslip/solvers/contact_packs.h"
#include "stickslip/solvers/facet_lcp.h"
#include "stickslip/solvers/gauss_seidel.h"
#include "stickslip/solvers/lcp.h"

namespace stickslip {
namespace {

// Counts and shares, without units. scripts/tabulate_auto shows what they do on planted and jammed problems and piles.

/// Up to this number of rows nsgs, whose Newton steps are dense, is quicker than sparse methods.
constexpr int kFewRows = 16;
/// From so many cones between bodies on, and so loose a tolerance, accelerated sweeps go first (ags.h), this number of
/// them at the most. To tighter tolerances they take as many as the methods that follow, or do not get there.
constexpr int kHeapCones = 100;
constexpr double kHeapTolerance = 1e-4;
constexpr int kHeapSweeps = 2500;
/// So many of them count as one iteration.
constexpr int kSweepsOfAnIteration = 100;
/// Sweeps before their rate is meaningful, and the number that they may still need by that rate.
constexpr int kLeastSweeps = 3;
constexpr double kPromisedSweeps = 12.0;
/// With fewer blocks of W Newton steps go first from any guess, and from the percussions of the step before.
constexpr double kFewBlocks = 300.0;
constexpr double kFewBlocksWarm = 2500.0;
/// From so many cones on some gradients go first, before the pattern of W is analysed, which takes as long as these;
/// from so many blocks on they go before Newton steps, and alternating directions do.
constexpr int kMany = 1000;
/// Contacts are coupled to fewer others than this in piles (of spheres to 5 to 8), to more in towers of boxes.
constexpr double kManyNeighbors = 10.0;
/// Gradients go first if a Newton step costs as much as this number of them. With a larger number small piles are slow,
/// with a smaller one gradients go first where Newton steps are quicker.
constexpr double kDearStep = 22.0;
/// They get the cost of the Newton steps that interior points need: under the associated law about this number, under
/// the exact one the root of this number times that of contacts.
constexpr int kConvexTurns = 15;
constexpr double kTurnsOfTheExactLaw = 3.0;
/// Newton steps from the best iterate continue until this number of their inner solves got stuck, in piles one.
constexpr int kStuckSolves = 4;
/// Steps of Newton's method and of interior points at most: about twice what solved problems need, and without a
/// solution neither ends by itself. Half as many polish the answer of interior points.
constexpr int kMostSteps = 100;
/// The cost of methods other than the most likely one counts this many times. A smaller number slows down problems that
/// the most likely method solves, a larger one those that only others solve.
constexpr double kUnlikely = 20.0;
/// After twice kMostSteps the most likely method counts so many times if it is Newton's, gradients kUnlikely times.
constexpr double kSlow = 3.0;
/// Rows up to which a proof that there is no solution is looked for and Lemke's method is tried: some seconds at most.
constexpr int kMaxProofRows = 400;

bool is_small(const ConeProblem& problem) {
  return problem.n_cones() == 1 || problem.size() <= kFewRows;
}

/// One linear system; a single cone has its direct solve.
bool is_linear(const ConeProblem& problem) {
  return problem.n_cones() > 1 && FreeRows::are_all(problem);
}

/// Whether the law makes friction a convex program. Without friction both laws agree, and the exact one's way is
/// quicker.
bool is_convex_friction(const ConeProblem& problem) {
  return problem.law == FrictionLaw::associated &&
         std::ranges::any_of(problem.blocks, [](const FrictionBlock& block) { return block.mu > 0.0; });
}

bool has_discs(const ConeProblem& problem) {
  return std::ranges::any_of(problem.blocks, [](const FrictionBlock& block) { return block.dim > 1; });
}

template <class Options>
Options make_options(const AutoOptions& given, int most) {
  Options options;
  static_cast<StopOptions&>(options) = given;
  options.max_iterations = most;
  return options;
}

int count_heap_sweeps(const AutoOptions& options) {
  return std::min(options.max_iterations, kHeapSweeps / kSweepsOfAnIteration) * kSweepsOfAnIteration;
}

}  // namespace

AutoSolver::AutoSolver(const AutoOptions& options)
    : options_(options),
      nsgs_(make_options<NsgsOptions>(options, std::min(options.max_iterations, 2 * kMostSteps))),
      ags_(make_options<AgsOptions>(options, count_heap_sweeps(options))) {
}

/// Few rows or a heap; what is left open goes to escalate(), from the best.
SolveReport AutoSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  start_.assign(solution.p.begin(), solution.p.end());
  tolerance_ = tolerance;
  const bool is_heap = problem.n_cones() >= kHeapCones && tolerance.relative >= kHeapTolerance;
  try {
    SolveReport report;
    report.status = Status::inexact;  // so far
    if (is_small(problem) && !is_linear(problem)) {
      report = nsgs_.solve(problem, tolerance, solution);
      report.method = "nsgs";
      report.effort.sweeps = report.iterations;
    } else if (is_heap && ContactPacks::may_build(problem)) {
      report = ags_.solve(problem, tolerance_, solution);
      report.method = report.iterations > 0 ? AgsOptions::kName.data() : "certificate";
      report.iterations = (report.iterations + kSweepsOfAnIteration - 1) / kSweepsOfAnIteration;
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

/// The methods in turn, from the solution on; `report` is of what went before.
void AutoSolver::escalate(const ConeProblem& problem, ConeSolution& solution, SolveReport& report) {
  const Deadline deadline(options_.time_limit, options_.stop);
  Task task{problem, deadline, report, report.iterations};
  const Effort effort = report.effort;
  report = {};
  report.effort = effort;
  if (!iterate_.begin_solve(problem, solution, report)) return;
  report.method = "certificate";
  begin(problem);
  const bool is_few = is_small(problem);
  if (is_linear(problem) && !is_polished(iterate_.best(), tolerance_)) solve_linear(task);
  if (is_open(task) && !is_few && FreeRowElimination::suits(problem)) eliminate_free_rows(task);
  const bool is_warm = std::ranges::any_of(iterate_.p(), [](double p) { return p != 0.0; });
  const bool is_likely = is_warm || FreeRows::are_beside_normals(problem);
  if (is_open(task) && !is_few && delassus_.estimate_blocks(problem) < (is_likely ? kFewBlocksWarm : kFewBlocks)) {
    before_.assign(iterate_.p().begin(), iterate_.p().end());
    task.used += polish(task, std::min(ProximalNewton::kMaxSteps, calc_left(task))).iterations;
    if (is_open(task)) go_to(before_);  // they may have gone astray
  }
  if (is_open(task) && !is_few) sweep(task);
  look_at_pattern(task);
  const auto is_stuck = [this] {
    const int most = is_pile_ ? 1 : kStuckSolves;
    return from_best_.has_ended || newton_from_best_.n_stuck() >= most || from_best_.n_steps >= kMostSteps;
  };
  while (is_open(task) && !(is_pile_ && is_dear_) && !is_stuck()) take_turn(task, from_best_);
  while (is_open(task) && !inside_.has_ended && !is_polished_) {  // in piles the others wait for these
    take_turn(task, is_pile_ ? inside_
                             : *find_next({&fischer_burmeister_, &gradients_, &inside_, &from_guess_, &from_best_}));
  }
  const bool may_go_on = task.used < options_.max_iterations && !deadline.passed();  // whatever this solve may take
  if (!iterate_.best().is_within(tolerance_) && may_go_on && look_for_proof_) {
    const auto proof = find_infeasibility(
        problem, kMaxProofRows, [&] { return deadline.passed(); }, options_.stop);
    iterate_.return_to_best();
    if (proof && !is_contradicted(*proof, problem, iterate_.p(), iterate_.u())) {
      report.iterations = task.used;
      report = solve_nearest(task, *proof, solution);
      return;
    }
  }
  // Who asks for a solution and no best approximation gets none after that, in piles once the others had their turns.
  const bool is_last = tolerance_.may_give_up;
  if (is_open(task) && !is_last) pivot(task);
  if (is_open(task) && !is_last && !is_few) sweep_with_newton(task);
  while (is_open(task) && (!is_last || is_pile_)) {
    Contender* next = find_next({&fischer_burmeister_, &gradients_, &inside_, &from_guess_, &from_best_});
    if (next == nullptr || (is_last && next == &inside_)) break;
    take_turn(task, *next);
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

/// What a solve starts with: which methods take turns, and which of them is the likeliest to get there.
void AutoSolver::begin(const ConeProblem& problem) {
  delassus_.start(&iterate_.rows());
  for (ProximalNewton* newton : {&newton_, &newton_from_guess_, &newton_from_best_}) newton->start();
  const bool is_few = is_small(problem);
  const bool is_convex = is_convex_friction(problem);
  const bool refuses = InteriorPoint::find_reason_to_refuse(problem) != nullptr;
  const auto make = [](auto step, bool has_ended) { return Contender{step, kUnlikely, 0.0, 0, false, has_ended}; };
  from_best_ = make(&AutoSolver::step_from_best, false);
  from_guess_ = make(&AutoSolver::step_from_guess, is_few || is_convex);
  inside_ = make(&AutoSolver::step_inside, refuses);
  fischer_burmeister_ = make(&AutoSolver::step_by_fischer_burmeister, refuses);
  gradients_ = make(&AutoSolver::step_by_gradients, is_few);
  likeliest_ = is_few ? &fischer_burmeister_ : is_convex ? &gradients_ : &from_guess_;
  likeliest_->weight = 1.0;
  is_polished_ = is_pile_ = is_dear_ = is_inside_ready_ = false;
  step_operations_ = 0.0;
  gradient_operations_ = FirstOrder::count_operations(problem);
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

/// Newton steps from the present iterate, which is near a solution: from the step before, whose contacts often stick
/// and slip alike, or from interior points.
AutoSolver::Turn AutoSolver::polish(const Task& task, int most) {
  task.report.method = "prox";
  const double before = newton_.operations();
  const int steps =
      newton_.run(task.problem, tolerance_, most, HUGE_VAL, ProximalNewton::kPolishParameter, task.deadline, iterate_)
          .iterations;
  task.report.effort.newton_steps += steps;
  return {steps, newton_.operations() - before};
}

/// What goes first by the pattern of W: gradients, before it is looked at and where Newton steps are dear by it, and
/// alternating directions, which factorise once or twice.
void AutoSolver::look_at_pattern(Task& task) {
  const ConeProblem& problem = task.problem;
  if (is_open(task) && problem.n_cones() >= kMany) {
    step_operations_ = NewtonSystem::kOperationsOfARow * problem.size();
    for (int k = 0; k < kConvexTurns && is_open(task); ++k) take_turn(task, gradients_);
  }
  if (!is_open(task) || is_small(problem)) return;
  const double neighbors = directions_.start(problem);
  const bool is_convex = is_convex_friction(problem);
  is_pile_ = neighbors < kManyNeighbors && !inside_.has_ended && (is_convex || has_discs(problem));
  const bool has_many_blocks = neighbors * problem.n_cones() >= kMany;
  if (has_many_blocks && neighbors >= kManyNeighbors) {
    iterate_.return_to_best();
    const int steps = directions_.run(problem, tolerance_, calc_left(task), kMostSteps, task.deadline, iterate_);
    task.used += steps;
    task.report.effort.alternating_steps += steps;
    task.report.method = "admm";
  }
  if (has_many_blocks && is_open(task)) {
    is_inside_ready_ = true;
    interior_point_.start(problem, iterate_);
    step_operations_ = interior_point_.n_operations();
    is_dear_ = step_operations_ >= kDearStep * gradient_operations_;
    const double turns = is_convex ? kConvexTurns : std::sqrt(kTurnsOfTheExactLaw * problem.n_cones());
    if (is_dear_ || is_pile_) descend(task, static_cast<int>(turns));
  }
  if (gradients_.has_begun && (is_dear_ || !is_pile_) && likeliest_ == &from_guess_) {  // the best is near a solution
    std::swap(from_best_.weight, from_guess_.weight);
    likeliest_ = &from_best_;
  }
  if (!is_pile_) return;
  inside_.weight = 1.0;
  likeliest_->weight = kUnlikely;
  gradients_.cost = 0.0;
}

/// Up to so many turns of gradients, and while the tolerance will be met by then if their residual goes on to fall as
/// it has from the first on.
void AutoSolver::descend(Task& task, int turns) {
  const double asked = std::max(iterate_.last().calc_asked(tolerance_), iterate_.last().floor);
  for (int k = 1; k <= turns && is_open(task); ++k) {
    take_turn(task, gradients_);
    const double least =
        is_accelerated(task.problem) ? accelerated_gradient_.least_defect() : spectral_gradient_.least_defect();
    const double done = task.report.effort.gradient_steps * gradient_operations_ / (turns * step_operations_);
    if (done * std::log(first_ / asked) > std::log(first_ / least)) break;
  }
}

/// Sweeps, which find most open contacts, while they promise to get there soon by the rate of their changes.
void AutoSolver::sweep(Task& task) {
  task.report.method = "nsgs";
  local_.prepare(task.problem, iterate_.rows());
  const double goal = iterate_.last().calc_asked(tolerance_);
  double before = 0.0;  // [m/s] the change of the last sweep
  for (int k = 1; is_open(task); ++k) {
    const double change = sweep_exactly(task.problem, local_, 1.0, iterate_);
    ++task.used;
    ++task.report.effort.sweeps;
    if (k == 1 || change <= goal) iterate_.judge();  // contacts that do not couple need one sweep
    const bool is_quick = change < before && std::log(goal / change) / std::log(change / before) <= kPromisedSweeps;
    if (k >= kLeastSweeps && !is_quick && change > goal) break;
    if (k >= kMostSteps || !(change > 0.0)) break;
    before = change;
  }
  iterate_.judge();
}

/// Sweeps from the best iterate with dense Newton steps between them.
void AutoSolver::sweep_with_newton(Task& task) {
  auto options = make_options<NsgsOptions>(options_, std::min(kMostSteps, calc_left(task)));
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
/// monotone, and where no disc has to become a polygon.
void AutoSolver::pivot(Task& task) {
  const ConeProblem& problem = task.problem;
  const bool has_curved_cones =
      std::ranges::any_of(problem.blocks, [](const FrictionBlock& b) { return b.dim > 1 && b.facets == 0; }) ||
      std::ranges::any_of(problem.cones, [](const Cone& c) { return c.kind == ConeKind::ball && c.dim > 1; });
  if (has_curved_cones || problem.size() > kMaxProofRows) return;
  FacetLcp lcp(FacetOptions{}.facets);
  lcp.build(problem, options_.stop);
  const auto take = [&](const LcpResult& result, const char* method) {
    task.report.method = method;
    task.report.effort.pivots += result.iterations;
    lcp.recover(result.z, iterate_.p());
    iterate_.judge();
  };
  take(solve_by_lemke(lcp.m(), lcp.q(), LemkeOptions{}.max_iterations, task.deadline), "lemke");
  if (iterate_.best().is_within(tolerance_)) return;
  const double share = iterate_.last().calc_share(tolerance_);
  take(solve_by_newton(lcp.m(), lcp.q(), Vector::Zero(lcp.q().size()), share, kMostSteps, task.deadline), "lcp-newton");
}

/// The answer of the problem with velocities shifted as the proof says, which has one; not found, the best iterate if
/// it is better: where it is, others have a lower residual only for percussions without bound, which hide violations.
SolveReport AutoSolver::solve_nearest(const Task& task, const Infeasibility& proof, ConeSolution& solution) {
  ConeSolution answer{start_, {}};  // the best iterate's percussions may have grown without bound
  ConeProblem nearest = task.problem;
  shift_velocities(proof, nearest.b);
  AutoOptions options = options_;
  options.time_limit = task.deadline.calc_remaining();
  AutoSolver solver(options);
  solver.look_for_proof_ = false;
  const SolveReport shifted = solver.solve(nearest, tolerance_, answer);
  const Residual given = calc_residual(task.problem, start_);
  const Residual found = calc_residual(task.problem, answer.p);
  SolveReport report = task.report;
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

// --- turns

/// That of the least cost after one Newton step more; null: all have ended.
AutoSolver::Contender* AutoSolver::find_next(std::initializer_list<Contender*> contenders) const {
  Contender* next = nullptr;
  const auto cost = [this](const Contender& c) { return c.cost + c.weight * step_operations_; };
  for (Contender* contender : contenders) {
    if (!contender->has_ended && (next == nullptr || cost(*contender) < cost(*next))) next = contender;
  }
  return next;
}

void AutoSolver::take_turn(Task& task, Contender& contender) {
  const Turn turn = (this->*contender.step)(task);
  task.used += turn.iterations;
  contender.has_begun = true;
  contender.cost += contender.weight * turn.operations;
  contender.n_steps += turn.iterations;
  const double weight = &contender == likeliest_ && &contender != &gradients_ ? kSlow : kUnlikely;
  if (contender.n_steps < 2 * kMostSteps || contender.weight >= weight) return;
  contender.cost *= weight / contender.weight;
  contender.weight = weight;
}

/// Where its first turn begins.
void AutoSolver::start_at(Contender& contender, bool at_guess) {
  if (contender.has_begun) return;
  if (!at_guess) return iterate_.return_to_best();
  go_to(start_);
}

void AutoSolver::go_to(const std::vector<double>& p) {
  std::copy(p.begin(), p.end(), iterate_.p().begin());
  iterate_.judge();
  if (!std::isfinite(iterate_.last().absolute)) iterate_.return_to_best();
}

/// With few rows from the guess: nsgs has started at the best.
AutoSolver::Turn AutoSolver::step_from_best(const Task& task) {
  start_at(from_best_, is_small(task.problem));
  const Turn turn = step_by_newton(task, newton_from_best_, from_best_);
  const int n_steps = from_best_.n_steps + turn.iterations;
  if (n_steps > 0) step_operations_ = newton_from_best_.operations() / n_steps;
  return turn;
}

AutoSolver::Turn AutoSolver::step_from_guess(const Task& task) {
  start_at(from_guess_, true);
  return step_by_newton(task, newton_from_guess_, from_guess_);
}

/// Proximal Newton steps, the first ones from the present iterate: an inner solve.
AutoSolver::Turn AutoSolver::step_by_newton(const Task& task, ProximalNewton& newton, Contender& contender) {
  task.report.method = "prox";
  const double before = newton.operations();
  const double until = std::nextafter(before, HUGE_VAL);
  const ProximalNewton::Report steps =
      contender.has_begun ? newton.resume(task.problem, tolerance_, calc_left(task), until, task.deadline, iterate_)
                          : newton.run(task.problem, tolerance_, calc_left(task), until,
                                       ProximalNewton::kFirstParameter, task.deadline, iterate_);
  contender.has_ended = steps.is_stuck || steps.iterations == 0;
  task.report.effort.newton_steps += steps.iterations;
  return {steps.iterations, newton.operations() - before};
}

/// Interior points, which are not cut while their steps are long; once they have ended Newton steps that polish their
/// answer.
AutoSolver::Turn AutoSolver::step_inside(const Task& task) {
  if (is_polished_) return step_by_newton(task, newton_, inside_);
  task.report.method = "ipm";
  if (!inside_.has_begun && !is_inside_ready_) interior_point_.start(task.problem, iterate_);
  const int most = std::min(kMostSteps - inside_.n_steps, calc_left(task));
  Turn turn;
  turn.iterations = interior_point_.advance(task.problem, tolerance_, most, 1.0, task.deadline, iterate_);
  turn.operations = turn.iterations * interior_point_.n_operations();
  task.report.effort.interior_point_steps += turn.iterations;
  const bool has_ended = interior_point_.is_finished() || inside_.n_steps + turn.iterations >= kMostSteps;
  if (iterate_.best().is_within(tolerance_) || !has_ended) return turn;
  interior_point_.leave(iterate_);
  is_polished_ = true;
  inside_.cost *= kUnlikely / inside_.weight;
  inside_.weight = kUnlikely;
  if (is_pile_) likeliest_->weight = 1.0;
  const Turn after = polish(task, std::min(kMostSteps / 2, calc_left(task) - turn.iterations));
  return {turn.iterations + after.iterations, turn.operations + after.operations};
}

/// Steps on the Fischer-Burmeister function, with a line search and hardly a proximal term, from the guess.
AutoSolver::Turn AutoSolver::step_by_fischer_burmeister(const Task& task) {
  task.report.method = "newton-fb";
  start_at(fischer_burmeister_, true);
  if (!fischer_burmeister_.has_begun) newton_fb_.start(task.problem, iterate_);
  const double before = newton_fb_.operations();
  const int steps = newton_fb_.advance(task.problem, tolerance_, calc_left(task), std::nextafter(before, HUGE_VAL),
                                       task.deadline, iterate_);
  const Turn turn = {steps, newton_fb_.operations() - before};
  task.report.effort.newton_steps += steps;
  if (steps > 0) step_operations_ = turn.operations / steps;
  fischer_burmeister_.has_ended = newton_fb_.is_stuck();
  return turn;
}

/// Gradients from the guess, as many as cost as much as a Newton step where that is known.
AutoSolver::Turn AutoSolver::step_by_gradients(const Task& task) {
  const bool is_accelerated = this->is_accelerated(task.problem);
  task.report.method = is_accelerated ? "apgd" : "spg";
  start_at(gradients_, true);
  if (!gradients_.has_begun) {
    first_ = iterate_.last().defect();
    is_accelerated ? accelerated_gradient_.start(task.problem, iterate_)
                   : spectral_gradient_.start(task.problem, iterate_);
  }
  const double of_a_step = std::max(1.0, step_operations_ / gradient_operations_);
  const int most = std::max(FirstOrder::kJudgeEvery, static_cast<int>(of_a_step));
  const int steps = is_accelerated
                        ? accelerated_gradient_.advance(tolerance_, most, task.deadline, iterate_)
                        : spectral_gradient_.advance(task.problem, tolerance_, most, task.deadline, iterate_);
  task.report.effort.gradient_steps += steps;
  return {static_cast<int>(std::ceil(steps / of_a_step)), steps * gradient_operations_};
}

/// Under the exact law momentum is the quicker with few contacts outside of piles; with many contacts spectral steps
/// are.
bool AutoSolver::is_accelerated(const ConeProblem& problem) const {
  return has_objective(problem) || !(is_pile_ || problem.n_cones() >= kMany);
}

}  // namespace stickslip
