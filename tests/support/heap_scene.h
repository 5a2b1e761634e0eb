// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace stickslip::test {

/// Discs that fall on each other in a narrow box: impacts, then a heap, dense after a few steps. `rows` of five discs;
/// `settings`: the tables of scheme, solver, output, ... in TOML.
inline std::string heap_scene(int rows, const std::string& settings) {
  return R"(
stickslip = 1
name = "heap"
gravity = [0, -9.81]
time = {end = 0.3, step = 1e-3}
[bodies.box]
type = "fixed"
shapes.floor = {type = "half-space", normal = [0, 1], offset = 0}
shapes.left = {type = "half-space", normal = [1, 0], offset = 0}
shapes.right = {type = "half-space", normal = [-1, 0], offset = -0.23}
[[fill]]
prefix = "disc"
grid = {counts = [5, )" +
         std::to_string(rows) + R"(], spacing = 0.043, origin = [0.029, 0.022]}
jitter = 5e-4
seed = 7
body = {type = "planar", density = 1000, shapes.disc = {type = "sphere", radius = {uniform = [0.016, 0.021]}}}
[contact_default]
friction = 0.3
)" + settings;
}

}  // namespace stickslip::test
