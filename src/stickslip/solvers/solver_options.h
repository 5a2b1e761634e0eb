// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "stickslip/cone/cone_solver.h"

namespace stickslip {

/// What every solver has: when to stop.
struct StopOptions {
  double tolerance = 1e-10;   // [-] on the relative residual, > 0
  int max_iterations = 1000;  // [-] sweeps or Newton steps, >= 1
  /// [s] CPU time of the solving thread, > 0: between two iterations, a solver that has used it up ends with the best
  /// it has. What it then returns depends on the machine, so nothing sets it but a user who asks for it.
  double time_limit = std::numeric_limits<double>::infinity();
  bool operator==(const StopOptions&) const = default;
  void check() const;  // throws InputError
};

struct NsgsOptions : StopOptions {
  /// [-] active rows up to which Newton steps on the whole problem help the sweeps, those above 240 only where the
  /// problem is sparse; 0: sweeps only. >= 0
  int newton_rows = 3000;
  bool operator==(const NsgsOptions&) const = default;
  void check() const;  // throws InputError
};
struct PgsOptions : StopOptions {};
/// What solves by way of a linear complementarity problem has.
struct FacetOptions : StopOptions {
  int facets = 8;  // [-] corners of the polygons that stand for friction discs, >= 3
  bool operator==(const FacetOptions&) const = default;
  void check() const;  // throws InputError
};
struct LemkeOptions : FacetOptions {
  LemkeOptions() { max_iterations = 100000; }  // pivots are many and cheap
};
struct LcpNewtonOptions : FacetOptions {};

using SolverOptions = std::variant<NsgsOptions, PgsOptions, LemkeOptions, LcpNewtonOptions>;

/// The names that make_solver_options knows.
std::span<const std::string_view> solver_names();
/// The options of the solver with this name, at their defaults; throws InputError with the nearest name.
SolverOptions make_solver_options(std::string_view name);

/// The solver; checks the options first.
std::unique_ptr<ConeSolver> make_solver(const SolverOptions& options);

}  // namespace stickslip
