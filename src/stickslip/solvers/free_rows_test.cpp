// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/free_rows.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "stickslip/cone/one_step_problem.h"
#include "stickslip/math/dense_factors.h"
#include "stickslip/solvers/solver_options.h"

namespace stickslip {
namespace {

/// (n, n_v) Rows of length one; the last `repeated` of them are combinations of the others.
Matrix make_rows(int n, int repeated, int n_v, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Matrix j(n, n_v);
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n_v; ++c) j(r, c) = normal(random);
    if (r >= n - repeated) j.row(r) = j.row(r - repeated) + 0.5 * j.row(0);
    j.row(r) /= j.row(r).norm();
  }
  return j;
}

/// Joints of two rows each in front of `n_contacts` contacts without friction, velocities v before them.
ConeProblem make_problem(const Matrix& j, int n_contacts, const Vector& v) {
  ConeProblem problem;
  for (int i = 0; i < n_contacts; ++i) problem.add_contact({});
  for (int r = n_contacts; r < j.rows(); r += 2) problem.add_free(2);
  const Vector b = j * v;
  problem.b.assign(b.begin(), b.end());
  const Matrix w = j * j.transpose();
  return make_one_step_problem(ConeForm{SparseMatrix(w.sparseView())}, problem).cones;
}

/// Bodies in a row, two rows of joints between each and the next.
ConeProblem make_row_of_bodies(int n_bodies, std::mt19937& random) {
  std::normal_distribution<double> normal;
  ConeProblem problem;
  auto& w = problem.delassus.emplace<FactoredDelassus>();
  for (int k = 0; k < n_bodies; ++k) w.add_body(Matrix::Identity(3, 3));
  for (int i = 0; i + 1 < n_bodies; ++i) {
    problem.add_free(2);
    w.begin_row(2);
    for (const int body : {i, i + 1}) {
      RowMatrixView j = w.add_block(body);
      for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 3; ++c) j(r, c) = normal(random);
      }
    }
  }
  for (double& b : problem.b) b = normal(random);
  return problem;
}

/// A solver that has factors of W gives the answers of one that has none, where only b is new and where W is.
TEST(FreeRows, KeepTheirFactorsWhileWIsTheSame) {
  for (const int n : {8, 40}) {  // dense and sparse
    std::mt19937 random(n);
    ConeProblem problem = make_row_of_bodies(n, random);
    const ConeProblem other = make_row_of_bodies(n, random);
    const auto solver = make_solver(AutoOptions{});
    const auto solve = [](ConeSolver& by, const ConeProblem& which) {
      ConeSolution solution{std::vector<double>(which.size(), 0.0), {}};
      EXPECT_EQ(by.solve(which, solution).status, Status::ok);
      return solution.p;
    };
    solve(*solver, problem);
    for (double& b : problem.b) b *= b + 0.5;
    EXPECT_EQ(solve(*solver, problem), solve(*make_solver(AutoOptions{}), problem)) << n;
    EXPECT_EQ(solve(*solver, other), solve(*make_solver(AutoOptions{}), other)) << n;
    EXPECT_EQ(solve(*solver, problem), solve(*make_solver(AutoOptions{}), problem)) << n;
  }
}

/// One factorisation, whatever repeats; and of the percussions what nothing determines stays as it was.
TEST(FreeRows, AreOneLinearSystem) {
  for (const int n : {12, 90}) {  // dense and sparse
    std::mt19937 random(n);
    const Matrix j = make_rows(n, n / 4, n, random);
    const ConeProblem problem = make_problem(j, 0, Vector::Ones(n));
    ConeSolution solution;
    for (int r = 0; r < n; ++r) solution.p.push_back(0.1 * r);
    const Vector guess = Eigen::Map<const Vector>(solution.p.data(), n);
    const SolveReport report = make_solver(AutoOptions{})->solve(problem, solution);
    EXPECT_EQ(report.status, Status::ok) << n;
    EXPECT_STREQ(report.method, "linear") << n;
    EXPECT_EQ(report.effort.sweeps, 0) << n;
    EXPECT_LE(report.residual.absolute, 1e-12 * report.residual.size) << n;
    const OrthogonalFactors factors(j.transpose(), 1e-10);
    ASSERT_EQ(factors.kernel().cols(), n / 4);
    const Vector change = Eigen::Map<const Vector>(solution.p.data(), n) - guess;
    EXPECT_LE((factors.kernel().transpose() * change).norm(), 1e-5 * change.norm()) << n;  // round-off over e
  }
}

/// A direction that W shortens to about e, as where a linkage is nearly stretched out, is solved for as well.
TEST(FreeRows, NearlyRepeated) {
  Matrix j(4, 4);
  j << 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1e-5;
  const ConeProblem problem = make_problem(j, 0, (Vector(4) << 1.0, 2.0, 3.0, 1.0).finished());
  ConeSolution solution{std::vector<double>(4, 0.0), {}};
  AutoOptions options;
  options.tolerance = 1e-8;
  const SolveReport report = make_solver(options)->solve(problem, solution);
  EXPECT_EQ(report.status, Status::ok) << report.residual.relative;
  EXPECT_STREQ(report.method, "linear");
}

/// Sweeps move what joints hold together by a little only: Newton steps come before them, or joints are eliminated.
TEST(FreeRows, BesideNormalRowsNeedFewSweeps) {
  for (const int n : {12, 60}) {
    std::mt19937 random(n);
    const int n_contacts = n / 3;
    const Matrix j = make_rows(n, 0, 2 * n, random);
    std::uniform_real_distribution<double> uniform(0.5, 1.0);
    Vector p(n);  // of contacts every other one bears
    for (int r = 0; r < n; ++r) p(r) = r < n_contacts && r % 2 == 1 ? 0.0 : uniform(random);
    ConeProblem problem = make_problem(j, n_contacts, Vector::Zero(2 * n));
    const Vector u = j * (j.transpose() * p);
    for (int r = 0; r < n; ++r) problem.b[r] = (p(r) == 0.0 ? 1.0 : 0.0) - u(r);
    ConeSolution solution;
    for (int r = 0; r < n; ++r) solution.p.push_back(0.9 * p(r));
    EXPECT_TRUE(FreeRows::are_beside_normals(problem));
    const SolveReport report = make_solver(AutoOptions{})->solve(problem, solution);
    EXPECT_EQ(report.status, Status::ok) << n;
    EXPECT_LE(report.effort.sweeps, 5) << n;
    for (int r = 0; r < n; ++r) EXPECT_NEAR(solution.p[r], p(r), 1e-8) << n;
  }
}

}  // namespace
}  // namespace stickslip
