// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

namespace stickslip {

/// Distance from 1 to the next double, 2^-52: bounds and tolerances that are round-off are small multiples of it.
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace stickslip
