// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/orthonormal_basis.h"

#include <Eigen/Householder>
#include <algorithm>
#include <cmath>

namespace stickslip {
namespace {

/// Lengths are brought up to date by subtraction, and computed anew where less than this share of the square is left:
/// eight digits of it are then right.
constexpr double kRecomputed = 1e-8;

}  // namespace

std::optional<Matrix> find_orthonormal_basis(Matrix a, double threshold, const std::function<bool()>& is_late) {
  const Eigen::Index rows = a.rows();
  const Eigen::Index columns = a.cols();
  Vector squared = a.colwise().squaredNorm().transpose();  // of what each column has left
  Vector computed = squared;                               // when it was last computed
  const double least = columns > 0 ? threshold * std::sqrt(squared.maxCoeff()) : 0.0;
  Vector factors(std::min(rows, columns));
  Vector work(columns);
  Eigen::Index rank = 0;
  for (; rank < factors.size(); ++rank) {
    if (is_late && is_late()) return std::nullopt;
    Eigen::Index pivot = 0;
    squared.tail(columns - rank).maxCoeff(&pivot);
    pivot += rank;
    a.col(rank).swap(a.col(pivot));
    std::swap(squared[rank], squared[pivot]);
    std::swap(computed[rank], computed[pivot]);
    double length = 0.0;
    a.col(rank).tail(rows - rank).makeHouseholderInPlace(factors[rank], length);
    if (!(std::abs(length) > least)) break;
    a(rank, rank) = length;
    const Eigen::Index left = columns - rank - 1;
    a.bottomRightCorner(rows - rank, left)
        .applyHouseholderOnTheLeft(a.col(rank).tail(rows - rank - 1), factors[rank], work.data());
    for (Eigen::Index j = rank + 1; j < columns; ++j) {
      squared[j] -= a(rank, j) * a(rank, j);
      if (squared[j] > kRecomputed * computed[j]) continue;
      squared[j] = computed[j] = a.col(j).tail(rows - rank - 1).squaredNorm();
    }
  }
  Matrix basis = Matrix::Identity(rows, rank);
  basis.applyOnTheLeft(Eigen::HouseholderSequence<Matrix, Vector>(a, factors).setLength(rank));
  return basis;
}

}  // namespace stickslip
