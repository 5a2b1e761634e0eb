// SPDX-License-Identifier: BSD-3-Clause
#include "bench/pile/pile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stickslip {

SpherePile read_pile(const std::string& path) {
  std::ifstream in(path);
  SpherePile pile;
  std::string line;
  std::string word;
  std::getline(in, line);
  std::istringstream(line) >> word >> word >> word >> word >> pile.side;
  while (std::getline(in, line)) {
    std::ranges::replace(line, ',', ' ');
    std::istringstream numbers(line);
    Ball b;
    numbers >> b.radius;
    for (double& x : b.position) numbers >> x;
    for (double& x : b.orientation) numbers >> x;
    for (double& x : b.velocity) numbers >> x;
    for (double& x : b.spin) numbers >> x;
    if (numbers) pile.balls.push_back(b);
  }
  if (pile.balls.empty() || !(pile.side > 0.0)) throw std::runtime_error(path + ": no pile");
  double lowest = HUGE_VAL;
  for (const Ball& b : pile.balls) lowest = std::min(lowest, b.position(2) - b.radius);
  constexpr double kOverlap = 1e-3;  // [m]
  pile.floor = std::abs(lowest) < kOverlap ? 0.0 : lowest;
  return pile;
}

void write_pile(const SpherePile& pile, const std::string& path) {
  std::ofstream out(path);
  out << fmt::format("# N {} L {} H 0\n", pile.balls.size(), pile.side);
  for (const Ball& b : pile.balls) {
    out << fmt::format("{}", b.radius);
    for (const double x : b.position) out << fmt::format(",{}", x);
    for (const double x : b.orientation) out << fmt::format(",{}", x);
    for (const double x : b.velocity) out << fmt::format(",{}", x);
    for (const double x : b.spin) out << fmt::format(",{}", x);
    out << '\n';
  }
}

SpherePile tile(const SpherePile& one, int n) {
  SpherePile pile = {one.side * n, one.floor, {}};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const Vector3 centre(one.side * (i + 0.5 - 0.5 * n), one.side * (j + 0.5 - 0.5 * n), 0.0);
      for (Ball b : one.balls) {
        if (i % 2 == 1) {
          b.position(0) = -b.position(0);
          b.velocity(0) = -b.velocity(0);
          b.spin = Vector3(b.spin(0), -b.spin(1), -b.spin(2));
          b.orientation = Vector4(b.orientation(0), b.orientation(1), -b.orientation(2), -b.orientation(3));
        }
        if (j % 2 == 1) {
          b.position(1) = -b.position(1);
          b.velocity(1) = -b.velocity(1);
          b.spin = Vector3(-b.spin(0), b.spin(1), -b.spin(2));
          b.orientation = Vector4(b.orientation(0), -b.orientation(1), b.orientation(2), -b.orientation(3));
        }
        b.position += centre;
        pile.balls.push_back(b);
      }
    }
  }
  return pile;
}

}  // namespace stickslip
