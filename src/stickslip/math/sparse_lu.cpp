// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/sparse_lu.h"

#include <Eigen/SparseLU>

namespace stickslip {

struct SparseLu::Factors {
  // Its transpose() is not const.
  mutable Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
};

SparseLu::SparseLu() : factors_(std::make_unique<Factors>()) {
}
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;
SparseLu::~SparseLu() = default;

bool SparseLu::factorise(const Eigen::SparseMatrix<double>& a) {
  factors_->lu.compute(a);
  return factors_->lu.info() == Eigen::Success;
}

Vector SparseLu::solve(const Vector& b) const {
  return factors_->lu.solve(b);
}

Matrix SparseLu::solve(const Matrix& b) const {
  return factors_->lu.solve(b);
}

Vector SparseLu::solve_transposed(const Vector& b) const {
  return factors_->lu.transpose().solve(b);
}

}  // namespace stickslip
