// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/least_violation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stickslip/cone/condense.h"
#include "stickslip/cone/one_step_problem.h"
#include "stickslip/solvers/auto_solver.h"

namespace stickslip {
namespace {

/// e: what is left out of the least violation, and of the least percussions, as a share of them; percussions are off by
/// what is left of the regular problems over e. [-]
constexpr double kSoft = 1e-5;
/// The relative residual of the regular problems, above the round-off in percussions that are 1 / e times as large as
/// others: at 1e-6 times this, no residual is reached with boxes between walls. [-]
constexpr double kSoftTolerance = 1e-9;
/// A relative tolerance within which the solver is near a solution, and what is found here would not be nearer. [-]
constexpr double kNear = kSoft;
/// Rows up to which the answer is looked for: a factorisation of all of them in each step.
constexpr int kMaxRows = 2000;
/// Percussions so many times as large as each row's velocity and mass explain are suspicious: in a pile of ten they
/// are.
constexpr double kExplained = 10.0;
/// Percussions so many times as large as the least are not the least any more; they are worth their size only where
/// they halve the violation. [-]
constexpr double kMuchLarger = 3.0;
constexpr double kWorth = 2.0;

/// The mean diagonal of each cone's block, or w of the residual where that is not above zero. (n) [1/kg]
void calc_diagonals(const ConeProblem& problem, std::vector<double>& diagonals) {
  diagonals.resize(problem.size());
  const double w = problem.calc_residual_scale();
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    double* of_cone = diagonals.data() + cone.offset;
    problem.calc_diagonal(i, of_cone);
    double sum = 0.0;
    for (int r = 0; r < cone.dim; ++r) sum += of_cone[r];
    std::fill_n(of_cone, cone.dim, sum > 0.0 ? sum / cone.dim : w);
  }
}

/// Whether W may be positive semidefinite, by its diagonal: none below zero, and where it is zero nothing beside it.
bool is_mechanical(const SparseMatrix& w) {
  for (Eigen::Index row = 0; row < w.rows(); ++row) {
    const double diagonal = w.coeff(row, row);
    if (diagonal > 0.0) continue;
    if (diagonal < 0.0) return false;
    for (SparseMatrix::InnerIterator entry(w, row); entry; ++entry) {
      if (entry.value() != 0.0) return false;
    }
  }
  return true;
}

/// Not the relative residual, which is over speeds that percussions without bound make. [m/s]
double calc_violation(const Residual& residual) {
  return std::max(residual.absolute, residual.missed);
}

}  // namespace

LeastViolationSolver::LeastViolationSolver(std::unique_ptr<ConeSolver> solver, const StopOptions& options)
    : solver_(std::move(solver)), time_limit_(options.time_limit), stop_(options.stop) {
}

SolveReport LeastViolationSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  const Deadline deadline(time_limit_, stop_);
  if (problem.size() > kMaxRows) return solver_->solve(problem, tolerance, solution);
  start_.assign(solution.p.begin(), solution.p.end());
  SolveReport report = solver_->solve(problem, tolerance, solution);
  if (report.status != Status::inexact || report.residual.is_within({.relative = kNear})) return report;
  calc_diagonals(problem, diagonals_);
  if (calc_size(solution.p) <= kExplained * calc_explained(problem.b)) return report;
  try {
    bound(problem, tolerance, deadline, solution, report);
  } catch (const Interrupted&) {
    solution.p.assign(start_.begin(), start_.end());
    throw;
  }
  return report;
}

/// The root of the sum of D p^2, and what it would be if each row's percussion stopped its velocity. [J^1/2]
double LeastViolationSolver::calc_size(const std::vector<double>& p) const {
  double squared = 0.0;
  for (std::size_t row = 0; row < p.size(); ++row) squared += diagonals_[row] * p[row] * p[row];
  return std::sqrt(squared);
}

double LeastViolationSolver::calc_explained(const std::vector<double>& b) const {
  double squared = 0.0;
  for (std::size_t row = 0; row < b.size(); ++row) squared += b[row] * b[row] / diagonals_[row];
  return std::sqrt(squared);
}

/// Whether `auto`, where it is not the solver, comes near a solution: then what the solver has not reached yet, as a
/// slow one under a heavy body, is to be gone on from.
bool LeastViolationSolver::has_solution(const ConeProblem& problem, const Deadline& deadline,
                                        SolveReport& report) const {
  if (solver_->name() == AutoOptions::kName) return false;
  AutoOptions options;
  options.stop = stop_;
  options.time_limit = deadline.calc_remaining();
  ConeSolution found;
  found.p.assign(static_cast<std::size_t>(problem.size()), 0.0);
  const SolveReport solved = AutoSolver(options).solve(problem, {.relative = kNear}, found);
  report.iterations += solved.iterations;
  return solved.status == Status::ok;
}

/// Takes the least percussions of the least violation instead, where they violate little more.
void LeastViolationSolver::bound(const ConeProblem& problem, Tolerance asked, const Deadline& deadline,
                                 ConeSolution& solution, SolveReport& report) const {
  if (has_solution(problem, deadline, report)) return;
  SparseMatrix w = make_delassus_matrix(problem, stop_);
  if (!is_mechanical(w)) return;
  for (int row = 0; row < problem.size(); ++row) w.coeffRef(row, row) += kSoft * diagonals_[row];
  ConeProblem cones;
  cones.cones = problem.cones;
  cones.blocks = problem.blocks;
  cones.b = problem.b;
  ConeProblem soft = make_one_step_problem(ConeForm{w}, std::move(cones)).cones;
  soft.law = problem.law;
  AutoOptions options;
  options.stop = stop_;
  ConeSolution found;
  asked.relative = kSoftTolerance;
  asked.absolute = 0.0;
  for (int step = 0; step < 2; ++step) {
    if (deadline.passed()) return;
    for (int row = 0; row < problem.size() && step > 0; ++row) soft.b[row] += kSoft * diagonals_[row] * found.p[row];
    options.time_limit = deadline.calc_remaining();
    found.p.assign(problem.size(), 0.0);
    const SolveReport solved = AutoSolver(options).solve(soft, asked, found);
    report.iterations += solved.iterations;
    if (solved.status == Status::failed) return;
  }
  const Residual residual = calc_residual(problem, found.p);
  if (calc_size(solution.p) <= kMuchLarger * calc_size(found.p)) return;
  if (!(calc_violation(residual) <= kWorth * calc_violation(report.residual))) return;
  solution.p.assign(found.p.begin(), found.p.end());
  problem.apply_delassus(solution.p, solution.u);
  for (int row = 0; row < problem.size(); ++row) solution.u[row] += problem.b[row];
  report.residual = residual;
}

}  // namespace stickslip
