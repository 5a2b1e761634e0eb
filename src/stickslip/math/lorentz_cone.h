// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace stickslip {

// The Lorentz cone L = {a : a_0 >= |a_1|}, a = (a_0, a_1) with a_1 all components but the first, and its Jordan product
// a o b = (a . b, a_0 b_1 + b_0 a_1) [Fukushima2002]. Vectors have `dim` >= 1 components; with one, L is a half line.

/// a^T J b = a_0 b_0 - a_1 . b_1.
inline double calc_j_product(int dim, const double* a, const double* b) {
  double sum = a[0] * b[0];
  for (int r = 1; r < dim; ++r) sum -= a[r] * b[r];
  return sum;
}

/// a^T J a by (a_0 - |a_1|) (a_0 + |a_1|), which keeps its digits near the boundary.
inline double calc_determinant(int dim, const double* a) {
  double squared = 0.0;
  for (int r = 1; r < dim; ++r) squared += a[r] * a[r];
  const double norm = std::sqrt(squared);
  return (a[0] - norm) * (a[0] + norm);
}

/// c = a o b; c may be neither.
inline void multiply_jordan(int dim, const double* a, const double* b, double* c) {
  c[0] = a[0] * b[0];
  for (int r = 1; r < dim; ++r) {
    c[0] += a[r] * b[r];
    c[r] = a[0] * b[r] + b[0] * a[r];
  }
}

/// c with a o c = b, for a inside L.
inline void divide_jordan(int dim, const double* a, const double* b, double* c) {
  c[0] = calc_j_product(dim, a, b) / calc_determinant(dim, a);
  for (int i = 1; i < dim; ++i) c[i] = (b[i] - c[0] * a[i]) / a[0];
}

/// The Fischer-Burmeister function of L, zero where L contains x and y and x o y = 0:
///   phi = x + y - z,   z o z = x o x + y o y  [Fukushima2002],
/// with an element of its generalised derivative, by_x = I - L_z^-1 L_x, by_y = I - L_z^-1 L_y, L_a b = a o b, each
/// (dim, dim) row-major. Where z is on the boundary of L, or so near that L_z has no inverse to working accuracy, the
/// derivative is that of the smoothed function, z o z = x o x + y o y + 2 eps^2 e. phi is strongly semismooth
/// [Sun2005]. x, y, phi (dim).
void calc_fischer_burmeister(int dim, const double* x, const double* y, double* phi, double* by_x, double* by_y);

}  // namespace stickslip
