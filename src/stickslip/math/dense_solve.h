// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace stickslip {

/// Solves A x = rhs by Gaussian elimination with partial pivoting, in place: a (n, n) row-major is destroyed, rhs (n)
/// becomes x. No allocation. Returns false, with rhs of no meaning, where a pivot is not above `threshold` times the
/// largest entry of A, or not finite.
[[nodiscard]] bool solve_dense(int n, double* a, double* rhs, double threshold = 0.0);

}  // namespace stickslip
