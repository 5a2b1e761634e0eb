// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/square_factor.h"

#include <Eigen/LU>
#include <Eigen/SparseLU>

namespace stickslip {
namespace {

/// A pivot below this share of the largest entry counts as zero. [-]
constexpr double kSingular = 1e-14;

}  // namespace

struct SquareFactor::Factors {
  bool is_dense = true;
  Eigen::PartialPivLU<Matrix> dense;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> sparse;
};

SquareFactor::SquareFactor() : factors_(std::make_unique<Factors>()) {
}
SquareFactor::SquareFactor(SquareFactor&&) noexcept = default;
SquareFactor& SquareFactor::operator=(SquareFactor&&) noexcept = default;
SquareFactor::~SquareFactor() = default;

bool SquareFactor::factorise(const Eigen::SparseMatrix<double>& matrix) {
  factors_->is_dense = matrix.rows() <= kDenseRows;
  if (!factors_->is_dense) {
    factors_->sparse.compute(matrix);
    return factors_->sparse.info() == Eigen::Success;
  }
  if (matrix.rows() == 0) return true;
  const Matrix dense(matrix);
  factors_->dense.compute(dense);
  const double least = factors_->dense.matrixLU().diagonal().cwiseAbs().minCoeff();
  return least > kSingular * dense.cwiseAbs().maxCoeff();
}

void SquareFactor::solve(Vector& x) const {
  if (x.size() == 0) return;
  x = factors_->is_dense ? Vector(factors_->dense.solve(x)) : Vector(factors_->sparse.solve(x));
}

void SquareFactor::solve_transposed(Vector& x) const {
  if (x.size() == 0) return;
  x = factors_->is_dense ? Vector(factors_->dense.transpose().solve(x)) : Vector(factors_->sparse.transpose().solve(x));
}

}  // namespace stickslip
