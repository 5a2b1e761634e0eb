// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stickslip/cone/cone.h"
#include "stickslip/cone/sweep_memory.h"
#include "stickslip/math/small_matrix.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// The Delassus operator as a product, W = J M^-1 J^T: M block-diagonal over bodies with its
/// inverse kept per body, J in block rows that each touch a few bodies: two, but for relations
/// between joints. "Body" means a block of velocity unknowns here and nothing more: where stiff forces couple bodies
/// of the scene it is all of them, and a row then has blocks of a few of its columns.
class FactoredDelassus {
 public:
  static constexpr bool kSymmetricPattern = true;

  struct Body {
    int v_offset;        // first of its rows in v
    int n_v;             // how many
    std::size_t offset;  // first value of its inverse mass block, (n_v, n_v)
    bool is_diagonal;    // that block, as of all bodies in the plane and of those in their principal axes

    bool operator==(const Body&) const = default;
  };
  /// A part of a row: columns [column, column + n) of a body's velocities.
  struct Block {
    int body;
    int column;
    int n;
    int v_offset;        // the first column's row in v
    std::size_t offset;  // first value of J block, row-major (dim_i, n)

    bool operator==(const Block&) const = default;
  };

  bool operator==(const FactoredDelassus& other) const;
  /// Whether the same bodies' velocities take part in the same rows.
  bool has_pattern_of(const FactoredDelassus& other) const {
    return blocks_ == other.blocks_ && row_begin_ == other.row_begin_ && row_dim_ == other.row_dim_;
  }

  /// Forgets bodies and rows; keeps the memory.
  void clear();
  /// Forgets rows only.
  void clear_rows();

  /// Adds a body with its inverse mass block, symmetric (n_v, n_v) [1/kg and like]. Returns its index.
  int add_body(const Eigen::Ref<const Matrix>& inverse_mass);

  /// Opens block row i = number of rows so far, of `dim` rows.
  void begin_row(int dim);
  /// The block of n columns of `body` in the open row, appended and zero where the row has none of it yet; the view
  /// (dim, n) [-] is to be filled at once: the next call may move it. Blocks of a row must not overlap.
  RowMatrixView add_block(int body, int column, int n);
  /// All columns of the body.
  RowMatrixView add_block(int body) { return add_block(body, 0, bodies_[body].n_v); }

  int n_v() const { return n_v_; }
  int n_bodies() const { return static_cast<int>(bodies_.size()); }
  int n_rows() const { return static_cast<int>(row_begin_.size()) - 1; }
  const Body& body(int k) const { return bodies_[k]; }
  const double* inverse_mass(int k) const { return inverse_mass_.data() + bodies_[k].offset; }
  int row_dim(int i) const { return row_dim_[i]; }
  std::span<const Block> row(int i) const {
    return {blocks_.data() + row_begin_[i], row_begin_[i + 1] - row_begin_[i]};
  }
  /// Those of row i, each once, in the order of their first blocks. Returns how many velocities they have.
  int list_bodies(int i, std::vector<int>& bodies) const;
  const double* values(const Block& block) const { return values_.data() + block.offset; }
  /// product (n_v of the block's body) += row r of the block times M^-1.
  void add_response(const Block& block, int r, double* product) const;

  // --- DelassusKind
  std::size_t work_size() const { return 2 * static_cast<std::size_t>(n_v_); }
  void apply(std::span<const Cone> cones, const double* p, double* u, std::span<double> work) const;
  void calc_diagonal_block(std::span<const Cone> cones, int i, double* block) const;
  void calc_diagonal(std::span<const Cone> cones, int i, double* diagonal) const;
  void prepare_row(std::span<const Cone> cones, int i, SweepMemory& memory, double* diagonal_block) const;
  void start(std::span<const Cone> cones, const double* p, SweepMemory& memory) const;
  void add_relative_velocity(std::span<const Cone> cones, int i, const double* p, const SweepMemory& memory,
                             double* u) const;
  void add_velocity(std::span<const Cone> cones, int i, const double* dp, SweepMemory& memory) const;
  bool calc_block(std::span<const Cone> cones, int i, int j, const SweepMemory& memory, double* block) const;
  int n_keys() const { return n_bodies(); }
  template <class F>
  void for_each_left_key(int i, F&& f) const {
    for (const Block& block : row(i)) f(block.body);
  }
  template <class F>
  void for_each_right_key(int i, F&& f) const {
    for_each_left_key(i, f);
  }
  template <class BlockOf>
  void fill_row(std::span<const Cone> cones, int i, std::span<const int> columns, std::vector<double>& scratch,
                BlockOf&& block_of) const;

 private:
  double calc_entry(int i, int r, int c) const;
  void add_momentum(std::span<const Cone> cones, const double* p, double* momentum) const;
  void add_inverse_mass_product(const double* momentum, double* v) const;

  std::vector<Body> bodies_;
  std::vector<double> inverse_mass_;
  bool has_finite_masses_ = true;
  std::vector<std::size_t> row_begin_ = {0};
  std::vector<int> row_dim_;
  std::vector<Block> blocks_;
  std::vector<double> values_;
  int n_v_ = 0;
};

template <class BlockOf>
void FactoredDelassus::fill_row(std::span<const Cone> cones, int i, std::span<const int> columns,
                                std::vector<double>& scratch, BlockOf&& block_of) const {
  const int dim = cones[i].dim;
  for (const Block& left : row(i)) {
    const int n_v = bodies_[left.body].n_v;
    scratch.assign(static_cast<std::size_t>(dim) * n_v, 0.0);  // J M^-1
    for (int r = 0; r < dim; ++r) add_response(left, r, scratch.data() + r * n_v);
    for (const int j : columns) {
      for (const Block& right : row(j)) {
        if (right.body != left.body) continue;
        double* out = block_of(j);
        with_size(right.n, [&](const auto n) {
          for (int r = 0; r < dim; ++r) {
            add_product(cones[j].dim, n, values(right), scratch.data() + r * n_v + right.column,
                        out + r * cones[j].dim);
          }
        });
      }
    }
  }
}

}  // namespace stickslip
