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

struct SolveReport {
  Status status = Status::ok;
  int iterations = 0;        // [-] in the solver's own count (sweeps, Newton steps)
  Residual residual;         // of the answer, always by calc_residual
  int choices = 0;           // [-] local problems with several solutions, where a rule chose one
  const char* method = "";   // the algorithm that found the answer, where several were at hand; a string literal
  const char* message = "";  // what there is to say beside the status; a string literal
};

/// One algorithm for cone problems. Owns its workspace, so one object serves one thread;
/// options are fixed when it is made.
class ConeSolver {
 public:
  virtual ~ConeSolver() = default;

  virtual std::string_view name() const = 0;

  /// Why this solver cannot take such a problem (its cones, its law), or nothing.
  virtual std::optional<std::string> refuses(const ConeProblem& problem) const = 0;

  /// Solves the problem. On entry solution.p (n) [N s] is the starting guess; on exit p and u = W p + b.
  /// On Status::failed the solution is what it was on entry. Does not allocate once the
  /// workspace is large enough.
  [[nodiscard]] virtual SolveReport solve(const ConeProblem& problem, ConeSolution& solution) = 0;
};

}  // namespace stickslip
