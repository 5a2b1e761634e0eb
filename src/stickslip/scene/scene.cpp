// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/scene.h"

namespace stickslip {
namespace {

struct SchemeName {
  std::string_view operator()(const MoreauOptions&) const { return "moreau"; }
  std::string_view operator()(const GeneralizedAlphaOptions&) const { return "generalized-alpha"; }
};

struct SolverName {
  std::string_view operator()(const AutoSolver&) const { return "auto"; }
  std::string_view operator()(const NsgsOptions&) const { return "nsgs"; }
  std::string_view operator()(const PgsOptions&) const { return "pgs"; }
  std::string_view operator()(const LemkeOptions&) const { return "lemke"; }
  std::string_view operator()(const LcpNewtonOptions&) const { return "lcp-newton"; }
};

struct ResolveSolver {
  SolverOptions operator()(const AutoSolver& options) const { return NsgsOptions{options}; }
  SolverOptions operator()(const NsgsOptions& options) const { return options; }
  SolverOptions operator()(const PgsOptions& options) const { return options; }
  SolverOptions operator()(const LemkeOptions& options) const { return options; }
  SolverOptions operator()(const LcpNewtonOptions& options) const { return options; }
};

}  // namespace

std::string_view scheme_name(const SchemeOptions& scheme) {
  return std::visit(SchemeName{}, scheme);
}

std::string_view solver_name(const SceneSolver& solver) {
  return std::visit(SolverName{}, solver);
}

SolverOptions resolve_solver(const SceneSolver& solver) {
  return std::visit(ResolveSolver{}, solver);
}

SourcePlace ScenePlaces::find(std::string_view path) const {
  while (true) {
    const auto found = places_.find(path);
    if (found != places_.end()) return found->second;
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) break;
    path = path.substr(0, dot);
  }
  const auto whole = places_.find("");
  return whole == places_.end() ? SourcePlace{} : whole->second;
}

}  // namespace stickslip
