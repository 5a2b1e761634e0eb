// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include "stickslip/math/types.h"

namespace stickslip::event_driven {

/// Accelerations that the laws want to be zero are so within this part of those in play: ten and more times what
/// solvers leave. [-]
inline constexpr double kZeroAcceleration = 1e-7;

inline double norm(const double* x, int n) {
  double squared = 0.0;
  for (int i = 0; i < n; ++i) squared += x[i] * x[i];
  return std::sqrt(squared);
}

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
