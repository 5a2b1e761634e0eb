// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "stickslip/base/stop_token.h"
#include "stickslip/cone/cone_solver.h"

namespace stickslip {

/// What every solver has: when to stop.
struct StopOptions {
  double tolerance = 1e-10;   // [-] > 0, see Tolerance::relative
  int max_iterations = 1000;  // [-] sweeps or Newton steps, >= 1
  /// [s] CPU time of solving threads, > 0: between two iterations, a solver that has used it up ends with the best
  /// it has. What it then returns depends on the machine, so nothing sets it but a user who asks for it.
  double time_limit = std::numeric_limits<double>::infinity();
  StopToken stop;  // asked all along: solve() throws Interrupted once it is raised; no scene has one
  bool operator==(const StopOptions&) const = default;
  void check() const;  // throws InputError
};

struct AutoOptions : StopOptions {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kMeaning =
      "chooses by the problem and by progress: sweeps, Newton, interior points";
  AutoOptions() { max_iterations = 3000; }  // of all its methods together
};
struct NsgsOptions : StopOptions {
  static constexpr std::string_view kName = "nsgs";
  static constexpr std::string_view kMeaning = "nonsmooth Gauss-Seidel with an exact solve of each contact";
  /// [-] active rows up to which Newton steps on the whole problem help the sweeps; 0: sweeps only. >= 0
  int newton_rows = 3000;
  /// [-] share of each change that a sweep makes, in (0, 2); above 1: over-relaxation
  double relaxation = 1.0;
  bool operator==(const NsgsOptions&) const = default;
  void check() const;  // throws InputError
};
struct PgsOptions : StopOptions {
  static constexpr std::string_view kName = "pgs";
  static constexpr std::string_view kMeaning = "projected Gauss-Seidel; made for the relaxed (associated) law";
  /// [-] share of the step 1 / L_i, in (0, 2); above 1: over-relaxation (psor)
  double relaxation = 1.0;
  bool operator==(const PgsOptions&) const = default;
  void check() const;  // throws InputError
};
struct ProxOptions : StopOptions {
  static constexpr std::string_view kName = "prox";
  static constexpr std::string_view kMeaning = "proximal point method around sparse semismooth Newton steps";
};
struct ApgdOptions : StopOptions {
  static constexpr std::string_view kName = "apgd";
  static constexpr std::string_view kMeaning = "accelerated projected gradient with restarts";
};
struct SpgOptions : StopOptions {
  static constexpr std::string_view kName = "spg";
  static constexpr std::string_view kMeaning = "spectral projected gradient (Barzilai-Borwein)";
};
struct AgsOptions : StopOptions {
  static constexpr std::string_view kName = "ags";
  static constexpr std::string_view kMeaning =
      "accelerated coloured Gauss-Seidel sweeps, eight contacts at a time; made for many contacts";
};
struct ExtragradientOptions : StopOptions {
  static constexpr std::string_view kName = "extragradient";
  static constexpr std::string_view kMeaning = "extra-gradient method for variational inequalities";
};
struct AdmmOptions : StopOptions {
  static constexpr std::string_view kName = "admm";
  static constexpr std::string_view kMeaning = "alternating direction method of multipliers, one factorisation kept";
};
struct IpmOptions : StopOptions {
  static constexpr std::string_view kName = "ipm";
  static constexpr std::string_view kMeaning = "interior point method (Nesterov-Todd), polished by Newton steps";
};
struct NewtonAcOptions : StopOptions {
  static constexpr std::string_view kName = "newton-ac";
  static constexpr std::string_view kMeaning = "semismooth Newton with a line search (Alart-Curnier)";
};
struct NewtonFbOptions : StopOptions {
  static constexpr std::string_view kName = "newton-fb";
  static constexpr std::string_view kMeaning =
      "semismooth Newton with a line search (Fischer-Burmeister function of the second-order cone)";
};
struct DeSaxceOptions : StopOptions {
  static constexpr std::string_view kName = "de-saxce";
  static constexpr std::string_view kMeaning = "De Saxce's fixed point around a convex solver";
};
/// What solves by way of a linear complementarity problem has.
struct FacetOptions : StopOptions {
  int facets = 8;  // [-] corners of the polygons that stand for friction discs, >= 3
  bool operator==(const FacetOptions&) const = default;
  void check() const;  // throws InputError
};
struct LemkeOptions : FacetOptions {
  static constexpr std::string_view kName = "lemke";
  static constexpr std::string_view kMeaning =
      "Lemke's pivoting on a linear complementarity problem; polygons for friction discs";
  LemkeOptions() { max_iterations = 100000; }  // pivots are many and cheap
};
struct LcpNewtonOptions : FacetOptions {
  static constexpr std::string_view kName = "lcp-newton";
  static constexpr std::string_view kMeaning = "semismooth Newton on the same problem (Fischer-Burmeister)";
};

/// The options of each solver; the first is the default.
using SolverOptions = std::variant<AutoOptions, NsgsOptions, PgsOptions, ApgdOptions, SpgOptions, AgsOptions,
                                   ExtragradientOptions, AdmmOptions, NewtonAcOptions, NewtonFbOptions, ProxOptions,
                                   IpmOptions, DeSaxceOptions, LemkeOptions, LcpNewtonOptions>;

/// The names that make_solver_options knows, in the order of SolverOptions.
std::span<const std::string_view> solver_names();
std::string_view solver_name(const SolverOptions& options);
/// What each of them is, in a line.
std::span<const std::string_view> solver_meanings();
/// What all solvers have, of this one.
StopOptions& stop_options(SolverOptions& options);
const StopOptions& stop_options(const SolverOptions& options);
/// The options of the solver with this name, at their defaults; throws InputError with the nearest name.
SolverOptions make_solver_options(std::string_view name);

/// The solver; checks the options first.
std::unique_ptr<ConeSolver> make_solver(const SolverOptions& options);
/// The same, with the choice of forces around it.
std::unique_ptr<ConeSolver> make_solver(const SolverOptions& options, ForceChoice forces);

}  // namespace stickslip
