// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/spectral_gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/box_problems.h"
#include "tests/support/planted_problem.h"

namespace stickslip {
namespace {

struct Ran {
  int iterations;
  double relative;  // [-] the best residual
};

Ran run(const ConeProblem& problem, double tolerance, int max_iterations, double max_promised) {
  Iterate iterate;
  ConeSolution solution;
  solution.p.assign(problem.b.size(), 0.0);
  SolveReport report;
  EXPECT_TRUE(iterate.begin_solve(problem, solution, report));
  SpectralGradient method;
  const int n = method.run(problem, tolerance, max_iterations, max_promised, Deadline(HUGE_VAL), iterate);
  return {n, iterate.best().relative};
}

/// A tower with a heavy box on top: percussions of all sizes, which gradients find slowly.
ConeProblem make_tower() {
  std::vector<double> masses(40, 1.0);
  masses.back() = 1e5;
  return test::BoxStack(masses).make(FrictionLaw::coulomb);
}

TEST(SpectralGradient, StopsWhereItPromisesTooMuch) {
  constexpr int kMost = 3000;
  const Ran stubborn = run(make_tower(), 1e-12, kMost, HUGE_VAL);
  EXPECT_EQ(stubborn.iterations, kMost);
  EXPECT_GT(stubborn.relative, 1e-12);
  EXPECT_LT(run(make_tower(), 1e-12, kMost, kMost).iterations, kMost / 2);
}

TEST(SpectralGradient, KeepsWhatItPromises) {
  const ConeProblem problem =
      test::plant({.n_bodies = 100, .n_contacts = 250, .packed = true}, FrictionLaw::coulomb, 1).problem;
  const Ran free = run(problem, 1e-6, 20000, HUGE_VAL);
  EXPECT_LE(free.relative, 1e-6);
  EXPECT_EQ(run(problem, 1e-6, 20000, 20000.0).iterations, free.iterations);
}

}  // namespace
}  // namespace stickslip
