// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/math/small_matrix.h"
#include "stickslip/math/types.h"

namespace stickslip::event_driven {

/// Accelerations that the laws want to be zero are so within this part of those in play: ten and more times what
/// solvers leave. [-]
inline constexpr double kZeroAcceleration = 1e-7;

/// Where x (n) points; all of it zero where it is none.
inline std::array<double, kMaxFrictionDim> direction_of(const double* x, int n) {
  std::array<double, kMaxFrictionDim> direction = {};
  const double size = norm(x, n);
  for (int i = 0; i < n && size > 0.0; ++i) direction[i] = x[i] / size;
  return direction;
}

inline double dot(const std::array<double, kMaxFrictionDim>& a, const std::array<double, kMaxFrictionDim>& b) {
  double sum = 0.0;
  for (int r = 0; r < kMaxFrictionDim; ++r) sum += a[r] * b[r];
  return sum;
}

}  // namespace stickslip::event_driven
