// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace stickslip {

/// Eigenvalues and eigenvectors of a small symmetric matrix by cyclic Jacobi rotations [Golub2013, section 8.5]: slow
/// for large n, but without allocation, deterministic, and accurate in the small eigenvalues of positive definite
/// matrices with rows of very different size [Demmel1992].
///   a (n, n) row-major: on entry A, only the upper triangle is read; destroyed.
///   values (n): the eigenvalues, in no particular order.
///   vectors (n, n) row-major: column k is the unit eigenvector of values[k].
void calc_symmetric_eigen(int n, double* a, double* values, double* vectors);

/// symmetric = (A + A^T) / 2. Both (n, n) row-major.
void calc_symmetric_part(int n, const double* a, double* symmetric);

}  // namespace stickslip
