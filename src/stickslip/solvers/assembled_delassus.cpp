// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/assembled_delassus.h"

#include <algorithm>
#include <span>
#include <type_traits>

#include "stickslip/math/small_matrix.h"

namespace stickslip {

void AssembledDelassus::assemble(const ConeProblem& problem, const DelassusRows* rows) {
  const bool has_pattern = rows != nullptr && rows->pattern() == pattern_;
  pattern_ = 0;
  std::visit(
      [&](const auto& w) {
        if (!has_pattern) find_pattern(problem, w);
        fill(problem, w, rows);
      },
      problem.delassus);
  if (rows != nullptr) pattern_ = rows->pattern();
}

double AssembledDelassus::estimate_blocks(const ConeProblem& problem) {
  return std::visit(
      [&](const auto& w) {
        list_users(w);
        double blocks = 0.0;
        for (int key = 0; key < w.n_keys(); ++key) {
          const double left = users_begin_[2 * key + 1] - users_begin_[2 * key];
          blocks += left * (w.kSymmetricPattern ? left : users_begin_[2 * key + 2] - users_begin_[2 * key + 1]);
        }
        return blocks;
      },
      problem.delassus);
}

/// The cones of each key; where the pattern is symmetric left users stand for right ones.
template <class W>
void AssembledDelassus::list_users(const W& w) {
  const auto for_each_list = [&](int i, auto&& visit) {
    w.for_each_left_key(i, [&](int key) { visit(2 * key); });
    if constexpr (!W::kSymmetricPattern) w.for_each_right_key(i, [&](int key) { visit(2 * key + 1); });
  };
  users_begin_.assign(2 * w.n_keys() + 1, 0);
  for (int i = 0; i < w.n_rows(); ++i) for_each_list(i, [&](int list) { ++users_begin_[list + 1]; });
  for (int k = 0; k < 2 * w.n_keys(); ++k) users_begin_[k + 1] += users_begin_[k];
  users_.resize(users_begin_.back());
  fill_.assign(users_begin_.begin(), users_begin_.end() - 1);
  for (int i = 0; i < w.n_rows(); ++i) for_each_list(i, [&](int list) { users_[fill_[list]++] = i; });
}

template <class W>
void AssembledDelassus::find_pattern(const ConeProblem& problem, const W& w) {
  row_begin_.assign(1, 0);
  columns_.clear();
  offsets_.clear();
  values_.clear();
  mark_.assign(problem.n_cones(), -1);
  list_users(w);
  for (int i = 0; i < w.n_rows(); ++i) {
    stop_.check();
    add_to_row(i, i);
    const auto take = [&](int list) {
      for (int k = users_begin_[list]; k < users_begin_[list + 1]; ++k) add_to_row(i, users_[k]);
    };
    if constexpr (W::kSymmetricPattern) {
      w.for_each_left_key(i, [&](int key) { take(2 * key); });
    } else {
      w.for_each_left_key(i, [&](int key) { take(2 * key + 1); });
      w.for_each_right_key(i, [&](int key) { take(2 * key); });
    }
    close_row(problem, i);
  }
}

/// The values, of a new pattern all zero so far.
template <class W>
void AssembledDelassus::fill(const ConeProblem& problem, const W& w, const DelassusRows* rows) {
  constexpr bool kIsFactored = std::is_same_v<W, FactoredDelassus>;
  for (int i = 0; i < w.n_rows(); ++i) {
    stop_.check();
    asked_.clear();
    for (int k = row_begin_[i]; k < row_begin_[i + 1]; ++k) {
      const int j = columns_[k];
      double* block = values_.data() + offsets_[k];
      // Beside joints; W of contacts alone keeps the bits of both of its halves.
      const auto is_free = [&](int cone) { return problem.cones[cone].kind == ConeKind::free; };
      if (kIsFactored && j < i && (is_free(i) || is_free(j))) {
        mirror(problem, i, k);
      } else if (kIsFactored && j == i && is_free(i) && rows != nullptr) {
        std::copy_n(rows->diagonal(i), problem.cones[i].dim * problem.cones[i].dim, block);
      } else if (kIsFactored && rows != nullptr) {
        rows->calc_block(i, j, block);
      } else {
        asked_.push_back(j);
        mark_[j] = k;
      }
    }
    if (asked_.empty()) continue;
    w.fill_row(problem.cones, i, asked_, scratch_,
               [&](int column) { return values_.data() + offsets_[mark_[column]]; });
  }
}

/// Block k of row i is that of its column, of a row before, transposed.
void AssembledDelassus::mirror(const ConeProblem& problem, int i, int k) {
  const int j = columns_[k];
  const auto row = std::span(columns_).subspan(row_begin_[j], row_begin_[j + 1] - row_begin_[j]);
  const auto of_row = row_begin_[j] + (std::ranges::lower_bound(row, i) - row.begin());
  const double* source = values_.data() + offsets_[of_row];
  double* target = values_.data() + offsets_[k];
  const int dim = problem.cones[i].dim;
  const int column_dim = problem.cones[j].dim;
  for (int r = 0; r < dim; ++r) {
    for (int c = 0; c < column_dim; ++c) target[r * column_dim + c] = source[c * dim + r];
  }
}

/// Adds a column to the open row i, once.
void AssembledDelassus::add_to_row(int i, int column) {
  if (mark_[column] >= row_begin_[i]) return;  // block numbers of this row start there
  mark_[column] = row_begin_[i];
  columns_.push_back(column);
}

/// Sorts the columns of the open row i and makes room for its blocks.
void AssembledDelassus::close_row(const ConeProblem& problem, int i) {
  std::sort(columns_.begin() + row_begin_[i], columns_.end());
  for (int k = row_begin_[i]; k < static_cast<int>(columns_.size()); ++k) {
    offsets_.push_back(values_.size());
    values_.resize(values_.size() + static_cast<std::size_t>(problem.cones[i].dim) * problem.cones[columns_[k]].dim);
  }
  row_begin_.push_back(static_cast<int>(columns_.size()));
}

void AssembledDelassus::apply(const ConeProblem& problem, std::span<const double> x, std::span<double> y) const {
  for (int i = 0; i < n_cones(); ++i) {
    const Cone& row = problem.cones[i];
    double* out = y.data() + row.offset;
    std::fill_n(out, row.dim, 0.0);
    for (int k = row_begin_[i]; k < row_begin_[i + 1]; ++k) {
      const Cone& column = problem.cones[columns_[k]];
      add_product(row.dim, column.dim, block(k), x.data() + column.offset, out);
    }
  }
}

}  // namespace stickslip
