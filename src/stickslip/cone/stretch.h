// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/math/types.h"

namespace stickslip {

/// S = I + tau n n^T on the rows of one ball of friction: percussions oppose S u there, and not u. Stick is u = 0 all
/// the same.
struct Stretch {
  int row = 0;                                     // the first, of the problem
  int dim = 0;                                     // 2 or 3
  double tau = 0.0;                                // [-] >= 0
  std::array<double, kMaxFrictionDim> along = {};  // (dim) [-] n, of length one

  void apply(double* u) const { add(tau, u); }                         // u (dim) = S u
  void apply_inverse(double* u) const { add(-tau / (1.0 + tau), u); }  // u (dim) = S^-1 u

 private:
  void add(double factor, double* u) const {
    double sum = 0.0;
    for (int i = 0; i < dim; ++i) sum += along[i] * u[i];
    for (int i = 0; i < dim; ++i) u[i] += factor * sum * along[i];
  }
};

}  // namespace stickslip
