// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace stickslip {

/// One point of a quadrature rule on [0, 1].
struct QuadraturePoint {
  double x;       // [-]
  double weight;  // [-]
};

/// Gauss-Legendre's rule of n >= 1 points on [0, 1], exact for polynomials of degree 2 n - 1.
std::vector<QuadraturePoint> gauss_legendre(int n);

}  // namespace stickslip
