// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/cone/cone_problem.h"

namespace stickslip {

/// The rows of a bilateral constraint by themselves: p with u = W p + b = 0, found from the starting guess with the
/// pseudo-inverse of the symmetric part of W, so that redundant rows keep the percussions they had.
class FreeCone {
 public:
  /// Takes W (dim, dim) row-major [1/kg].
  void prepare(int dim, const double* w);

  /// Solves for b (dim) [m/s]. p (dim) [N s]: on entry the starting guess, on exit the solution.
  void solve(const double* b, double* p) const;

  /// The same from the velocity u (dim) [m/s] that belongs to p (dim) [N s]: p -= W^+ u.
  void correct(const double* u, double* p) const;

 private:
  int dim_ = 0;
  std::array<double, kMaxConeDim* kMaxConeDim> w_ = {};        // (dim, dim) [1/kg]
  std::array<double, kMaxConeDim* kMaxConeDim> inverse_ = {};  // (dim, dim) [kg] pseudo-inverse
};

}  // namespace stickslip
