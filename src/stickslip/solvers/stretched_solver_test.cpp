// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/stretched_solver.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "stickslip/cone/residual.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/planted_problem.h"

namespace stickslip {
namespace {

/// A point of mass 1 on a plane, pushed down by 1 m/s, that slides along y before: S = I + tau e_y e_y^T.
ConeProblem make_sliding(double tau, double x, double y) {
  ConeProblem problem;
  const FrictionBlock block{2, 0.3, 0, 0.0};
  problem.add_contact({&block, 1});
  problem.b = {-1.0, x, y};
  FactoredDelassus w;
  w.add_body(Matrix::Identity(3, 3));
  w.begin_row(3);
  w.add_block(0) = Matrix::Identity(3, 3);
  problem.delassus = w;
  problem.stretches.push_back({1, 2, tau, {0.0, 1.0, 0.0}});
  return problem;
}

TEST(StretchedSolver, FrictionOpposesStretchedSlip) {
  for (const std::string_view name : {"auto", "nsgs", "newton-fb", "prox"}) {
    const ConeProblem problem = make_sliding(0.8, 0.5, 2.0);
    ConeSolution solution{{0.0, 0.0, 0.0}, {}};
    const SolveReport report = make_solver(make_solver_options(name))->solve(problem, solution);
    ASSERT_EQ(report.status, Status::ok) << name;
    const auto& p = solution.p;
    const auto& u = solution.u;
    EXPECT_NEAR(p[0], 1.0, 1e-10);
    EXPECT_NEAR(u[1] - p[1], 0.5, 1e-10);  // u is that of the bodies, not S u
    EXPECT_NEAR(u[2] - p[2], 2.0, 1e-10);
    const double size = std::hypot(u[1], 1.8 * u[2]);
    EXPECT_NEAR(p[1], -0.3 * u[1] / size, 1e-10) << name;
    EXPECT_NEAR(p[2], -0.3 * 1.8 * u[2] / size, 1e-10) << name;
    // Not a solution of the law without S, by the share of S in its direction.
    ConeProblem plain = problem;
    plain.stretches.clear();
    EXPECT_GT(calc_residual(plain, p).absolute, 0.02);
  }
}

TEST(StretchedSolver, SticksWhereFrictionWithoutStretchDoes) {
  for (const double share : {0.999, 1.001}) {
    for (const double angle : {0.0, 0.7, 1.5}) {
      const ConeProblem problem = make_sliding(1.0, 0.3 * share * std::cos(angle), 0.3 * share * std::sin(angle));
      ConeSolution solution{{0.0, 0.0, 0.0}, {}};
      ASSERT_EQ(make_solver(AutoOptions{})->solve(problem, solution).status, Status::ok);
      const double slip = std::hypot(solution.u[1], solution.u[2]);
      EXPECT_EQ(slip < 1e-10, share < 1.0) << share << ' ' << angle << ' ' << slip;
    }
  }
}

/// Without stretches nothing changes, not a bit.
TEST(StretchedSolver, HandsOnWhatIsNotStretched) {
  const ConeProblem problem = test::plant({}, FrictionLaw::coulomb, 1).problem;
  ConeSolution one;
  ConeSolution other;
  one.p.assign(problem.size(), 0.0);
  other.p = one.p;
  ASSERT_EQ(make_solver(ProxOptions{})->solve(problem, one).status, Status::ok);
  StretchedSolver twice(make_solver(ProxOptions{}), {});
  ASSERT_EQ(twice.solve(problem, other).status, Status::ok);
  EXPECT_EQ(one.p, other.p);
  EXPECT_EQ(one.u, other.u);
}

}  // namespace
}  // namespace stickslip
