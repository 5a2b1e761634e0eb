// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/island_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace stickslip {
namespace {

constexpr double kWeight = 0.01, kPush = 0.002;  // [m/s] what gravity makes of velocities in a step
constexpr double kClosing = 0.2;                 // [m/s] of each wall

/// Bodies in the plane, (x, y) each: a ball between walls that close on it, 0, and a block of 100 kg, 2, on a plate of
/// .1 kg, 1, on the ground, pushed to the side by less than friction holds. Cones by turns.
ConeProblem squeeze_beside_a_stack(bool with_ball) {
  ConeProblem problem;
  FactoredDelassus w;
  for (const double mass : {1.0, 0.1, 100.0}) w.add_body(Matrix::Identity(2, 2) / mass);
  const FrictionBlock held{1, 0.5, 0, 0.0};
  const auto squeeze = [&](double side) {
    if (!with_ball) return;
    problem.add_contact({});
    w.begin_row(1);
    w.add_block(0) << side, 0.0;
    problem.b.back() = -kClosing;
  };
  const auto stand = [&](int below, int above) {
    problem.add_contact({&held, 1});
    w.begin_row(2);
    w.add_block(above) << 0.0, 1.0, 1.0, 0.0;
    if (below < 0) {
      problem.b[problem.b.size() - 2] = -kWeight;
      problem.b.back() = kPush;
    } else {
      w.add_block(below) << 0.0, -1.0, -1.0, 0.0;
    }
  };
  squeeze(1.0);
  stand(-1, 1);
  squeeze(-1.0);
  stand(1, 2);
  problem.delassus = std::move(w);
  return problem;
}

/// Whichever solver, what it can solve by itself is solved beside what cannot be, and the walls are missed by the
/// least.
TEST(IslandSolver, SolvesWhatStandsBesideWhatHasNoSolution) {
  int solved = 0;
  for (const std::string_view name : solver_names()) {
    SCOPED_TRACE(std::string(name));
    const auto solver = make_solver(make_solver_options(name));
    const ConeProblem stack = squeeze_beside_a_stack(false);
    const ConeProblem problem = squeeze_beside_a_stack(true);
    if (solver->refuses(problem)) continue;
    ConeSolution alone{std::vector<double>(4, 0.0), {}};
    if (solver->solve(stack, alone).status != Status::ok) continue;
    ++solved;
    ConeSolution solution{std::vector<double>(6, 0.0), {}};
    const SolveReport report = solver->solve(problem, solution);
    EXPECT_EQ(report.status, Status::inexact);
    EXPECT_NEAR(report.residual.missed, std::sqrt(2.0) * kClosing, 1e-4);
    for (const int row : {1, 2, 4, 5}) EXPECT_NEAR(solution.u[row], 0.0, 1e-9) << row;
    EXPECT_NEAR(solution.p[1], 100.1 * kWeight, 1e-6);
    EXPECT_NEAR(solution.p[5], -100.0 * kPush, 1e-6);
    for (const int row : {0, 3}) EXPECT_LE(solution.p[row], 10.0 * kClosing) << row;
  }
  EXPECT_GE(solved, 8);
}

}  // namespace
}  // namespace stickslip
