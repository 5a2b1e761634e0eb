// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>

#include "stickslip/base/instruction_set.h"
#include "stickslip/cone/one_step_problem.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

/// What `stickslip solve` reports of one problem and one solver.
struct ProblemReport {
  std::string problem;
  int contacts = 0;  // [-] contacts; unknowns of an LCP
  std::string solver;
  FrictionLaw law = FrictionLaw::coulomb;
  int stretches = 0;   // [-] balls of friction for which the law holds between p and S u (ConeProblem)
  std::string status;  // ok | inexact | failed | refused
  int iterations = 0;
  double cpu_seconds = 0.0;        // [s] of all threads: the solve, and the search for a proof
  double residual = 0.0;           // [m/s] |r' - P_K(r' - u^)|, r' = mean(diag W) r; an LCP: |min(z, w)|
  double relative_residual = 0.0;  // [-] residual / max(|q|, |u|)
  double missed = 0.0;             // [m/s] |(max(0, -u_N) of contacts, u of free rows)|
  double siconos_error = 0.0;      // [-] |r - P_K(r - u^)| / max(|q|, |r|, |u|); an LCP: |min(z, w)| / the same
  std::string method;              // what found the answer, where the solver has several methods
  double violation = 0.0;          // [m/s] > 0: there is no solution, by a proof
  double bound = 0.0;              // [N s] that holds for percussions smaller than this; beyond, round-off decides
  InstructionSet isa = InstructionSet::sse2;
  int threads = 1;                    // [-] of the solve
  std::optional<Determinacy> forces;  // where forces of least norm were asked for
  std::string message;
};

/// Solves a problem from percussions `first_guess` (n) [N s], where there are none from zero, and judges the answer
/// with u computed anew: it is ok within the tolerance (Residual::is_within). `solution` gets the answer. If it is not
/// ok, a proof that no solution exists is looked for (infeasibility.h). With a proof the message says so, and the
/// answer is that of the nearest problem that may have a solution, if its residual in the original problem is smaller.
ProblemReport solve_problem(const OneStepProblem& problem, const std::string& name, const SolverOptions& options,
                            ForceChoice forces, ConeSolution& solution, std::span<const double> first_guess = {});

/// "determined", "not determined" or "unknown".
const char* determined_name(Determined determined);

/// The reports as a JSON list; numbers that are not finite are null.
std::string to_json(std::span<const ProblemReport> reports);

}  // namespace stickslip
