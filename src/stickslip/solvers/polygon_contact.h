// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/math/cones.h"

namespace stickslip {

// One contact in space with a polygon for its friction disc, solved exactly.
//
//   find p, u:  u = W p + b,   0 <= p_N perp u_N >= 0,   p_T in p_N D,   -u_T in the normal cone of p_N D at p_T,
//
// D with corners mu d_j, d_j = (cos, sin)(orientation + 2 pi j / n) [Trinkle2003 eqs. 32, 37]. A solution is one of
//
//   takeoff          p = 0                              where b_N >= 0;
//   stick            p = -W^-1 b                        where that lies in the cone;
//   slip at corner j p = p_N (1, mu d_j)                u_N = 0, -u_T between the normals of the edges at that corner;
//   slip on edge j   p_T = p_N mu (d_j + s (d_j+1 - d_j)), 0 <= s <= 1, u_N = 0, -u_T along the edge's outer normal,
//
// each a linear system of at most three equations, of which all are tried: 2 n + 2 candidates, no iteration. Several
// may be solutions where W couples friction and normal strongly (Painleve); the one nearest to the starting guess is
// taken, as OneContact does.
class PolygonContact {
 public:
  /// block: dimension 2, facets >= 3. W (3, 3) row-major [1/kg].
  void prepare(const FrictionBlock& block, const double* w);

  /// Solves for b (3) [m/s]. p (3) [N s]: on entry the starting guess, on exit the solution, untouched where there is
  /// none to working accuracy. Returns how many solutions were found; those on the border between two kinds, which are
  /// one, count once.
  int solve(const double* b, double* p) const;

 private:
  using Rows = std::array<double, 3>;
  using Direction = std::array<double, 2>;
  struct Found;

  void try_stick(const double* b, Found& found) const;
  void try_corner(const Direction& before, const Direction& at, const Direction& next, const double* b,
                  Found& found) const;
  void try_edge(const Direction& from, const Direction& to, const double* b, Found& found) const;
  static void take(const Rows& p, Found& found);
  Direction corner(int j) const;

  FrictionBlock block_;
  double support_ = 0.0;          // [-] distance of D's edges from its centre
  std::array<double, 9> w_ = {};  // (3, 3) [1/kg]
};

}  // namespace stickslip
