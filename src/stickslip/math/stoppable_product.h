// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "stickslip/base/stop_token.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// The dense product a b, columns by columns: asks `stop` every ten milliseconds or so, and throws Interrupted where it
/// is raised. Each entry sums its terms in the same order as in one go.
template <class A, class B>
Matrix multiply_stoppably(const A& a, const B& b, const StopToken& stop) {
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

}  // namespace stickslip
