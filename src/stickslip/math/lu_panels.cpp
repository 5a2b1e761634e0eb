// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/lu_panels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace stickslip {
namespace {

constexpr int kPivotsAtOnce = 32;  // eliminated together: no figure depends on it

template <int kBytes>
struct VectorOf {
  using Type [[gnu::vector_size(kBytes)]] = double;
};

// One source, compiled for several instruction sets and chosen when the program starts. Each entry sums its terms in
// the same order in all of them, and nothing is contracted (-ffp-contract=off), so the bits do not depend on the
// choice. Where vectors are written out each set has its own: GCC keeps longer ones in memory.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define STICKSLIP_SIMD_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#define STICKSLIP_SIMD_VERSIONS(define) \
  define([[gnu::target("default")]], 16) define([[gnu::target("avx2")]], 32) define([[gnu::target("avx512f")]], 64)
#else
#define STICKSLIP_SIMD_CLONES
#define STICKSLIP_SIMD_VERSIONS(define) define(, 16)
#endif

/// y -= A x. A (rows, cols) column-major with the given stride, x (cols), y (rows); x and y do not overlap.
[[gnu::always_inline]] inline void subtract_columns(int rows, int cols, const double* a, int stride, const double* x,
                                                    double* __restrict__ y) {
  int k = 0;
  for (; k + 4 <= cols; k += 4) {
    const double* a0 = a + static_cast<std::size_t>(k) * stride;
    const double* a1 = a0 + stride;
    const double* a2 = a1 + stride;
    const double* a3 = a2 + stride;
    const double x0 = x[k];
    const double x1 = x[k + 1];
    const double x2 = x[k + 2];
    const double x3 = x[k + 3];
    for (int i = 0; i < rows; ++i) y[i] = (((y[i] - a0[i] * x0) - a1[i] * x1) - a2[i] * x2) - a3[i] * x3;
  }
  for (; k < cols; ++k) {
    const double* a0 = a + static_cast<std::size_t>(k) * stride;
    const double x0 = x[k];
    for (int i = 0; i < rows; ++i) y[i] -= a0[i] * x0;
  }
}

/// y -= A x for several right-hand sides: y (rows, n_sides), A (rows, cols), x (cols, n_sides), column-major with the
/// given strides; x and y do not overlap. Tiles of y, of two vectors and four sides, stay in registers while columns of
/// A pass by, each read once for four sides. Each entry subtracts its terms one by one in the order of the columns, as
/// in subtract_columns().
template <int kBytes>
[[gnu::always_inline]] inline void subtract_product(int rows, int cols, int n_sides, const double* a, int stride,
                                                    const double* x, int x_stride, double* __restrict__ y, int y_stride,
                                                    const StopToken& stop) {
  using Vector = typename VectorOf<kBytes>::Type;
  constexpr int kVector = kBytes / static_cast<int>(sizeof(double));  // rows of a vector
  constexpr int kSides = 4;                                           // columns of a tile
  constexpr int kDepth = 64;  // columns of A at a time, which stay in the cache; and sides between two asks to stop
  const int in_tiles = rows - rows % (2 * kVector);
  for (int first = 0; first < cols; first += kDepth) {
    const int depth = std::min(kDepth, cols - first);
    const double* a_first = a + static_cast<std::size_t>(first) * stride;
    int side = 0;
    for (; in_tiles > 0 && side + kSides <= n_sides; side += kSides) {
      if (side % kDepth == 0) stop.check();
      const double* x0 = x + static_cast<std::size_t>(side) * x_stride + first;
      const double* x1 = x0 + x_stride;
      const double* x2 = x1 + x_stride;
      const double* x3 = x2 + x_stride;
      double* y0 = y + static_cast<std::size_t>(side) * y_stride;
      double* y1 = y0 + y_stride;
      double* y2 = y1 + y_stride;
      double* y3 = y2 + y_stride;
      for (int i = 0; i < in_tiles; i += 2 * kVector) {
        Vector t0, t1, t2, t3, s0, s1, s2, s3;  // the upper and the lower vector of each side
        std::memcpy(&t0, y0 + i, kBytes);
        std::memcpy(&t1, y1 + i, kBytes);
        std::memcpy(&t2, y2 + i, kBytes);
        std::memcpy(&t3, y3 + i, kBytes);
        std::memcpy(&s0, y0 + i + kVector, kBytes);
        std::memcpy(&s1, y1 + i + kVector, kBytes);
        std::memcpy(&s2, y2 + i + kVector, kBytes);
        std::memcpy(&s3, y3 + i + kVector, kBytes);
        const double* column = a_first + i;
        for (int k = 0; k < depth; ++k, column += stride) {
          Vector upper, lower;
          std::memcpy(&upper, column, kBytes);
          std::memcpy(&lower, column + kVector, kBytes);
          t0 -= upper * x0[k];
          s0 -= lower * x0[k];
          t1 -= upper * x1[k];
          s1 -= lower * x1[k];
          t2 -= upper * x2[k];
          s2 -= lower * x2[k];
          t3 -= upper * x3[k];
          s3 -= lower * x3[k];
        }
        std::memcpy(y0 + i, &t0, kBytes);
        std::memcpy(y1 + i, &t1, kBytes);
        std::memcpy(y2 + i, &t2, kBytes);
        std::memcpy(y3 + i, &t3, kBytes);
        std::memcpy(y0 + i + kVector, &s0, kBytes);
        std::memcpy(y1 + i + kVector, &s1, kBytes);
        std::memcpy(y2 + i + kVector, &s2, kBytes);
        std::memcpy(y3 + i + kVector, &s3, kBytes);
      }
      if (in_tiles == rows) continue;
      for (int s = 0; s < kSides; ++s) {
        subtract_columns(rows - in_tiles, depth, a_first + in_tiles, stride,
                         x0 + static_cast<std::size_t>(s) * x_stride,
                         y0 + static_cast<std::size_t>(s) * y_stride + in_tiles);
      }
    }
    for (; side < n_sides; ++side) {
      if (side % kDepth == 0) stop.check();
      subtract_columns(rows, depth, a_first, stride, x + static_cast<std::size_t>(side) * x_stride + first,
                       y + static_cast<std::size_t>(side) * y_stride);
    }
  }
}

/// x = L^-1 x for the first n of the columns of L, whose diagonal is 1: from the first row of x on. x (n).
[[gnu::always_inline]] inline void solve_unit_lower(int n, const double* lower, int stride, double* __restrict__ x) {
  for (int k = 0; k + 1 < n; ++k) {
    const double factor = x[k];
    const double* column = lower + static_cast<std::size_t>(k) * stride;
    for (int i = k + 1; i < n; ++i) x[i] -= factor * column[i];
  }
}

/// y -= f l, both of n_vectors vectors.
template <int kBytes, class Count>
[[gnu::always_inline]] inline void subtract_multiple(Count n_vectors, const double* l, double f, double* y) {
  using Vector = typename VectorOf<kBytes>::Type;
  constexpr int kVector = kBytes / static_cast<int>(sizeof(double));
  for (int v = 0; v < n_vectors; ++v) {
    Vector a, b;
    std::memcpy(&a, l + v * kVector, kBytes);
    std::memcpy(&b, y + v * kVector, kBytes);
    b -= a * f;
    std::memcpy(y + v * kVector, &b, kBytes);
  }
}

constexpr int kFewRows = 32;  // of a panel that is eliminated column by column: no figure depends on it

/// The n pivots of a square of n_rows rows in columns of n_vectors whole vectors.
template <int kBytes, class Count>
[[gnu::always_inline]] inline int eliminate(Count n_vectors, int n, int n_rows, double (*a)[kFewRows], int* swaps,
                                            const double* thresholds) {
  constexpr int kVector = kBytes / static_cast<int>(sizeof(double));
  alignas(64) double l[kFewRows];
  int n_replaced = 0;
  for (int k = 0; k < n; ++k) {
    double* column = a[k];
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    }
    swaps[k] = pivot;
    if (pivot != k) {
      for (int j = 0; j < n_rows; ++j) std::swap(a[j][k], a[j][pivot]);
    }
    if (!std::isfinite(column[k])) return -1;
    if (std::abs(column[k]) < thresholds[k]) {
      column[k] = column[k] < 0.0 ? -thresholds[k] : thresholds[k];
      ++n_replaced;
    }
    const double inverse = 1.0 / column[k];
    std::fill_n(l, n_vectors * kVector, 0.0);
    for (int i = k + 1; i < n_rows; ++i) l[i] = column[i] *= inverse;
    for (int j = k + 1; j < n_rows; ++j) subtract_multiple<kBytes>(n_vectors, l, a[j][k], a[j]);
  }
  return n_replaced;
}

/// factorize_panel() of few rows, n + m <= kFewRows: as a square with zeros for the product, in columns of whole
/// vectors, of which each pivot takes its multiples at once.
template <int kBytes>
[[gnu::always_inline]] inline int factorize_small_by(int n, int m, double* lower, double* upper, int* swaps,
                                                     const double* thresholds, double* product) {
  constexpr int kVector = kBytes / static_cast<int>(sizeof(double));
  const int n_rows = n + m;
  const int n_vectors = (n_rows + kVector - 1) / kVector;
  alignas(64) double a[kFewRows][kFewRows];  // columns of L, and of U above the product
  for (int j = 0; j < n_rows; ++j) {
    const int rows = j < n ? n_rows : n;
    std::fill(std::copy_n(j < n ? lower + j * n_rows : upper + (j - n) * n, rows, a[j]), a[j] + n_vectors * kVector,
              0.0);
  }
  int n_replaced = 0;
  switch (n_vectors) {  // loops of known length are quicker; in a lambda they would be those of the default target
    case 1:
      n_replaced = eliminate<kBytes>(std::integral_constant<int, 1>{}, n, n_rows, a, swaps, thresholds);
      break;
    case 2:
      n_replaced = eliminate<kBytes>(std::integral_constant<int, 2>{}, n, n_rows, a, swaps, thresholds);
      break;
    case 3:
      n_replaced = eliminate<kBytes>(std::integral_constant<int, 3>{}, n, n_rows, a, swaps, thresholds);
      break;
    case 4:
      n_replaced = eliminate<kBytes>(std::integral_constant<int, 4>{}, n, n_rows, a, swaps, thresholds);
      break;
    default:
      n_replaced = eliminate<kBytes>(n_vectors, n, n_rows, a, swaps, thresholds);
  }
  for (int j = 0; j < n; ++j) std::copy_n(a[j], n_rows, lower + j * n_rows);
  for (int j = 0; j < m; ++j) {
    std::copy_n(a[n + j], n, upper + j * n);
    std::copy_n(a[n + j] + n, m, product + j * m);
  }
  return n_replaced;
}

/// The largest magnitude of each column of the n. lower (n_rows, n)
template <int kBytes>
[[gnu::always_inline]] inline void find_largest_by(int n, int n_rows, const double* lower, double* largest) {
  using Vector = typename VectorOf<kBytes>::Type;
  constexpr int kVector = kBytes / static_cast<int>(sizeof(double));
  for (int k = 0; k < n; ++k, lower += n_rows) {
    Vector most = {};
    int i = 0;
    for (; i + kVector <= n_rows; i += kVector) {
      Vector a;
      std::memcpy(&a, lower + i, kBytes);
      a = a < 0.0 ? -a : a;
      most = most < a ? a : most;
    }
    double of_column = 0.0;
    for (int v = 0; v < kVector; ++v) of_column = std::max(of_column, most[v]);
    for (; i < n_rows; ++i) of_column = std::max(of_column, std::abs(lower[i]));
    largest[k] = of_column;
  }
}

template <int kBytes>
[[gnu::always_inline]] inline int factorize_panel_by(int n, int m, double* lower, double* upper, int* swaps,
                                                     const double* thresholds, double* product, const StopToken& stop) {
  const int stride = n + m;
  if (stride <= kFewRows) return factorize_small_by<kBytes>(n, m, lower, upper, swaps, thresholds, product);
  const auto at = [stride](int row, int column) { return static_cast<std::size_t>(column) * stride + row; };
  int n_replaced = 0;
  for (int first = 0; first < n; first += kPivotsAtOnce) {
    const int end = std::min(n, first + kPivotsAtOnce);
    for (int k = first; k < end; ++k) {
      stop.check();
      double* column = lower + at(0, k);
      // The part of the pivots before it: its pivot rows one by one, the rest in one go.
      solve_unit_lower(k - first, lower + at(first, first), stride, column + first);
      subtract_columns(stride - k, k - first, lower + at(k, first), stride, column + first, column + k);
      int pivot = k;
      for (int i = k + 1; i < n; ++i) {
        if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
      }
      swaps[k] = pivot;
      if (pivot != k) {
        for (int j = 0; j < n; ++j) std::swap(lower[at(k, j)], lower[at(pivot, j)]);
        for (int j = 0; j < m; ++j) {
          std::swap(upper[static_cast<std::size_t>(j) * n + k], upper[static_cast<std::size_t>(j) * n + pivot]);
        }
      }
      if (!std::isfinite(column[k])) return -1;
      if (std::abs(column[k]) < thresholds[k]) {
        column[k] = column[k] < 0.0 ? -thresholds[k] : thresholds[k];
        ++n_replaced;
      }
      const double inverse = 1.0 / column[k];
      for (int i = k + 1; i < stride; ++i) column[i] *= inverse;
    }
    if (end == n) break;
    for (int k = end; k < n; ++k) solve_unit_lower(end - first, lower + at(first, first), stride, lower + at(first, k));
    subtract_product<kBytes>(stride - end, end - first, n - end, lower + at(end, first), stride, lower + at(first, end),
                             stride, lower + at(end, end), stride, stop);
  }
  for (int first = 0; first < n && m > 0; first += kPivotsAtOnce) {
    stop.check();
    const int end = std::min(n, first + kPivotsAtOnce);
    for (int j = 0; j < m; ++j) {
      solve_unit_lower(end - first, lower + at(first, first), stride, upper + static_cast<std::size_t>(j) * n + first);
    }
    if (end == n) break;
    subtract_product<kBytes>(n - end, end - first, m, lower + at(end, first), stride, upper + first, n, upper + end, n,
                             stop);
  }
  std::fill_n(product, static_cast<std::size_t>(m) * m, 0.0);
  if (m > 0) subtract_product<kBytes>(m, n, m, lower + n, stride, upper, n, product, m, stop);
  return n_replaced;
}

#define STICKSLIP_DEFINE(target, bytes)                                                                  \
  target int factorize(int n, int m, double* lower, double* upper, int* swaps, const double* thresholds, \
                       double* product, const StopToken& stop) {                                         \
    return factorize_panel_by<bytes>(n, m, lower, upper, swaps, thresholds, product, stop);              \
  }                                                                                                      \
  target void find_largest_entries(int n, int m, const double* lower, double* largest) {                 \
    find_largest_by<bytes>(n, n + m, lower, largest);                                                    \
  }
STICKSLIP_SIMD_VERSIONS(STICKSLIP_DEFINE)
#undef STICKSLIP_DEFINE

STICKSLIP_SIMD_CLONES void solve_lower(int n, int m, const double* lower, double* x, double* product) {
  solve_unit_lower(n, lower, n + m, x);
  std::fill_n(product, m, 0.0);
  subtract_columns(m, n, lower + n, n + m, x, product);
}

STICKSLIP_SIMD_CLONES void solve_upper(int n, int m, const double* lower, const double* upper, const double* right,
                                       double* __restrict__ x) {
  subtract_columns(n, m, upper, n, right, x);
  for (int k = n - 1; k >= 0; --k) {
    const double* pivot = lower + static_cast<std::size_t>(k) * (n + m);
    x[k] /= pivot[k];
    const double factor = x[k];
    for (int i = 0; i < k; ++i) x[i] -= factor * pivot[i];
  }
}

#undef STICKSLIP_SIMD_CLONES
#undef STICKSLIP_SIMD_VERSIONS

}  // namespace

// A version that is only declared where it is called would not be chosen: these are plain.

int factorize_panel(int n, int m, double* lower, double* upper, int* swaps, const double* thresholds, double* product,
                    const StopToken& stop) {
  return factorize(n, m, lower, upper, swaps, thresholds, product, stop);
}

void find_largest(int n, int m, const double* lower, double* largest) {
  find_largest_entries(n, m, lower, largest);
}

void solve_lower_panel(int n, int m, const double* lower, double* x, double* product) {
  solve_lower(n, m, lower, x, product);
}

void solve_upper_panel(int n, int m, const double* lower, const double* upper, const double* right, double* x) {
  solve_upper(n, m, lower, upper, right, x);
}

}  // namespace stickslip
