// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "stickslip/cone/cone_problem.h"

namespace stickslip {

// De Saxce's shift s(u) of the normal velocities [DeSaxce1998], by which the exact law takes the form of the associated
// one: on the normal row of a contact the sum over its friction blocks b of h_b(-u_b), h_b the support function.

/// The shift of one contact with these friction blocks. u (1 + sum of dims) [m/s], the normal first.
double calc_de_saxce_shift(std::span<const FrictionBlock> friction, const double* u);

/// result += s(u), which is zero under the associated law. Shapes (n) [m/s]; they may be the same memory.
void add_de_saxce_shift(const ConeProblem& problem, std::span<const double> u, std::span<double> result);

}  // namespace stickslip
