// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/math/minimum_degree.h"

namespace stickslip {

// The factorisation P A Q = L U of a sparse matrix in small dense blocks whose pattern is symmetric (its values need
// not be), as in Newton systems of contact problems: block (i, j) couples cones i and j.
//
// Method: blocks are ordered by MinimumDegree and the elimination tree is postordered; columns with (nearly) the same
// pattern become supernodes [Liu1990], each a dense panel for L and one for U. Supernodes are factorised in turn, right
// looking: dense LU with partial pivoting inside the supernode, then the outer product of its panels is subtracted
// from those of its ancestors. Pivots do not leave their supernode; those too small to trust are replaced by a
// small value of their sign and counted. The factors are then those of a matrix nearby: a caller must judge what it
// solves with them by the matrix itself, as the Newton methods do by the residual of each iterate.
class BlockLu {
 public:
  /// Whatever takes long asks `stop`, every few columns at most, and throws Interrupted where it is raised. After one
  /// in analyze() that comes next, else clear_values() or factorize().
  explicit BlockLu(StopToken stop = {}) : stop_(stop), minimum_degree_(stop) {}

  /// Takes the pattern: dims (n) rows of each diagonal block; row_begin (n + 1) and columns list the blocks (i, j) row
  /// by row, the diagonal ones among them, (j, i) where (i, j). Keeps its memory, and what it found for a pattern that
  /// is that of the last call, as those of the solves of a step mostly are: then it returns true.
  ///
  /// The last n_kept blocks are not eliminated, and each must be coupled to each: what factorize() makes of them is
  /// kept(), and solve() solves for the others alone, as if A had these only.
  bool analyze(std::span<const int> dims, std::span<const int> row_begin, std::span<const int> columns, int n_kept = 0);

  /// Sets A = 0, to be filled by add().
  void clear_values();
  /// A_ij += values, row-major (dim_i, dim_j), for block number k of the pattern.
  void add(std::size_t k, const double* values);

  /// Factorises A. Returns how many pivots were replaced, or -1 where A is not finite.
  int factorize();

  /// x = A^-1 x. x (sum of dims), in the caller's order of blocks; those kept are left out.
  void solve(std::span<double> x) const;
  /// Of the blocks kept, k, beside those eliminated, e: A_kk - A_ke A_ee^-1 A_ek, column-major, square.
  const double* kept() const { return values_.data() + supernodes_.back().lower; }

  int n_rows() const { return n_rows_; }
  std::size_t n_factor_entries() const { return values_.size(); }
  /// What a factorisation takes, in multiply-adds of a large one, by the pattern alone.
  double n_operations() const { return n_operations_; }

 private:
  struct Supernode {
    int first_row;      // in elimination order, scalar rows
    int n_pivots;       // scalar columns
    int first_block;    // in elimination order
    int n_blocks;       // block columns
    std::size_t below;  // first of its block rows in below_
    int n_below;        // how many block rows below the pivots
    int n_below_rows;   // and their scalar rows
    std::size_t lower;  // panel (n_pivots + n_below_rows, n_pivots) column-major in values_
    std::size_t upper;  // panel (n_pivots, n_below_rows) column-major in values_
  };
  struct Place {
    std::size_t offset;  // of the block's first entry in values_
    int stride;          // of its panel
    int rows;
    int cols;
  };

  std::span<const Supernode> eliminated() const {
    return std::span(supernodes_).first(supernodes_.size() - (n_kept_ > 0 ? 1 : 0));
  }
  void order_blocks(std::span<const int> row_begin, std::span<const int> columns);
  void find_structure(std::span<const int> row_begin, std::span<const int> columns);
  void postorder();
  void make_supernodes();
  void place_blocks(std::span<const int> row_begin, std::span<const int> columns);
  void map_rows(const Supernode& node);
  bool factorize_pivots(const Supernode& node);
  void add_product(const Supernode& node);

  StopToken stop_;
  int n_blocks_ = 0;
  int n_rows_ = 0;
  MinimumDegree minimum_degree_;
  bool is_analyzed_ = false;  // the pattern is that of dims_, row_begin_ and columns_
  std::vector<int> dims_;     // (n) in the caller's order
  std::vector<int> row_begin_, columns_;
  std::vector<int> row_of_;        // (n) first scalar row of a block, caller's order
  std::vector<int> order_;         // (n) caller's block at each place of the elimination
  std::vector<int> place_;         // (n) its inverse
  std::vector<int> elim_row_;      // (n + 1) first scalar row of each place
  std::vector<int> parent_;        // (n) elimination tree
  std::vector<int> struct_begin_;  // (n + 1) block rows of each column of L below the diagonal ...
  std::vector<int> struct_;        // ... in ascending places
  std::vector<Supernode> supernodes_;
  std::vector<int> supernode_of_;  // (n) places
  std::vector<int> below_;         // block rows (places) of the supernodes
  std::vector<Place> places_;      // of the blocks of the pattern
  std::vector<double> values_;     // the panels
  std::vector<int> swaps_;         // (n_rows) pivot rows, relative to the supernode
  std::vector<int> local_;         // (n) scratch: scalar row of a place in the mapped supernode
  std::vector<double> product_;    // scratch: outer product
  std::vector<int> scratch_, scratch2_, scratch3_;
  mutable std::vector<double> x_;       // (n_rows) in elimination order
  mutable std::vector<double> beside_;  // (n_rows) scratch: rows below or right of a panel
  std::vector<double> thresholds_;      // (n_rows) pivots below are replaced, in elimination order
  int n_replaced_ = 0;
  int n_kept_ = 0;  // of the blocks; a supernode of their own, the last
  double n_operations_ = 0.0;
};

}  // namespace stickslip
