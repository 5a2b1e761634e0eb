// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/gauss_legendre.h"

#include <cmath>
#include <numbers>

namespace stickslip {
namespace {

struct Legendre {
  double value;  // P_n(x)
  double slope;  // P_n'(x)
};

Legendre legendre(int n, double x) {
  double previous = 1.0;
  double current = x;
  for (int k = 2; k <= n; ++k) {
    const double next = ((2 * k - 1) * x * current - (k - 1) * previous) / k;
    previous = current;
    current = next;
  }
  return {current, n * (x * current - previous) / (x * x - 1.0)};
}

}  // namespace

std::vector<QuadraturePoint> gauss_legendre(int n) {
  std::vector<QuadraturePoint> rule;
  for (int i = n; i >= 1; --i) {
    // Newton's method on P_n from the classical estimate of its i-th root: quadratic, three to four rounds.
    double x = std::cos(std::numbers::pi * (i - 0.25) / (n + 0.5));
    constexpr int kRounds = 8;
    for (int round = 0; round < kRounds; ++round) {
      const Legendre p = legendre(n, x);
      x -= p.value / p.slope;
    }
    const double slope = legendre(n, x).slope;
    rule.push_back({0.5 + 0.5 * x, 1.0 / ((1.0 - x * x) * slope * slope)});
  }
  return rule;
}

}  // namespace stickslip
