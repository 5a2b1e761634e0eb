// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/stored_delassus.h"

#include <algorithm>

#include "stickslip/base/assert.h"
#include "stickslip/math/small_matrix.h"

namespace stickslip {
namespace {

bool is_zero(double value) {
  return value == 0.0;
}

}  // namespace

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

void StoredDelassus::apply(std::span<const Cone> cones, const double* p, double* u, std::span<double> /*work*/) const {
  for (int i = 0; i < n_rows(); ++i) {
    const Cone& cone = cones[i];
    double* out = u + cone.offset;
    std::fill_n(out, cone.dim, 0.0);
    for (const Block& block : row(i)) {
      const Cone& column = cones[block.column];
      add_product(cone.dim, column.dim, values(block), p + column.offset, out);
    }
  }
}

/// Null where it is zero and was left out.
const double* StoredDelassus::find_block(int i, int column) const {
  const auto blocks = row(i);
  const auto block = std::ranges::lower_bound(blocks, column, {}, &Block::column);
  return block != blocks.end() && block->column == column ? values(*block) : nullptr;
}

void StoredDelassus::calc_diagonal_block(std::span<const Cone> cones, int i, double* block) const {
  const int size = cones[i].dim * cones[i].dim;
  if (const double* stored = find_block(i, i)) {
    std::copy_n(stored, size, block);
  } else {
    std::fill_n(block, size, 0.0);
  }
}

void StoredDelassus::calc_diagonal(std::span<const Cone> cones, int i, double* diagonal) const {
  const int dim = cones[i].dim;
  const double* stored = find_block(i, i);
  for (int r = 0; r < dim; ++r) diagonal[r] = stored != nullptr ? stored[r * dim + r] : 0.0;
}

void StoredDelassus::prepare_row(std::span<const Cone> cones, int i, SweepMemory& /*memory*/,
                                 double* diagonal_block) const {
  calc_diagonal_block(cones, i, diagonal_block);
}

void StoredDelassus::start(std::span<const Cone> /*cones*/, const double* /*p*/, SweepMemory& /*memory*/) const {
}

void StoredDelassus::add_relative_velocity(std::span<const Cone> cones, int i, const double* p,
                                           const SweepMemory& /*memory*/, double* u) const {
  for (const Block& block : row(i)) {
    const Cone& column = cones[block.column];
    const double* p_column = p + column.offset;
    // Most contacts that are open have no percussion: their blocks need not be fetched.
    if (p_column[0] == 0.0 && std::all_of(p_column + 1, p_column + column.dim, is_zero)) continue;
    add_product(cones[i].dim, column.dim, values(block), p_column, u);
  }
}

void StoredDelassus::add_velocity(std::span<const Cone> /*cones*/, int /*i*/, const double* /*dp*/,
                                  SweepMemory& /*memory*/) const {
}

bool StoredDelassus::calc_block(std::span<const Cone> cones, int i, int j, const SweepMemory& /*memory*/,
                                double* block) const {
  const double* stored = find_block(i, j);
  if (stored != nullptr) std::copy_n(stored, cones[i].dim * cones[j].dim, block);
  return stored != nullptr;
}

}  // namespace stickslip
