// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "stickslip/cone/cone_solver.h"

namespace stickslip {

/// A solver through which the contact problem of a step is seen and answered from outside: it hands each problem on to
/// another solver, but keeps the first one after watch(), and after answer() returns percussions that are given in the
/// place of the first answer.
class EnumeratingSolver final : public ConeSolver {
 public:
  explicit EnumeratingSolver(std::unique_ptr<ConeSolver> solver) : solver_(std::move(solver)) {}

  std::string_view name() const override { return solver_->name(); }
  double tolerance() const override { return solver_->tolerance(); }
  std::optional<std::string> refuses(const ConeProblem& problem) const override { return solver_->refuses(problem); }

  /// The next problem is kept.
  void watch();
  /// The next problem gets the answer p (n).
  void answer(const std::vector<double>& p);

  bool has_problem() const { return has_problem_; }
  const ConeProblem& problem() const { return problem_; }
  const std::vector<double>& solution() const { return solution_; }  // (n) [N s] what the solver answered
  /// Problems of one step: with more rows than the first one. [-]
  int larger() const { return larger_; }

 private:
  enum class Task { none, watch, answer };
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;

  std::unique_ptr<ConeSolver> solver_;
  Task task_ = Task::none;
  bool has_problem_ = false;
  int larger_ = 0;
  ConeProblem problem_;
  std::vector<double> solution_;
  std::vector<double> answer_;
};

}  // namespace stickslip
