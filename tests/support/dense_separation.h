// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/collision/solid.h"

namespace stickslip::test {

// Separations of solids by dense optimisation over directions, without anything of the narrow phase.

using Real = long double;
using Real3 = Eigen::Matrix<Real, 3, 1>;

/// The largest value of f over all directions, and the best of these: latitudes and longitudes first, then a square of
/// nodes across the best direction, one side of which lies along the last move, so that it follows ridges. It closes in
/// where no node is better.
template <class F>
Real find_largest(const F& f, Real3& best) {
  constexpr Real kPi = std::numbers::pi_v<Real>;
  constexpr int kLatitudes = 48;
  Real most = -HUGE_VALL;
  for (int i = 0; i <= kLatitudes; ++i) {
    for (int j = 0; j < 2 * kLatitudes; ++j) {
      const Real theta = kPi * i / kLatitudes;
      const Real phi = kPi * j / kLatitudes;
      const Real3 n(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta));
      if (const Real value = f(n); value > most) {
        most = value;
        best = n;
      }
    }
  }
  constexpr int kNodes = 3;        // on each side of the middle
  constexpr int kMostTurns = 400;  // a straight ridge takes some 60
  Real3 along = best.unitOrthogonal();
  Real width = 2.0L * kPi / kLatitudes;
  for (int turn = 0; turn < kMostTurns && width > 1e-15L; ++turn) {
    const Real3 across = best.cross(along);
    Real3 better = best;
    for (int i = -kNodes; i <= kNodes; ++i) {
      for (int j = -kNodes; j <= kNodes; ++j) {
        const Real3 n = (best + width / kNodes * (Real(i) * along + Real(j) * across)).normalized();
        if (const Real value = f(n); value > most) {
          most = value;
          better = n;
        }
      }
    }
    const Real3 moved = better - best;
    if (moved.isZero(0.0L)) {
      width *= 0.5L;
      continue;
    }
    best = better;
    along = (moved - best * best.dot(moved)).normalized();
  }
  return most;
}

/// How far a solid reaches along n (3) [-], world. [m]
inline Real dense_support(const Solid& solid, const Eigen::Matrix<Real, 3, 3>& R, const Real3& p, const Real3& n) {
  const Real3 local = R.transpose() * n;
  const Real offset = n.dot(p);
  if (is_curved(solid.kind)) {
    const Real3 along = solid.axes.cast<Real>().transpose() * local;
    const Real3 half = solid.half.cast<Real>();
    const Real reach = solid.kind == Solid::Kind::ellipsoid
                           ? half.cwiseProduct(along).norm()
                           : half(0) * std::hypot(along(0), along(1)) + half(2) * std::abs(along(2));
    return offset + local.dot(solid.center.cast<Real>()) + reach;
  }
  Real most = -HUGE_VALL;
  for (const Vector3& v : solid.vertices) most = std::max(most, local.dot(v.cast<Real>()));
  return offset + most + static_cast<Real>(solid.radius);
}

/// The largest separation of two solids over all directions, and the direction `best` from the first to the second.
inline Real dense_separation(const Solid& a, const Placement& a_at, const Solid& b, const Placement& b_at,
                             Real3& best) {
  const Eigen::Matrix<Real, 3, 3> R_a = a_at.R.cast<Real>();
  const Eigen::Matrix<Real, 3, 3> R_b = b_at.R.cast<Real>();
  const Real3 p_b = b_at.p.cast<Real>() - a_at.p.cast<Real>();
  const Real3 p_a = Real3::Zero();
  return find_largest(
      [&](const Real3& n) -> Real { return -dense_support(a, R_a, p_a, n) - dense_support(b, R_b, p_b, -n); }, best);
}

}  // namespace stickslip::test
