// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/verify/contact_bounds.h"

namespace stickslip {

ContactBounds find_largest_bounds(const System& system, int body_a, int body_b) {
  ContactBounds most;
  const auto n_shapes = [&](int body) { return static_cast<int>(system.bodies()[body].shapes.size()); };
  for (int a = 0; a < n_shapes(body_a); ++a) {
    for (int b = 0; b < n_shapes(body_b); ++b) {
      const int shape_a = system.first_shape(body_a) + a;
      const int shape_b = system.first_shape(body_b) + b;
      if (!system.has_detected_law(shape_a, shape_b)) continue;
      most.add(system.detected_law(shape_a, shape_b));
    }
  }
  return most;
}

}  // namespace stickslip
