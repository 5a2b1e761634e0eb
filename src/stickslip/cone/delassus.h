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

/// The Delassus operator W = H^T M^-1 H of a mass matrix M of any sparsity, not necessarily symmetric, as problems from
/// files have it. M is not kept but what its solves gave: for each cone the rows of H^T, the left side, and the rows of
/// (M^-1 H)^T, the right side, each over the velocity unknowns that it touches. Block W_ij = left_i right_j^T.
class SparseDelassus {
 public:
  /// Rows of one cone over some of the velocity unknowns.
  struct Rows {
    std::span<const int> unknowns;   // strictly increasing
    std::span<const double> values;  // row-major (dim, unknowns.size())
  };

  /// Forgets all rows; v has n_v unknowns.
  void clear(int n_v);
  /// Appends block row i = number of rows so far. left [-], right [1/kg and like].
  void add_row(const Rows& left, const Rows& right);

  int n_v() const { return n_v_; }
  int n_rows() const { return static_cast<int>(left_.cones.size()); }
  Rows left(int i) const { return left_.rows(i); }
  Rows right(int i) const { return right_.rows(i); }

  /// v += right_i^T p_i, the velocities that cone i's percussion gives. p (dim_i) [N s], v (n_v) [m/s and like].
  void add_velocity(int i, const double* p, double* v) const;
  /// u += left_i v. u (dim_i) [m/s].
  void add_relative_velocity(int i, const double* v, double* u) const;
  /// W_ij, row-major (dim_i, dim_j); returns false, and leaves it, where it is zero for lack of common unknowns. [1/kg]
  bool calc_block(int i, int j, double* block) const;

 private:
  struct Side {
    struct Range {
      std::size_t first_unknown;
      std::size_t n_unknowns;
      std::size_t first_value;
      std::size_t n_values;
    };
    std::vector<Range> cones;
    std::vector<int> unknowns;
    std::vector<double> values;
    Rows rows(int i) const {
      const Range& r = cones[i];
      return {{unknowns.data() + r.first_unknown, r.n_unknowns}, {values.data() + r.first_value, r.n_values}};
    }
    void add(const Rows& rows);
  };

  Side left_;
  Side right_;
  int n_v_ = 0;
};

}  // namespace stickslip
