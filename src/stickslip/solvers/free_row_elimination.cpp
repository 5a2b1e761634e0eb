// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/free_row_elimination.h"

#include <algorithm>
#include <cmath>

#include "stickslip/math/small_lu.h"

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
  if (!used_->factorise(problem, iterate.rows())) return sum;
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
  const AssembledDelassus& w = delassus_.get(problem);
  const int n_f = used_->n_rows();
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
  responses_.assign(static_cast<std::size_t>(reduced_.size()) * n_f, 0.0);
  for (int i = 0; i < problem.n_cones(); ++i) {
    const int first = used_->offsets()[i];
    if (first < 0) continue;
    for (int k = w.row_begin()[i]; k < w.row_begin()[i + 1]; ++k) {
      const int place = place_[w.columns()[k]];
      if (place < 0) continue;
      const Cone& column = reduced_.cones[place];
      for (int r = 0; r < problem.cones[i].dim; ++r) {
        for (int c = 0; c < column.dim; ++c) {
          responses_[static_cast<std::size_t>(column.offset + c) * n_f + first + r] = w.block(k)[r * column.dim + c];
        }
      }
    }
  }
  for (int c = 0; c < reduced_.size(); ++c) {
    stop_.check();
    const std::span<double> response(responses_.data() + static_cast<std::size_t>(c) * n_f, n_f);
    if (std::ranges::any_of(response, [](double x) { return x != 0.0; })) used_->solve(response);
  }
  auto* delassus = std::get_if<StoredDelassus>(&reduced_.delassus);
  if (delassus == nullptr) delassus = &reduced_.delassus.emplace<StoredDelassus>();
  delassus->clear();
  dense_.assign(static_cast<std::size_t>(reduced_.size()) * reduced_.size(), 0.0);
  for (const int i : others_) add_row(problem, i, kRegularOthers * rows.scale(i));
}

/// The block row of S of one cone.
void FreeRowElimination::add_row(const ConeProblem& problem, int i, double regular) {
  const AssembledDelassus& w = delassus_.get(problem);
  const int n_f = used_->n_rows();
  const int n_c = reduced_.size();
  const int dim = problem.cones[i].dim;
  double* row = dense_.data() + static_cast<std::size_t>(reduced_.cones[place_[i]].offset) * n_c;
  for (int k = w.row_begin()[i]; k < w.row_begin()[i + 1]; ++k) {
    const int j = w.columns()[k];
    const int column_dim = problem.cones[j].dim;
    const double* block = w.block(k);
    if (place_[j] >= 0) {
      const int offset = reduced_.cones[place_[j]].offset;
      for (int r = 0; r < dim; ++r) {
        for (int c = 0; c < column_dim; ++c) row[r * n_c + offset + c] += block[r * column_dim + c];
      }
      continue;
    }
    for (int c = 0; c < n_c; ++c) {
      const double* response = responses_.data() + static_cast<std::size_t>(c) * n_f + used_->offsets()[j];
      for (int r = 0; r < dim; ++r) {
        double sum = 0.0;
        for (int f = 0; f < column_dim; ++f) sum += block[r * column_dim + f] * response[f];
        row[r * n_c + c] -= sum;
      }
    }
  }
  const int own = reduced_.cones[place_[i]].offset;
  for (int r = 0; r < dim; ++r) row[r * n_c + own + r] += regular;
  columns_.clear();
  dims_.clear();
  values_.clear();
  for (int j = 0; j < reduced_.n_cones(); ++j) {
    const Cone& column = reduced_.cones[j];
    const std::size_t begin = values_.size();
    bool is_zero = true;
    for (int r = 0; r < dim; ++r) {
      for (int c = 0; c < column.dim; ++c) {
        values_.push_back(row[r * n_c + column.offset + c]);
        is_zero &= values_.back() == 0.0;
      }
    }
    if (is_zero) {
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
  const int n_f = used_->n_rows();
  change_.assign(n_f, 0.0);
  for (std::size_t k = 0; k < others_.size(); ++k) {
    const Cone& cone = problem.cones[others_[k]];
    const Cone& reduced = reduced_.cones[k];
    for (int r = 0; r < cone.dim; ++r) {
      const int row = reduced.offset + r;
      iterate.p()[cone.offset + r] = solution_.p[row];
      const double moved = solution_.p[row] - start_[row];
      const double* response = responses_.data() + static_cast<std::size_t>(row) * n_f;
      if (moved == 0.0) continue;
      for (int f = 0; f < n_f; ++f) change_[f] += moved * response[f];
    }
  }
  for (int i = 0; i < problem.n_cones(); ++i) {
    const int first = used_->offsets()[i];
    if (first < 0) continue;
    for (int r = 0; r < problem.cones[i].dim; ++r) iterate.p()[problem.cones[i].offset + r] -= change_[first + r];
  }
  iterate.judge();
}

}  // namespace stickslip
