// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/math/cones.h"

namespace stickslip {

/// A regular polygon of friction in two directions: P = conv{d_j}, d_j = (cos, sin)(orientation + 2 pi j / facets) on
/// the unit circle [Trinkle2003 eq. 35], and what maximal dissipation makes of it: the friction of a normal force N
/// that slides with the velocity v is
///
///   f in mu N argmax over d in P of -v.d,                                                      [Trinkle2003 (37)]
///
/// which is at one corner, -v being nearest to it, or, where v is normal to an edge, anywhere on that edge: there
/// friction along v is mu N times the apothem, and friction across v is what holds v there, up to mu N times half an
/// edge.
class FrictionPolygon {
 public:
  /// Two directions, or components along them.
  using Pair = std::array<double, 2>;
  /// Round-off of directions, and of cosines between them: far below half a sector of any polygon that is solved. [-]
  static constexpr double kRoundOff = 1e-9;
  /// How something slides: the direction that friction opposes, -d_j or minus the outward normal of an edge [-], and
  /// whether it is an edge.
  struct Slip {
    Pair direction = {};
    bool on_edge = false;
  };

  FrictionPolygon() = default;  // none: a disc
  /// facets: 0, a disc; or at least 3. orientation [rad].
  FrictionPolygon(int facets, double orientation);

  bool exists() const { return facets_ > 0; }
  /// Makes a friction set of two directions this polygon, or a disc where there is none.
  void shape(FrictionBlock& block) const {
    if (block.dim != 2) return;
    block.facets = facets_;
    block.orientation = exists() ? orientation_ : 0.0;
  }
  double apothem() const { return apothem_; }      // [-] cos(pi / facets)
  double half_edge() const { return half_edge_; }  // [-] sin(pi / facets)

  /// Of a velocity v != 0 [m/s]; normal to an edge where it is so up to `zero` [m/s].
  Slip find_slip(const double* v, double zero) const;
  /// What begins to slide where friction f leaves the polygon: through an edge.
  Slip find_slip_against(const double* f) const;
  /// The same of a direction that was found before.
  Slip take(const double* direction) const;
  /// The corner next to an edge, or the edge next to a corner, where v turns from the direction to its left (sign = 1)
  /// or right (-1).
  Pair turn(const Pair& direction, double sign) const;
  /// How far v is from the edge to its left or right while a corner holds: above zero until it is there [m/s].
  double calc_distance(const Pair& direction, double sign, const double* v) const;
  /// The s for which f is on the border of s P, in the unit of f: its size where it counts against mu N.
  double calc_gauge(const double* f) const;

 private:
  Pair unit(double sectors) const;

  int facets_ = 0;
  double orientation_ = 0.0;
  double apothem_ = 1.0, half_edge_ = 0.0;
};

/// Across a direction, to its left.
inline FrictionPolygon::Pair across(const FrictionPolygon::Pair& n) {
  return {-n[1], n[0]};
}

}  // namespace stickslip
