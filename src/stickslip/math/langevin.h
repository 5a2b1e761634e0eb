// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace stickslip {

/// The Langevin function coth(x) - 1/x of x >= 0, in [0, 1): x/3 near 0, 1 - 1/x far away. To 1e-12 of its value: the
/// two terms alone lose all digits where x is small.
inline double langevin(double x) {
  constexpr double kSmall = 0.05;  // [-] up to here the series is off by 3e-15, beyond the two terms by 3e-13
  if (x < kSmall) {
    const double x2 = x * x;
    return x * (1.0 / 3.0 - x2 * (1.0 / 45.0 - x2 * (2.0 / 945.0 - x2 / 4725.0)));
  }
  return 1.0 / std::tanh(x) - 1.0 / x;
}

}  // namespace stickslip
