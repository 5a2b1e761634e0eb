// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/linear_program.h"

#include <algorithm>
#include <cmath>

#include "stickslip/base/assert.h"
#include "stickslip/math/dense_factors.h"

namespace stickslip {
namespace {

/// Violations up to this share of the sum of magnitudes of a row's terms are round-off.
constexpr double kObeyed = 1e-13;  // [-]
/// Entries below this share of the largest one of a direction are no pivots.
constexpr double kLeastPivot = 1e-9;  // [-]
/// Multipliers, and differences of their ratios, below this share of the size of c are zero.
constexpr double kSameRatio = 1e-13;  // [-]
constexpr int kPivotsPerFactor = 25;  // [-]

}  // namespace

LinearProgram::LinearProgram(const Vector& c, const Vector& lower, const Vector& upper) : c_(c) {
  STICKSLIP_ASSERT(lower.size() == c.size() && upper.size() == c.size());
  const Eigen::Index n = size();
  rows_.resize(n, 2 * n);
  rows_ << -Matrix::Identity(n, n), Matrix::Identity(n, n);
  g_.resize(2 * n);
  g_ << upper, -lower;
  sizes_ = Vector::Ones(2 * n);
  n_rows_ = static_cast<int>(2 * n);
  for (Eigen::Index j = 0; j < n; ++j) basis_.push_back(static_cast<int>(c(j) >= 0.0 ? j : n + j));
  refactor();
}

int LinearProgram::add_row(const Vector& a, double g) {
  if (n_rows_ == rows_.cols()) {
    const Eigen::Index room = 2 * rows_.cols() + 8;
    rows_.conservativeResize(Eigen::NoChange, room);
    g_.conservativeResize(room);
    sizes_.conservativeResize(room);
  }
  rows_.col(n_rows_) = a;
  g_(n_rows_) = g;
  sizes_(n_rows_) = a.cwiseAbs().sum();
  return static_cast<int>(n_rows_++ - 2 * size());
}

bool LinearProgram::refactor() {
  const Eigen::Index n = size();
  Matrix basis(n, n);
  for (Eigen::Index k = 0; k < n; ++k) basis.col(k) = rows_.col(basis_[k]);
  DenseLu lu;
  if (!(lu.factorise(basis) > 0.0)) return false;
  inverse_ = lu.inverse();
  y_ = -(inverse_ * c_);
  y_ -= inverse_ * (basis * y_ + c_);
  y_ = y_.cwiseMax(0.0);  // round-off
  pivots_since_ = 0;
  update_x();
  return x_.allFinite() && y_.allFinite();
}

void LinearProgram::update_x() {
  Vector g(size());
  for (Eigen::Index k = 0; k < size(); ++k) g(k) = g_(basis_[k]);
  x_.noalias() = -(inverse_.transpose() * g);
}

LinearProgram::Outcome LinearProgram::maximise() {
  const Eigen::Index n = size();
  const int most_pivots = static_cast<int>(40 * (n + 5));
  int idle = 0;
  ray_row_ = -1;
  for (int pivot = 0; pivot < most_pivots; ++pivot) {
    const bool cautious = idle > 2 * n;
    const double reach = x_.cwiseAbs().maxCoeff();
    int entering = -1;
    double most = 0.0;
    const Vector values = rows_.leftCols(n_rows_).transpose() * x_ + g_.head(n_rows_);
    for (int i = 0; i < n_rows_; ++i) {
      const double violation = -values(i);
      if (!(violation > kObeyed * (sizes_(i) * reach + std::abs(g_(i))))) continue;
      if (std::ranges::find(basis_, i) != basis_.end()) continue;
      if (violation > most || cautious) {
        most = violation;
        entering = i;
      }
      if (cautious) break;
    }
    if (entering < 0) {
      if (pivots_since_ == 0) return Outcome::solved;
      if (!refactor()) return Outcome::gave_up;
      continue;
    }
    const Vector direction = inverse_ * rows_.col(entering);
    const double least = kLeastPivot * std::max(direction.cwiseAbs().maxCoeff(), sizes_(entering));
    Eigen::Index leaving = -1;
    double ratio = HUGE_VAL;
    for (Eigen::Index k = 0; k < n; ++k) {
      if (direction(k) > least) ratio = std::min(ratio, y_(k) / direction(k));
    }
    for (Eigen::Index k = 0; k < n; ++k) {
      if (!(direction(k) > least) || y_(k) / direction(k) > ratio + kSameRatio * c_.cwiseAbs().maxCoeff()) continue;
      const bool better = leaving < 0 || (cautious ? basis_[k] < basis_[leaving] : direction(k) > direction(leaving));
      if (better) leaving = k;
    }
    if (leaving < 0) {
      if (pivots_since_ > 0) {
        if (!refactor()) return Outcome::gave_up;
        continue;
      }
      ray_row_ = entering;
      ray_ = (-direction).cwiseMax(0.0);
      return Outcome::infeasible;
    }
    const double step = y_(leaving) / direction(leaving);
    idle = step > kSameRatio * c_.cwiseAbs().maxCoeff() ? 0 : idle + 1;
    y_ = (y_ - step * direction).cwiseMax(0.0);
    y_(leaving) = step;
    basis_[leaving] = entering;
    const Vector row = inverse_.row(leaving).transpose() / direction(leaving);
    inverse_.noalias() -= direction * row.transpose();
    inverse_.row(leaving) = row.transpose();
    if (++pivots_since_ >= kPivotsPerFactor) {
      if (!refactor()) return Outcome::gave_up;
    } else {
      update_x();
    }
  }
  return Outcome::gave_up;
}

std::vector<LinearProgram::Multiplier> LinearProgram::multipliers() const {
  std::vector<Multiplier> found;
  const int bounds = static_cast<int>(2 * size());
  const Vector& y = ray_row_ >= 0 ? ray_ : y_;
  for (Eigen::Index k = 0; k < size(); ++k) {
    if (basis_[k] >= bounds && y(k) > 0.0) found.push_back({basis_[k] - bounds, y(k)});
  }
  if (ray_row_ >= bounds) found.push_back({ray_row_ - bounds, 1.0});
  return found;
}

}  // namespace stickslip
