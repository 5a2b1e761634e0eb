// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/math/block_lu.h"
#include "stickslip/solvers/assembled_delassus.h"
#include "stickslip/solvers/iterate.h"

namespace stickslip {

// Problems of free rows alone, as joints without contacts pose them. Their law is u = 0, so that W p = -b is one linear
// system.
//
// Method: LU factors of W + e D, D the mean diagonal of each W_ii, dense where there are few rows; then
// p -= (W + e D)^-1 (W p + b), until the change is round-off. With redundant joints W is singular; if b lies in its
// range the changes of p do too, up to round-off over e, and the undetermined part of the percussions stays that of the
// guess.
class FreeRows {
 public:
  /// solve() checks `stop` and throws Interrupted. `shared`: W for all methods that work on the same problem.
  FreeRows(StopToken stop, SharedDelassus* shared) : stop_(stop), delassus_(stop, shared), lu_(stop) {}

  static bool are_all(const ConeProblem& problem);
  /// Whether some rows are free and none have friction, as in corrections of positions. Newton steps then come before
  /// the first sweep, which moves rigidly joined bodies only a little. Not with friction: of redundant contacts, as of
  /// a gripper's pads, Newton steps leave some on the surface of their cone where sweeps find percussions inside all.
  static bool are_beside_normals(const ConeProblem& problem);

  /// From the present iterate, which must have been judged; returns the number of solves, 0 if W + e D is singular or
  /// not finite.
  int solve(const ConeProblem& problem, Tolerance tolerance, int max_solves, Iterate& iterate);

 private:
  bool factorise(const ConeProblem& problem, const DelassusRows& rows);
  bool factorise_dense(const ConeProblem& problem, const DelassusRows& rows);
  bool factorise_sparse(const ConeProblem& problem, const DelassusRows& rows);

  StopToken stop_;
  SharedDelassus delassus_;
  bool is_dense_ = true;
  std::vector<double> matrix_;  // (n, n) row-major, then its factors
  std::vector<int> pivots_;     // (n)
  std::vector<int> dims_;       // (n_cones)
  BlockLu lu_;
  std::vector<double> change_;  // (n) [N s]
};

}  // namespace stickslip
