// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/assembled_delassus.h"

#include <algorithm>

#include "stickslip/math/small_matrix.h"

namespace stickslip {

void AssembledDelassus::assemble(const ConeProblem& problem) {
  row_begin_.assign(1, 0);
  columns_.clear();
  offsets_.clear();
  values_.clear();
  mark_.assign(problem.n_cones(), -1);
  if (const auto* stored = std::get_if<StoredDelassus>(&problem.delassus)) {
    assemble_stored(problem, *stored);
  } else if (const auto* factored = std::get_if<FactoredDelassus>(&problem.delassus)) {
    assemble_factored(problem, *factored);
  } else {
    assemble_sparse(problem, std::get<SparseDelassus>(problem.delassus));
  }
}

/// Adds a column to the open row i, once.
void AssembledDelassus::add_to_row(int i, int column) {
  if (mark_[column] >= row_begin_[i]) return;  // block numbers of this row start there
  mark_[column] = row_begin_[i];
  columns_.push_back(column);
}

/// Sorts the columns of the open row i, makes room for its blocks, and sets mark_[column] to the block's number.
void AssembledDelassus::close_row(const ConeProblem& problem, int i) {
  std::sort(columns_.begin() + row_begin_[i], columns_.end());
  for (int k = row_begin_[i]; k < static_cast<int>(columns_.size()); ++k) {
    mark_[columns_[k]] = k;
    offsets_.push_back(values_.size());
    values_.resize(values_.size() + static_cast<std::size_t>(problem.cones[i].dim) * problem.cones[columns_[k]].dim);
  }
  row_begin_.push_back(static_cast<int>(columns_.size()));
}

void AssembledDelassus::assemble_stored(const ConeProblem& problem, const StoredDelassus& w) {
  const int n = problem.n_cones();
  users_begin_.assign(n + 1, 0);
  for (int i = 0; i < n; ++i) {
    for (const auto& block : w.row(i)) ++users_begin_[block.column + 1];
  }
  for (int i = 0; i < n; ++i) users_begin_[i + 1] += users_begin_[i];
  users_.resize(users_begin_[n]);
  fill_.assign(users_begin_.begin(), users_begin_.end() - 1);
  for (int i = 0; i < n; ++i) {
    for (const auto& block : w.row(i)) users_[fill_[block.column]++] = i;
  }
  for (int i = 0; i < n; ++i) {
    stop_.check();
    const auto take = [&](int column) { add_to_row(i, column); };
    take(i);
    for (const auto& block : w.row(i)) take(block.column);
    for (int k = users_begin_[i]; k < users_begin_[i + 1]; ++k) take(users_[k]);
    close_row(problem, i);
    for (const auto& block : w.row(i)) {
      const int size = problem.cones[i].dim * problem.cones[block.column].dim;
      std::copy_n(w.values(block), size, values_.data() + offsets_[mark_[block.column]]);
    }
  }
}

void AssembledDelassus::assemble_factored(const ConeProblem& problem, const FactoredDelassus& w) {
  const int n = problem.n_cones();
  users_begin_.assign(w.n_bodies() + 1, 0);
  for (int i = 0; i < n; ++i) {
    for (const auto& block : w.row(i)) ++users_begin_[block.body + 1];
  }
  for (int k = 0; k < w.n_bodies(); ++k) users_begin_[k + 1] += users_begin_[k];
  users_.resize(users_begin_[w.n_bodies()]);
  fill_.assign(users_begin_.begin(), users_begin_.end() - 1);
  for (int i = 0; i < n; ++i) {
    for (const auto& block : w.row(i)) users_[fill_[block.body]++] = i;
  }
  for (int i = 0; i < n; ++i) {
    stop_.check();
    const auto take = [&](int column) { add_to_row(i, column); };
    take(i);
    for (const auto& block : w.row(i)) {
      for (int k = users_begin_[block.body]; k < users_begin_[block.body + 1]; ++k) take(users_[k]);
    }
    close_row(problem, i);
    const int dim = problem.cones[i].dim;
    for (const auto& left : w.row(i)) {
      const int n_v = w.body(left.body).n_v;
      product_.assign(static_cast<std::size_t>(dim) * n_v, 0.0);
      for (int r = 0; r < dim; ++r) {
        add_transposed_product(n_v, n_v, w.inverse_mass(left.body), w.values(left) + r * n_v,
                               product_.data() + r * n_v);
      }
      for (int k = users_begin_[left.body]; k < users_begin_[left.body + 1]; ++k) {
        const int j = users_[k];
        const int dim_j = problem.cones[j].dim;
        double* out = values_.data() + offsets_[mark_[j]];
        for (const auto& right : w.row(j)) {
          if (right.body != left.body) continue;
          for (int r = 0; r < dim; ++r)
            add_product(dim_j, n_v, w.values(right), product_.data() + r * n_v, out + r * dim_j);
        }
      }
    }
  }
}

/// Block (i, j) is not zero only where the left side of one and the right side of the other share an unknown.
void AssembledDelassus::assemble_sparse(const ConeProblem& problem, const SparseDelassus& w) {
  const int n = problem.n_cones();
  const auto for_all_unknowns = [&](int i, auto&& visit) {
    for (const int unknown : w.left(i).unknowns) visit(2 * unknown);
    for (const int unknown : w.right(i).unknowns) visit(2 * unknown + 1);
  };
  users_begin_.assign(2 * w.n_v() + 1, 0);
  for (int i = 0; i < n; ++i) for_all_unknowns(i, [&](int list) { ++users_begin_[list + 1]; });
  for (int k = 0; k < 2 * w.n_v(); ++k) users_begin_[k + 1] += users_begin_[k];
  users_.resize(users_begin_.back());
  fill_.assign(users_begin_.begin(), users_begin_.end() - 1);
  for (int i = 0; i < n; ++i) for_all_unknowns(i, [&](int list) { users_[fill_[list]++] = i; });
  for (int i = 0; i < n; ++i) {
    stop_.check();
    const int begin = row_begin_[i];
    const auto take = [&](int column) { add_to_row(i, column); };
    take(i);
    for_all_unknowns(i, [&](int list) {
      const int other_side = list ^ 1;
      for (int k = users_begin_[other_side]; k < users_begin_[other_side + 1]; ++k) take(users_[k]);
    });
    close_row(problem, i);
    for (int k = begin; k < row_begin_[i + 1]; ++k) w.calc_block(i, columns_[k], values_.data() + offsets_[k]);
  }
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
