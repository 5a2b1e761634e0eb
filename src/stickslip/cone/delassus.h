// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// The Delassus operator W of a cone problem, u = W p + b, stored in blocks: block row i belongs to
/// cone i, block (i, j) has shape (dim_i, dim_j). W is usually symmetric positive semidefinite,
/// but problems from files may be slightly asymmetric; nothing here symmetrises it.
class StoredDelassus {
 public:
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

 private:
  std::vector<std::size_t> row_begin_ = {0};
  std::vector<Block> blocks_;
  std::vector<double> values_;  // [1/kg]
};

/// The Delassus operator as a product, W = J M^-1 J^T: M block-diagonal over bodies with its
/// inverse kept per body, J in block rows that each touch at most two bodies. "Body" means a
/// block of velocity unknowns here and nothing more.
class FactoredDelassus {
 public:
  struct Body {
    int v_offset;        // first of its rows in v
    int n_v;             // how many
    std::size_t offset;  // first value of its inverse mass block, (n_v, n_v)
  };
  struct Block {
    int body;
    std::size_t offset;  // first value of J block, row-major (dim_i, n_v)
  };

  /// Forgets bodies and rows; keeps the memory.
  void clear();
  /// Forgets rows only.
  void clear_rows();

  /// Adds a body with its inverse mass block, symmetric (n_v, n_v) [1/kg and like]. Returns its index.
  int add_body(const Eigen::Ref<const Matrix>& inverse_mass);

  /// Opens block row i = number of rows so far, of `dim` rows.
  void begin_row(int dim);
  /// Appends the block of `body` to the open row, zero-initialised; the view (dim, n_v) [-] is to be filled
  /// at once: the next call may move it. At most one block a body and two a row.
  RowMatrixView add_block(int body);

  int n_v() const { return n_v_; }
  int n_bodies() const { return static_cast<int>(bodies_.size()); }
  int n_rows() const { return static_cast<int>(row_begin_.size()) - 1; }
  const Body& body(int k) const { return bodies_[k]; }
  const double* inverse_mass(int k) const { return inverse_mass_.data() + bodies_[k].offset; }
  int row_dim(int i) const { return row_dim_[i]; }
  std::span<const Block> row(int i) const {
    return {blocks_.data() + row_begin_[i], row_begin_[i + 1] - row_begin_[i]};
  }
  const double* values(const Block& block) const { return values_.data() + block.offset; }

 private:
  std::vector<Body> bodies_;
  std::vector<double> inverse_mass_;
  std::vector<std::size_t> row_begin_ = {0};
  std::vector<int> row_dim_;
  std::vector<Block> blocks_;
  std::vector<double> values_;
  int n_v_ = 0;
};

}  // namespace stickslip
