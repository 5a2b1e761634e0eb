// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/math/block_lu.h"
#include "stickslip/solvers/assembled_delassus.h"
#include "stickslip/solvers/iterate.h"

namespace stickslip {

// LU factors of W_ff + e D, f the free rows of a problem and D the diagonal of W: dense where there are few rows. With
// redundant joints W_ff is singular. If u_f lies in its range the changes of p_f that steps p_f -= (W_ff + e D)^-1 u_f
// make do too, up to round-off over e, and the undetermined part of the percussions stays that of the guess.
class FreeRowFactors {
 public:
  /// Asks `stop` and throws Interrupted. `shared`: W for all methods that work on the same problem.
  FreeRowFactors(StopToken stop, SharedDelassus* shared) : stop_(stop), delassus_(stop, shared), lu_(stop) {}

  /// Of all free cones; false where the matrix is singular or not finite. condenses: for condensed(), by sparse
  /// factors. rows: always the same; what they have the same W of is not factorised again.
  bool factorise(const ConeProblem& problem, const DelassusRows& rows, bool condenses = false);

  int n_rows() const { return n_rows_; }
  /// First row of each free cone among the free rows, -1 of others.
  std::span<const int> offsets() const { return offsets_; }  // (n_cones)
  /// x = (W_ff + e D)^-1 x. x (n_rows)
  void solve(std::span<double> x) const;
  /// W_cc - W_cf (W_ff + e D)^-1 W_fc, c the other rows, column-major. [1/kg]
  const double* condensed() const { return lu_.kept(); }
  /// p_f -= (W_ff + e D)^-1 u_f, and judges that.
  void correct(const ConeProblem& problem, Iterate& iterate);

 private:
  bool factorise_dense(const ConeProblem& problem, const DelassusRows& rows);
  bool factorise_sparse(const ConeProblem& problem, const DelassusRows& rows, bool condenses);
  void find_pattern(const ConeProblem& problem, const AssembledDelassus& w, bool condenses);
  void add_row(const ConeProblem& problem, const AssembledDelassus& w, int i);

  StopToken stop_;
  SharedDelassus delassus_;
  bool is_dense_ = true;
  int n_rows_ = 0;
  std::vector<int> cones_;                   // free ones
  std::vector<int> offsets_, last_offsets_;  // (n_cones)
  std::vector<double> matrix_;               // (n, n) row-major, then its factors
  std::vector<int> pivots_;                  // (n)
  std::vector<int> blocks_;                  // cones of the sparse matrix: free ones, then others if they take part
  std::vector<int> dims_;                    // (blocks_)
  std::vector<int> row_begin_;               // (blocks_ + 1) of the pattern
  std::vector<int> columns_;                 // into blocks_
  std::vector<int> sources_;                 // (columns_) their blocks of W, -1 of those that it has not
  std::vector<int> place_;                   // (n_cones) in blocks_, -1 of others
  bool is_factorised_ = false;               // the matrix of version_ of the rows
  std::uint64_t version_ = 0;
  std::uint64_t pattern_ = 0;  // of the rows for which lu_ is ordered
  bool condenses_ = false;
  BlockLu lu_;
  std::vector<double> change_;  // (n) [N s]
};

// Problems of free rows alone, as joints without contacts pose them. Their law is u = 0, so that W p = -b is one linear
// system, solved by its factors until the change is round-off.
class FreeRows {
 public:
  /// solve() checks `stop` and throws Interrupted.
  FreeRows(StopToken stop, SharedDelassus* shared) : factors_(stop, shared) {}

  static bool are_all(const ConeProblem& problem);
  /// Whether some rows are free and none have friction, as in corrections of positions. Newton steps then come before
  /// the first sweep, which moves rigidly joined bodies only a little. Not with friction: of redundant contacts, as of
  /// a gripper's pads, Newton steps leave some on the surface of their cone where sweeps find percussions inside all.
  static bool are_beside_normals(const ConeProblem& problem);

  /// From the present iterate, which must have been judged; returns the number of solves, 0 if W + e D is singular or
  /// not finite.
  int solve(const ConeProblem& problem, Tolerance tolerance, int max_solves, Iterate& iterate);

 private:
  FreeRowFactors factors_;
};

}  // namespace stickslip
