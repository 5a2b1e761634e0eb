// SPDX-License-Identifier: BSD-3-Clause
// What the default solver promises beyond the conformance suite.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "stickslip/cone/one_step_problem.h"
#include "stickslip/cone/residual.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/box_problems.h"
#include "tests/support/planted_problem.h"

namespace stickslip {
namespace {

using test::Boxes;
using test::BoxPyramid;
using test::BoxStack;

SolveReport solve(const ConeProblem& problem, const SolverOptions& options, ConeSolution& solution) {
  if (solution.p.empty()) solution.p.assign(problem.size(), 0.0);
  return make_solver(options)->solve(problem, solution);
}

/// Sparse factorisations of a solve: one for each Newton and each interior point step.
int count_factorisations(const SolveReport& report) {
  return report.effort.newton_steps + report.effort.interior_point_steps;
}

// --- towers and pyramids: redundant contacts and mass ratios

/// 10 boxes, the topmost 1, 100, 1e4 times heavier: to a relative residual of 1e-10 within 15 factorisations. Interior
/// points need at most twice as many for the heaviest as for the lightest; auto, whose Newton steps need fewer than
/// half as many for the lightest, stays below twice what these need.
TEST(AutoSolver, TowersOfAnyMassRatio) {
  constexpr int kMostFactorisations = 15;
  constexpr double kResidual = 1e-10;
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    int least = kMostFactorisations;  // of interior points
    int most_by_interior_points = 1;
    for (const bool by_interior_points : {true, false}) {
      int most = 1;
      for (const double ratio : {1.0, 100.0, 1e4}) {
        std::vector<double> masses(10, 1.0);
        masses.back() = ratio;
        const ConeProblem problem = BoxStack(masses).make(law);
        ConeSolution solution;
        const SolverOptions options = by_interior_points ? SolverOptions(IpmOptions{}) : SolverOptions(AutoOptions{});
        const SolveReport report = solve(problem, options, solution);
        const int factorisations = by_interior_points ? report.iterations : count_factorisations(report);
        EXPECT_LE(calc_residual(problem, solution.p).relative, kResidual) << ratio;
        EXPECT_LE(factorisations, kMostFactorisations) << ratio;
        if (by_interior_points) least = std::min(least, factorisations);
        most = std::max(most, factorisations);
      }
      EXPECT_LE(most, by_interior_points ? 2 * least : 2 * most_by_interior_points);
      if (by_interior_points) most_by_interior_points = most;
    }
  }
}

TEST(AutoSolver, ATowerOfAHundredAndAPyramid) {
  constexpr int kMostFactorisations = 30;
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    for (const ConeProblem& problem : {BoxStack(std::vector<double>(100, 1.0)).make(law), BoxPyramid(10).make(law)}) {
      ConeSolution solution;
      const SolveReport report = solve(problem, AutoOptions{}, solution);
      EXPECT_EQ(report.status, Status::ok) << report.residual.relative;
      EXPECT_LE(count_factorisations(report), kMostFactorisations);
      double weight = 0.0;  // on the floor
      for (const Cone& cone : problem.cones) weight += problem.b[cone.offset] < 0.0 ? solution.p[cone.offset] : 0.0;
      const auto& w = std::get<FactoredDelassus>(problem.delassus);
      EXPECT_NEAR(weight, w.n_bodies() * Boxes::kFall, 1e-8 * w.n_bodies());
      // A Newton step costs 20 gradients in the tower.
      if (w.n_bodies() == 100) {
        EXPECT_EQ(report.effort.gradient_steps, 0);
      }
    }
  }
}

// --- what some methods solve and others do not

/// Nearly all of the percussions' cones (mu = 1e4): sweeps, proximal steps and interior points alone each leave some of
/// these unsolved, and the answer of the interior points may have a higher residual than a worse iterate before.
TEST(AutoSolver, SolvesWhatOneMethodAloneDoesNot) {
  for (unsigned seed = 100; seed < 130; ++seed) {
    const ConeProblem problem =
        test::plant({.n_bodies = 6, .n_contacts = 10, .mu = 1e4}, FrictionLaw::coulomb, seed).problem;
    ConeSolution solution;
    const SolveReport report = solve(problem, AutoOptions{}, solution);
    EXPECT_EQ(report.status, Status::ok) << seed << ": " << report.residual.relative;
    EXPECT_LE(calc_residual(problem, solution.p).relative, AutoOptions{}.tolerance) << seed;
  }
}

/// Two joints at an angle of 1e-5 ask different velocities of a body, which takes percussions of 5e9 and a speed of
/// 5e4; a contact beside them slides at that speed.
TEST(AutoSolver, NearlyParallelJointsBesideAContact) {
  const FrictionBlock block{2, 0.3, 0, 0.0};
  ConeProblem problem;
  problem.add_contact({&block, 1});
  problem.add_free(2);
  problem.b = {1.0, 0.0, -1.0, 1.0, 1.5};
  Matrix j(5, 3);
  j << 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1e-5, 0;
  const Matrix w = j * j.transpose();
  problem = make_one_step_problem(ConeForm{SparseMatrix(w.sparseView())}, problem).cones;
  AutoOptions options;
  options.tolerance = 1e-8;
  ConeSolution solution;
  const SolveReport report = solve(problem, options, solution);
  EXPECT_EQ(report.status, Status::ok) << report.residual.relative;
  EXPECT_LE(calc_residual(problem, solution.p).relative, options.tolerance);
  EXPECT_NEAR(solution.u[1], -5e4, 1.0);
}

/// One contact of W with a condition number of some 1e10, where the direct solve misses the tolerance.
TEST(AutoSolver, OneIllConditionedContact) {
  const FrictionBlock block{2, 0.468175, 0, 0.0};
  ConeProblem problem;
  problem.add_contact({&block, 1});
  problem.b = {-0.0098249736378276976, -0.039254207922641962, 0.040542745619831365};
  const Matrix w = (Matrix(3, 3) << 0.14766451034026515, 0.93728910378016927, 0.31636195434025899,  //
                    0.93728910378016927, 6.0585435619545782, 2.3000206621998824,                    //
                    0.31636195434025899, 2.3000206621998824, 1.4584491961159334)
                       .finished();
  problem = make_one_step_problem(ConeForm{SparseMatrix(w.sparseView())}, problem).cones;
  ConeSolution solution;
  EXPECT_EQ(solve(problem, AutoOptions{}, solution).status, Status::ok);
  const Residual residual = calc_residual(problem, solution.p);
  EXPECT_TRUE(residual.is_within({.relative = AutoOptions{}.tolerance}));
  EXPECT_LE(residual.relative, 1e-9);  // what its percussions cancel is known to no more
}

// --- warm starts

TEST(AutoSolver, AnUnchangedProblemCostsNoIteration) {
  for (const ConeProblem& problem :
       {BoxStack({1.0, 2.0, 3.0}).make(FrictionLaw::coulomb), BoxStack({1.0}).make(FrictionLaw::coulomb),
        test::plant({.n_joints = 2}, FrictionLaw::coulomb, 1).problem}) {
    const auto solver = make_solver(AutoOptions{});
    ConeSolution solution;
    solution.p.assign(problem.size(), 0.0);
    ASSERT_EQ(solver->solve(problem, solution).status, Status::ok);
    const std::vector<double> p = solution.p;
    const SolveReport again = solver->solve(problem, solution);
    EXPECT_EQ(again.status, Status::ok);
    EXPECT_EQ(again.iterations, 0);
    EXPECT_EQ(count_factorisations(again), 0);
    EXPECT_EQ(solution.p, p);
  }
}

/// Methods keep W of a problem; the next one of the same size and pattern has another.
TEST(AutoSolver, TheNextProblemHasAnotherW) {
  std::vector<double> masses(30, 1.0);
  const ConeProblem first = BoxStack(masses).make(FrictionLaw::coulomb);
  for (std::size_t i = 0; i < masses.size(); ++i) masses[i] = 1.0 + static_cast<double>(i);
  const ConeProblem second = BoxStack(masses).make(FrictionLaw::coulomb);
  ASSERT_EQ(first.size(), second.size());
  for (const SolverOptions& options : {SolverOptions(AutoOptions{}), SolverOptions(IpmOptions{}),
                                       SolverOptions(AdmmOptions{}), SolverOptions(ProxOptions{})}) {
    const auto used = make_solver(options);
    const auto fresh = make_solver(options);
    ConeSolution again, expected;
    for (ConeSolution* solution : {&again, &expected}) solution->p.assign(first.size(), 0.0);
    (void)used->solve(first, again);
    again.p.assign(second.size(), 0.0);
    EXPECT_GT(used->solve(second, again).iterations, 0) << used->name();
    (void)fresh->solve(second, expected);
    EXPECT_EQ(again.p, expected.p) << used->name();
  }
}

/// From any start, however little time it has.
TEST(AutoSolver, NeverReturnsWorseThanItWasGiven) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (const int max_iterations : {1, 2, 5}) {
    for (const double size : {1e-6, 1e-3, 1.0, 1e3}) {
      auto [problem, p] = test::plant({.n_contacts = 12, .mass_ratio = 100.0}, FrictionLaw::coulomb, 3);
      AutoOptions options;
      options.tolerance = 1e-15;
      options.max_iterations = max_iterations;
      ConeSolution solution{p, {}};
      for (double& value : solution.p) value += size * normal(random);
      const double before = calc_residual(problem, solution.p).absolute;
      (void)solve(problem, options, solution);
      EXPECT_LE(calc_residual(problem, solution.p).absolute, before);
    }
  }
}

TEST(AutoSolver, SaysWhatItDid) {
  const ConeProblem problem = BoxStack(std::vector<double>(10, 1.0)).make(FrictionLaw::coulomb);
  ConeSolution solution;
  const SolveReport report = solve(problem, AutoOptions{}, solution);
  EXPECT_EQ(report.iterations, report.effort.sweeps + report.effort.alternating_steps + report.effort.newton_steps +
                                   report.effort.interior_point_steps);
  EXPECT_GT(std::string(report.method).size(), 0u);
  ConeSolution again = solution;
  EXPECT_STREQ(solve(problem, AutoOptions{}, again).method, "certificate");
}

ConeProblem plant_many() {
  return test::plant({.n_bodies = 500, .n_contacts = 1200, .mass_ratio = 10.0, .packed = true}, FrictionLaw::coulomb, 2)
      .problem;
}

/// Beyond a thousand cones factorisations are the dearest that there is.
TEST(AutoSolver, VeryManyContactsTakeSpectralGradients) {
  const ConeProblem problem = plant_many();
  AutoOptions options;
  options.tolerance = 5e-5;
  ConeSolution solution;
  solution.p.assign(problem.b.size(), 0.0);
  const SolveReport report = solve(problem, options, solution);
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_STREQ(report.method, "spg");
  EXPECT_GT(report.effort.gradient_steps, 0);
  EXPECT_EQ(report.effort.newton_steps, 0);
}

/// To looser tolerances accelerated sweeps do alone, a hundred of which count as an iteration.
TEST(AutoSolver, VeryManyContactsToLooseTolerances) {
  const ConeProblem problem = plant_many();
  AutoOptions options;
  options.tolerance = 1e-3;
  ConeSolution solution;
  solution.p.assign(problem.b.size(), 0.0);
  const SolveReport report = solve(problem, options, solution);
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_STREQ(report.method, "ags");
  EXPECT_GT(report.effort.sweeps, 0);
  EXPECT_EQ(report.iterations, (report.effort.sweeps + 99) / 100);
  EXPECT_EQ(report.effort.gradient_steps + report.effort.newton_steps, 0);
  EXPECT_STREQ(solve(problem, options, solution).method, "certificate");
}

/// Beyond a thousand cones some gradients come first, before W is looked at: 180 here, then alternating directions.
/// With none before there are 1480 behind these.
TEST(AutoSolver, VeryManyContactsTakeSomeGradientsFirst) {
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    const ConeProblem problem = BoxPyramid(18).make(law);
    ASSERT_GE(problem.n_cones(), 1000);
    AutoOptions options;
    options.tolerance = 1e-8;
    ConeSolution solution;
    const SolveReport report = solve(problem, options, solution);
    EXPECT_EQ(report.status, Status::ok);
    EXPECT_GT(report.effort.gradient_steps, 0);
    EXPECT_LE(report.effort.gradient_steps, 180);
  }
}

// --- no solution

/// Half lines and free rows with this W (n, n) and b.
ConeProblem make_problem(const Matrix& w, const std::vector<double>& b, int n_free) {
  ConeProblem problem;
  const auto n = static_cast<int>(b.size());
  for (int i = 0; i < n; ++i) i < n - n_free ? problem.add_contact({}) : problem.add_free(1);
  problem.b = b;
  StoredDelassus stored;
  std::vector<int> columns(n);
  for (int i = 0; i < n; ++i) columns[i] = i;
  const std::vector<int> dims(n, 1);
  for (int i = 0; i < n; ++i) {
    const Vector row = w.row(i);
    stored.add_row(columns, dims, 1, {row.data(), static_cast<std::size_t>(n)});
  }
  problem.delassus = stored;
  return problem;
}

/// The guess is fast: what it violates is little in relation, but more than what others do.
TEST(AutoSolver, NeverReturnsWhatViolatesMore) {
  const Matrix m = (Matrix(3, 3) << 0, 2, 0, 2, 1, 0, 0, 0, 3).finished();
  const ConeProblem problem = make_problem(m, {-1.0, 1.0, 1.0}, 0);
  const std::vector<double> guess = {6144.0, 0.0, 0.0};
  ConeSolution solution;
  solution.p = guess;
  AutoOptions options;
  options.max_iterations = 300;
  const SolveReport report = solve(problem, options, solution);
  EXPECT_LE(report.residual.defect(), calc_residual(problem, guess).defect());
  EXPECT_DOUBLE_EQ(report.residual.relative, calc_residual(problem, solution.p).relative);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(solution.u[i], m.row(i).dot(Eigen::Map<const Vector>(solution.p.data(), 3)) + problem.b[i], 1e-9) << i;
  }
}

/// A body squeezed by two walls that both approach: velocities miss by (1, 1) at least.
TEST(AutoSolver, ASqueezedBodyHasNoSolution) {
  const ConeProblem problem = make_problem((Matrix(2, 2) << 1, -1, -1, 1).finished(), {-1.0, -1.0}, 0);
  ConeSolution solution;
  const SolveReport report = solve(problem, AutoOptions{}, solution);
  EXPECT_EQ(report.status, Status::inexact);
  EXPECT_NE(std::string(report.message).find("no solution exists"), std::string::npos);
  EXPECT_NEAR(report.violation, std::sqrt(2.0), 1e-10);
  EXPECT_LT(report.iterations, AutoOptions{}.max_iterations);  // it does not take all of them to say so
  EXPECT_NEAR(solution.u[0], -1.0, 1e-10);
  EXPECT_NEAR(solution.u[1], -1.0, 1e-10);
}

/// The same with friction, and bodies beside it that have a solution: rows from n on squeeze.
ConeProblem squeeze_among_others(int& n) {
  auto [problem, p] = test::plant({.n_bodies = 6, .n_contacts = 10}, FrictionLaw::coulomb, 5);
  auto w = std::get<FactoredDelassus>(problem.delassus);
  const int squeezed = w.add_body(Matrix::Identity(3, 3));
  const FrictionBlock block{2, 0.3, 0, 0.0};
  n = problem.size();
  for (const double sign : {1.0, -1.0}) {
    problem.add_contact({&block, 1});
    w.begin_row(3);
    w.add_block(squeezed) = sign * Matrix::Identity(3, 3);
  }
  problem.b[n] = -0.5;
  problem.b[n + 3] = -0.1;
  problem.delassus = w;
  return problem;
}

TEST(AutoSolver, SqueezedAmongOthers) {
  int n = 0;
  const ConeProblem problem = squeeze_among_others(n);
  ConeSolution solution;
  const SolveReport report = solve(problem, AutoOptions{}, solution);
  EXPECT_EQ(report.status, Status::inexact);
  EXPECT_LT(report.iterations, 700);  // 1324 if interior points and Newton steps went on for a thousand
  // Both approach by 0.3 m/s when the body moves midway: sqrt(2) 0.3.
  EXPECT_NEAR(report.violation, 0.3 * std::sqrt(2.0), 1e-8);
  EXPECT_NEAR(solution.u[n], -0.3, 1e-8);
  EXPECT_NEAR(solution.u[n + 3], -0.3, 1e-8);
  EXPECT_NEAR(report.residual.absolute, report.violation, 1e-6);
}

/// Who has other means says what a solve may take: it ends there, and has looked for a proof even so.
TEST(AutoSolver, TakesNoMoreThanItMay) {
  int n = 0;
  const ConeProblem problem = squeeze_among_others(n);
  constexpr int kMost = 60;
  ConeSolution solution;
  solution.p.assign(problem.size(), 0.0);
  const Tolerance tolerance{.relative = 1e-10, .may_give_up = true, .most_iterations = kMost};
  const SolveReport report = make_solver(AutoOptions{})->solve(problem, tolerance, solution);
  EXPECT_EQ(report.status, Status::inexact);
  EXPECT_LE(report.iterations, 2 * kMost);  // the nearest problem that has a solution may take as many
  EXPECT_NEAR(report.violation, 0.3 * std::sqrt(2.0), 1e-8);
  EXPECT_NEAR(solution.u[n], -0.3, 1e-8);
  EXPECT_NEAR(solution.u[n + 3], -0.3, 1e-8);
}

/// One velocity held at two values by two joints: least squares, midway.
TEST(AutoSolver, JointsThatContradictEachOther) {
  const ConeProblem problem =
      make_problem((Matrix(3, 3) << 1, 1, 1, 1, 1, 1, 1, 1, 1).finished(), {5.0, -1.0, -2.0}, 2);
  ConeSolution solution;
  const SolveReport report = solve(problem, AutoOptions{}, solution);
  EXPECT_EQ(report.status, Status::inexact);
  EXPECT_NEAR(report.violation, std::sqrt(0.5), 1e-10);
  EXPECT_NEAR(solution.u[1], 0.5, 1e-9);
  EXPECT_NEAR(solution.u[2], -0.5, 1e-9);
}

/// Lemke's method ends on a ray here, and yet there is a solution, z = (0.5, 2.5).
TEST(AutoSolver, ARayIsNoProof) {
  const ConeProblem problem = make_problem((Matrix(2, 2) << -1, 1, -1, -1).finished(), {-2.0, 3.0}, 0);
  EXPECT_LE(calc_residual(problem, std::vector{0.5, 2.5}).absolute, 1e-15);
  ConeSolution solution;
  EXPECT_NE(std::string(solve(problem, LemkeOptions{}, solution).message).find("ray"), std::string::npos);
  solution = {};
  const SolveReport report = solve(problem, AutoOptions{}, solution);
  EXPECT_EQ(report.violation, 0.0);
  EXPECT_EQ(std::string(report.message).find("no solution"), std::string::npos);
}

/// A problem that is not monotone, its mean diagonal zero: the residual must judge p all the same.
TEST(AutoSolver, PivotsWhereNothingElseHelps) {
  const ConeProblem problem =
      make_problem((Matrix(3, 3) << 0, -1, 2, 2, 0, -2, -1, 1, 0).finished(), {-3.0, 6.0, -1.0}, 0);
  EXPECT_GT(calc_residual(problem, std::vector{0.0, 1.0, 2.0}).relative, 0.1);  // u >= 0, but not perpendicular to p
  ConeSolution solution;
  const SolveReport report = solve(problem, AutoOptions{}, solution);
  EXPECT_EQ(report.status, Status::ok);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(std::min(solution.p[i], solution.u[i]), 0.0, 1e-9);
}

// --- global forms

/// M v = H r + f, u = H^T v + w of bodies with full mass matrices, contacts between pairs, some joints.
GlobalForm make_global(int n_bodies, int n_contacts, int n_joints, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto fill = [&](SparseMatrix& matrix, int rows, int columns, auto&& entries) {
    std::vector<Eigen::Triplet<double>> triplets;
    entries(triplets);
    matrix.resize(rows, columns);
    matrix.setFromTriplets(triplets.begin(), triplets.end());
  };
  GlobalForm form;
  const int n_v = 6 * n_bodies;
  fill(form.m, n_v, n_v, [&](auto& entries) {
    for (int k = 0; k < n_bodies; ++k) {
      const Matrix root = Matrix::NullaryExpr(6, 6, [&] { return 0.3 * normal(random); });
      const Matrix m = std::pow(10.0, k % 3) * (root * root.transpose() + Matrix::Identity(6, 6));
      for (int i = 0; i < 36; ++i) entries.emplace_back(6 * k + i / 6, 6 * k + i % 6, m(i / 6, i % 6));
    }
  });
  const auto couple = [&](auto& entries, int column, int first, int second) {
    for (const int body : {first, second}) {
      for (int r = 0; r < 6; ++r) entries.emplace_back(6 * body + r, column, normal(random));
    }
  };
  fill(form.h, n_v, 3 * n_contacts, [&](auto& entries) {
    for (int i = 0; i < n_contacts; ++i) {
      const auto first = static_cast<int>(random() % n_bodies);
      const int second = (first + 1) % n_bodies;
      for (int r = 0; r < 3; ++r) couple(entries, 3 * i + r, first, second);
    }
  });
  fill(form.g, n_v, n_joints, [&](auto& entries) {
    for (int i = 0; i < n_joints; ++i) couple(entries, i, i % n_bodies, (i + 2) % n_bodies);
  });
  // v = 0 has u_N = w_N > 0 and fits the joints: a solution exists.
  form.f = Vector::NullaryExpr(n_v, [&] { return 10.0 * normal(random); });
  form.w = Vector::NullaryExpr(3 * n_contacts, [&] { return 0.1; });
  form.b = Vector::Zero(n_joints);
  form.mu = Vector::Constant(n_contacts, 0.6);
  return form;
}

TEST(AutoSolver, GlobalFormsWithoutCondensing) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const OneStepProblem problem = make_one_step_problem(make_global(12, 40, 5, seed), "generated");
    ASSERT_TRUE(std::holds_alternative<SparseDelassus>(problem.cones.delassus));
    for (const double tolerance : {1e-8, 1e-12}) {
      AutoOptions options;
      options.tolerance = tolerance;
      ConeSolution solution;
      const SolveReport report = solve(problem.cones, options, solution);
      EXPECT_EQ(report.status, Status::ok) << seed << ": " << report.residual.relative;
      EXPECT_LE(calc_residual(problem.cones, solution.p).relative, tolerance);
    }
  }
}

}  // namespace
}  // namespace stickslip
