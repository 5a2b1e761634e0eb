// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace stickslip::test {

/// Bricks laid dry on the ground, half a brick of bond, at rest.
inline std::string wall_scene(int length, int height) {
  return R"(
stickslip = 1
time = {end = 2, step = 5e-3}
scheme = {type = "generalized-alpha"}
[bodies.ground]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[[fill]]
prefix = "brick"
body = {density = 2000}
bricks = {size = [0.25, 0.12, 0.08], origin = [0, 0, 0], bond = 0.5, counts = [)" +
         std::to_string(length) + ", 1, " + std::to_string(height) + R"(]}
[contact_default]
friction = 0.5
)";
}

/// n x n x layers balls that fall into a box of `side` [m] and settle; tolerances as a user sets them for heaps.
inline std::string balls_scene(int n, int layers, double side) {
  const std::string count = std::to_string(n);
  const std::string wall = std::to_string(-side);
  return R"(
stickslip = 1
time = {end = 1, step = 1e-3}
scheme = {type = "generalized-alpha", tolerance = 1e-6}
solver = {tolerance = 1e-6, max_iterations = 2000}
[bodies.box]
type = "fixed"
shapes.floor = {type = "half-space", normal = [0, 0, 1]}
shapes.left = {type = "half-space", normal = [1, 0, 0]}
shapes.front = {type = "half-space", normal = [0, 1, 0]}
shapes.right = {type = "half-space", normal = [-1, 0, 0], offset = )" +
         wall + R"(}
shapes.back = {type = "half-space", normal = [0, -1, 0], offset = )" +
         wall + R"(}
[[fill]]
prefix = "ball"
jitter = 1e-3
seed = 7
body = {density = 1000, shapes.ball = {type = "sphere", radius = {uniform = [0.016, 0.021]}}}
grid = {spacing = 0.046, origin = [0.033, 0.033, 0.03], counts = [)" +
         count + ", " + count + ", " + std::to_string(layers) + R"(]}
[contact_default]
friction = 0.3
)";
}

}  // namespace stickslip::test
