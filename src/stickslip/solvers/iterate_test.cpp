// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/iterate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace stickslip {
namespace {

/// Of two iterates the one is kept by which a solver would stop. Where friction is large, the natural map hardly sees
/// that a contact closes: p = 0 has the smaller residual, and misses more.
TEST(Iterate, KeepsWhatViolatesLeast) {
  constexpr Tolerance kTolerance = {.relative = 1e-3};
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
  ASSERT_FALSE(calc_residual(problem, closing).is_within(kTolerance));
  ASSERT_TRUE(calc_residual(problem, nearly).is_within(kTolerance));
  for (const bool closing_first : {true, false}) {
    Iterate iterate;
    ConeSolution solution{closing_first ? closing : nearly, {}};
    ASSERT_TRUE(iterate.start(problem, solution));
    const std::vector<double>& other = closing_first ? nearly : closing;
    std::copy(other.begin(), other.end(), iterate.p().begin());
    iterate.judge();
    EXPECT_TRUE(iterate.best().is_within(kTolerance));
    SolveReport report;
    iterate.finish(kTolerance, solution, report);
    EXPECT_EQ(report.status, Status::ok);
    EXPECT_EQ(solution.p, nearly);
  }
}

/// Walls that close on a body: percussions of which the last digit is more than b satisfy any law by chance, and are no
/// answer. Bodies that have nothing to do with each other do not lose each other's velocities: a light one at rest
/// beside one that is 1e18 times as heavy.
TEST(Iterate, KeepsNoPercussionsInWhichVelocitiesAreLost) {
  ConeProblem problem;
  FactoredDelassus w;
  w.add_body(Matrix::Identity(1, 1));
  for (const double side : {1.0, -1.0}) {
    problem.add_contact({});
    w.begin_row(1);
    w.add_block(0) << side;
  }
  problem.delassus = std::move(w);
  problem.b = {-0.3, -0.3};
  Iterate iterate;
  SolveReport report;
  ConeSolution solution{{1e18, 1e18}, {}};
  ASSERT_TRUE(iterate.start(problem, solution));
  iterate.finish({.relative = 10.0}, solution, report);
  EXPECT_EQ(solution.p, std::vector<double>(2, 0.0));

  ConeProblem apart;
  FactoredDelassus two;
  for (const double mass : {1e-9, 1e9}) two.add_body(Matrix::Constant(1, 1, 1.0 / mass));
  for (int i = 0; i < 2; ++i) {
    apart.add_contact({});
    two.begin_row(1);
    two.add_block(i) << 1.0;
  }
  apart.delassus = std::move(two);
  apart.b = {-0.01, -0.01};
  solution.p = {0.01 * 1e-9, 0.01 * 1e9};
  const std::vector<double> answer = solution.p;
  ASSERT_TRUE(iterate.start(apart, solution));
  iterate.finish({.relative = 1e-12}, solution, report);
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_EQ(solution.p, answer);
}

}  // namespace
}  // namespace stickslip
