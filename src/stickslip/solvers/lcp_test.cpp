// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/lcp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "stickslip/cone/one_step_problem.h"
#include "stickslip/cone/residual.h"
#include "stickslip/solvers/facet_lcp.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/planted_problem.h"

namespace stickslip {
namespace {

constexpr double kPivotRoundOff = 1e-12;
const Deadline kNever(HUGE_VAL);

SparseMatrix sparse(const Matrix& dense) {
  return SparseMatrix(dense.sparseView());
}

LcpResult lemke(const Matrix& m, const Vector& q) {
  return solve_by_lemke(sparse(m), q, 10000, kNever);
}

LcpResult newton(const Matrix& m, const Vector& q) {
  return solve_by_newton(sparse(m), q, Vector::Zero(q.size()), 1e-13, 1000, kNever);
}

/// [Trinkle2003, eq. 48] with friction rows and columns in its order, z = (p_n, beta_1 ... beta_4, sigma).
Matrix sphere_matrix() {
  Matrix f(6, 6);
  f << 1, 0, 0, 0, 0, 0,      //
      0, 3.5, -3.5, 0, 0, 1,  //
      0, -3.5, 3.5, 0, 0, 1,  //
      0, 0, 0, 3.5, -3.5, 1,  //
      0, 0, 0, -3.5, 3.5, 1,  //
      0.2, -1, -1, -1, -1, 0;
  return f;
}

TEST(Lemke, SlidingAndRollingSphere) {
  // h g = 1.1772; slip 2 before the first step, 1.17596 and 0.35192 after: then it rolls (reference data of the
  // sphere).
  const auto solve = [](double slip) {
    Vector q(6);
    q << -1.1772, slip, -slip, 0.0, 0.0, 0.0;
    return lemke(sphere_matrix(), q);
  };
  const LcpResult slides = solve(2.0);
  EXPECT_EQ(slides.outcome, LcpOutcome::solved);
  EXPECT_NEAR(slides.z[0], 1.1772, kPivotRoundOff);
  EXPECT_NEAR(slides.z[2], 0.23544, kPivotRoundOff);
  EXPECT_NEAR(slides.z[5], 1.17596, kPivotRoundOff);
  const LcpResult rolls = solve(0.35192);
  EXPECT_EQ(rolls.outcome, LcpOutcome::solved);
  EXPECT_NEAR(rolls.z[2] - rolls.z[1], 0.35192 / 3.5, kPivotRoundOff);  // 0.100548571
  EXPECT_NEAR(rolls.z[5], 0.0, kPivotRoundOff);
}

TEST(Lemke, TextbookProblems) {
  // Murty's: exponentially many pivots for some rules; z = (0, ..., 0, 1).
  Matrix m = Matrix::Identity(6, 6);
  for (int i = 0; i < 6; ++i) {
    for (int j = i + 1; j < 6; ++j) m(i, j) = 2.0;
  }
  const LcpResult murty = lemke(m, Vector::Constant(6, -1.0));
  EXPECT_EQ(murty.outcome, LcpOutcome::solved);
  EXPECT_LT((murty.z - Vector::Unit(6, 5)).norm(), kPivotRoundOff);
  EXPECT_LT((newton(m, Vector::Constant(6, -1.0)).z - Vector::Unit(6, 5)).norm(), kPivotRoundOff);
  // q >= 0 needs no pivot; no unknowns need none either.
  EXPECT_EQ(lemke(m, Vector::Ones(6)).iterations, 0);
  EXPECT_EQ(lemke(Matrix(0, 0), Vector(0)).outcome, LcpOutcome::solved);
}

TEST(Lemke, RaysAreRays) {
  // A body squeezed from both sides, both gaps negative: w_1 + w_2 = q_1 + q_2 < 0 for every z.
  const Matrix squeezed = (Matrix(2, 2) << 1, -1, -1, 1).finished();
  const LcpResult ray = lemke(squeezed, Vector::Constant(2, -1.0));
  EXPECT_EQ(ray.outcome, LcpOutcome::ray);
  EXPECT_LT((ray.ray - Vector::Ones(2)).norm(), kPivotRoundOff);
  // w_1 = -z_2 - z_3 - 1e-4 < 0 for every z >= 0.
  const Matrix pang = (Matrix(3, 3) << 0, -1, -1, 1, 0, 0, -1, 0, 0).finished();
  EXPECT_EQ(lemke(pang, Vector3(-1e-4, -1.0, 1.0)).outcome, LcpOutcome::ray);
  EXPECT_EQ(newton(pang, Vector3(-1e-4, -1.0, 1.0)).outcome, LcpOutcome::gave_up);
}

/// z = (0, 1). Whatever overflows on the way, the answer is finite and not negative, and right where it says solved.
TEST(Lemke, NumbersThatOverflow) {
  const Matrix m = (Matrix(2, 2) << 1e-300, 1e300, -1e300, 1e300).finished();
  const Vector q = Vector::Constant(2, -1e300);
  for (const LcpResult& result : {lemke(m, q), newton(m, q)}) {
    ASSERT_EQ(result.z.size(), 2);
    EXPECT_TRUE(result.z.allFinite()) << result.z;
    EXPECT_GE(result.z.minCoeff(), 0.0);
    if (result.outcome != LcpOutcome::solved) continue;
    EXPECT_NEAR(result.z[0], 0.0, kPivotRoundOff);
    EXPECT_NEAR(result.z[1], 1.0, kPivotRoundOff);
  }
  EXPECT_EQ(lemke(m, q).outcome, LcpOutcome::solved);
}

/// Cyclic and with equal entries: every ratio test is a tie.
TEST(Lemke, TiesEverywhere) {
  for (int n = 2; n <= 40; n += 2) {
    Matrix m = Matrix::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      m(i, i) = 1.0;
      m(i, (i + 1) % n) = 2.0;
    }
    const Vector q = Vector::Constant(n, -1.0);
    const LcpResult result = lemke(m, q);
    EXPECT_EQ(result.outcome, LcpOutcome::solved) << n;
    EXPECT_LT(calc_lcp_residual(sparse(m), q, result.z), kPivotRoundOff) << n;
  }
}

/// Blocks along a chain: sparse factors above 200 unknowns, dense below, and rows and columns in units far apart.
TEST(Lemke, SparseAndDense) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const int n : {150, 450}) {
    Matrix j = Matrix::Zero(n, n / 2);  // W is singular
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 2; ++k) j(i, (i / 2 + k) % (n / 2)) = normal(random);
    }
    Matrix m = j * j.transpose();
    Vector z = Vector::Zero(n);
    Vector w = Vector::Zero(n);
    for (int i = 0; i < n; ++i) (i % 3 == 0 ? w[i] : z[i]) = std::abs(normal(random));
    Vector q = w - m * z;
    for (int i = 0; i < n; ++i) {
      const double unit = std::pow(10.0, i % 7 - 3);
      m.row(i) *= unit;
      q[i] *= unit;
    }
    const LcpResult pivoted = lemke(m, q);
    EXPECT_EQ(pivoted.outcome, LcpOutcome::solved);
    EXPECT_LT(calc_lcp_residual(sparse(m), q, pivoted.z), 1e-11 * q.norm());
  }
}

/// What both LCP solvers promise on cone problems: those that have an exact form as an LCP.
class LcpSolvers : public testing::TestWithParam<std::string> {
 protected:
  void expect_solved(const test::PlantedRecipe& recipe) {
    for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
      for (int seed = 1; seed <= 5; ++seed) {
        const test::PlantedProblem planted = test::plant(recipe, law, seed);
        const auto solver = make_solver(make_solver_options(GetParam()));
        ASSERT_FALSE(solver->refuses(planted.problem));
        ConeSolution solution;
        solution.p.assign(planted.problem.size(), 0.0);
        const SolveReport report = solver->solve(planted.problem, solution);
        EXPECT_EQ(report.status, Status::ok) << report.message << ", seed " << seed;
        EXPECT_LE(calc_residual(planted.problem, solution.p).relative, 1e-10);
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, LcpSolvers, testing::Values("lemke", "lcp-newton"),
                         [](const auto& param) { return param.param == "lemke" ? "lemke" : "newton"; });

TEST_P(LcpSolvers, PlanarContacts) {
  expect_solved({.friction_dim = 1});
}
TEST_P(LcpSolvers, PlanarContactsAndJoints) {
  expect_solved({.n_joints = 2, .friction_dim = 1});
}
TEST_P(LcpSolvers, Polygons) {
  expect_solved({.n_contacts = 6, .n_joints = 1, .facets = 5});
}
TEST_P(LcpSolvers, SeveralBlocks) {
  expect_solved({.n_contacts = 5, .facets = 4, .several_blocks = true});
}
TEST_P(LcpSolvers, RedundantContacts) {
  expect_solved({.n_contacts = 6, .duplicate = true, .friction_dim = 1});
}
TEST_P(LcpSolvers, NoFriction) {
  expect_solved({.mu = 0.0});
}

TEST_P(LcpSolvers, HonestAboutDiscs) {
  // Slip at 30 degrees between the corners of a square: the disc's answer is not the square's.
  ConeProblem cones;
  const FrictionBlock disc{2, 0.5, 0, 0.0};
  cones.add_contact({&disc, 1});
  cones.b = {-1.0, -std::cos(std::numbers::pi / 6), -std::sin(std::numbers::pi / 6)};
  SparseMatrix w(3, 3);
  w.setIdentity();
  const ConeProblem problem = make_one_step_problem(ConeForm{w}, cones).cones;
  double last = HUGE_VAL;
  for (const int facets : {4, 16, 64, 256}) {
    SolverOptions options = make_solver_options(GetParam());
    if (auto* chosen = std::get_if<LemkeOptions>(&options)) chosen->facets = facets;
    if (auto* chosen = std::get_if<LcpNewtonOptions>(&options)) chosen->facets = facets;
    ConeSolution solution{{0.0, 0.0, 0.0}, {}};
    const SolveReport report = make_solver(options)->solve(problem, solution);
    EXPECT_EQ(report.status, Status::inexact);
    EXPECT_EQ(std::string(report.message), "solved with polygons in place of friction discs");
    EXPECT_NEAR(solution.p[0], 1.0, kPivotRoundOff);
    EXPECT_LT(report.residual.absolute, last);
    last = report.residual.absolute;
  }
  EXPECT_LT(last, 0.02);  // about mu times half a sector
}

TEST_P(LcpSolvers, Contensou) {
  const auto solver = make_solver(make_solver_options(GetParam()));
  EXPECT_TRUE(solver->refuses(test::plant({.friction_dim = 3}, FrictionLaw::coulomb, 1).problem));
}

TEST_P(LcpSolvers, RedundantJointsAndBoxes) {
  // One unknown of mass 1, held by the same bilateral row twice, pulled along another by a box of dry friction.
  ConeProblem cones;
  cones.add_free(2);
  cones.add_ball(1, 0.3);
  cones.b = {2.0, 2.0, 1.0};
  Matrix w = Matrix::Zero(3, 3);
  w.topLeftCorner(2, 2).setOnes();
  w(2, 2) = 1.0;
  const ConeProblem problem = make_one_step_problem(ConeForm{sparse(w)}, cones).cones;
  ConeSolution solution{{0.0, 0.0, 0.0}, {}};
  const SolveReport report = make_solver(make_solver_options(GetParam()))->solve(problem, solution);
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_NEAR(solution.p[0] + solution.p[1], -2.0, kPivotRoundOff);
  EXPECT_NEAR(solution.p[2], -0.3, kPivotRoundOff);
}

TEST_P(LcpSolvers, TimeIsUp) {
  SolverOptions options = make_solver_options(GetParam());
  std::visit([](auto& chosen) { chosen.time_limit = 1e-12; }, options);
  const test::PlantedProblem planted = test::plant({.friction_dim = 1}, FrictionLaw::coulomb, 1);
  ConeSolution solution;
  solution.p.assign(planted.problem.size(), 0.0);
  const SolveReport report = make_solver(options)->solve(planted.problem, solution);
  EXPECT_EQ(report.status, Status::inexact);
  EXPECT_EQ(std::string(report.message), kTimeIsUp);
}

}  // namespace
}  // namespace stickslip
