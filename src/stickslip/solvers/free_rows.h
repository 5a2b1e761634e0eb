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
// p -= (W + e D)^-1 (W p + b), until that is round-off. Where joints repeat what others say W is singular; where b lies
// in its range changes of p lie there, too, but for round-off over e, and what nothing determines of the percussions
// stays what it was in the guess.
class FreeRows {
 public:
  /// solve() asks `stop` and throws Interrupted where it is raised. `shared`: W of all who work at the same problems.
  FreeRows(StopToken stop, SharedDelassus* shared) : stop_(stop), delassus_(stop, shared), lu_(stop) {}

  static bool are_all(const ConeProblem& problem);
  /// Whether some are, and nothing rubs, as when positions are put right. Newton steps then come before the first
  /// sweep, which moves what joints hold rigidly together by a little only. Not with friction: of redundant contacts,
  /// as those of a gripper's pads, Newton steps leave some on the surface of their cone where sweeps find percussions
  /// inside all.
  static bool are_beside_normals(const ConeProblem& problem);

  /// From the present iterate, which must have been judged; returns how many solves that took, 0 where W + e D is
  /// singular or not finite.
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
