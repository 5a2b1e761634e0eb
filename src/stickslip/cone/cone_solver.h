// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/cone/residual.h"

namespace stickslip {

/// How a solve or a step ended.
enum class Status : int {
  ok = 0,       // the laws hold to the tolerance
  inexact = 1,  // an answer, but with a residual above the tolerance
  failed = 2,   // no answer; what was there before is untouched
};

/// Whether the laws leave but one value.
enum class Determined : int { unknown = 0, yes = 1, no = 2 };

/// What the laws of a problem determine, if a solver examined it (least_norm.h).
struct Determinacy {
  /// [-] Percussions that the velocities leave undetermined within their cones, and the rank of W on them; -1: unknown.
  int unknowns = -1;
  int rank = -1;
  Determined forces = Determined::unknown;      // the percussions, given the velocities
  Determined velocities = Determined::unknown;  // the velocities
};

/// The iterations of a solver with several methods, by method.
struct Effort {
  int sweeps = 0;
  int gradient_steps = 0;  // a hundred and more of them count as one iteration
  int alternating_steps = 0;
  int newton_steps = 0;
  int interior_point_steps = 0;
  int pivots = 0;  // of Lemke's method
};

/// The choice among all percussions that the laws allow.
enum class ForceChoice : int {
  any = 0,         // those that the solver finds
  least_norm = 1,  // those of least norm with these velocities (least_norm.h)
};

struct SolveReport {
  Status status = Status::ok;
  int iterations = 0;        // [-] in the solver's own count (sweeps, Newton steps)
  Residual residual;         // of the answer, always by calc_residual
  int choices = 0;           // [-] local problems with several solutions, where a rule chose one
  const char* method = "";   // the algorithm that found the answer, of a solver with several; a string literal
  const char* message = "";  // explains the status; a string literal
  Effort effort;
  Determinacy determinacy;
  /// [m/s] Above zero: the problem has no solution, by a proof (infeasibility.h), and this is by how much velocities
  /// miss what contacts and bilateral rows need, at least. The answer is then that of the nearest problem that has one.
  double violation = 0.0;
  double bound = 0.0;  // [N s] no percussions smaller than this are a solution, where violation > 0
};

/// One algorithm for cone problems. Owns its workspace, so one object serves one thread;
/// options are fixed when it is made.
class ConeSolver {
 public:
  virtual ~ConeSolver() = default;

  virtual std::string_view name() const = 0;

  /// The relative tolerance of its options, the default of a solve. [-]
  virtual double tolerance() const = 0;

  /// Why this solver cannot take such a problem (its cones, its law), or nothing.
  virtual std::optional<std::string> refuses(const ConeProblem& problem) const = 0;

  /// Solves the problem to `tolerance`: the report says ok where Residual::is_within() it. On entry solution.p (n) [N
  /// s] is the starting guess; on exit p and u = W p + b. On Status::failed the solution is what it was on entry. Does
  /// not allocate once the workspace is large enough. Throws Interrupted where the StopToken that it was made with is
  /// raised (solver_options.h): p is then what it was on entry, and the next solve() goes as if there had been none
  /// before.
  [[nodiscard]] SolveReport solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) {
    return do_solve(problem, tolerance, solution);
  }
  /// To the tolerance of its options.
  [[nodiscard]] SolveReport solve(const ConeProblem& problem, ConeSolution& solution) {
    return do_solve(problem, {.relative = tolerance()}, solution);
  }

 private:
  virtual SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) = 0;
};

}  // namespace stickslip
