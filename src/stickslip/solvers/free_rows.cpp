// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/free_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/small_lu.h"

namespace stickslip {
namespace {

/// e, as small as in Newton steps of nsgs. [-] Round-off of b grows by 1 / e in undetermined percussions, to some 1e-6
/// of those that change; a solve leaves a share e.
constexpr double kRegular = 1e-10;
/// Up to this number of rows dense factors are quicker than ordering sparse ones: chains of about 15 planar links, two
/// rows each, take the same time with both.
constexpr int kMaxDenseRows = 30;
/// A solve that leaves more than this share of the residual has reached round-off. [-] Directions that W shortens to
/// about e, as of a nearly stretched linkage, lose half of it a solve.
constexpr double kFalls = 0.9;

/// w += e D of a row of W_ii with this diagonal entry and mean diagonal. Rows of lengths and of angles have their own
/// scales: by the mean a long chain of slender links is left a share of 1e-3 a solve.
void regularise(double mean, double& w) {
  w += kRegular * std::max(w, kRegular * mean);
}

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
  int solves = 0;
  for (double before = HUGE_VAL; solves < max_solves && !is_polished(iterate.last(), tolerance) &&
                                 iterate.last().absolute < kFalls * before &&
                                 iterate.last().absolute > problem.floor;) {  // b is known no better
    if (solves == 0 && !factors_.factorise(problem, iterate.rows())) return 0;
    before = iterate.last().absolute;
    factors_.correct(problem, iterate);
    ++solves;
  }
  iterate.return_to_best();
  return solves;
}

bool FreeRowFactors::factorise(const ConeProblem& problem, const DelassusRows& rows, bool condenses) {
  std::swap(offsets_, last_offsets_);
  cones_.clear();
  offsets_.assign(problem.n_cones(), -1);
  n_rows_ = 0;
  for (int i = 0; i < problem.n_cones(); ++i) {
    if (problem.cones[i].kind != ConeKind::free) continue;
    cones_.push_back(i);
    offsets_[i] = n_rows_;
    n_rows_ += problem.cones[i].dim;
  }
  const bool is_alike = condenses == condenses_ && offsets_ == last_offsets_;
  if (is_alike && is_factorised_ && rows.version() == version_) return true;
  if (!is_alike) pattern_ = 0;
  is_factorised_ = false;
  version_ = rows.version();
  condenses_ = condenses;
  is_dense_ = n_rows_ <= kMaxDenseRows && !condenses;
  is_factorised_ = is_dense_ ? factorise_dense(problem, rows) : factorise_sparse(problem, rows, condenses);
  return is_factorised_;
}

void FreeRowFactors::solve(std::span<double> x) const {
  if (is_dense_) {
    solve_lu(n_rows_, matrix_.data(), pivots_.data(), x.data());
  } else {
    lu_.solve(x);
  }
}

void FreeRowFactors::correct(const ConeProblem& problem, Iterate& iterate) {
  change_.resize(n_rows_);
  for (const int i : cones_) {
    const Cone& cone = problem.cones[i];
    std::copy_n(iterate.u().data() + cone.offset, cone.dim, change_.data() + offsets_[i]);
  }
  solve(change_);
  for (const int i : cones_) {
    const Cone& cone = problem.cones[i];
    for (int r = 0; r < cone.dim; ++r) iterate.p()[cone.offset + r] -= change_[offsets_[i] + r];
  }
  iterate.judge();
}

bool FreeRowFactors::factorise_dense(const ConeProblem& problem, const DelassusRows& rows) {
  const auto n = static_cast<std::size_t>(n_rows_);
  matrix_.assign(n * n, 0.0);
  pivots_.resize(n);
  std::array<double, kMaxConeDim * kMaxConeDim> w;
  for (const int i : cones_) {
    const int dim = problem.cones[i].dim;
    for (const int j : cones_) {
      const int column_dim = problem.cones[j].dim;
      if (!rows.calc_block(i, j, w.data())) continue;
      for (int r = 0; r < dim; ++r) {
        std::copy_n(w.data() + r * column_dim, column_dim, matrix_.data() + (offsets_[i] + r) * n + offsets_[j]);
      }
    }
    for (int r = offsets_[i]; r < offsets_[i] + dim; ++r) regularise(rows.scale(i), matrix_[r * (n + 1)]);
  }
  return factorise_lu(n_rows_, matrix_.data(), pivots_.data(), stop_);
}

bool FreeRowFactors::factorise_sparse(const ConeProblem& problem, const DelassusRows& rows, bool condenses) {
  const AssembledDelassus& w = delassus_.get(problem);
  if (rows.pattern() != pattern_) {
    pattern_ = 0;
    find_pattern(problem, w, condenses);
    pattern_ = rows.pattern();
  }
  lu_.clear_values();
  std::array<double, kMaxConeDim * kMaxConeDim> own;
  for (int i = 0; i < static_cast<int>(blocks_.size()); ++i) {
    for (int k = row_begin_[i]; k < row_begin_[i + 1]; ++k) {
      if (sources_[k] < 0) continue;
      const double* values = w.block(sources_[k]);
      if (columns_[k] == i && offsets_[blocks_[i]] >= 0) {
        const int dim = dims_[i];
        std::copy_n(values, dim * dim, own.data());
        for (int r = 0; r < dim; ++r) regularise(rows.scale(blocks_[i]), own[r * dim + r]);
        values = own.data();
      }
      lu_.add(k, values);
    }
  }
  return lu_.factorize() >= 0;
}

/// What is to be factorised, for lu_ as well.
void FreeRowFactors::find_pattern(const ConeProblem& problem, const AssembledDelassus& w, bool condenses) {
  dims_.clear();
  row_begin_.assign(1, 0);
  columns_.clear();
  sources_.clear();
  blocks_.assign(cones_.begin(), cones_.end());
  for (int i = 0; condenses && i < problem.n_cones(); ++i) {
    if (offsets_[i] < 0) blocks_.push_back(i);
  }
  place_.assign(problem.n_cones(), -1);
  for (std::size_t k = 0; k < blocks_.size(); ++k) place_[blocks_[k]] = static_cast<int>(k);
  for (const int i : blocks_) {
    add_row(problem, w, i);
    row_begin_.push_back(static_cast<int>(columns_.size()));
  }
  lu_.analyze(dims_, row_begin_, columns_, static_cast<int>(blocks_.size() - cones_.size()));
}

/// The blocks of one row of the matrix; others have one with each other, perhaps of zeros.
void FreeRowFactors::add_row(const ConeProblem& problem, const AssembledDelassus& w, int i) {
  dims_.push_back(problem.cones[i].dim);
  int next = offsets_[i] < 0 ? static_cast<int>(cones_.size()) : static_cast<int>(blocks_.size());  // of the others
  const auto add_zeros_up_to = [&](int place) {
    for (; next < place; ++next) {
      columns_.push_back(next);
      sources_.push_back(-1);
    }
  };
  for (int k = w.row_begin()[i]; k < w.row_begin()[i + 1]; ++k) {
    const int place = place_[w.columns()[k]];
    if (place < 0) continue;
    if (place >= static_cast<int>(cones_.size())) add_zeros_up_to(place);
    if (place == next) ++next;
    columns_.push_back(place);
    sources_.push_back(k);
  }
  add_zeros_up_to(static_cast<int>(blocks_.size()));
}

}  // namespace stickslip
