// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "stickslip/cone/cone_solver.h"

namespace stickslip {

/// A solver that records problems: it passes each to another solver, and keeps a copy of the last one that was not
/// solved to its tolerance. On demand, if there is none, it keeps the last one of velocities, or of positions where
/// there is no other. It copies no other problems.
class ProblemRecorder final : public ConeSolver {
 public:
  explicit ProblemRecorder(std::unique_ptr<ConeSolver> solver) : solver_(std::move(solver)) {}

  std::string_view name() const override { return solver_->name(); }
  double tolerance() const override { return solver_->tolerance(); }
  std::optional<std::string> refuses(const ConeProblem& problem) const override { return solver_->refuses(problem); }

  /// Forgets the kept problem; from now on keeps those that fail or, with `all`, others too.
  void start(bool all);
  /// Whether there is a problem to write.
  bool has_problem() const { return has_problem_; }
  const ConeProblem& problem() const { return problem_; }
  /// Writes the problem kept, with the solver's answer where it gave one, as an FCLIB file (fclib_file.h). Throws
  /// InputError, WriteError.
  void write(const std::filesystem::path& path) const;

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  bool is_wanted(const ConeProblem& problem, Status status) const;

  std::unique_ptr<ConeSolver> solver_;
  bool all_ = false;
  bool has_problem_ = false;
  ConeProblem problem_;
  ConeSolution solution_;
  Status status_ = Status::ok;
};

}  // namespace stickslip
