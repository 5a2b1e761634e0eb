// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "stickslip/base/stop_token.h"
#include "stickslip/math/small_matrix.h"

namespace stickslip {

/// a . b, both (n), summed in order.
inline double dot(int n, const double* a, const double* b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// factorise_lu() of a size that the compiler may know.
template <class Size>
bool factorise_sized_lu(Size n, double* a, int* pivots, const StopToken& stop) {
  for (int k = 0; k < n; ++k) {
    stop.check();
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    pivots[k] = pivot;
    if (!(std::abs(a[pivot * n + k]) > 0.0)) return false;
    if (pivot != k) std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
    const double inverse = 1.0 / a[k * n + k];
    a[k * n + k] = inverse;
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] * inverse;
      a[i * n + k] = factor;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

/// factorise_lu() of any other size: the same bits.
bool factorise_long_lu(int n, double* a, int* pivots, const StopToken& stop);

/// LU factors with partial pivoting, in place, with the inverse of the pivots on the diagonal; quick for the blocks of
/// one or a few bodies. a (n, n) row-major, pivots (n). False where singular.
inline bool factorise_lu(int order, double* a, int* pivots, const StopToken& stop) {
  return with_size(order, [&](auto n) {
    if constexpr (std::is_same_v<std::remove_const_t<decltype(n)>, int>) {
      return factorise_long_lu(n, a, pivots, stop);
    } else {
      return factorise_sized_lu(n, a, pivots, stop);
    }
  });
}

/// b (n) becomes A^-1 b, by the factors.
inline void solve_lu(int order, const double* a, const int* pivots, double* b) {
  with_size(order, [&](auto n) {
    for (int k = 0; k < n; ++k) std::swap(b[k], b[pivots[k]]);
    for (int i = 1; i < n; ++i) b[i] -= dot(i, a + i * n, b);
    for (int i = n - 1; i >= 0; --i) b[i] = (b[i] - dot(n - 1 - i, a + i * n + i + 1, b + i + 1)) * a[i * n + i];
  });
}

}  // namespace stickslip
