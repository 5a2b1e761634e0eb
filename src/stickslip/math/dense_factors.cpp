// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/dense_factors.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

namespace stickslip {

struct DenseLu::Factors {
  Eigen::PartialPivLU<Matrix> lu;
};

DenseLu::DenseLu() : factors_(std::make_unique<Factors>()) {
}
DenseLu::DenseLu(DenseLu&&) noexcept = default;
DenseLu& DenseLu::operator=(DenseLu&&) noexcept = default;
DenseLu::~DenseLu() = default;

double DenseLu::factorise(const Matrix& a) {
  factors_->lu.compute(a);
  return factors_->lu.matrixLU().diagonal().cwiseAbs().minCoeff();
}

Vector DenseLu::solve(const Vector& b) const {
  return factors_->lu.solve(b);
}

Vector DenseLu::solve_transposed(const Vector& b) const {
  return factors_->lu.transpose().solve(b);
}

Matrix DenseLu::inverse() const {
  return factors_->lu.inverse();
}

double DenseLu::determinant() const {
  return factors_->lu.determinant();
}

struct PivotedQr::Factors {
  Eigen::ColPivHouseholderQR<Matrix> qr;
};

PivotedQr::PivotedQr(const Matrix& a, double threshold) : factors_(std::make_unique<Factors>()) {
  factors_->qr.setThreshold(threshold);
  factors_->qr.compute(a);
}
PivotedQr::PivotedQr(PivotedQr&&) noexcept = default;
PivotedQr& PivotedQr::operator=(PivotedQr&&) noexcept = default;
PivotedQr::~PivotedQr() = default;

Eigen::Index PivotedQr::rank() const {
  return factors_->qr.rank();
}

Eigen::Index PivotedQr::pivot(Eigen::Index k) const {
  return factors_->qr.colsPermutation().indices()[k];
}

Vector PivotedQr::solve(const Vector& b) const {
  return factors_->qr.solve(b);
}

Matrix PivotedQr::solve(const Matrix& b) const {
  return factors_->qr.solve(b);
}

Vector PivotedQr::project_off_columns(const Vector& y) const {
  Vector turned = factors_->qr.householderQ().adjoint() * y;
  turned.head(rank()).setZero();
  return factors_->qr.householderQ() * turned;
}

struct OrthogonalFactors::Factors {
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
};

OrthogonalFactors::OrthogonalFactors(const Matrix& a, double threshold) : factors_(std::make_unique<Factors>()) {
  factors_->decomposition.setThreshold(threshold);
  factors_->decomposition.compute(a);
}
OrthogonalFactors::OrthogonalFactors(OrthogonalFactors&&) noexcept = default;
OrthogonalFactors& OrthogonalFactors::operator=(OrthogonalFactors&&) noexcept = default;
OrthogonalFactors::~OrthogonalFactors() = default;

Eigen::Index OrthogonalFactors::rank() const {
  return factors_->decomposition.rank();
}

Vector OrthogonalFactors::solve(const Vector& b) const {
  return factors_->decomposition.solve(b);
}

Matrix OrthogonalFactors::kernel() const {
  const auto& decomposition = factors_->decomposition;
  const Matrix z = decomposition.matrixZ();
  return decomposition.colsPermutation() * z.transpose().rightCols(z.cols() - decomposition.rank());
}

Matrix calc_cholesky_factor(const Matrix& a) {
  return a.llt().matrixL();
}

Vector solve_symmetric(const Matrix& a, const Vector& b) {
  return Eigen::LDLT<Matrix>(a).solve(b);
}

Vector solve_least_norm(const Matrix& a, const Vector& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  if (threshold >= 0.0) decomposition.setThreshold(threshold);
  decomposition.compute(a);
  return decomposition.solve(b);
}

}  // namespace stickslip
