// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/enumerating_solver.h"

#include "stickslip/base/assert.h"

namespace stickslip {

void EnumeratingSolver::watch() {
  task_ = Task::watch;
  has_problem_ = false;
  larger_ = 0;
}

void EnumeratingSolver::answer(const std::vector<double>& p) {
  task_ = Task::answer;
  answer_ = p;
}

SolveReport EnumeratingSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  const Task task = task_;
  task_ = Task::none;
  if (task == Task::answer) {
    STICKSLIP_ASSERT(answer_.size() == solution.p.size());
    SolveReport report;
    solution.p = answer_;
    solution.u.resize(answer_.size());
    problem.apply_delassus(solution.p, solution.u);
    for (std::size_t r = 0; r < answer_.size(); ++r) solution.u[r] += problem.b[r];
    report.residual = calc_residual(problem, solution.p);
    return report;
  }
  if (task == Task::watch) {
    problem_ = problem;
    has_problem_ = true;
  } else if (has_problem_ && problem.size() > problem_.size()) {
    ++larger_;
  }
  const SolveReport report = solver_->solve(problem, tolerance, solution);
  if (task == Task::watch) solution_ = solution.p;
  return report;
}

}  // namespace stickslip
