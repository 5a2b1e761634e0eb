// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace stickslip {

/// What an elimination with complete pivoting has found.
struct FoundRank {
  int rank;         // the first pivots above `threshold` times the largest
  double smallest;  // [-] the smallest of these over the largest
};

/// The x of least norm with the least |A x - b|, by elimination with complete pivoting. a (n, n) row-major and b (n)
/// are destroyed; order (n) is scratch; x (n). Where the rank is less than n round-off is as that of normal equations,
/// over `smallest` squared.
FoundRank solve_complete_pivoting(int n, double* a, double* b, int* order, double* x, double threshold);

/// The same by a complete orthogonal decomposition, which takes longer and no square of anything; a (n, n) row-major, x
/// may be b. Takes memory from the heap above 48 rows.
void solve_least_norm(int n, const double* a, const double* b, double* x, double threshold);

}  // namespace stickslip
