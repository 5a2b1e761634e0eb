// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "stickslip/cone/infeasibility.h"
#include "stickslip/solvers/accelerated_gradient.h"
#include "stickslip/solvers/ags.h"
#include "stickslip/solvers/alternating_directions.h"
#include "stickslip/solvers/assembled_delassus.h"
#include "stickslip/solvers/de_saxce.h"
#include "stickslip/solvers/free_row_elimination.h"
#include "stickslip/solvers/free_rows.h"
#include "stickslip/solvers/interior_point.h"
#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/local_solver.h"
#include "stickslip/solvers/newton_fb.h"
#include "stickslip/solvers/nsgs.h"
#include "stickslip/solvers/proximal_newton.h"
#include "stickslip/solvers/solver_options.h"
#include "stickslip/solvers/spectral_gradient.h"

namespace stickslip {

// The default: chooses among the methods by the problem and by progress, never by time, so that the same problem gives
// the same bits. Many contacts between bodies are first given to accelerated sweeps (AgsSolver) where the tolerance is
// loose; if these do not get there, the rest starts from their best. In turn:
//
//   1. the starting guess, if its residual is at the tolerance (contacts at rest with a warm start cost one product
//      with W);
//   2. free rows alone: one linear system (FreeRows); one cone: solved directly; few rows: nsgs with its dense Newton
//      steps; free rows beside some others: eliminated, and the methods from 1 on in the others (FreeRowElimination);
//      some steps of ProximalNewton with few blocks of W, and with more from a guess that has percussions, which are
//      those of the step before and often stick and slip alike, or for free rows beside normal ones;
//   3. sweeps of Gauss-Seidel, as long as their rate promises to reach the tolerance at less cost than a few sparse
//      factorisations; they find most open contacts and suffice for easy problems or loose tolerances;
//   4. with a thousand cones or more some gradients, as in 5, before the pattern of W is analysed; then, if cones are
//      coupled to many others, alternating directions (AlternatingDirections), which factorise once or twice, as long
//      as their rate promises to reach the tolerance at the cost of a few factorisations;
//   5. gradients, if a Newton step costs as much as many of them, and in piles (contacts coupled to few others) with
//      some blocks of W: at most at the cost of the Newton steps that another method will need, and while their rate
//      promises to reach the tolerance in that cost. AcceleratedGradient; under the exact law in piles and with a
//      thousand cones or more SpectralGradient;
//   6. proximal Newton steps (ProximalNewton) from the best iterate, or with few rows from the guess, since nsgs has
//      started at the best; until four of their inner solves got stuck, under the associated law two, in piles one;
//      none in piles whose steps cost as much as many gradients;
//   7. turns of all: an interior point method (InteriorPoint) where the cones allow it, which is hardly slowed down by
//      contacts that carry each other, however many and however heavy, and Newton steps that polish its answer;
//      proximal Newton steps from the guess, and from the best iterate; steps on the Fischer-Burmeister function
//      (newton_fb.h), which solve for percussions as large as 1e10 times the others, as nearly parallel joints need;
//      gradients;
//   8. once interior points have been polished, or a solve has reached Tolerance::most_iterations: a proof that
//      there is no solution (infeasibility.h); with one the nearest problem that has a solution is solved instead, and
//      the report says so. A caller with other means than a solution gets the best iterate (Tolerance::may_give_up), in
//      piles once the other methods have had turns, until interior points would be next again;
//   9. pivoting (lcp.h), where friction is planar, polygonal or absent: linear complementarity problems from elsewhere
//      need not be monotone. It costs at most what the turns have cost so far, and has no such bound after them;
//  10. some sweeps with nsgs's dense Newton steps between them; then the turns continue, under the exact law with the
//      fixed point of de_saxce.h, which counts like Newton steps from the best iterate;
//  11. when all of these have ended, proximal Newton steps until they are stuck and some sweeps, in turn, until the
//      budget of iterations is used up.
//
// Turns: each method keeps its own iterate and continues where its last turn ended; a turn is as short as the method
// allows. The next turn goes to the method with the least cost after one Newton step more, in multiply-adds counted
// from the pattern of its factorisations (BlockLu::n_operations) and from numbers of rows. The cost of the most likely
// method counts once: Fischer-Burmeister steps with few rows, else gradients under the associated law with friction,
// else Newton steps from the guess, or from the best iterate after gradients. With few blocks of W Fischer-Burmeister
// steps also count once under the associated law, and interior points some times under the exact one. All others count
// many times, and so do methods that have taken kManySteps, Newton steps as the most likely method only kSlow times. In
// piles interior points also count once, and methods that count many times wait until these have been polished. So a
// problem that the most likely method solves in kManySteps takes less than twice its cost, or three times where there
// are two, and one that another method solves some multiple. Interior points are not cut while their steps are long, as
// they are when they converge.
//
// The best iterate of all, the starting guess included, is returned: never one that violates more (Residual::defect).
// SolveReport::method names the last method used, SolveReport::effort how often each was. Nothing is allocated once the
// workspace is large enough, except from 8 on.
class AutoSolver final : public ConeSolver {
 public:
  explicit AutoSolver(const AutoOptions& options);

  std::string_view name() const override { return AutoOptions::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  /// A solve under way.
  struct Task {
    const ConeProblem& problem;
    const Deadline& deadline;
    SolveReport& report;
    int used = 0;                     // [-] iterations
    double operations = 0.0;          // [-] multiply-adds of the turns
    double first = 0.0, asked = 0.0;  // [m/s] the residual of the guess, and what is asked for
  };
  /// The cost of a turn.
  struct Turn {
    int iterations = 0;
    double operations = 0.0;  // [-] multiply-adds of its factorisations, or what takes as long
  };
  /// A method that takes turns.
  struct Contender {
    Turn (AutoSolver::*step)(const Task& task);
    double weight = 1.0;  // [-] its operations count so many times
    double cost = 0.0;    // [-] operations so far, times the weight
    int n_steps = 0;      // [-] iterations so far
    bool has_begun = false;
    bool has_ended = false;  // it has nothing more to do
  };
  enum class Round { newton, inside, waiting, rest };

  SolveReport solve_heap(const ConeProblem& problem, ConeSolution& solution);
  void escalate(const ConeProblem& problem, ConeSolution& solution, SolveReport& report);
  bool is_open(const Task& task) const;
  int calc_left(const Task& task) const;
  void begin(Task& task);
  void solve_linear(Task& task);
  void eliminate_free_rows(Task& task);
  void run_newton(Task& task, double first_parameter, int most);
  void sweep_while_quick(Task& task);
  void set_contenders(const ConeProblem& problem);
  void look_at_pattern(Task& task);
  int calc_gradient_turns(const ConeProblem& problem) const;
  void descend(Task& task, int turns);
  void weigh_contenders(const ConeProblem& problem);
  void go_on(Task& task);
  void pivot(const Task& task, double most_operations);
  void sweep_with_newton(Task& task);
  SolveReport solve_nearest(const ConeProblem& problem, const Infeasibility& proof, const Deadline& deadline,
                            const SolveReport& so_far, ConeSolution& solution);

  void take_turns(Task& task, Round round);
  void take_turn(Task& task, Contender& contender);
  static void weigh(Contender& contender, double weight);
  double calc_cost_with_next(const Contender& contender) const;
  Turn step_from_best(const Task& task);
  Turn step_from_guess(const Task& task);
  Turn step_by_newton(const Task& task, ProximalNewton& newton, double first_parameter, Contender& contender);
  Turn step_inside(const Task& task);
  template <class Method>
  Turn advance_once(const Task& task, Method& method);
  Turn step_by_fischer_burmeister(const Task& task);
  Turn step_by_fixed_shift(const Task& task);
  Turn step_by_gradients(const Task& task);
  bool is_accelerated(const ConeProblem& problem) const;
  void start_gradients(const ConeProblem& problem);
  double calc_least_of_gradients(const ConeProblem& problem) const;
  int advance_gradients(const Task& task, int max_iterations);
  void go_to_guess();

  const AutoOptions options_;
  NsgsSolver nsgs_;
  AgsSolver ags_;
  Iterate iterate_{options_.stop};
  LocalSolver local_;
  SpectralGradient spectral_gradient_;
  AcceleratedGradient accelerated_gradient_;
  SharedDelassus delassus_{options_.stop};
  FreeRows free_rows_{options_.stop, &delassus_};
  FreeRowElimination elimination_{options_.stop, &delassus_};
  std::unique_ptr<AutoSolver> of_others_;  // solves what elimination_ leaves; none yet
  AlternatingDirections directions_{options_.stop, &delassus_};
  ProximalNewton newton_{options_.stop, &delassus_};
  ProximalNewton newton_from_best_{options_.stop, &delassus_};
  ProximalNewton newton_from_guess_{options_.stop, &delassus_};
  FischerBurmeister newton_fb_{options_.stop, &delassus_};
  FixedShift fixed_shift_{options_.stop, &delassus_};
  InteriorPoint interior_point_{options_.stop, &delassus_};
  Tolerance tolerance_;        // of the present solve
  std::vector<double> start_;  // (n) [N s] the starting guess
  std::vector<double> first_;  // (n) [N s] where Newton steps that go first begin
  Contender from_best_, inside_, from_guess_, fischer_burmeister_, gradients_, de_saxce_;
  Contender* likeliest_ = nullptr;  // to get there, where interior points do not
  int n_from_best_ = 0;             // [-] Newton steps from the best iterate
  int n_inside_ = 0;                // [-] steps of interior points
  bool is_inside_ready_ = false;    // interior points have been started, so that their cost is known
  // Of W: whether contacts are coupled to fewer than kPileNeighbors, it has fewer blocks than kManyBlocks, and a Newton
  // step costs as much as kDearStep gradients.
  bool is_pile_ = false, has_few_blocks_ = true, is_dear_ = false;
  double first_inside_turn_ = 1.0;  // [-] Newton steps that the first turn of interior points counts as beforehand
  bool is_polished_ = false;        // Newton steps go on where they ended
  double step_operations_ = 0.0;  // [-] multiply-adds of a Newton step, as far as known: estimated, or the last kind's
  double gradient_operations_ = 0.0;  // [-] those of a gradient step
  bool look_for_proof_ = true;
};

}  // namespace stickslip
