// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/solver_options.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "stickslip/base/input_error.h"
#include "stickslip/base/nearest.h"
#include "stickslip/solvers/lcp_solver.h"
#include "stickslip/solvers/nsgs.h"
#include "stickslip/solvers/pgs.h"

namespace stickslip {
namespace {

constexpr std::array<std::string_view, 4> kSolverNames = {"nsgs", "pgs", "lemke", "lcp-newton"};

struct Maker {
  std::unique_ptr<ConeSolver> operator()(const NsgsOptions& options) const {
    return std::make_unique<NsgsSolver>(options);
  }
  std::unique_ptr<ConeSolver> operator()(const PgsOptions& options) const {
    return std::make_unique<PgsSolver>(options);
  }
  std::unique_ptr<ConeSolver> operator()(const LemkeOptions& options) const {
    return std::make_unique<LemkeSolver>(options);
  }
  std::unique_ptr<ConeSolver> operator()(const LcpNewtonOptions& options) const {
    return std::make_unique<LcpNewtonSolver>(options);
  }
};

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
}

void FacetOptions::check() const {
  StopOptions::check();
  if (facets < 3) throw InputError({}, "facets", fmt::format("{}", facets), "an integer >= 3 is needed");
}

std::span<const std::string_view> solver_names() {
  return kSolverNames;
}

SolverOptions make_solver_options(std::string_view name) {
  if (name == "nsgs") return NsgsOptions{};
  if (name == "pgs") return PgsOptions{};
  if (name == "lemke") return LemkeOptions{};
  if (name == "lcp-newton") return LcpNewtonOptions{};
  const std::string nearest = nearest_name(name, kSolverNames);
  throw InputError({}, "solver", std::string(name),
                   nearest.empty() ? fmt::format("one of {}", fmt::join(kSolverNames, ", "))
                                   : fmt::format("did you mean {}?", nearest));
}

std::unique_ptr<ConeSolver> make_solver(const SolverOptions& options) {
  std::visit([](const auto& chosen) { chosen.check(); }, options);
  return std::visit(Maker{}, options);
}

}  // namespace stickslip
