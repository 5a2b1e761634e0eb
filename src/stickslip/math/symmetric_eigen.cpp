// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace stickslip {
namespace {

/// Sweeps over all pairs. Convergence is quadratic; well under ten are needed for n <= 8, so this is only a fence
/// against values that are not finite.
constexpr int kMaxSweeps = 40;

/// Rotates the plane (i, j), i < j, so that A_ij vanishes. `n` is a size, or an std::integral_constant.
template <class Size>
void rotate(Size n, double* a, double* vectors, int i, int j) {
  const double a_ij = a[i * n + j];
  const double tau = (a[j * n + j] - a[i * n + i]) / (2.0 * a_ij);
  const double t = (tau >= 0.0 ? 1.0 : -1.0) / (std::abs(tau) + std::sqrt(1.0 + tau * tau));
  const double c = 1.0 / std::sqrt(1.0 + t * t);
  const double s = t * c;
  a[i * n + i] -= t * a_ij;
  a[j * n + j] += t * a_ij;
  a[i * n + j] = 0.0;
  for (int k = 0; k < n; ++k) {
    if (k == i || k == j) continue;
    double& a_ik = a[std::min(i, k) * n + std::max(i, k)];
    double& a_jk = a[std::min(j, k) * n + std::max(j, k)];
    const double old = a_ik;
    a_ik = c * old - s * a_jk;
    a_jk = s * old + c * a_jk;
  }
  for (int k = 0; k < n; ++k) {
    const double old = vectors[k * n + i];
    vectors[k * n + i] = c * old - s * vectors[k * n + j];
    vectors[k * n + j] = s * old + c * vectors[k * n + j];
  }
}

template <class Size>
void diagonalise(Size n, double* a, double* values, double* vectors) {
  std::fill_n(vectors, n * n, 0.0);
  for (int i = 0; i < n; ++i) vectors[i * n + i] = 1.0;
  // Relative to the two diagonal entries, which keeps small eigenvalues accurate [Demmel1992].
  constexpr double kNegligible = std::numeric_limits<double>::epsilon() / 4.0;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool rotated = false;
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) {
        const double bound = kNegligible * std::sqrt(std::abs(a[i * n + i] * a[j * n + j]));
        if (!(std::abs(a[i * n + j]) > std::max(bound, std::numeric_limits<double>::min()))) continue;
        rotate(n, a, vectors, i, j);
        rotated = true;
      }
    }
    if (!rotated) break;
  }
  for (int i = 0; i < n; ++i) values[i] = a[i * n + i];
}

}  // namespace

void calc_symmetric_eigen(int n, double* a, double* values, double* vectors) {
  // Contacts in space first: loops whose length is known take half as long.
  if (n == 2) return diagonalise(std::integral_constant<int, 2>(), a, values, vectors);
  diagonalise(n, a, values, vectors);
}

void calc_symmetric_part(int n, const double* a, double* symmetric) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) symmetric[i * n + j] = 0.5 * (a[i * n + j] + a[j * n + i]);
  }
}

}  // namespace stickslip
