// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/sparse_delassus.h"

#include <algorithm>
#include <array>
#include <functional>

#include "stickslip/base/assert.h"

namespace stickslip {

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

/// W_ij; returns false, and leaves it, where it is zero for lack of common unknowns.
bool SparseDelassus::calc_product(int i, int j, double* block) const {
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

// W p = H^T v, v = M^-1 H p, kept in work (n_v) [m/s].
void SparseDelassus::apply(std::span<const Cone> cones, const double* p, double* u, std::span<double> work) const {
  std::ranges::fill(work, 0.0);
  for (int i = 0; i < n_rows(); ++i) add_velocity(i, p + cones[i].offset, work.data());
  for (int i = 0; i < n_rows(); ++i) {
    std::fill_n(u + cones[i].offset, cones[i].dim, 0.0);
    add_relative_velocity(i, work.data(), u + cones[i].offset);
  }
}

void SparseDelassus::calc_diagonal_block(std::span<const Cone> cones, int i, double* block) const {
  if (!calc_product(i, i, block)) std::fill_n(block, cones[i].dim * cones[i].dim, 0.0);
}

void SparseDelassus::calc_diagonal(std::span<const Cone> cones, int i, double* diagonal) const {
  std::array<double, kMaxConeDim * kMaxConeDim> block;
  calc_diagonal_block(cones, i, block.data());
  for (int r = 0; r < cones[i].dim; ++r) diagonal[r] = block[r * cones[i].dim + r];
}

void SparseDelassus::prepare_row(std::span<const Cone> cones, int i, SweepMemory& /*memory*/,
                                 double* diagonal_block) const {
  calc_diagonal_block(cones, i, diagonal_block);
}

void SparseDelassus::start(std::span<const Cone> cones, const double* p, SweepMemory& memory) const {
  memory.v.assign(n_v_, 0.0);
  for (int i = 0; i < n_rows(); ++i) add_velocity(i, p + cones[i].offset, memory.v.data());
}

void SparseDelassus::add_relative_velocity(std::span<const Cone> /*cones*/, int i, const double* /*p*/,
                                           const SweepMemory& memory, double* u) const {
  add_relative_velocity(i, memory.v.data(), u);
}

void SparseDelassus::add_velocity(std::span<const Cone> /*cones*/, int i, const double* dp, SweepMemory& memory) const {
  add_velocity(i, dp, memory.v.data());
}

bool SparseDelassus::calc_block(std::span<const Cone> /*cones*/, int i, int j, const SweepMemory& /*memory*/,
                                double* block) const {
  return calc_product(i, j, block);
}

}  // namespace stickslip
