// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "stickslip/model/system.h"

namespace stickslip {

/// The largest coefficients of some contacts.
struct ContactBounds {
  double friction = 0.0;                 // [-]
  double rolling = 0.0, spinning = 0.0;  // [m]

  void add(const ContactLaw& law) {
    friction = std::max({friction, law.friction, law.ellipse ? law.ellipse->across : 0.0});
    rolling = std::max(rolling, law.rolling);
    spinning = std::max(spinning, law.spinning);
  }
  /// [m] By which moments become forces, and these lengths coefficients of friction.
  double lever() const {
    const double most = std::max(rolling, spinning);
    return most > 0.0 ? most : 1.0;
  }
};

/// Of detected contacts between the shapes of two bodies: results do not say which shapes touch.
ContactBounds find_largest_bounds(const System& system, int body_a, int body_b);

}  // namespace stickslip
