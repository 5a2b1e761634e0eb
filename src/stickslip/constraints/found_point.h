// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/model/system.h"

namespace stickslip {

/// A contact point of a manifold with what touches there, before both have their places.
struct FoundPoint {
  ContactPoint point;
  FrozenFeatures features;
};

/// Appends the numbers by which ranks tell each other a point: whatever the system does not say.
void put_found(const FoundPoint& found, std::vector<double>& numbers);
/// The point that begins at a number, which is then the one behind it.
FoundPoint take_found(const System& system, const double*& next);

}  // namespace stickslip
