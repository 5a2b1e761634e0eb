// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <type_traits>

namespace stickslip {

// Products of small row-major blocks that lie in flat arrays, in a fixed order of summation. Written as plain loops:
// for blocks of one to six rows whose size is known only at run time they are quicker than general kernels.

/// function(n), with n known to the compiler where it is that of a planar point or body or of a spatial body: the same
/// sums, sooner.
template <class Function>
auto with_size(int n, const Function& function) {
  switch (n) {
    case 2:
      return function(std::integral_constant<int, 2>{});
    case 3:
      return function(std::integral_constant<int, 3>{});
    case 6:
      return function(std::integral_constant<int, 6>{});
    default:
      return function(n);
  }
}

/// |x|_2, x (n).
inline double norm(const double* x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

/// y += A x. A (rows, cols), x (cols), y (rows). Sizes here and below can be those of with_size().
template <class Cols>
void add_product(int rows, Cols cols, const double* a, const double* x, double* y) {
  if (rows == 3 && cols == 3) {  // spatial contacts, without loops: the same sums
    y[0] += 0.0 + a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
    y[1] += 0.0 + a[3] * x[0] + a[4] * x[1] + a[5] * x[2];
    y[2] += 0.0 + a[6] * x[0] + a[7] * x[1] + a[8] * x[2];
    return;
  }
  if (rows == 1 && cols == 1) {  // without friction
    y[0] += 0.0 + a[0] * x[0];
    return;
  }
  for (int i = 0; i < rows; ++i) {
    double sum = 0.0;
    for (int j = 0; j < cols; ++j) sum += a[i * cols + j] * x[j];
    y[i] += sum;
  }
}

/// y = A x, likewise.
inline void set_product(int rows, int cols, const double* a, const double* x, double* y) {
  if (rows == 3 && cols == 3) {
    y[0] = 0.0 + a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
    y[1] = 0.0 + a[3] * x[0] + a[4] * x[1] + a[5] * x[2];
    y[2] = 0.0 + a[6] * x[0] + a[7] * x[1] + a[8] * x[2];
    return;
  }
  for (int i = 0; i < rows; ++i) {
    double sum = 0.0;
    for (int j = 0; j < cols; ++j) sum += a[i * cols + j] * x[j];
    y[i] = sum;
  }
}

/// y += A x, A (n, n) symmetric: by columns, some at once, which the processor adds up side by side. Of the steps of a
/// chain of beams, 10 velocities each, add_product took an eighth.
template <class Size>
void add_symmetric_product(Size n, const double* a, const double* x, double* y) {
  constexpr int kTogether = std::is_same_v<Size, int> ? 4 : Size{};
  int first = 0;
  for (; first + kTogether <= n; first += kTogether) {
    double sums[kTogether] = {};
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < kTogether; ++k) sums[k] += a[i * n + first + k] * x[i];
    }
    for (int k = 0; k < kTogether; ++k) y[first + k] += sums[k];
  }
  for (; first < n; ++first) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i * n + first] * x[i];
    y[first] += sum;
  }
}

/// y += A^T x. A (rows, cols), x (rows), y (cols).
template <class Cols>
void add_transposed_product(int rows, Cols cols, const double* a, const double* x, double* y) {
  if constexpr (std::is_same_v<Cols, int>) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) y[j] += a[i * cols + j] * x[i];
    }
  } else {
    double sums[Cols{}];  // in registers
    for (int j = 0; j < cols; ++j) sums[j] = y[j];
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) sums[j] += a[i * cols + j] * x[i];
    }
    for (int j = 0; j < cols; ++j) y[j] = sums[j];
  }
}

}  // namespace stickslip
