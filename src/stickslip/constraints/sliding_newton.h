// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "stickslip/math/dense_solve.h"

namespace stickslip {

/// Newton's method on the normal forces of sliding contacts: each costs a solution.
inline constexpr int kMaxNewtonRows = 12;  // [-]

/// One step of Newton's method for y = Phi(y), Phi(y) the normal forces of the contacts that slide where their friction
/// is that of y [N], linear in pieces: makes `held` the y >= 0 of
///
///   (I - dPhi) y = found - dPhi held,   found = Phi(held),
///
/// dPhi by differences, or found where that is singular. calc_phi(y) turns y into Phi(y); `moved` is scratch. All of
/// kMaxNewtonRows at most.
template <class CalcPhi>
void step_sliding_newton(std::vector<double>& held, const std::vector<double>& found, std::vector<double>& moved,
                         CalcPhi&& calc_phi) {
  constexpr double kDifference = 1e-4;  // [-] small only so as to stay in a piece
  const auto m = static_cast<int>(held.size());
  double largest = 0.0;
  for (int i = 0; i < m; ++i) largest = std::max({largest, std::abs(held[i]), std::abs(found[i])});
  const double difference = kDifference * largest;
  std::array<double, kMaxNewtonRows* kMaxNewtonRows> matrix = {};
  std::array<double, kMaxNewtonRows> y = {};
  std::copy(found.begin(), found.end(), y.begin());
  for (int j = 0; j < m; ++j) {
    moved = held;
    moved[j] += difference;
    calc_phi(moved);
    for (int i = 0; i < m; ++i) {
      const double slope = (moved[i] - found[i]) / difference;
      y[i] -= slope * held[j];
      matrix[i * m + j] = (i == j ? 1.0 : 0.0) - slope;
    }
  }
  held = found;
  if (!solve_dense(m, matrix.data(), y.data())) return;
  for (int i = 0; i < m; ++i) held[i] = std::max(y[i], 0.0);
}

}  // namespace stickslip
