// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/first_order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/pile_problems.h"
#include "tests/support/planted_problem.h"

namespace stickslip {
namespace {

/// What was planted is a fixed point of p = P(p - step D^-1 u) for any step, and not of the other law's P.
TEST(FirstOrder, SolutionsAreItsFixedPoints) {
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
      const test::PlantedProblem planted = test::plant({.n_joints = 1,
                                                        .n_balls = 2,
                                                        .friction_dim = seed % 2 == 0 ? 3 : 2,
                                                        .facets = seed % 4 == 1 ? 5 : 0,
                                                        .several_blocks = seed % 3 == 0},
                                                       law, seed);
      Iterate iterate;
      ASSERT_TRUE(iterate.start(planted.problem, {planted.p, {}}));
      FirstOrder first_order;
      first_order.start(planted.problem, iterate);
      std::vector<double> wp(planted.p.size()), u(wp), next(wp);
      first_order.apply(planted.p, wp);
      first_order.calc_velocity(wp, u);
      for (const double step : {0.01, 1.0, 10.0}) {
        first_order.step(planted.p, step, u, next);
        for (std::size_t i = 0; i < next.size(); ++i) EXPECT_NEAR(next[i], planted.p[i], 1e-9) << seed;
      }
    }
  }
}

/// The associated law's P is the nearest point of K in the metric: (P(x) - x)^T D (q - P(x)) >= 0 for all q in K.
TEST(FirstOrder, ProjectsOnTheNearestPointInItsMetric) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const ConeProblem problem =
        test::plant({.facets = seed % 2 == 0 ? 3 : 0, .several_blocks = seed % 3 == 0}, FrictionLaw::associated, seed)
            .problem;
    Iterate iterate;
    ASSERT_TRUE(iterate.start(problem, {std::vector<double>(problem.b.size()), {}}));
    FirstOrder first_order;
    first_order.start(problem, iterate);
    std::vector<double> x(problem.b.size()), q(x);
    for (double& value : x) value = normal(random);
    std::vector<double> p = x;
    first_order.project(p);
    for (int k = 0; k < 100; ++k) {
      for (double& value : q) value = normal(random);
      project_on_cones(problem, q);
      double product = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) product += (p[i] - x[i]) * first_order.metric()[i] * (q[i] - p[i]);
      EXPECT_GE(product, -1e-9) << seed;
    }
  }
}

/// One value for the normal, one for the friction of balls, which slide 3.5 times as easily: they turn, too.
TEST(FirstOrder, HasAScaleForEachPartOfAContact) {
  const ConeProblem problem = test::make_pile("poured_385", 1e-6, FrictionLaw::coulomb);
  Iterate iterate;
  ASSERT_TRUE(iterate.start(problem, {std::vector<double>(problem.b.size()), {}}));
  FirstOrder first_order;
  first_order.start(problem, iterate);
  for (const Cone& cone : problem.cones) {
    const double* metric = first_order.metric().data() + cone.offset;
    EXPECT_NEAR(metric[1] / metric[0], 3.5, 1e-9);
    EXPECT_EQ(metric[1], metric[2]);
  }
}

}  // namespace
}  // namespace stickslip
