// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/rank_revealing_solve.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "stickslip/math/dense_factors.h"

namespace stickslip {
namespace {

constexpr int kFixedCapacity = 48;

/// The same as math's solve_least_norm(), without allocation.
void least_norm_of_few(int n, const double* a, const double* b, double* x, double threshold) {
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kFixedCapacity, kFixedCapacity>;
  using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kFixedCapacity, 1>;
  Eigen::CompleteOrthogonalDecomposition<Square> decomposition;
  decomposition.setThreshold(threshold);
  const Square A = ConstRowMatrixView(a, n, n);
  const Column rhs = ConstVectorView(b, n);
  decomposition.compute(A);
  const Column solution = decomposition.solve(rhs);
  std::copy_n(solution.data(), n, x);
}

/// The largest |a| of n values; four at a time, which compilers leave undone.
double find_largest(int n, const double* a) {
  double largest[4] = {};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) largest[k] = std::max(largest[k], std::abs(a[i + k]));
  }
  for (; i < n; ++i) largest[0] = std::max(largest[0], std::abs(a[i]));
  return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
}

/// Solves G y = y, G (m, m) positive definite, of which the lower half is read and destroyed; its rows are `stride`
/// apart.
void solve_cholesky(int m, double* G, int stride, double* y) {
  const auto at = [&](int i, int j) -> double& { return G[static_cast<std::size_t>(i) * stride + j]; };
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = at(i, j);
      for (int k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
      at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
    }
    for (int k = 0; k < i; ++k) y[i] -= at(i, k) * y[k];
    y[i] /= at(i, i);
  }
  for (int i = m - 1; i >= 0; --i) {
    y[i] /= at(i, i);
    for (int k = 0; k < i; ++k) y[k] -= at(i, k) * y[i];
  }
}

/// The x of least norm with the least residual from an elimination that ended at rank r, L U = P A Q with L of r
/// columns, b being L^-1 P b as far as that goes. With V = L11^-T L21^T and X = U11^-1 U12 the columns of (-V; I) span
/// what A does not reach, and those of (-X; I) what A takes to zero:
///   U11 x_p = b1 + L11^-1 V (I + V^T V)^-1 b2,   x2 = (I + X^T X)^-1 X^T x_p,   x1 = x_p - X x2.
/// All in the places of L21, U12 and the block that was left; `scratch` (n).
void finish_deficient(int n, int r, double* a, double* b, double* scratch) {
  const auto at = [&](int i, int j) -> double& { return a[static_cast<std::size_t>(i) * n + j]; };
  const int m = n - r;
  double* G = &at(r, r);
  const auto gram = [&](int i, int j) -> double& { return G[static_cast<std::size_t>(i) * n + j]; };
  // V^T for L21.
  for (int i = 1; i < n; ++i) {
    for (int k = 0; k < std::min(i, r); ++k) at(i, k) /= at(k, k);
  }
  for (int i = r; i < n; ++i) {
    for (int j = r - 1; j > 0; --j) {
      for (int k = 0; k < j; ++k) at(i, k) -= at(i, j) * at(j, k);
    }
  }
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = i == j ? 1.0 : 0.0;
      for (int k = 0; k < r; ++k) sum += at(r + i, k) * at(r + j, k);
      gram(i, j) = sum;
    }
  }
  solve_cholesky(m, G, n, b + r);
  std::fill_n(scratch, r, 0.0);
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < r; ++k) scratch[k] += at(r + i, k) * b[r + i];
  }
  for (int j = 0; j < r; ++j) {
    for (int k = 0; k < j; ++k) scratch[j] -= at(j, k) * scratch[k];
    b[j] += scratch[j];
  }
  // X for U12, x_p for b1.
  for (int k = r - 1; k >= 0; --k) {
    for (int j = k + 1; j < r; ++j) {
      for (int c = r; c < n; ++c) at(k, c) -= at(k, j) * at(j, c);
      b[k] -= at(k, j) * b[j];
    }
    for (int c = r; c < n; ++c) at(k, c) /= at(k, k);
    b[k] /= at(k, k);
  }
  for (int i = 0; i < m; ++i) {
    std::fill_n(&gram(i, 0), i, 0.0);
    gram(i, i) = 1.0;
    b[r + i] = 0.0;
  }
  for (int k = 0; k < r; ++k) {
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j <= i; ++j) gram(i, j) += at(k, r + i) * at(k, r + j);
      b[r + i] += at(k, r + i) * b[k];
    }
  }
  solve_cholesky(m, G, n, b + r);
  for (int k = 0; k < r; ++k) {
    for (int i = 0; i < m; ++i) b[k] -= at(k, r + i) * b[r + i];
  }
}

}  // namespace

FoundRank solve_complete_pivoting(int n, double* a, double* b, int* order, double* x, double threshold) {
  const auto at = [&](int i, int j) -> double& { return a[static_cast<std::size_t>(i) * n + j]; };
  std::iota(order, order + n, 0);
  double largest = 0.0;
  double smallest = 0.0;
  int rank = 0;
  for (; rank < n; ++rank) {
    const int k = rank;
    int pivot_row = k;
    int pivot_column = k;
    double pivot = 0.0;
    for (int i = k; i < n; ++i) {
      const double of_row = find_largest(n - k, &at(i, k));
      if (of_row > pivot) {
        pivot = of_row;
        pivot_row = i;
      }
    }
    while (pivot > 0.0 && std::abs(at(pivot_row, pivot_column)) != pivot) ++pivot_column;
    if (k == 0) largest = pivot;
    if (!(pivot > threshold * largest)) break;
    smallest = k == 0 ? pivot : std::min(smallest, pivot);
    if (pivot_row != k) {
      std::swap_ranges(&at(k, 0), &at(k, 0) + n, &at(pivot_row, 0));
      std::swap(b[k], b[pivot_row]);
    }
    if (pivot_column != k) {
      for (int i = 0; i < n; ++i) std::swap(at(i, k), at(i, pivot_column));
      std::swap(order[k], order[pivot_column]);
    }
    for (int i = k + 1; i < n; ++i) {
      if (at(i, k) == 0.0) continue;
      const double factor = at(i, k) / at(k, k);
      double* row = &at(i, 0);
      const double* top = &at(k, 0);
      for (int j = k + 1; j < n; ++j) row[j] -= factor * top[j];
      b[i] -= factor * b[k];
    }
  }
  if (rank < n) {
    finish_deficient(n, rank, a, b, x);
  } else {
    for (int k = n - 1; k >= 0; --k) {
      double sum = b[k];
      for (int j = k + 1; j < n; ++j) sum -= at(k, j) * b[j];
      b[k] = sum / at(k, k);
    }
  }
  for (int k = 0; k < n; ++k) x[order[k]] = b[k];
  return {rank, rank > 0 ? smallest / largest : 0.0};
}

void solve_least_norm(int n, const double* a, const double* b, double* x, double threshold) {
  if (n <= kFixedCapacity) {
    least_norm_of_few(n, a, b, x, threshold);
  } else {
    VectorView(x, n) = solve_least_norm(ConstRowMatrixView(a, n, n), ConstVectorView(b, n), threshold);
  }
}

}  // namespace stickslip
