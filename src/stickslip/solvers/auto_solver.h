// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>
#include <memory>
#include <vector>

#include "stickslip/cone/infeasibility.h"
#include "stickslip/solvers/accelerated_gradient.h"
#include "stickslip/solvers/ags.h"
#include "stickslip/solvers/alternating_directions.h"
#include "stickslip/solvers/assembled_delassus.h"
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
// the same bits. docs/solvers.md describes the order and the turns, bench/results/auto_rules.md what each rule saves.
//
// The best iterate of all, the starting guess included, is returned: never one that violates more (Residual::defect).
// SolveReport::method names the last method used, SolveReport::effort how often each was. Nothing is allocated once the
// workspace is large enough, except where a proof that there is no solution is looked for, and after that.
class AutoSolver final : public ConeSolver {
 public:
  explicit AutoSolver(const AutoOptions& options);

  std::string_view name() const override { return AutoOptions::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& /*problem*/) const override { return std::nullopt; }

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  /// A solve under way.
  struct Task {
    const ConeProblem& problem;
    const Deadline& deadline;
    SolveReport& report;
    int used = 0;  // [-] iterations
  };
  /// The cost of a turn.
  struct Turn {
    int iterations = 0;
    double operations = 0.0;  // [-] multiply-adds of its factorisations, or what takes as long
  };
  /// A method that takes turns. It keeps its own iterate and continues where its last turn ended.
  struct Contender {
    Turn (AutoSolver::*step)(const Task& task);
    double weight;      // [-] its operations count so many times
    double cost = 0.0;  // [-] operations so far, times the weight
    int n_steps = 0;    // [-] iterations so far
    bool has_begun = false;
    bool has_ended = false;  // it has nothing more to do
  };

  void escalate(const ConeProblem& problem, ConeSolution& solution, SolveReport& report);
  bool is_open(const Task& task) const;
  int calc_left(const Task& task) const;
  void begin(const ConeProblem& problem);
  void solve_linear(Task& task);
  void eliminate_free_rows(Task& task);
  Turn polish(const Task& task, int most);
  void look_at_pattern(Task& task);
  void descend(Task& task, int turns);
  void sweep(Task& task);
  void pivot(Task& task);
  void sweep_with_newton(Task& task);
  SolveReport solve_nearest(const Task& task, const Infeasibility& proof, ConeSolution& solution);

  Contender* find_next(std::initializer_list<Contender*> contenders) const;
  void take_turn(Task& task, Contender& contender);
  void start_at(Contender& contender, bool at_guess);
  void go_to(const std::vector<double>& p);
  Turn step_from_best(const Task& task);
  Turn step_from_guess(const Task& task);
  Turn step_by_newton(const Task& task, ProximalNewton& newton, Contender& contender);
  Turn step_inside(const Task& task);
  Turn step_by_fischer_burmeister(const Task& task);
  Turn step_by_gradients(const Task& task);
  bool is_accelerated(const ConeProblem& problem) const;

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
  InteriorPoint interior_point_{options_.stop, &delassus_};
  Tolerance tolerance_;         // of the present solve
  std::vector<double> start_;   // (n) [N s] the starting guess
  std::vector<double> before_;  // (n) [N s] where Newton steps that go first begin
  Contender from_best_, inside_, from_guess_, fischer_burmeister_, gradients_;
  Contender* likeliest_ = nullptr;  // to get there, where interior points do not
  bool is_inside_ready_ = false;    // interior points have been started, so that their cost is known
  bool is_polished_ = false;        // interior points have ended: Newton steps polish their answer
  // Of W: whether contacts are coupled to few others and friction is that of interior points; a Newton step costs as
  // much as many gradients.
  bool is_pile_ = false, is_dear_ = false;
  double step_operations_ = 0.0;  // [-] multiply-adds of a Newton step, as far as known: estimated, or the last kind's
  double gradient_operations_ = 0.0;  // [-] those of a gradient step
  double first_ = 0.0;                // [m/s] the residual where gradients began
  bool look_for_proof_ = true;
};

}  // namespace stickslip
