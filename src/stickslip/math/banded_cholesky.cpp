// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/banded_cholesky.h"

#include <algorithm>
#include <cmath>

#include "stickslip/base/assert.h"

namespace stickslip {

BandedCholesky::BandedCholesky(const Matrix& A, int bandwidth)
    : n_(static_cast<int>(A.rows())), bandwidth_(bandwidth), band_(static_cast<std::size_t>(n_ * (bandwidth + 1))) {
  for (int i = 0; i < n_; ++i) {
    const int begin = std::max(0, i - bandwidth_);
    for (int j = begin; j <= i; ++j) {
      double sum = A(i, j);
      for (int k = std::max(begin, j - bandwidth_); k < j; ++k) sum -= at(i, k) * at(j, k);
      if (i == j) {
        constexpr double kRoundOff = 1e-13;  // [-] of the sum that a pivot is left of
        if (!(sum > kRoundOff * A(i, i))) {
          positive_definite_ = false;
          return;
        }
        at(i, i) = std::sqrt(sum);
      } else {
        at(i, j) = sum / at(j, j);
      }
    }
  }
}

void BandedCholesky::solve(double* x, int stride) const {
  STICKSLIP_ASSERT(positive_definite_);
  for (int i = 0; i < n_; ++i) {
    double sum = x[i * stride];
    for (int k = std::max(0, i - bandwidth_); k < i; ++k) sum -= at(i, k) * x[k * stride];
    x[i * stride] = sum / at(i, i);
  }
  for (int i = n_ - 1; i >= 0; --i) {
    double sum = x[i * stride];
    for (int k = i + 1; k <= std::min(n_ - 1, i + bandwidth_); ++k) sum -= at(k, i) * x[k * stride];
    x[i * stride] = sum / at(i, i);
  }
}

}  // namespace stickslip
