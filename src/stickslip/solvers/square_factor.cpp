// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/square_factor.h"

namespace stickslip {
namespace {

/// A pivot below this share of the largest entry counts as zero. [-]
constexpr double kSingular = 1e-14;

}  // namespace

bool SquareFactor::factorise(const Eigen::SparseMatrix<double>& matrix) {
  is_dense_ = matrix.rows() <= kDenseRows;
  if (!is_dense_) return sparse_.factorise(matrix);
  if (matrix.rows() == 0) return true;
  const Matrix dense(matrix);
  return dense_.factorise(dense) > kSingular * dense.cwiseAbs().maxCoeff();
}

void SquareFactor::solve(Vector& x) const {
  if (x.size() == 0) return;
  x = is_dense_ ? dense_.solve(x) : sparse_.solve(x);
}

void SquareFactor::solve_transposed(Vector& x) const {
  if (x.size() == 0) return;
  x = is_dense_ ? dense_.solve_transposed(x) : sparse_.solve_transposed(x);
}

}  // namespace stickslip
