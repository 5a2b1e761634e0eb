// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/delassus.h"

#include <algorithm>
#include <functional>

#include "stickslip/base/assert.h"

namespace stickslip {

void StoredDelassus::clear() {
  row_begin_.assign(1, 0);
  blocks_.clear();
  values_.clear();
}

void StoredDelassus::add_row(std::span<const int> columns, std::span<const int> column_dims, int row_dim,
                             std::span<const double> values) {
  STICKSLIP_ASSERT(columns.size() == column_dims.size());
  std::size_t offset = values_.size();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    STICKSLIP_ASSERT(k == 0 || columns[k] > columns[k - 1]);
    blocks_.push_back({columns[k], offset});
    offset += static_cast<std::size_t>(row_dim) * column_dims[k];
  }
  STICKSLIP_ASSERT(offset == values_.size() + values.size());
  values_.insert(values_.end(), values.begin(), values.end());
  row_begin_.push_back(blocks_.size());
}

void FactoredDelassus::clear() {
  clear_rows();
  bodies_.clear();
  inverse_mass_.clear();
  n_v_ = 0;
}

void FactoredDelassus::clear_rows() {
  row_begin_.assign(1, 0);
  row_dim_.clear();
  blocks_.clear();
  values_.clear();
}

int FactoredDelassus::add_body(const Eigen::Ref<const Matrix>& inverse_mass) {
  STICKSLIP_ASSERT(inverse_mass.rows() == inverse_mass.cols());
  const int n_v = static_cast<int>(inverse_mass.rows());
  bodies_.push_back({n_v_, n_v, inverse_mass_.size()});
  for (int i = 0; i < n_v; ++i) {
    for (int j = 0; j < n_v; ++j) inverse_mass_.push_back(inverse_mass(i, j));
  }
  n_v_ += n_v;
  return n_bodies() - 1;
}

void FactoredDelassus::begin_row(int dim) {
  STICKSLIP_ASSERT(dim > 0);
  row_dim_.push_back(dim);
  row_begin_.push_back(blocks_.size());
}

RowMatrixView FactoredDelassus::add_block(int body) {
  STICKSLIP_ASSERT(n_rows() > 0 && body >= 0 && body < n_bodies());
  STICKSLIP_ASSERT(row(n_rows() - 1).size() < 2);
  STICKSLIP_ASSERT(row(n_rows() - 1).empty() || blocks_.back().body != body);
  const int dim = row_dim_.back();
  const int n_v = bodies_[body].n_v;
  const std::size_t offset = values_.size();
  values_.resize(offset + static_cast<std::size_t>(dim) * n_v, 0.0);
  blocks_.push_back({body, offset});
  row_begin_.back() = blocks_.size();
  return RowMatrixView(values_.data() + offset, dim, n_v);
}

void SparseDelassus::clear(int n_v) {
  left_ = {};
  right_ = {};
  n_v_ = n_v;
}

void SparseDelassus::Side::add(const Rows& rows) {
  cones.push_back({unknowns.size(), rows.unknowns.size(), values.size(), rows.values.size()});
  unknowns.insert(unknowns.end(), rows.unknowns.begin(), rows.unknowns.end());
  values.insert(values.end(), rows.values.begin(), rows.values.end());
}

void SparseDelassus::add_row(const Rows& left, const Rows& right) {
  for ([[maybe_unused]] const Rows* rows : {&left, &right}) {
    STICKSLIP_ASSERT(rows->unknowns.empty() ? rows->values.empty() : rows->values.size() % rows->unknowns.size() == 0);
    STICKSLIP_ASSERT(std::ranges::adjacent_find(rows->unknowns, std::ranges::greater_equal()) == rows->unknowns.end());
    STICKSLIP_ASSERT(rows->unknowns.empty() || (rows->unknowns.front() >= 0 && rows->unknowns.back() < n_v_));
  }
  left_.add(left);
  right_.add(right);
}

void SparseDelassus::add_velocity(int i, const double* p, double* v) const {
  const Rows rows = right(i);
  const std::size_t n = rows.unknowns.size();
  for (std::size_t first = 0; first < rows.values.size(); first += n, ++p) {
    for (std::size_t k = 0; k < n; ++k) v[rows.unknowns[k]] += rows.values[first + k] * *p;
  }
}

void SparseDelassus::add_relative_velocity(int i, const double* v, double* u) const {
  const Rows rows = left(i);
  const std::size_t n = rows.unknowns.size();
  for (std::size_t first = 0; first < rows.values.size(); first += n, ++u) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) sum += rows.values[first + k] * v[rows.unknowns[k]];
    *u += sum;
  }
}

bool SparseDelassus::calc_block(int i, int j, double* block) const {
  const Rows l = left(i);
  const Rows r = right(j);
  const std::size_t dim_l = l.unknowns.empty() ? 0 : l.values.size() / l.unknowns.size();
  const std::size_t dim_r = r.unknowns.empty() ? 0 : r.values.size() / r.unknowns.size();
  bool coupled = false;
  for (std::size_t a = 0, c = 0; a < l.unknowns.size() && c < r.unknowns.size();) {
    if (l.unknowns[a] < r.unknowns[c]) {
      ++a;
    } else if (l.unknowns[a] > r.unknowns[c]) {
      ++c;
    } else {
      if (!coupled) std::fill_n(block, dim_l * dim_r, 0.0);
      coupled = true;
      for (std::size_t row = 0; row < dim_l; ++row) {
        const double value = l.values[row * l.unknowns.size() + a];
        for (std::size_t column = 0; column < dim_r; ++column) {
          block[row * dim_r + column] += value * r.values[column * r.unknowns.size() + c];
        }
      }
      ++a;
      ++c;
    }
  }
  return coupled;
}

}  // namespace stickslip
