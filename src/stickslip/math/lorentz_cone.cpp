// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/lorentz_cone.h"

#include <algorithm>
#include <array>

#include "stickslip/base/assert.h"

namespace stickslip {
namespace {

constexpr int kMaxDim = 16;
/// The smoothing of the derivative, as a share of |z|: L_z^-1 loses so many digits at most. [-]
constexpr double kSmoothing = 1e-8;

/// out = I - L_z^-1 L_a.
void subtract_quotient(int dim, const double* z, const double* a, double* out) {
  std::array<double, kMaxDim> column;
  std::array<double, kMaxDim> quotient;
  for (int j = 0; j < dim; ++j) {
    std::fill_n(column.begin(), dim, 0.0);
    column[0] = a[j];
    if (j == 0) {
      std::copy_n(a, dim, column.begin());
    } else {
      column[j] = a[0];
    }
    divide_jordan(dim, z, column.data(), quotient.data());
    for (int i = 0; i < dim; ++i) out[i * dim + j] = (i == j ? 1.0 : 0.0) - quotient[i];
  }
}

}  // namespace

void calc_fischer_burmeister(int dim, const double* x, const double* y, double* phi, double* by_x, double* by_y) {
  STICKSLIP_ASSERT(dim >= 1 && dim <= kMaxDim);
  // x o x + y o y = (c_0, c_1) has the spectral values c_0 -+ |c_1| with c_1 = |c_1| d. As sums of squares,
  // |x_0 d -+ x_1|^2 + |y_0 d -+ y_1|^2, they keep their digits. [Fukushima2002]
  std::array<double, kMaxDim> d = {};
  double norm = 0.0;
  for (int r = 1; r < dim; ++r) {
    d[r] = 2.0 * (x[0] * x[r] + y[0] * y[r]);
    norm += d[r] * d[r];
  }
  norm = std::sqrt(norm);
  for (int r = 1; r < dim; ++r) d[r] = norm > 0.0 ? d[r] / norm : 0.0;
  if (dim > 1 && !(norm > 0.0)) d[1] = 1.0;  // c_1 = 0: any direction will do
  std::array<double, 2> spectral = {};
  for (int r = 1; r < dim; ++r) {
    for (int k = 0; k < 2; ++k) {
      const double sign = k == 0 ? -1.0 : 1.0;
      const double a = x[0] * d[r] + sign * x[r];
      const double b = y[0] * d[r] + sign * y[r];
      spectral[k] += a * a + b * b;
    }
  }
  if (dim == 1) spectral = {x[0] * x[0] + y[0] * y[0], x[0] * x[0] + y[0] * y[0]};
  const double low = std::sqrt(spectral[0]);
  const double high = std::sqrt(spectral[1]);
  for (int r = 0; r < dim; ++r) {
    const double z = r == 0 ? 0.5 * (low + high) : 0.5 * (high - low) * d[r];
    phi[r] = x[r] + y[r] - z;
  }
  std::array<double, kMaxDim> z;
  if (!(high > 0.0)) {  // x = y = 0: the limit along x = y = e
    z.fill(0.0);
    for (int k = 0; k < dim * dim; ++k) by_x[k] = by_y[k] = k % (dim + 1) == 0 ? 1.0 - std::sqrt(0.5) : 0.0;
    return;
  }
  const double least = kSmoothing * high;
  const double smooth_low = std::sqrt(spectral[0] + least * least);
  const double smooth_high = std::sqrt(spectral[1] + least * least);
  z[0] = 0.5 * (smooth_low + smooth_high);
  for (int r = 1; r < dim; ++r) z[r] = 0.5 * (smooth_high - smooth_low) * d[r];
  subtract_quotient(dim, z.data(), x, by_x);
  subtract_quotient(dim, z.data(), y, by_y);
}

}  // namespace stickslip
