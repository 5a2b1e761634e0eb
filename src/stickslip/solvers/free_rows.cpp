// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/free_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/small_lu.h"

namespace stickslip {
namespace {

/// e, as small as in Newton steps of nsgs. [-] Round-off of b grows by 1 / e in undetermined percussions, to some 1e-6
/// of those that change (free_rows_test allows 1e-5); a solve leaves a share e.
constexpr double kRegular = 1e-10;
/// Up to this number of rows dense factors are quicker than ordering sparse ones: chains of about 15 planar links, two
/// rows each, take the same time with both.
constexpr int kMaxDenseRows = 30;
/// A solve that leaves more than this share of the residual has reached round-off. [-] Directions that W shortens to
/// about e, as of a nearly stretched linkage, lose half of it a solve.
constexpr double kFalls = 0.9;

}  // namespace

bool FreeRows::are_all(const ConeProblem& problem) {
  return std::ranges::all_of(problem.cones, [](const Cone& cone) { return cone.kind == ConeKind::free; });
}

bool FreeRows::are_beside_normals(const ConeProblem& problem) {
  const auto is_free = [](const Cone& cone) { return cone.kind == ConeKind::free; };
  const auto rubs = [](const Cone& cone) { return cone.kind == ConeKind::ball || cone.n_blocks > 0; };
  return std::ranges::any_of(problem.cones, is_free) && std::ranges::none_of(problem.cones, rubs);
}

int FreeRows::solve(const ConeProblem& problem, Tolerance tolerance, int max_solves, Iterate& iterate) {
  if (!factorise(problem, iterate.rows())) return 0;
  int solves = 0;
  for (double before = HUGE_VAL;
       solves < max_solves && !is_polished(iterate.last(), tolerance) && iterate.last().absolute < kFalls * before;) {
    before = iterate.last().absolute;
    change_.assign(iterate.u().begin(), iterate.u().end());
    if (is_dense_) {
      solve_lu(problem.size(), matrix_.data(), pivots_.data(), change_.data());
    } else {
      lu_.solve(change_);
    }
    for (int r = 0; r < problem.size(); ++r) iterate.p()[r] -= change_[r];
    iterate.judge();
    ++solves;
  }
  iterate.return_to_best();
  return solves;
}

bool FreeRows::factorise(const ConeProblem& problem, const DelassusRows& rows) {
  is_dense_ = problem.size() <= kMaxDenseRows;
  return is_dense_ ? factorise_dense(problem, rows) : factorise_sparse(problem, rows);
}

bool FreeRows::factorise_dense(const ConeProblem& problem, const DelassusRows& rows) {
  const auto n = static_cast<std::size_t>(problem.size());
  matrix_.assign(n * n, 0.0);
  pivots_.resize(n);
  std::array<double, kMaxConeDim * kMaxConeDim> w;
  for (int i = 0; i < problem.n_cones(); ++i) {
    const Cone& row = problem.cones[i];
    for (int j = 0; j < problem.n_cones(); ++j) {
      const Cone& column = problem.cones[j];
      if (!rows.calc_block(i, j, w.data())) continue;
      for (int r = 0; r < row.dim; ++r) {
        std::copy_n(w.data() + r * column.dim, column.dim, matrix_.data() + (row.offset + r) * n + column.offset);
      }
    }
    for (std::size_t r = row.offset; r < static_cast<std::size_t>(row.offset) + row.dim; ++r) {
      matrix_[r * n + r] += kRegular * rows.scale(i);
    }
  }
  return factorise_lu(problem.size(), matrix_.data(), pivots_.data(), stop_);
}

bool FreeRows::factorise_sparse(const ConeProblem& problem, const DelassusRows& rows) {
  const AssembledDelassus& w = delassus_.get(problem);
  dims_.clear();
  for (const Cone& cone : problem.cones) dims_.push_back(cone.dim);
  lu_.analyze(dims_, w.row_begin(), w.columns());
  lu_.clear_values();
  std::array<double, kMaxConeDim * kMaxConeDim> own;
  for (int i = 0; i < problem.n_cones(); ++i) {
    for (int k = w.row_begin()[i]; k < w.row_begin()[i + 1]; ++k) {
      lu_.add(k, w.block(k));
      if (w.columns()[k] != i) continue;
      std::fill_n(own.begin(), dims_[i] * dims_[i], 0.0);
      for (int r = 0; r < dims_[i]; ++r) own[r * dims_[i] + r] = kRegular * rows.scale(i);
      lu_.add(k, own.data());
    }
  }
  return lu_.factorize() >= 0;
}

}  // namespace stickslip
