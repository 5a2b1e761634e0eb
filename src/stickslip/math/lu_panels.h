// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/base/stop_token.h"

namespace stickslip {

// Dense LU of the panels of a supernode, see BlockLu: n pivots and m rows below and columns beside them. What takes
// more than (n + m)^2 operations asks `stop` every few columns.

/// LU of the n pivots with partial pivoting among them; then L below and U beside them, and product = -L U of these.
/// Some pivots at a time, left looking, and then the columns right of them. lower (n + m, n), upper (n, m) and product
/// (m, m) column-major, swaps and thresholds (n). Returns how many pivots were replaced by their thresholds, or -1
/// where one is not finite.
int factorize_panel(int n, int m, double* lower, double* upper, int* swaps, const double* thresholds, double* product,
                    const StopToken& stop);
/// The largest magnitude of each column of lower (n + m, n). largest (n)
void find_largest(int n, int m, const double* lower, double* largest);
/// The n pivots' part of x = L^-1 x, x (n), and what is to be added to the rows below, product = -L x (m).
void solve_lower_panel(int n, int m, const double* lower, double* x, double* product);
/// The n pivots' part of x = U^-1 x, x (n), where the rows to the right are solved already: right (m).
void solve_upper_panel(int n, int m, const double* lower, const double* upper, const double* right, double* x);

}  // namespace stickslip
