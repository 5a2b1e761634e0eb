// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/solver_options.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "stickslip/base/input_error.h"
#include "stickslip/base/nearest.h"
#include "stickslip/solvers/ags.h"
#include "stickslip/solvers/auto_solver.h"
#include "stickslip/solvers/extragradient.h"
#include "stickslip/solvers/island_solver.h"
#include "stickslip/solvers/iterative_methods.h"
#include "stickslip/solvers/iterative_solver.h"
#include "stickslip/solvers/lcp_solver.h"
#include "stickslip/solvers/least_norm.h"
#include "stickslip/solvers/least_violation.h"
#include "stickslip/solvers/newton_ac.h"
#include "stickslip/solvers/nsgs.h"
#include "stickslip/solvers/pgs.h"
#include "stickslip/solvers/stretched_solver.h"

namespace stickslip {
namespace {

constexpr std::size_t kSolvers = std::variant_size_v<SolverOptions>;

template <std::size_t... indices>
constexpr std::array<std::string_view, kSolvers> list_names(std::index_sequence<indices...>) {
  return {std::variant_alternative_t<indices, SolverOptions>::kName...};
}
template <std::size_t... indices>
constexpr std::array<std::string_view, kSolvers> list_meanings(std::index_sequence<indices...>) {
  return {std::variant_alternative_t<indices, SolverOptions>::kMeaning...};
}
constexpr std::array<std::string_view, kSolvers> kSolverNames = list_names(std::make_index_sequence<kSolvers>());
constexpr std::array<std::string_view, kSolvers> kMeanings = list_meanings(std::make_index_sequence<kSolvers>());

/// The default of alternative number `index`.
template <std::size_t... indices>
SolverOptions make_default(std::size_t index, std::index_sequence<indices...>) {
  SolverOptions options;
  ((index == indices ? void(options.emplace<indices>()) : void()), ...);
  return options;
}

/// The solver of each alternative of SolverOptions.
using Solvers = std::tuple<AutoSolver, NsgsSolver, IterativeSolver<ProjectedGaussSeidel>, IterativeSolver<Apgd>,
                           IterativeSolver<Spg>, AgsSolver, IterativeSolver<Extragradient>, IterativeSolver<Admm>,
                           IterativeSolver<AlartCurnier>, IterativeSolver<NewtonFb>, IterativeSolver<Prox>,
                           IterativeSolver<Ipm>, IterativeSolver<DeSaxce>, IterativeSolver<LcpMethod<LemkeOptions>>,
                           IterativeSolver<LcpMethod<LcpNewtonOptions>>>;

template <std::size_t index = 0>
std::unique_ptr<ConeSolver> make_plain_solver(const SolverOptions& options) {
  if constexpr (index == kSolvers) {
    return nullptr;
  } else {
    if (options.index() != index) return make_plain_solver<index + 1>(options);
    return std::make_unique<std::tuple_element_t<index, Solvers>>(std::get<index>(options));
  }
}

void check_relaxation(double relaxation) {
  if (relaxation > 0.0 && relaxation < 2.0) return;
  throw InputError({}, "relaxation", fmt::format("{}", relaxation), "a number above 0 and below 2 is needed");
}

}  // namespace

void StopOptions::check() const {
  if (!(tolerance > 0.0) || !std::isfinite(tolerance)) {
    throw InputError({}, "tolerance", fmt::format("{}", tolerance), "a number > 0 is needed");
  }
  if (max_iterations < 1) {
    throw InputError({}, "max_iterations", fmt::format("{}", max_iterations), "an integer >= 1 is needed");
  }
  if (!(time_limit > 0.0)) {
    throw InputError({}, "time_limit", fmt::format("{}", time_limit), "seconds above 0 are needed");
  }
}

void NsgsOptions::check() const {
  StopOptions::check();
  if (newton_rows < 0) throw InputError({}, "newton_rows", fmt::format("{}", newton_rows), "an integer >= 0 is needed");
  check_relaxation(relaxation);
}

void PgsOptions::check() const {
  StopOptions::check();
  check_relaxation(relaxation);
}

void FacetOptions::check() const {
  StopOptions::check();
  if (facets < 3) throw InputError({}, "facets", fmt::format("{}", facets), "an integer >= 3 is needed");
}

std::span<const std::string_view> solver_names() {
  return kSolverNames;
}

std::string_view solver_name(const SolverOptions& options) {
  return kSolverNames[options.index()];
}

std::span<const std::string_view> solver_meanings() {
  return kMeanings;
}

StopOptions& stop_options(SolverOptions& options) {
  return std::visit([](auto& chosen) -> StopOptions& { return chosen; }, options);
}

const StopOptions& stop_options(const SolverOptions& options) {
  return std::visit([](const auto& chosen) -> const StopOptions& { return chosen; }, options);
}

SolverOptions make_solver_options(std::string_view name) {
  for (std::size_t index = 0; index < kSolvers; ++index) {
    if (kSolverNames[index] == name) return make_default(index, std::make_index_sequence<kSolvers>());
  }
  const std::string nearest = nearest_name(name, kSolverNames);
  throw InputError({}, "solver", std::string(name),
                   nearest.empty() ? fmt::format("one of {}", fmt::join(kSolverNames, ", "))
                                   : fmt::format("did you mean {}?", nearest));
}

std::unique_ptr<ConeSolver> make_solver(const SolverOptions& options) {
  std::visit([](const auto& chosen) { chosen.check(); }, options);
  const StopOptions& stop = stop_options(options);
  return std::make_unique<StretchedSolver>(
      std::make_unique<IslandSolver>(std::make_unique<LeastViolationSolver>(make_plain_solver(options), stop), stop),
      stop.stop);
}

std::unique_ptr<ConeSolver> make_solver(const SolverOptions& options, ForceChoice forces) {
  if (forces == ForceChoice::any) return make_solver(options);
  return std::make_unique<StretchedSolver>(std::make_unique<LeastNormSolver>(options), stop_options(options).stop);
}

}  // namespace stickslip
