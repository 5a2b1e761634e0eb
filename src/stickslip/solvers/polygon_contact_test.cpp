// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/polygon_contact.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "stickslip/cone/one_step_problem.h"
#include "stickslip/cone/residual.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {
namespace {

/// Round-off of a handful of operations with a W of condition number 1e4, relative. [-]
constexpr double kOfPolygon = 1e-12;

struct PolygonCase {
  ConeProblem problem;
  std::vector<double> w;  // (3, 3)
};

/// A random contact; `coupling` in [0, 1): how strongly W couples normal and friction.
PolygonCase draw_polygon_case(int facets, double coupling, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit;
  const auto draw = [&] { return normal(random); };
  Matrix a = Matrix::NullaryExpr(3, 3, draw);
  Matrix w = a * a.transpose() + 0.02 * Matrix::Identity(3, 3);
  for (int i = 1; i < 3; ++i) w(0, i) = w(i, 0) *= coupling;
  ConeProblem cones;
  const FrictionBlock block{2, 0.05 + 2.0 * unit(random), facets, 6.0 * unit(random)};
  cones.add_contact({&block, 1});
  for (double& b : cones.b) b = draw();
  PolygonCase made;
  made.problem = make_one_step_problem(ConeForm{SparseMatrix(w.sparseView())}, cones).cones;
  for (int i = 0; i < 9; ++i) made.w.push_back(w(i / 3, i % 3));
  return made;
}

TEST(PolygonContact, SolvesRandomContactsToRoundOff) {
  std::mt19937 random(1);
  int bearing = 0;
  int several = 0;
  for (const int facets : {3, 4, 5, 8, 16, 101}) {
    for (int sample = 0; sample < 300; ++sample) {
      const PolygonCase made = draw_polygon_case(facets, sample % 2 == 0 ? 0.3 : 1.0, random);
      PolygonContact contact;
      contact.prepare(made.problem.blocks[0], made.w.data());
      std::vector<double> p(3, 0.0);
      const int n = contact.solve(made.problem.b.data(), p.data());
      ASSERT_GE(n, 1) << facets << ' ' << sample;
      EXPECT_LT(calc_residual(made.problem, p).relative, kOfPolygon) << facets << ' ' << sample;
      bearing += p[0] > 0.0 ? 1 : 0;
      several += n > 1 ? 1 : 0;
      // From its own answer each solution is found again.
      const std::vector<double> before = p;
      contact.solve(made.problem.b.data(), p.data());
      EXPECT_EQ(p, before);
    }
  }
  EXPECT_GT(bearing, 700);
  EXPECT_GT(several, 5) << "the guess never mattered";
}

/// Where W does not couple friction and normal the solution is one: Lemke's, on a problem stated otherwise.
TEST(PolygonContact, AgreesWithPivoting) {
  std::mt19937 random(2);
  for (int sample = 0; sample < 200; ++sample) {
    const PolygonCase made = draw_polygon_case(3 + sample % 7, 0.0, random);
    PolygonContact contact;
    contact.prepare(made.problem.blocks[0], made.w.data());
    std::vector<double> p(3, 0.0);
    ASSERT_EQ(contact.solve(made.problem.b.data(), p.data()), 1);
    ConeSolution pivoted{{0.0, 0.0, 0.0}, {}};
    ASSERT_EQ(make_solver(LemkeOptions{})->solve(made.problem, pivoted).status, Status::ok);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(p[i], pivoted.p[i], 1e-9 * (1.0 + std::abs(p[i]))) << sample;
  }
}

}  // namespace
}  // namespace stickslip
