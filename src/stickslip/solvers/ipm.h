// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/solvers/assembled_delassus.h"
#include "stickslip/solvers/interior_point.h"
#include "stickslip/solvers/proximal_newton.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {

/// The interior point method (InteriorPoint), its last digits polished by proximal Newton steps (ProximalNewton). Takes
/// contacts with at most one ball-shaped friction block, balls and free rows, under both laws. An iteration is one
/// factorisation.
class IpmSolver final : public ConeSolver {
 public:
  explicit IpmSolver(const IpmOptions& options) : options_(options) {}

  std::string_view name() const override { return IpmOptions::kName; }
  double tolerance() const override { return options_.tolerance; }
  std::optional<std::string> refuses(const ConeProblem& problem) const override;

 private:
  SolveReport do_solve(const ConeProblem& problem, Tolerance tolerance, ConeSolution& solution) override;
  const IpmOptions options_;
  Iterate iterate_{options_.stop};
  SharedDelassus delassus_{options_.stop};
  InteriorPoint interior_point_{options_.stop, &delassus_};
  ProximalNewton newton_{options_.stop, &delassus_};
};

}  // namespace stickslip
