// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/free_row_elimination.h"

#include <algorithm>
#include <cmath>

#include "stickslip/math/small_lu.h"
#include "stickslip/math/small_matrix.h"

namespace stickslip {
namespace {

/// Rows of the others at most: S has the square of that.
constexpr int kMostOthers = 120;
/// e. [-]
constexpr double kRegularOthers = 1e-10;
/// Of the tolerance, for the problem in the others: the rest is for what elimination leaves. [-]
constexpr double kShareOfOthers = 0.5;
/// Passes go on while each leaves at most this share of the violation. [-]
constexpr double kPassFalls = 0.5;

}  // namespace

void add_effort(const Effort& more, Effort& sum) {
  sum.sweeps += more.sweeps;
  sum.gradient_steps += more.gradient_steps;
  sum.alternating_steps += more.alternating_steps;
  sum.newton_steps += more.newton_steps;
  sum.interior_point_steps += more.interior_point_steps;
  sum.pivots += more.pivots;
}

bool FreeRowElimination::suits(const ConeProblem& problem) {
  int n_free = 0;
  for (const Cone& cone : problem.cones) n_free += cone.kind == ConeKind::free ? cone.dim : 0;
  const int n_others = problem.size() - n_free;
  return n_free > 0 && n_others > 0 && n_others <= kMostOthers;
}

SolveReport FreeRowElimination::run(const ConeProblem& problem, Tolerance tolerance, ConeSolver& solver,
                                    Iterate& iterate) {
  SolveReport sum;
  used_ = &factors_[problem.of_positions ? 1 : 0];
  if (!used_->factorise(problem, iterate.rows(), true)) return sum;
  used_->correct(problem, iterate);
  bool is_first = true;
  for (double before = HUGE_VAL; !iterate.last().is_within(tolerance) &&
                                 iterate.last().defect() < kPassFalls * before &&
                                 sum.iterations < tolerance.most_iterations;) {
    before = iterate.last().defect();
    if (is_first) reduce(problem, iterate.rows());
    pose(problem, iterate);
    const bool holds = is_first && hold(problem, iterate);
    if (!holds) {
      Tolerance left = tolerance;
      left.most_iterations -= sum.iterations;
      const SolveReport report = solve_others(left, iterate.last(), solver);
      sum.iterations += report.iterations;
      sum.method = report.method;
      add_effort(report.effort, sum.effort);
      if (report.status == Status::failed) break;
    }
    is_first = false;
    advance(problem, iterate);
    used_->correct(problem, iterate);
    if (!holds) continue;
    ++sum.iterations;
    if (iterate.last().is_within(tolerance)) break;
    iterate.return_to_best();  // what is not held closes
    before = HUGE_VAL;
  }
  return sum;
}

SolveReport FreeRowElimination::solve_others(Tolerance tolerance, const Residual& before, ConeSolver& solver) {
  const double asked = std::max(tolerance.relative * before.given, tolerance.absolute);
  const Tolerance of_others{
      .absolute = kShareOfOthers * asked, .may_give_up = true, .most_iterations = tolerance.most_iterations};
  return solver.solve(reduced_, of_others, solution_);
}

/// Percussions with which what bears or closes sticks: one linear system, whose undetermined part stays that of the
/// guess. Whether they are in the cones.
bool FreeRowElimination::hold(const ConeProblem& problem, const Iterate& iterate) {
  held_.clear();
  change_.clear();
  for (std::size_t k = 0; k < others_.size(); ++k) {
    const Cone& cone = reduced_.cones[k];
    const double* u = iterate.u().data() + problem.cones[others_[k]].offset;
    if (cone.kind == ConeKind::contact && !(start_[cone.offset] > 0.0 || u[0] < 0.0)) continue;
    for (int r = 0; r < cone.dim; ++r) {
      held_.push_back(cone.offset + r);
      change_.push_back(u[r]);
    }
  }
  const auto n = static_cast<int>(held_.size());
  const auto n_c = static_cast<std::size_t>(reduced_.size());
  matrix_.clear();
  for (const int row : held_) {
    for (const int column : held_) matrix_.push_back(dense_[row * n_c + column]);
  }
  pivots_.resize(n);
  if (n == 0 || !factorise_lu(n, matrix_.data(), pivots_.data(), stop_)) return false;
  solve_lu(n, matrix_.data(), pivots_.data(), change_.data());
  for (int i = 0; i < n; ++i) solution_.p[held_[i]] -= change_[i];
  projected_ = solution_.p;
  project_on_cones(reduced_, projected_);
  if (projected_ == solution_.p) return true;
  solution_.p = start_;
  return false;
}

/// The cones of the others, with S + e D.
void FreeRowElimination::reduce(const ConeProblem& problem, const DelassusRows& rows) {
  others_.clear();
  place_.assign(problem.n_cones(), -1);
  reduced_.clear_cones();
  reduced_.law = problem.law;
  reduced_.floor = problem.floor;
  reduced_.residual_scale = rows.residual_scale();
  reduced_.of_positions = problem.of_positions;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& cone = problem.cones[i];
    if (cone.kind == ConeKind::free) continue;
    place_[i] = static_cast<int>(others_.size());
    others_.push_back(i);
    if (cone.kind == ConeKind::contact) {
      reduced_.add_contact(problem.friction(cone));
    } else {
      reduced_.add_ball(cone.dim, cone.radius);
    }
  }
  auto* delassus = std::get_if<StoredDelassus>(&reduced_.delassus);
  if (delassus == nullptr) delassus = &reduced_.delassus.emplace<StoredDelassus>();
  delassus->clear();
  const auto n = static_cast<std::size_t>(reduced_.size());
  dense_.resize(n * n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) dense_[r * n + c] = used_->condensed()[c * n + r];
  }
  for (std::size_t k = 0; k < others_.size(); ++k) {
    add_row(static_cast<int>(k), kRegularOthers * rows.scale(others_[k]));
  }
}

/// The block row of S of one of the others.
void FreeRowElimination::add_row(int k, double regular) {
  const int n_c = reduced_.size();
  const Cone& cone = reduced_.cones[k];
  const int dim = cone.dim;
  double* row = dense_.data() + static_cast<std::size_t>(cone.offset) * n_c;
  for (int r = 0; r < dim; ++r) row[r * n_c + cone.offset + r] += regular;
  columns_.clear();
  dims_.clear();
  values_.clear();
  for (int j = 0; j < reduced_.n_cones(); ++j) {
    const Cone& column = reduced_.cones[j];
    const std::size_t begin = values_.size();
    for (int r = 0; r < dim; ++r) {
      const double* first = row + static_cast<std::size_t>(r) * n_c + column.offset;
      values_.insert(values_.end(), first, first + column.dim);
    }
    if (std::all_of(values_.begin() + begin, values_.end(), [](double x) { return x == 0.0; })) {
      values_.resize(begin);
      continue;
    }
    columns_.push_back(j);
    dims_.push_back(column.dim);
  }
  std::get<StoredDelassus>(reduced_.delassus).add_row(columns_, dims_, dim, values_);
}

/// b with which the others have the velocities of the iterate at its percussions, and these as the guess.
void FreeRowElimination::pose(const ConeProblem& problem, const Iterate& iterate) {
  solution_.p.resize(reduced_.size());
  for (std::size_t k = 0; k < others_.size(); ++k) {
    const Cone& cone = problem.cones[others_[k]];
    std::copy_n(iterate.p().data() + cone.offset, cone.dim, solution_.p.data() + reduced_.cones[k].offset);
  }
  start_ = solution_.p;
  reduced_.apply_delassus(solution_.p, reduced_.b);
  for (std::size_t k = 0; k < others_.size(); ++k) {
    const Cone& cone = problem.cones[others_[k]];
    for (int r = 0; r < cone.dim; ++r) {
      double& b = reduced_.b[reduced_.cones[k].offset + r];
      b = iterate.u()[cone.offset + r] - b;
    }
  }
}

/// Moves the iterate to the solution, with the free rows that follow from it.
void FreeRowElimination::advance(const ConeProblem& problem, Iterate& iterate) {
  const AssembledDelassus& w = delassus_.get(problem);
  projected_.resize(start_.size());
  for (std::size_t row = 0; row < start_.size(); ++row) projected_[row] = solution_.p[row] - start_[row];
  for (std::size_t k = 0; k < others_.size(); ++k) {
    const Cone& cone = problem.cones[others_[k]];
    std::copy_n(solution_.p.data() + reduced_.cones[k].offset, cone.dim, iterate.p().data() + cone.offset);
  }
  change_.assign(used_->n_rows(), 0.0);
  for (int i = 0; i < problem.n_cones(); ++i) {
    const int first = used_->offsets()[i];
    if (first < 0) continue;
    for (int k = w.row_begin()[i]; k < w.row_begin()[i + 1]; ++k) {
      const int place = place_[w.columns()[k]];
      if (place < 0) continue;
      const Cone& column = reduced_.cones[place];
      add_product(problem.cones[i].dim, column.dim, w.block(k), projected_.data() + column.offset,
                  change_.data() + first);
    }
  }
  used_->solve(change_);
  for (int i = 0; i < problem.n_cones(); ++i) {
    const int first = used_->offsets()[i];
    if (first < 0) continue;
    for (int r = 0; r < problem.cones[i].dim; ++r) iterate.p()[problem.cones[i].offset + r] -= change_[first + r];
  }
  iterate.judge();
}

}  // namespace stickslip
