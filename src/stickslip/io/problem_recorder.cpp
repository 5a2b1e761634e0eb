// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/problem_recorder.h"

#include <vector>

#include "stickslip/cone/one_step_problem.h"
#include "stickslip/io/fclib_file.h"

namespace stickslip {

SolveReport ProblemRecorder::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  const SolveReport report = solver_->solve(problem, tolerance, solution);
  if (is_wanted(problem, report.status)) {
    has_problem_ = true;
    problem_ = problem;
    solution_ = solution;
    status_ = report.status;
  }
  return report;
}

bool ProblemRecorder::is_wanted(const ConeProblem& problem, Status status) const {
  if (status != Status::ok) return true;
  if (!all_) return false;
  if (!has_problem_) return true;
  return status_ == Status::ok && (problem_.of_positions || !problem.of_positions);
}

void ProblemRecorder::start(bool all) {
  all_ = all;
  has_problem_ = false;
}

void ProblemRecorder::write(const std::filesystem::path& path) const {
  std::vector<int> row_of;
  const OneStepProblem problem = make_exchange_problem(problem_, &row_of);
  if (status_ == Status::failed) return write_fclib(path, problem, nullptr);
  ConeSolution solution;
  solution.p.assign(problem.cones.size(), 0.0);
  solution.u.assign(problem.cones.size(), 0.0);
  for (std::size_t i = 0; i < row_of.size(); ++i) {
    solution.p[row_of[i]] = solution_.p[i];
    solution.u[row_of[i]] = solution_.u[i];
  }
  write_fclib(path, problem, &solution);
}

}  // namespace stickslip
