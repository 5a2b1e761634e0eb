// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/newton_system.h"

#include <algorithm>
#include <array>

#include "stickslip/math/dense_solve.h"

namespace stickslip {
namespace {

/// Up to these many rows the dense elimination is quicker than the sparse one with its bookkeeping.
constexpr int kMaxDenseRows = 30;

/// out (n, m) += a (n, n) b (n, m), row-major; `stride` is that of out.
void add_product(int n, int m, const double* a, const double* b, double* out, std::size_t stride) {
  if (n == 3 && m == 3) {  // spatial contacts, without branches
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        out[i * stride + j] += a[i * 3] * b[j] + a[i * 3 + 1] * b[3 + j] + a[i * 3 + 2] * b[6 + j];
      }
    }
    return;
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      const double factor = a[i * n + k];
      if (factor == 0.0) continue;
      for (int j = 0; j < m; ++j) out[i * stride + j] += factor * b[k * m + j];
    }
  }
}

}  // namespace

void NewtonSystem::clear() {
  n_rows_ = 0;
  cones_.clear();
  row_.clear();
  dims_.clear();
  begin_.clear();
  by_p_.clear();
  by_u_.clear();
  right_.clear();
}

NewtonSystem::Equation NewtonSystem::add(int cone, int dim) {
  const std::size_t first = by_p_.size();
  const std::size_t size = static_cast<std::size_t>(dim) * dim;
  cones_.push_back(cone);
  row_.push_back(n_rows_);
  dims_.push_back(dim);
  begin_.push_back(first);
  by_p_.resize(first + size);
  by_u_.resize(first + size);
  right_.resize(right_.size() + dim);
  n_rows_ += dim;
  return {by_p_.data() + first, by_u_.data() + first, right_.data() + n_rows_ - dim};
}

bool NewtonSystem::solve(const ConeProblem& problem, const DelassusRows& rows) {
  operations_ += kOperationsOfARow * n_rows_;
  if (n_rows_ > kMaxDenseRows) return solve_sparse(problem);
  assemble_dense(problem, rows);
  return solve_dense(n_rows_, matrix_.data(), right_.data());
}

/// From W assembled where all its blocks are few; of a large problem a few cones alone.
void NewtonSystem::assemble_dense(const ConeProblem& problem, const DelassusRows& rows) {
  const auto n = static_cast<std::size_t>(n_rows_);
  matrix_.assign(n * n, 0.0);
  const auto add_block = [&](std::size_t a, std::size_t c, const double* w) {
    add_product(dims_[a], dims_[c], by_u_.data() + begin_[a], w, matrix_.data() + row_[a] * n + row_[c], n);
  };
  if (problem.n_cones() <= kMaxDenseRows) {
    const AssembledDelassus& w = delassus_.get(problem);
    position_.assign(problem.n_cones(), -1);
    for (std::size_t a = 0; a < cones_.size(); ++a) position_[cones_[a]] = static_cast<int>(a);
    for (std::size_t a = 0; a < cones_.size(); ++a) {
      for (int k = w.row_begin()[cones_[a]]; k < w.row_begin()[cones_[a] + 1]; ++k) {
        const int c = position_[w.columns()[k]];
        if (c >= 0) add_block(a, static_cast<std::size_t>(c), w.block(k));
      }
    }
  } else {
    std::array<double, kMaxConeDim * kMaxConeDim> w;
    for (std::size_t a = 0; a < cones_.size(); ++a) {
      for (std::size_t c = 0; c < cones_.size(); ++c) {
        if (rows.calc_block(cones_[a], cones_[c], w.data())) add_block(a, c, w.data());
      }
    }
  }
  for (std::size_t a = 0; a < cones_.size(); ++a) {
    double* out = matrix_.data() + row_[a] * n + row_[a];
    for (int i = 0; i < dims_[a]; ++i) {
      for (int j = 0; j < dims_[a]; ++j) out[i * n + j] += by_p_[begin_[a] + i * dims_[a] + j];
    }
  }
}

/// The pattern of W between the cones, for lu_.
void NewtonSystem::analyze(const ConeProblem& problem, const AssembledDelassus& w) {
  if (is_analyzed_ && analyzed_ == cones_) return;
  is_analyzed_ = true;
  analyzed_ = cones_;
  position_.assign(problem.n_cones(), -1);
  for (std::size_t a = 0; a < cones_.size(); ++a) position_[cones_[a]] = static_cast<int>(a);
  row_begin_.assign(1, 0);
  columns_.clear();
  blocks_.clear();
  for (const int i : cones_) {
    for (int k = w.row_begin()[i]; k < w.row_begin()[i + 1]; ++k) {
      const int column = position_[w.columns()[k]];
      if (column < 0) continue;
      columns_.push_back(column);
      blocks_.push_back(k);
    }
    row_begin_.push_back(static_cast<int>(columns_.size()));
  }
  lu_.analyze(dims_, row_begin_, columns_);
}

bool NewtonSystem::solve_sparse(const ConeProblem& problem) {
  const AssembledDelassus& w = delassus_.get(problem);
  analyze(problem, w);
  lu_.clear_values();
  std::array<double, kMaxConeDim * kMaxConeDim> block;
  for (std::size_t a = 0; a < cones_.size(); ++a) {
    const int dim = dims_[a];
    for (int k = row_begin_[a]; k < row_begin_[a + 1]; ++k) {
      const int dim_c = dims_[columns_[k]];
      std::fill_n(block.begin(), dim * dim_c, 0.0);
      add_product(dim, dim_c, by_u_.data() + begin_[a], w.block(blocks_[k]), block.data(), dim_c);
      if (columns_[k] == static_cast<int>(a)) {
        for (int r = 0; r < dim * dim; ++r) block[r] += by_p_[begin_[a] + r];
      }
      lu_.add(k, block.data());
    }
  }
  operations_ += lu_.n_operations();
  if (lu_.factorize() < 0) return false;
  lu_.solve(right_);
  return true;
}

}  // namespace stickslip
