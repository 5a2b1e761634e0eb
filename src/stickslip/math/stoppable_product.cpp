// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/stoppable_product.h"

#include <algorithm>

namespace stickslip {
namespace {

/// The product of a (m, k), a matrix or a transposed one, and b (k, n).
template <class A>
Matrix multiply(const A& a, const Matrix& b, const StopToken& stop) {
  constexpr double kAtOnce = 4e7;     // [-] multiplications
  constexpr Eigen::Index kLeast = 8;  // [-] columns: kernels take four at a time
  const double for_a_column = static_cast<double>(a.rows()) * static_cast<double>(a.cols());
  const Eigen::Index width =
      kLeast * std::max<Eigen::Index>(1, static_cast<Eigen::Index>(kAtOnce / kLeast / std::max(for_a_column, 1.0)));
  Matrix product(a.rows(), b.cols());
  for (Eigen::Index first = 0; first < b.cols(); first += width) {
    stop.check();
    const Eigen::Index n = std::min(width, b.cols() - first);
    product.middleCols(first, n).noalias() = a * b.middleCols(first, n);
  }
  return product;
}

}  // namespace

Matrix multiply_stoppably(const Matrix& a, const Matrix& b, const StopToken& stop) {
  return multiply(a, b, stop);
}

Matrix multiply_transposed_stoppably(const Matrix& a, const Matrix& b, const StopToken& stop) {
  return multiply(a.transpose(), b, stop);
}

}  // namespace stickslip
