// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <numbers>

namespace stickslip {

/// A number of the normal distribution of mean 0 and standard deviation 1 from two uniform and independent ones,
/// `share` in (0, 1] and `turn` in [0, 1]. [-] [BoxMuller1958]
inline double make_normal_number(double share, double turn) {
  return std::sqrt(-2.0 * std::log(share)) * std::cos(2.0 * std::numbers::pi * turn);
}

}  // namespace stickslip
