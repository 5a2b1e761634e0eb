// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "stickslip/cone/cone_solver.h"

namespace stickslip {

/// Solves a problem to the tolerance `asked` [-] where that is nearer than the tolerance `judged` [-]. An answer
/// between the two is no failure.
inline SolveReport solve_nearer(ConeSolver& solver, const ConeProblem& problem, double asked, double judged,
                                ConeSolution& solution) {
  SolveReport found = solver.solve(problem, {.relative = std::min(asked, judged)}, solution);
  const bool has_none = found.violation > 0.0;  // by a proof
  if (found.status == Status::inexact && !has_none && found.residual.is_within({.relative = judged})) {
    found.status = Status::ok;
    found.message = "";
  }
  return found;
}

}  // namespace stickslip
