// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stickslip/cone/cone.h"
#include "stickslip/cone/sweep_memory.h"

namespace stickslip {

/// The Delassus operator W = H^T M^-1 H of a mass matrix M of any sparsity, not necessarily symmetric, as problems from
/// files have it. M is not kept but what its solves gave: for each cone the rows of H^T, the left side, and the rows of
/// (M^-1 H)^T, the right side, each over the velocity unknowns that it touches. Block W_ij = left_i right_j^T.
class SparseDelassus {
 public:
  static constexpr bool kSymmetricPattern = false;

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

  // --- DelassusKind
  std::size_t work_size() const { return static_cast<std::size_t>(n_v_); }
  void apply(std::span<const Cone> cones, const double* p, double* u, std::span<double> work) const;
  void calc_diagonal_block(std::span<const Cone> cones, int i, double* block) const;
  void calc_diagonal(std::span<const Cone> cones, int i, double* diagonal) const;
  void prepare_row(std::span<const Cone> cones, int i, SweepMemory& memory, double* diagonal_block) const;
  void start(std::span<const Cone> cones, const double* p, SweepMemory& memory) const;
  void add_relative_velocity(std::span<const Cone> cones, int i, const double* p, const SweepMemory& memory,
                             double* u) const;
  void add_velocity(std::span<const Cone> cones, int i, const double* dp, SweepMemory& memory) const;
  bool calc_block(std::span<const Cone> cones, int i, int j, const SweepMemory& memory, double* block) const;
  int n_keys() const { return n_v_; }
  template <class F>
  void for_each_left_key(int i, F&& f) const {
    for (const int unknown : left(i).unknowns) f(unknown);
  }
  template <class F>
  void for_each_right_key(int i, F&& f) const {
    for (const int unknown : right(i).unknowns) f(unknown);
  }
  template <class BlockOf>
  void fill_row(std::span<const Cone> /*cones*/, int i, std::span<const int> columns, std::vector<double>& /*scratch*/,
                BlockOf&& block_of) const {
    for (const int j : columns) calc_product(i, j, block_of(j));
  }

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

  bool calc_product(int i, int j, double* block) const;

  Side left_;
  Side right_;
  int n_v_ = 0;
};

}  // namespace stickslip
