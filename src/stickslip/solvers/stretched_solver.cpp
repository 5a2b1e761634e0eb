// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/stretched_solver.h"

#include <array>
#include <span>
#include <utility>
#include <variant>

namespace stickslip {

StretchedSolver::StretchedSolver(std::unique_ptr<ConeSolver> solver, StopToken stop)
    : solver_(std::move(solver)), assembled_(stop) {
}

/// The problem in terms of u^ = S u.
void StretchedSolver::set_plain(const ConeProblem& problem) {
  plain_.cones = problem.cones;
  plain_.blocks = problem.blocks;
  plain_.law = problem.law;
  plain_.floor = problem.floor;
  plain_.residual_scale = problem.calc_residual_scale();
  plain_.b = problem.b;
  for (const Stretch& s : problem.stretches) s.apply(plain_.b.data() + s.row);

  assembled_.assemble(problem);
  auto* delassus = std::get_if<StoredDelassus>(&plain_.delassus);
  if (delassus == nullptr) delassus = &plain_.delassus.emplace<StoredDelassus>();
  delassus->clear();
  auto next = problem.stretches.begin();
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    const int begin = assembled_.row_begin()[i];
    const std::span<const int> columns = assembled_.columns().subspan(begin, assembled_.row_begin()[i + 1] - begin);
    dims_.clear();
    row_.clear();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      dims_.push_back(problem.cones[columns[k]].dim);
      const double* block = assembled_.block(begin + static_cast<int>(k));
      row_.insert(row_.end(), block, block + static_cast<std::size_t>(cone.dim) * dims_.back());
    }
    for (; next != problem.stretches.end() && next->row < cone.offset + cone.dim; ++next) {
      double* block = row_.data();
      std::array<double, kMaxFrictionDim> column;
      for (const int n : dims_) {
        double* first = block + static_cast<std::size_t>(next->row - cone.offset) * n;
        for (int c = 0; c < n; ++c) {
          for (int r = 0; r < next->dim; ++r) column[r] = first[r * n + c];
          next->apply(column.data());
          for (int r = 0; r < next->dim; ++r) first[r * n + c] = column[r];
        }
        block += static_cast<std::size_t>(cone.dim) * n;
      }
    }
    delassus->add_row(columns, dims_, cone.dim, row_);
  }
}

SolveReport StretchedSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  if (problem.stretches.empty()) return solver_->solve(problem, tolerance, solution);
  set_plain(problem);
  const SolveReport report = solver_->solve(plain_, tolerance, solution);
  if (report.status == Status::failed) return report;
  for (const Stretch& s : problem.stretches) s.apply_inverse(solution.u.data() + s.row);
  return report;
}

}  // namespace stickslip
