// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

namespace stickslip::test {

/// TOML of two bodies in free flight that turn at 5 rad/s about their common centre, held together by one to three
/// hinges, of which one and a half would do.
inline std::string spinning_bodies(int n_hinges) {
  std::string text = R"(gravity = [0, -9.81]
[bodies.a]
type = "planar"
mass = 1.3
inertia = 0.1
velocity = ["=1+5*0.63/3.4", "=2-5*2.1/3.4"]
angular_velocity = 5
[bodies.b]
type = "planar"
mass = 2.1
inertia = 0.2
position = [1, 0.3]
velocity = ["=1-5*0.39/3.4", "=2+5*1.3/3.4"]
angular_velocity = 5
)";
  const std::array<const char*, 3> places = {"[0.3, 0.4]", "[-0.5, 0.7]", "[0.8, -0.2]"};
  for (int k = 0; k < n_hinges; ++k) {
    text += "[joints.hinge" + std::to_string(k) +
            "]\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = " + places[k] + "\n";
  }
  return text;
}

}  // namespace stickslip::test
