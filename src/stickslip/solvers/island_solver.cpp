// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/island_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "stickslip/cone/cone_defect.h"

namespace stickslip {

IslandSolver::IslandSolver(std::unique_ptr<ConeSolver> solver, const StopOptions& options)
    : solver_(std::move(solver)), time_limit_(options.time_limit), stop_(options.stop), assembled_(options.stop) {
}

SolveReport IslandSolver::do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
  if (problem.n_cones() == 1) return solver_->solve(problem, tolerance, solution);
  const Deadline deadline(time_limit_, stop_);
  start_.assign(solution.p.begin(), solution.p.end());
  SolveReport report = solver_->solve(problem, tolerance, solution);
  if (report.status != Status::inexact || deadline.is_time_up()) return report;
  try {
    const int n = find_islands(problem);
    if (n > 1) solve_islands(problem, n, tolerance, deadline, solution, report);
  } catch (const Interrupted&) {
    solution.p.assign(start_.begin(), start_.end());
    throw;
  }
  return report;
}

/// Numbers the islands in the order of their first cones; how many there are. Cones with a key of W in common are on
/// one.
int IslandSolver::find_islands(const ConeProblem& problem) {
  sets_.reset(problem.n_cones());
  const auto join = [&](const auto& w) {
    first_.assign(w.n_keys(), -1);
    for (int i = 0; i < problem.n_cones(); ++i) {
      const auto add = [this, i](int key) {
        if (first_[key] < 0) first_[key] = i;
        sets_.join(first_[key], i);
      };
      w.for_each_left_key(i, add);
      w.for_each_right_key(i, add);
    }
  };
  std::visit(join, problem.delassus);
  island_of_.resize(problem.n_cones());
  int n = 0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const int first = sets_.find(i);
    island_of_[i] = first == i ? n++ : island_of_[first];
  }
  return n;
}

/// Those of n that the answer does not have within `asked` [m/s]; the others stay as they are.
void IslandSolver::find_unsolved(const ConeProblem& problem, int n, double asked, const ConeSolution& solution) {
  const double w = problem.calc_residual_scale();
  squared_.assign(n, {});
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    const double* u = solution.u.data() + cone.offset;
    Squared& island = squared_[island_of_[i]];
    island.defect += calc_squared_defect(problem, problem.law, cone, w, solution.p.data() + cone.offset, u);
    for (int r = 0; r < cone.dim; ++r) {
      const bool is_missed = cone.kind == ConeKind::free || (cone.kind == ConeKind::contact && r == 0 && u[0] < 0.0);
      if (is_missed) island.missed += u[r] * u[r];
    }
  }
  unsolved_.clear();
  const double most = std::pow(std::max(asked, problem.floor), 2);
  for (int island = 0; island < n; ++island) {
    if (!(std::max(squared_[island].defect, squared_[island].missed) <= most)) unsolved_.push_back(island);
  }
}

/// The cones of one island as a problem of their own, judged by the scales of the whole.
void IslandSolver::set_island(const ConeProblem& problem, int island) {
  cones_.clear();
  place_.resize(problem.n_cones());
  for (int i = 0; i < problem.n_cones(); ++i) {
    if (island_of_[i] != island) continue;
    place_[i] = static_cast<int>(cones_.size());
    cones_.push_back(i);
  }
  island_.clear_cones();
  island_.law = problem.law;
  island_.floor = problem.floor;
  island_.residual_scale = problem.calc_residual_scale();
  island_.of_positions = problem.of_positions;
  auto* delassus = std::get_if<StoredDelassus>(&island_.delassus);
  if (delassus == nullptr) delassus = &island_.delassus.emplace<StoredDelassus>();
  delassus->clear();
  for (const int i : cones_) {
    const Cone& cone = problem.cones[i];
    switch (cone.kind) {
      case ConeKind::contact:
        island_.add_contact(problem.friction(cone));
        break;
      case ConeKind::ball:
        island_.add_ball(cone.dim, cone.radius);
        break;
      case ConeKind::free:
        island_.add_free(cone.dim);
        break;
    }
    std::copy_n(problem.b.data() + cone.offset, cone.dim, island_.b.data() + island_.cones.back().offset);
    columns_.clear();
    dims_.clear();
    values_.clear();
    for (int k = assembled_.row_begin()[i]; k < assembled_.row_begin()[i + 1]; ++k) {
      const int j = assembled_.columns()[k];
      columns_.push_back(place_[j]);
      dims_.push_back(problem.cones[j].dim);
      const double* block = assembled_.block(k);
      values_.insert(values_.end(), block, block + static_cast<std::size_t>(cone.dim) * dims_.back());
    }
    delassus->add_row(columns_, dims_, cone.dim, values_);
  }
}

/// p (n) of all -> that of the island that is set.
void IslandSolver::take_part(const ConeProblem& problem, const std::vector<double>& p) {
  of_island_.p.clear();
  for (const int i : cones_) {
    const Cone& cone = problem.cones[i];
    of_island_.p.insert(of_island_.p.end(), p.begin() + cone.offset, p.begin() + cone.offset + cone.dim);
  }
}

/// Each of n islands to its share of what is asked of all.
void IslandSolver::solve_islands(const ConeProblem& problem, int n, Tolerance tolerance, const Deadline& deadline,
                                 ConeSolution& solution, SolveReport& report) {
  const double asked = std::max(tolerance.absolute, tolerance.relative * report.residual.given) / std::sqrt(n);
  Tolerance part = tolerance;
  part.relative = 0.0;
  part.absolute = asked;
  find_unsolved(problem, n, asked, solution);
  if (unsolved_.size() < 2) return;
  assembled_.assemble(problem);
  SolveReport worst;
  for (const int island : unsolved_) {
    if (deadline.passed()) break;
    set_island(problem, island);
    take_part(problem, start_);
    const SolveReport solved = solver_->solve(island_, part, of_island_);
    report.iterations += solved.iterations;
    report.choices += solved.choices;
    if (solved.status == Status::failed) continue;
    for (std::size_t k = 0; k < cones_.size(); ++k) {
      const Cone& cone = problem.cones[cones_[k]];
      std::copy_n(of_island_.p.begin() + island_.cones[k].offset, cone.dim, solution.p.begin() + cone.offset);
    }
    if (solved.residual.defect() >= worst.residual.defect()) worst = solved;
    report.violation = std::max(report.violation, solved.violation);
    report.bound = std::max(report.bound, solved.bound);
  }
  problem.apply_delassus(solution.p, solution.u);
  for (int row = 0; row < problem.size(); ++row) solution.u[row] += problem.b[row];
  report.residual = calc_residual(problem, solution.p);
  if (worst.residual.worst >= 0) {
    report.method = worst.method;
    report.message = worst.message;
  }
  if (!report.residual.is_within(tolerance)) return;
  report.status = Status::ok;
  report.message = "";
  report.violation = report.bound = 0.0;
}

}  // namespace stickslip
