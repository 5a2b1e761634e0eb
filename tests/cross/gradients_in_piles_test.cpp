// SPDX-License-Identifier: BSD-3-Clause
// How many iterations gradients take under the exact law in a pile of 2231 contacts (tests/data/piles), from
// percussions of zero.
#include <gtest/gtest.h>

#include <string>

#include "stickslip/solvers/solver_options.h"
#include "tests/support/pile_problems.h"

namespace stickslip::test {
namespace {

int count_iterations(const std::string& solver) {
  const ConeProblem problem = make_pile("settled_1000", 1e-6, FrictionLaw::coulomb);
  SolverOptions options = make_solver_options(solver);
  stop_options(options).max_iterations = 10000;
  ConeSolution solution;
  solution.p.assign(problem.size(), 0.0);
  const SolveReport report = make_solver(options)->solve(problem, Tolerance{.relative = 1e-4}, solution);
  EXPECT_EQ(report.status, Status::ok);
  return report.iterations;
}

TEST(GradientsInPiles, SpectralStepsAreMostlyShort) {
  EXPECT_LE(count_iterations("spg"), 2400);  // 2100; with short steps alone not in 10000
}

TEST(GradientsInPiles, MomentumEndsWhereItGrows) {
  EXPECT_LE(count_iterations("apgd"), 2000);  // 1210; with half of what growth may be, or any, not in 10000
}

}  // namespace
}  // namespace stickslip::test
