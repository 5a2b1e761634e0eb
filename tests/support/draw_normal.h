// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>
#include <vector>

namespace stickslip::test {

/// n numbers of the standard normal distribution.
inline std::vector<double> draw_normal(int n, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<double> x(n);
  for (double& value : x) value = normal(random);
  return x;
}

}  // namespace stickslip::test
