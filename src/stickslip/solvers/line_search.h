// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

namespace stickslip {

/// The share of a step's length by which it has to lower the defect [Armijo1966].
inline constexpr double kSufficientDecrease = 1e-4;

/// The longest of the lengths 1, 1/2, ..., 2^-max_halvings of a Newton step at which `move(length)`, which goes there
/// and returns the defect, gives less than `before`; nothing where none does. A Newton step on f promises
/// |f| (1 - length).
template <class Move>
std::optional<double> halve_until_lower(double before, int max_halvings, const Move& move) {
  double length = 1.0;
  for (int halvings = 0; halvings <= max_halvings; ++halvings, length *= 0.5) {
    if (move(length) < before * (1.0 - kSufficientDecrease * length)) return length;
  }
  return std::nullopt;
}

}  // namespace stickslip
