// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/dense_factors.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {
namespace {

/// The power of two that brings the largest magnitude in A near 1, so that squares of entries neither overflow nor
/// vanish; 1 where A is zero or not finite. Products with it are exact.
double calc_scale(const Matrix& a) {
  const double largest = a.size() > 0 ? a.cwiseAbs().maxCoeff() : 0.0;
  if (!(largest > 0.0) || !std::isfinite(largest)) return 1.0;
  // 2^1023 is the largest power of two: below its inverse a factor of two is left.
  return std::ldexp(1.0, std::min(-std::ilogb(largest), 1023));
}

}  // namespace

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
  Eigen::Index n = 0;  // columns
  bool is_empty = false;
  double scale = 1.0;  // the factors are those of scale A
};

PivotedQr::PivotedQr(const Matrix& a, double threshold) : factors_(std::make_unique<Factors>()) {
  factors_->n = a.cols();
  factors_->is_empty = a.size() == 0;
  if (factors_->is_empty) return;
  factors_->scale = calc_scale(a);
  factors_->qr.setThreshold(threshold);
  factors_->qr.compute(factors_->scale * a);
}
PivotedQr::PivotedQr(PivotedQr&&) noexcept = default;
PivotedQr& PivotedQr::operator=(PivotedQr&&) noexcept = default;
PivotedQr::~PivotedQr() = default;

Eigen::Index PivotedQr::rank() const {
  return factors_->is_empty ? 0 : factors_->qr.rank();
}

Eigen::Index PivotedQr::pivot(Eigen::Index k) const {
  return factors_->qr.colsPermutation().indices()[k];
}

Vector PivotedQr::solve(const Vector& b) const {
  if (factors_->is_empty) return Vector::Zero(factors_->n);
  return factors_->scale * factors_->qr.solve(b);
}

Matrix PivotedQr::solve(const Matrix& b) const {
  if (factors_->is_empty) return Matrix::Zero(factors_->n, b.cols());
  return factors_->scale * factors_->qr.solve(b);
}

Vector PivotedQr::project_off_columns(const Vector& y) const {
  if (factors_->is_empty) return y;
  Vector turned = factors_->qr.householderQ().adjoint() * y;
  turned.head(rank()).setZero();
  return factors_->qr.householderQ() * turned;
}

struct OrthogonalFactors::Factors {
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  Eigen::Index n = 0;  // columns
  bool is_empty = false;
  double scale = 1.0;  // the factors are those of scale A
};

OrthogonalFactors::OrthogonalFactors(const Matrix& a, double threshold) : factors_(std::make_unique<Factors>()) {
  factors_->n = a.cols();
  factors_->is_empty = a.size() == 0;
  if (factors_->is_empty) return;
  factors_->scale = calc_scale(a);
  factors_->decomposition.setThreshold(threshold);
  factors_->decomposition.compute(factors_->scale * a);
}
OrthogonalFactors::OrthogonalFactors(OrthogonalFactors&&) noexcept = default;
OrthogonalFactors& OrthogonalFactors::operator=(OrthogonalFactors&&) noexcept = default;
OrthogonalFactors::~OrthogonalFactors() = default;

Eigen::Index OrthogonalFactors::rank() const {
  return factors_->is_empty ? 0 : factors_->decomposition.rank();
}

Vector OrthogonalFactors::solve(const Vector& b) const {
  if (factors_->is_empty) return Vector::Zero(factors_->n);
  return factors_->scale * factors_->decomposition.solve(b);
}

Matrix OrthogonalFactors::kernel() const {
  if (factors_->is_empty) return Matrix::Identity(factors_->n, factors_->n);
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
  const double round_off = std::numeric_limits<double>::epsilon() * static_cast<double>(std::min(a.rows(), a.cols()));
  return OrthogonalFactors(a, threshold >= 0.0 ? threshold : round_off).solve(b);
}

}  // namespace stickslip
