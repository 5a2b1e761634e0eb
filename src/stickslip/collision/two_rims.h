// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "stickslip/collision/curved_points.h"

namespace stickslip {

// Where two rims are nearest to each other.

/// Angles of a rim at which its distance from another is looked at first.
inline constexpr int kRimLooks = 12;
inline constexpr double kRimTurn = 2.0 * std::numbers::pi / kRimLooks;  // [rad] between two of them

/// Two rims, a point x of the first of which, the own one, goes round it. The own rim's axis is z, and its radius not
/// the larger. The two solids' least translation or distance between their rims is that of a place where x is nearer to
/// the other rim than beside it.
struct TwoRims {
  double r, R;            // [m] radii of the own rim and the other
  Vector3 center, other;  // (3) [m] of either
  Vector3 axis;           // (3) [-] of the other

  struct At {
    double angle = 0.0;                           // [rad]
    Vector3 out, tangent, x;                      // (3) [-], [-], [m] of the own rim
    double slope = 0.0, bend = 0.0, twist = 0.0;  // [m] derivatives of half the square of x's distance from the other
                                                  // rim over the angle, over r
  };

  At look(double angle, double cosine, double sine) const {
    At at;
    at.angle = angle;
    at.out = Vector3(cosine, sine, 0.0);
    at.tangent = Vector3(-sine, cosine, 0.0);
    at.x = center + r * at.out;
    const Vector3 v = at.x - other;
    const Vector3 w = part_across(v, axis);
    const double norm = w.norm();
    const double along = at.tangent.dot(v);
    at.slope = along;
    at.bend = r - at.out.dot(v);
    at.twist = -along;
    if (!(norm > 0.0)) return at;
    const double share = R / norm;
    const double turn = at.tangent.dot(axis);
    const double across = at.tangent.dot(w);
    const double rate = across / norm;
    const double change = r * (1.0 - turn * turn - rate * rate) - at.out.dot(w);
    at.slope -= share * across;
    at.bend -= share * change;
    at.twist += share * (3.0 * r * (rate * change / norm - turn * at.out.dot(axis)) + across);
    return at;
  }

  /// Where between two angles the value changes its sign: by Newton's method, and by halves where it leads out.
  At find_root(const At& low, const At& high, double At::*value, double At::*derivative) const {
    constexpr int kMaxTurns = 60;         // five are usual
    constexpr double kSamePlace = 1e-14;  // [rad]
    double from = low.angle;
    double to = high.angle;
    const bool grows = low.*value < 0.0;
    double angle = 0.5 * (from + to);
    for (int turn = 0;; ++turn) {
      const At at = look(angle, std::cos(angle), std::sin(angle));
      if (at.*value == 0.0 || turn == kMaxTurns) return at;
      ((at.*value < 0.0) == grows ? from : to) = angle;
      const double next = angle - at.*value / at.*derivative;
      angle = next > from && next < to ? next : 0.5 * (from + to);
      if (std::abs(angle - at.angle) <= kSamePlace) return at;
    }
  }
};

/// Between two angles with a least bend between them a place where it is negative, or where it is about least.
inline TwoRims::At find_negative_bend(const TwoRims& rims, const TwoRims::At& low, const TwoRims::At& high) {
  constexpr int kMaxTurns = 6;
  double from = low.angle;
  double to = high.angle;
  double twist_from = low.twist;
  double twist_to = high.twist;
  for (int turn = 0;; ++turn) {
    const double angle = from - twist_from * (to - from) / (twist_to - twist_from);
    const TwoRims::At at = rims.look(angle, std::cos(angle), std::sin(angle));
    if (at.bend < 0.0 || turn == kMaxTurns) return at;
    (at.twist < 0.0 ? from : to) = angle;
    (at.twist < 0.0 ? twist_from : twist_to) = at.twist;
  }
}

/// f(at) for every place of the own rim that is nearer to the other rim than those beside it. Two such places may lie
/// close together, as where one rim just crosses another from inside: between them the bend is negative.
template <class F>
void for_nearest_on_rims(const TwoRims& rims, const F& f) {
  using At = TwoRims::At;
  static const std::array<Eigen::Vector2d, kRimLooks> kLooks = [] {
    std::array<Eigen::Vector2d, kRimLooks> looks;
    for (int k = 0; k < kRimLooks; ++k) looks[k] = {std::cos(kRimTurn * k), std::sin(kRimTurn * k)};
    return looks;
  }();
  const auto offer_between = [&](const At& low, const At& high) {
    if (low.slope < 0.0 && high.slope >= 0.0) f(rims.find_root(low, high, &At::slope, &At::bend));
  };
  const auto offer_parts = [&](const At& low, const At& high) {
    if ((low.bend < 0.0) == (high.bend < 0.0)) return offer_between(low, high);
    const At middle = rims.find_root(low, high, &At::bend, &At::twist);
    offer_between(low, middle);
    offer_between(middle, high);
  };
  At before = rims.look(-kRimTurn, kLooks.back()(0), kLooks.back()(1));
  for (int k = 0; k < kRimLooks; ++k) {
    const At at = rims.look(kRimTurn * k, kLooks[k](0), kLooks[k](1));
    if (before.bend >= 0.0 && at.bend >= 0.0 && before.twist < 0.0 && at.twist >= 0.0) {
      const At least = find_negative_bend(rims, before, at);
      offer_parts(before, least);
      offer_parts(least, at);
    } else {
      offer_parts(before, at);
    }
    before = at;
  }
}

}  // namespace stickslip
