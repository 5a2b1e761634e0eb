// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "stickslip/math/types.h"

namespace stickslip {

// Eigen's decompositions of dense matrices of any size, compiled once: each file that uses one by itself takes some
// seconds longer to compile.

/// LU factors of a square matrix with partial pivoting.
class DenseLu {
 public:
  DenseLu();
  DenseLu(DenseLu&&) noexcept;
  DenseLu& operator=(DenseLu&&) noexcept;
  ~DenseLu();

  /// Factorises a (n, n), n > 0, and returns the least magnitude of a pivot.
  double factorise(const Matrix& a);
  /// x = A^-1 b and x = A^-T b, b (n).
  Vector solve(const Vector& b) const;
  Vector solve_transposed(const Vector& b) const;
  Matrix inverse() const;  // (n, n)
  double determinant() const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

/// QR factors of a matrix, be it empty or of huge entries, with pivoting of columns, which show its rank: pivots below
/// `threshold` times the largest count as zero.
class PivotedQr {
 public:
  PivotedQr(const Matrix& a, double threshold);
  PivotedQr(PivotedQr&&) noexcept;
  PivotedQr& operator=(PivotedQr&&) noexcept;
  ~PivotedQr();

  Eigen::Index rank() const;
  /// The column that was taken as number k.
  Eigen::Index pivot(Eigen::Index k) const;
  /// A solution of least residual, not of least norm.
  Vector solve(const Vector& b) const;
  Matrix solve(const Matrix& b) const;
  /// The part of y that is orthogonal to all columns.
  Vector project_off_columns(const Vector& y) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

/// Complete orthogonal factors of a matrix: of A x = b with dependent rows or columns the shortest solution, and all
/// that A maps to zero. Pivots below `threshold` times the largest count as zero.
class OrthogonalFactors {
 public:
  OrthogonalFactors(const Matrix& a, double threshold);
  OrthogonalFactors(OrthogonalFactors&&) noexcept;
  OrthogonalFactors& operator=(OrthogonalFactors&&) noexcept;
  ~OrthogonalFactors();

  Eigen::Index rank() const;
  /// The x of least norm with the least |A x - b|.
  Vector solve(const Vector& b) const;
  /// (n, n - rank) An orthonormal basis of what A (m, n) maps to zero.
  Matrix kernel() const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

/// The lower L with A = L L^T, of a symmetric positive definite A.
Matrix calc_cholesky_factor(const Matrix& a);

/// x = A^-1 b with a symmetric, perhaps indefinite, by L D L^T with pivoting.
Vector solve_symmetric(const Matrix& a, const Vector& b);

/// The x of least norm with the least |A x - b|, by a complete orthogonal decomposition. Pivots below `threshold` times
/// the largest count as zero; negative: the machine's precision times the size.
Vector solve_least_norm(const Matrix& a, const Vector& b, double threshold = -1.0);

}  // namespace stickslip
