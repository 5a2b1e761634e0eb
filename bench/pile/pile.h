// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

struct Ball {
  double radius;
  Vector3 position;
  Vector4 orientation;  // w, x, y, z
  Vector3 velocity, spin;
};

struct SpherePile {
  double side = 0.0;  // [m] of the box
  double floor = 0.0;
  std::vector<Ball> balls;
};

SpherePile read_pile(const std::string& path);
void write_pile(const SpherePile& pile, const std::string& path);
/// n x n mirror images: every other one is turned over in x, in y or in both.
SpherePile tile(const SpherePile& one, int n);

}  // namespace stickslip
