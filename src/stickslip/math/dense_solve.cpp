// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/dense_solve.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stickslip {

bool solve_dense(int n, double* a, double* rhs, double threshold) {
  const auto row = [&](int i) { return a + static_cast<std::size_t>(i) * n; };
  double least = 0.0;
  if (threshold > 0.0) {
    for (int i = 0; i < n * n; ++i) least = std::max(least, std::abs(a[i]));
    least *= threshold;
  }
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(row(i)[k]) > std::abs(row(pivot)[k])) pivot = i;
    }
    if (!(std::abs(row(pivot)[k]) > least) || !std::isfinite(row(pivot)[k])) return false;
    if (pivot != k) {
      std::swap_ranges(row(k) + k, row(k) + n, row(pivot) + k);
      std::swap(rhs[k], rhs[pivot]);
    }
    const double* upper = row(k);
    for (int i = k + 1; i < n; ++i) {
      double* lower = row(i);
      if (lower[k] == 0.0) continue;
      const double factor = lower[k] / upper[k];
      for (int j = k + 1; j < n; ++j) lower[j] -= factor * upper[j];
      rhs[i] -= factor * rhs[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    double sum = rhs[k];
    for (int j = k + 1; j < n; ++j) sum -= row(k)[j] * rhs[j];
    rhs[k] = sum / row(k)[k];
  }
  return true;
}

}  // namespace stickslip
