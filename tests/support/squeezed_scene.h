// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace stickslip::test {

/// A block of 100 kg on a plate of 5 g, on a slope that friction holds both on, far from a ball, the first of the
/// three, between walls that close at .2 m/s each: no step has a solution, but there alone.
inline std::string squeeze_beside_a_block(const std::string& scheme) {
  return "stickslip = 1\nscheme = {type = \"" + scheme + R"("}
time = {end = 1, step = 1e-3}
gravity = [2, -10]
[bodies.ground]
type = "fixed"
shapes.w = {type = "half-space", normal = [0, 1]}
[bodies.left]
type = "moving"
position = ["-5.5 + 0.2*t", 0]
shapes.w = {type = "half-space", normal = [1, 0]}
[bodies.right]
type = "moving"
position = ["-4.5 - 0.2*t", 0]
shapes.w = {type = "half-space", normal = [-1, 0]}
[bodies.ball]
type = "planar"
mass = 1
inertia = 0.1
position = [-5, 0.5]
shapes.p = {type = "sphere", radius = 0.5}
[bodies.plate]
type = "planar"
mass = 5e-3
inertia = 1e-3
position = [1, 0.05]
shapes.p = {type = "box", size = [1, 0.1]}
[bodies.block]
type = "planar"
mass = 100
inertia = 10
position = [1, 0.4]
shapes.p = {type = "box", size = [0.8, 0.6]}
[[contacts]]
name = "l"
between = ["left", "ball"]
[[contacts]]
name = "g"
between = ["ground", "plate"]
friction = 0.5
[[contacts]]
name = "r"
between = ["right", "ball"]
[[contacts]]
name = "b"
between = ["plate", "block"]
friction = 0.5
)";
}

}  // namespace stickslip::test
