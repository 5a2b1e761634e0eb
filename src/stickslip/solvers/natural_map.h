// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "stickslip/cone/cone_problem.h"

namespace stickslip {

// The laws of one cone as an equation, for semismooth Newton methods: p = Pi(p - rho u) with
//   contact, coulomb:     x_N = p_N - rho_N u_N, Pi_N = max(x_N, 0), Pi_b = P_{Pi_N D_b}(x_b)  [Alart1991]
//   contact, associated:  Pi = P_K(x), with one rho for all rows
//   ball:                 Pi = P_B(x)
//   free:                 Pi = x
// In the first form De Saxce's shift does not appear; it has the same solutions.

/// The step sizes rho (dim) [kg] of one cone from its W_ii (dim, dim): the inverse of the mean eigenvalue of each part
/// that has a rho of its own (for a Coulomb contact the normal row and every friction block).
void calc_step_sizes(FrictionLaw law, const Cone& cone, std::span<const FrictionBlock> friction, const double* w,
                     double* rho);

/// y = Pi(x) and an element of its generalised derivative (dim, dim), row-major. x, y (dim).
void project_cone(FrictionLaw law, const Cone& cone, std::span<const FrictionBlock> friction, const double* x,
                  double* y, double* derivative);

}  // namespace stickslip
