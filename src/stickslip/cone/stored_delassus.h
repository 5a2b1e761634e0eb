// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "stickslip/cone/cone.h"
#include "stickslip/cone/sweep_memory.h"

namespace stickslip {

/// The Delassus operator W of a cone problem, u = W p + b, stored in blocks: block row i belongs to
/// cone i, block (i, j) has shape (dim_i, dim_j). W is usually symmetric positive semidefinite,
/// but problems from files may be slightly asymmetric; nothing here symmetrises it.
class StoredDelassus {
 public:
  static constexpr bool kSymmetricPattern = false;

  struct Block {
    int column;          // cone j
    std::size_t offset;  // first value, row-major (dim_i, dim_j)
  };

  void clear();

  /// Appends block row i = number of rows so far. `columns` strictly increasing.
  /// `values[k]` is the (dim_i, dim_j) block of columns[k], row-major, one after the other.
  void add_row(std::span<const int> columns, std::span<const int> column_dims, int row_dim,
               std::span<const double> values);  // [1/kg]

  int n_rows() const { return static_cast<int>(row_begin_.size()) - 1; }
  std::span<const Block> row(int i) const {
    return {blocks_.data() + row_begin_[i], row_begin_[i + 1] - row_begin_[i]};
  }
  const double* values(const Block& block) const { return values_.data() + block.offset; }

  // --- DelassusKind
  std::size_t work_size() const { return 0; }
  void apply(std::span<const Cone> cones, const double* p, double* u, std::span<double> work) const;
  void calc_diagonal_block(std::span<const Cone> cones, int i, double* block) const;
  void calc_diagonal(std::span<const Cone> cones, int i, double* diagonal) const;
  void prepare_row(std::span<const Cone> cones, int i, SweepMemory& memory, double* diagonal_block) const;
  void start(std::span<const Cone> cones, const double* p, SweepMemory& memory) const;
  void add_relative_velocity(std::span<const Cone> cones, int i, const double* p, const SweepMemory& memory,
                             double* u) const;
  void add_velocity(std::span<const Cone> cones, int i, const double* dp, SweepMemory& memory) const;
  bool calc_block(std::span<const Cone> cones, int i, int j, const SweepMemory& memory, double* block) const;
  int n_keys() const { return n_rows(); }
  template <class F>
  void for_each_left_key(int i, F&& f) const {
    for (const Block& block : row(i)) f(block.column);
  }
  template <class F>
  void for_each_right_key(int i, F&& f) const {
    f(i);
  }
  template <class BlockOf>
  void fill_row(std::span<const Cone> cones, int i, std::span<const int> columns, std::vector<double>& scratch,
                BlockOf&& block_of) const;

 private:
  const double* find_block(int i, int column) const;

  std::vector<std::size_t> row_begin_ = {0};
  std::vector<Block> blocks_;
  std::vector<double> values_;  // [1/kg]
};

template <class BlockOf>
void StoredDelassus::fill_row(std::span<const Cone> cones, int i, std::span<const int> /*columns*/,
                              std::vector<double>& /*scratch*/, BlockOf&& block_of) const {
  for (const Block& block : row(i)) {
    std::copy_n(values(block), cones[i].dim * cones[block.column].dim, block_of(block.column));
  }
}

}  // namespace stickslip
