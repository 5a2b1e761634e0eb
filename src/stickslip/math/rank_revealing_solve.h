// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace stickslip {

/// Solves A x = b by elimination with partial pivoting, the quickest. a (n, n) row-major and b (n) are destroyed; x
/// (n). False where a pivot is not above `threshold` times the largest entry: then x is not a solution.
bool solve_partial_pivoting(int n, double* a, double* b, double* x, double threshold);

/// The x of least norm with the least |A x - b|, by elimination with complete pivoting. a (n, n) row-major and b (n) are
/// destroyed; order (n) is scratch; x (n). Returns the rank found: the first pivots above `threshold` times the largest.
int solve_complete_pivoting(int n, double* a, double* b, int* order, double* x, double threshold);

/// The same by a complete orthogonal decomposition, some ten times as long; a (n, n) row-major, x may be
/// b. Takes memory from the heap above 48 rows.
void solve_least_norm(int n, const double* a, const double* b, double* x, double threshold);

}  // namespace stickslip
