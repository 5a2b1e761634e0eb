// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/iterate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace stickslip {
namespace {

/// Of two iterates the one is kept by which a solver would stop. Where friction is large, the natural map hardly sees
/// that a contact closes: p = 0 has the smaller absolute residual, and fifty times the relative one.
TEST(Iterate, KeepsTheBestByTheMeasureThatEndsTheLoop) {
  constexpr double kTolerance = 1e-3;
  const FrictionBlock disc{2, 1e3, 0, 0.0};
  ConeProblem problem;
  problem.add_contact({&disc, 1});
  problem.b = {-0.1, 2.0, 0.0};
  StoredDelassus w;
  const std::array<int, 1> column = {0};
  const std::array<int, 1> dim = {3};
  w.add_row(column, dim, 3, std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  problem.delassus = w;
  const std::vector<double> closing = {0.0, 0.0, 0.0};
  const std::vector<double> nearly = {0.101, -2.0, 0.0};  // sticks at (0.1, -2, 0)
  ASSERT_LT(calc_residual(problem, closing).absolute, calc_residual(problem, nearly).absolute);
  ASSERT_GT(calc_residual(problem, closing).relative, kTolerance);
  ASSERT_LT(calc_residual(problem, nearly).relative, kTolerance);
  for (const bool closing_first : {true, false}) {
    Iterate iterate;
    ConeSolution solution{closing_first ? closing : nearly, {}};
    ASSERT_TRUE(iterate.start(problem, solution));
    const std::vector<double>& other = closing_first ? nearly : closing;
    std::copy(other.begin(), other.end(), iterate.p().begin());
    iterate.judge();
    EXPECT_LE(iterate.best().relative, kTolerance);
    SolveReport report;
    iterate.finish(kTolerance, solution, report);
    EXPECT_EQ(report.status, Status::ok);
    EXPECT_EQ(solution.p, nearly);
  }
}

}  // namespace
}  // namespace stickslip
