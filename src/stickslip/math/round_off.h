// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

/// What counts as nothing beside one, for the whole library: tolerances that are round-off are made of these.
namespace stickslip {

/// Distance from 1 to the next double, 2^-52.
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// [-] Round-off of a sum of a few products, such as a row of a constraint times velocities, relative to its terms.
inline constexpr double kSumRoundOff = 8.0 * kEpsilon;
/// [-] Pivots below this share of the largest are zero: two rows scaled to one agree within round-off of their
/// directions. A light body between a heavy one and the ground has the ratio of their masses as a pivot.
inline constexpr double kRankThreshold = 1e-13;

}  // namespace stickslip
