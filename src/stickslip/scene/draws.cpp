// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/draws.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "stickslip/math/normal_number.h"

namespace stickslip {
namespace {

/// Inverse of the distribution function of density x^k on [a, b] at `unit` in [0, 1).
double draw_power(double a, double b, double k, double unit) {
  const double n = k + 1.0;
  const double whole = std::log(b / a);
  if (n == 0.0) return std::clamp(a * std::exp(unit * whole), a, b);
  // From the end where the density is large, so that no power over- or underflows; by expm1 and log1p, so that numbers
  // near k = -1 keep their digits.
  const double x = n > 0.0 ? b * std::exp(std::log1p((1.0 - unit) * std::expm1(-n * whole)) / n)
                           : a * std::exp(std::log1p(unit * std::expm1(n * whole)) / n);
  return std::clamp(x, a, b);
}

}  // namespace

double Draws::unit() {
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(engine_() >> 11) * kUnit;
}

double Draws::normal() {
  const double share = 1.0 - unit();
  return make_normal_number(share, unit());
}

Vector4 Draws::rotation() {
  const double share = unit();
  const double first = 2.0 * std::numbers::pi * unit();
  const double second = 2.0 * std::numbers::pi * unit();
  const double s = std::sqrt(1.0 - share);
  const double c = std::sqrt(share);
  return {c * std::cos(second), s * std::sin(first), s * std::cos(first), c * std::sin(second)};
}

double DrawLaw::draw(Draws& draws) const {
  switch (kind) {
    case Kind::uniform:
      return draws.uniform(parameters[0], parameters[1]);
    case Kind::normal:
      return parameters[0] + parameters[1] * draws.normal();
    case Kind::log_normal:
      return parameters[0] * std::exp(parameters[1] * draws.normal());
    case Kind::power:
      return draw_power(parameters[0], parameters[1], parameters[2], draws.unit());
    case Kind::list:
      break;
  }
  const double largest = *std::max_element(weights.begin(), weights.end());  // by which no sum overflows
  double sum = 0.0;
  for (const double weight : weights) sum += weight / largest;
  double left = sum * draws.unit();
  std::size_t last = 0;  // of those with a weight: round-off may leave a little at the end
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (weights[i] == 0.0) continue;
    last = i;
    left -= weights[i] / largest;
    if (left < 0.0) break;
  }
  return parameters[last];
}

}  // namespace stickslip
