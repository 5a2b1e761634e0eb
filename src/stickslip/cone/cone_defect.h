// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/cone/cone_problem.h"

namespace stickslip {

/// What one cone adds to Residual::absolute, squared [m^2/s^2]: |w p - P_K(w p - u^)|^2 of the cone's own p [N s] and u
/// [m/s] (cone.dim), with any w > 0 [1/kg].
double calc_squared_defect(const ConeProblem& problem, FrictionLaw law, const Cone& cone, double w, const double* p,
                           const double* u);

}  // namespace stickslip
