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

struct Pile {
  double side = 0.0;  // [m] of the box
  double floor = 0.0;
  std::vector<Ball> balls;
};

Pile read_pile(const std::string& path);
void write_pile(const Pile& pile, const std::string& path);
/// n x n mirror images: every other one is turned over in x, in y or in both.
Pile tile(const Pile& one, int n);

}  // namespace stickslip
