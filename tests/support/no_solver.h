// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "stickslip/cone/cone_solver.h"

namespace stickslip::test {

/// For what has nothing to solve: fails the test that asks it.
class NoSolver final : public ConeSolver {
 public:
  std::string_view name() const override { return "none"; }
  double tolerance() const override { return 1e-10; }
  std::optional<std::string> refuses(const ConeProblem& /*problem*/) const override { return {}; }
  SolveReport do_solve(const ConeProblem& /*problem*/, Tolerance /*tolerance*/, ConeSolution& /*solution*/) override {
    ADD_FAILURE() << "nothing to solve";
    return {};
  }
};

}  // namespace stickslip::test
