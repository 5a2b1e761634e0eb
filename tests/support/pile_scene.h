// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace stickslip::test {

/// 36 spheres in a block on a floor, along which they slide: 84 contacts within the activation distance, so many that
/// they take the packed Delassus operator.
inline std::string pile_scene(const std::string& solver) {
  return R"(
stickslip = 1
name = "pile"
gravity = [0, 0, -9.81]
time = {end = 0.1, step = 1e-3}
scheme = {type = "moreau", activation = 1e-3}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}
[[fill]]
prefix = "ball"
grid = {counts = [3, 3, 4], spacing = 0.02, origin = [0.01, 0.01, 0.01]}
body = {type = "rigid", density = 1000, velocity = [0.2, 0.1, 0], shapes.ball = {type = "sphere", radius = 0.01}}
[contact_default]
friction = 0.3
envelope = 2e-3
[solver]
tolerance = 1e-6
type = ")" +
         solver + "\"\n";
}

}  // namespace stickslip::test
