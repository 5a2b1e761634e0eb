// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/friction_polygon.h"

#include <cmath>
#include <numbers>

#include "stickslip/base/assert.h"

namespace stickslip {

FrictionPolygon::FrictionPolygon(int facets, double orientation) : facets_(facets), orientation_(orientation) {
  STICKSLIP_ASSERT(facets == 0 || facets >= 3);
  if (facets == 0) return;
  apothem_ = std::cos(std::numbers::pi / facets);
  half_edge_ = std::sin(std::numbers::pi / facets);
}

/// The direction at so many sectors of 2 pi / facets from the first corner.
FrictionPolygon::Pair FrictionPolygon::unit(double sectors) const {
  const double angle = orientation_ + 2.0 * std::numbers::pi * sectors / facets_;
  return {std::cos(angle), std::sin(angle)};
}

FrictionPolygon::Slip FrictionPolygon::find_slip(const double* v, double zero) const {
  const double sector = 2.0 * std::numbers::pi / facets_;
  const double at = (std::atan2(-v[1], -v[0]) - orientation_) / sector;  // 0: at the first corner
  const double corner = std::round(at);
  const double off = at - corner;  // in [-1/2, 1/2]
  const bool on_edge = std::hypot(v[0], v[1]) * std::sin((0.5 - std::abs(off)) * sector) <= zero;
  const Pair friction = unit(on_edge ? corner + std::copysign(0.5, off) : corner);
  return {{-friction[0], -friction[1]}, on_edge};
}

FrictionPolygon::Slip FrictionPolygon::find_slip_against(const double* f) const {
  const double at = (std::atan2(f[1], f[0]) - orientation_) * facets_ / (2.0 * std::numbers::pi);
  const Pair normal = unit(std::floor(at) + 0.5);
  return {{-normal[0], -normal[1]}, true};
}

FrictionPolygon::Slip FrictionPolygon::take(const double* direction) const {
  return find_slip(direction, kRoundOff);
}

FrictionPolygon::Pair FrictionPolygon::turn(const Pair& n, double sign) const {
  const Pair left = across(n);
  return {apothem_ * n[0] + sign * half_edge_ * left[0], apothem_ * n[1] + sign * half_edge_ * left[1]};
}

double FrictionPolygon::calc_distance(const Pair& n, double sign, const double* v) const {
  const Pair left = across(n);
  return half_edge_ * (n[0] * v[0] + n[1] * v[1]) - sign * apothem_ * (left[0] * v[0] + left[1] * v[1]);
}

double FrictionPolygon::calc_gauge(const double* f) const {
  const Pair n = find_slip_against(f).direction;
  return -(n[0] * f[0] + n[1] * f[1]) / apothem_;
}

}  // namespace stickslip
