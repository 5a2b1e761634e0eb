// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/condense.h"

#include <algorithm>
#include <array>
#include <vector>

#include "stickslip/math/small_matrix.h"

namespace stickslip {
namespace {

/// A product over bodies as one over velocity unknowns.
SparseDelassus make_sparse(const ConeProblem& problem, const FactoredDelassus& w, const StopToken& stop) {
  SparseDelassus sparse;
  sparse.clear(w.n_v());
  std::vector<int> bodies;
  std::vector<int> unknowns;
  std::vector<double> left;
  std::vector<double> right;
  for (int i = 0; i < problem.n_cones(); ++i) {
    stop.check();
    const int dim = problem.cones[i].dim;
    w.list_bodies(i, bodies);
    std::ranges::sort(bodies);
    unknowns.clear();
    for (const int body : bodies) {
      for (int k = 0; k < w.body(body).n_v; ++k) unknowns.push_back(w.body(body).v_offset + k);
    }
    left.assign(dim * unknowns.size(), 0.0);
    right.assign(left.size(), 0.0);
    for (int r = 0; r < dim; ++r) {
      std::size_t at = r * unknowns.size();
      for (const int body : bodies) {
        const int n_v = w.body(body).n_v;
        double* row = left.data() + at;
        for (const FactoredDelassus::Block& block : w.row(i)) {
          if (block.body == body) std::copy_n(w.values(block) + r * block.n, block.n, row + block.column);
        }
        add_product(n_v, n_v, w.inverse_mass(body), row, right.data() + at);
        at += n_v;
      }
    }
    sparse.add_row({unknowns, left}, {unknowns, right});
  }
  return sparse;
}

SparseDelassus make_sparse(const ConeProblem& problem, const PackedDelassus& w, const StopToken& stop) {
  constexpr int n_v = PackedDelassus::kBodyRows;
  SparseDelassus sparse;
  sparse.clear(n_v * w.n_bodies());
  std::vector<int> unknowns;
  std::vector<double> left;
  std::vector<double> right;
  for (int i = 0; i < problem.n_cones(); ++i) {
    stop.check();
    std::array<int, 2> bodies = {w.contact(i).first, w.contact(i).second};
    std::ranges::sort(bodies);
    unknowns.clear();
    for (const int body : bodies) {
      for (int k = 0; body != PackedDelassus::kFixed && k < n_v; ++k) unknowns.push_back(n_v * body + k);
    }
    left.clear();
    right.clear();
    for (int r = 0; r < w.dim(); ++r) {
      for (const int body : bodies) {
        if (body == PackedDelassus::kFixed) continue;
        const PackedDelassus::BodyRow row = w.row_of(i, body, r);
        left.insert(left.end(), row.momentum.begin(), row.momentum.end());
        right.insert(right.end(), row.velocity.begin(), row.velocity.end());
      }
    }
    sparse.add_row({unknowns, left}, {unknowns, right});
  }
  return sparse;
}

StoredDelassus condense(const ConeProblem& problem, const SparseDelassus& w, const StopToken& stop) {
  std::vector<std::vector<int>> cones_of(w.n_v());  // whose right side touches the unknown
  for (int j = 0; j < problem.n_cones(); ++j) {
    for (const int unknown : w.right(j).unknowns) cones_of[unknown].push_back(j);
  }
  StoredDelassus stored;
  std::vector<int> columns;
  std::vector<int> dims;
  std::vector<double> values;
  std::array<double, kMaxConeDim* kMaxConeDim> block = {};
  for (int i = 0; i < problem.n_cones(); ++i) {
    stop.check();
    const int dim = problem.cones[i].dim;
    columns.clear();
    for (const int unknown : w.left(i).unknowns) {
      columns.insert(columns.end(), cones_of[unknown].begin(), cones_of[unknown].end());
    }
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    dims.clear();
    values.clear();
    for (const int j : columns) {
      dims.push_back(problem.cones[j].dim);
      w.calc_block(problem.cones, i, j, {}, block.data());
      values.insert(values.end(), block.begin(), block.begin() + dim * dims.back());
    }
    stored.add_row(columns, dims, dim, values);
  }
  return stored;
}

StoredDelassus condense(const ConeProblem& problem, const FactoredDelassus& w, const StopToken& stop) {
  return condense(problem, make_sparse(problem, w, stop), stop);
}

StoredDelassus condense(const ConeProblem& problem, const PackedDelassus& w, const StopToken& stop) {
  return condense(problem, make_sparse(problem, w, stop), stop);
}

StoredDelassus condense(const ConeProblem& /*problem*/, const StoredDelassus& w, const StopToken& /*stop*/) {
  return w;
}

}  // namespace

StoredDelassus condense(const ConeProblem& problem, const StopToken& stop) {
  return std::visit([&](const auto& w) { return condense(problem, w, stop); }, problem.delassus);
}

SparseMatrix make_delassus_matrix(const ConeProblem& problem, const StopToken& stop) {
  const StoredDelassus stored = condense(problem, stop);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < problem.n_cones(); ++i) {
    stop.check();
    const Cone& row = problem.cones[i];
    for (const StoredDelassus::Block& block : stored.row(i)) {
      const Cone& column = problem.cones[block.column];
      const double* value = stored.values(block);
      for (int r = 0; r < row.dim; ++r) {
        for (int c = 0; c < column.dim; ++c, ++value) {
          if (*value != 0.0) entries.emplace_back(row.offset + r, column.offset + c, *value);
        }
      }
    }
  }
  SparseMatrix w(problem.size(), problem.size());
  w.setFromTriplets(entries.begin(), entries.end());
  return w;
}

Matrix make_dense_delassus(const ConeProblem& problem) {
  const auto n = static_cast<Eigen::Index>(problem.size());
  Matrix w(n, n);
  std::vector<double> unit(n, 0.0);
  std::vector<double> column(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    unit[j] = 1.0;
    problem.apply_delassus(unit, column);
    unit[j] = 0.0;
    w.col(j) = ConstVectorView(column.data(), n);
  }
  return w;
}

}  // namespace stickslip
