// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/solvers/iterate.h"
#include "stickslip/solvers/local_solver.h"

namespace stickslip {

/// One pass of nonsmooth Gauss-Seidel over all cones in the problem's order: each is solved exactly with all others
/// held, and the share `relaxation` of its change is made (1: all of it; above, over-relaxation, the result being
/// projected back on the cone). A contact that is open and parting stays open, unsolved. Returns the change before
/// relaxation, |w_i dp_i| in the 2-norm. [m/s]
double sweep_exactly(const ConeProblem& problem, LocalSolver& local, double relaxation, Iterate& iterate);

}  // namespace stickslip
