// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/least_norm.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "stickslip/cone/residual.h"
#include "stickslip/solvers/iterate.h"
#include "tests/support/box_problems.h"
#include "tests/support/planted_problem.h"

namespace stickslip {
namespace {

using test::BoxStack;

/// Forces of different solvers, orders and starts: the tolerance times the condition number of these problems.
constexpr double kSameForces = 1e-9;
constexpr double kTolerance = 1e-11;

ConeSolution solve(const ConeProblem& problem, const SolverOptions& options, SolveReport& report,
                   const std::vector<double>& start = {}) {
  SolverOptions tight = options;
  stop_options(tight).tolerance = kTolerance;
  LeastNormSolver solver(tight);
  ConeSolution solution;
  solution.p = start.empty() ? std::vector<double>(problem.size(), 0.0) : start;
  EXPECT_FALSE(solver.refuses(problem));
  report = solver.solve(problem, solution);
  EXPECT_EQ(report.status, Status::ok) << report.residual.relative << " " << report.message;
  EXPECT_LE(calc_residual(problem, solution.p).relative, kTolerance);
  EXPECT_STREQ(report.message, "");
  return solution;
}

double calc_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(sum / size);
}

TEST(LeastNorm, ABoxOnFourCornersGivesAQuarterToEach) {
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::associated}) {
    const ConeProblem problem = BoxStack({1.0}).make(law);
    SolveReport report;
    const ConeSolution solution = solve(problem, AutoOptions{}, report, {9, 1, 1, 0, 0, 0, 5, 2, 1, 1, 0, 0});
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(solution.p[3 * i], 0.25 * BoxStack::kFall, 1e-12);
      EXPECT_NEAR(solution.p[3 * i + 1], 0.0, 1e-12);
      EXPECT_NEAR(solution.p[3 * i + 2], 0.0, 1e-12);
    }
    EXPECT_EQ(report.determinacy.unknowns, 12);
    EXPECT_EQ(report.determinacy.rank, 6);
    EXPECT_EQ(report.determinacy.forces, Determined::no);
    EXPECT_EQ(report.determinacy.velocities, law == FrictionLaw::associated ? Determined::yes : Determined::unknown);
  }
}

/// A rail on three frictionless supports in a row, at x = -1, 0, 2, loaded at its centre of mass x = c: with two
/// equations, sum N = F and sum x N = c F, the least norm is N_i = a + b x_i; where that pulls, the support is open.
TEST(LeastNorm, ARailOnThreeSupportsAgainstTheClosedForm) {
  constexpr std::array<double, 3> kPlaces = {-1.0, 0.0, 2.0};
  constexpr double kForce = 3.0;
  for (const double center : {0.0, 0.4, 1.0, 1.6}) {
    ConeProblem problem;
    FactoredDelassus w;
    Matrix inverse_mass(2, 2);
    inverse_mass << 0.5, 0.0, 0.0, 1.7;
    w.add_body(inverse_mass);
    for (int i = 0; i < 3; ++i) {
      problem.add_contact({});
      w.begin_row(1);
      w.add_block(0) << 1.0, kPlaces[i] - center;
      problem.b[i] = -0.5 * kForce;
    }
    problem.delassus = w;
    // Minimise over the face of what pushes: all three, or the two outer ones where the closed form pulls at one.
    std::vector<double> expected(3, 0.0);
    const auto solve_on = [&](const std::vector<int>& on) {
      double s0 = 0.0, s1 = 0.0, s2 = 0.0;
      for (const int i : on) {
        s0 += 1.0;
        s1 += kPlaces[i];
        s2 += kPlaces[i] * kPlaces[i];
      }
      const double det = s0 * s2 - s1 * s1;
      const double a = (s2 - s1 * center) * kForce / det;
      const double b = (s0 * center - s1) * kForce / det;
      expected.assign(3, 0.0);
      for (const int i : on) expected[i] = a + b * kPlaces[i];
    };
    solve_on({0, 1, 2});
    if (expected[0] < 0.0) solve_on({1, 2});
    ASSERT_GE(*std::min_element(expected.begin(), expected.end()), 0.0);
    SolveReport report;
    const ConeSolution solution = solve(problem, AutoOptions{}, report);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(solution.p[i], expected[i], 1e-10) << center;
    EXPECT_EQ(report.determinacy.rank, 2);
    EXPECT_EQ(report.determinacy.velocities, Determined::yes);  // no friction
  }
}

TEST(LeastNorm, ForcesThatAreDeterminedStay) {
  const ConeProblem problem = test::plant({.n_bodies = 12, .n_contacts = 6}, FrictionLaw::associated, 2).problem;
  SolveReport report;
  const ConeSolution solution = solve(problem, AutoOptions{}, report);
  EXPECT_EQ(report.determinacy.rank, report.determinacy.unknowns);
  EXPECT_EQ(report.determinacy.forces, Determined::yes);
  const ConeSolution other = solve(problem, ProxOptions{}, report);
  EXPECT_LE(calc_distance(other.p, solution.p), kSameForces);
}

/// The forces whatever the solver and the start; only under the relaxed law are the velocities theirs alone.
TEST(LeastNorm, ForcesDoNotDependOnSolverAndStart) {
  std::vector<ConeProblem> problems = {BoxStack({1.0, 2.0, 0.5}).make(FrictionLaw::associated),
                                       BoxStack({1.0, 3.0}, 0.08).make(FrictionLaw::associated)};
  for (unsigned seed = 1; seed <= 3; ++seed) {
    problems.push_back(
        test::plant({.n_bodies = 4, .n_contacts = 8, .duplicate = true}, FrictionLaw::associated, seed).problem);
    problems.push_back(
        test::plant({.n_bodies = 2, .n_contacts = 9, .n_joints = 1, .n_balls = 2}, FrictionLaw::associated, seed)
            .problem);
  }
  int n_redundant = 0;
  for (const ConeProblem& problem : problems) {
    SolveReport report;
    const ConeSolution first = solve(problem, AutoOptions{}, report);
    n_redundant += report.determinacy.rank < report.determinacy.unknowns ? 1 : 0;
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (const SolverOptions& options :
         std::vector<SolverOptions>{AutoOptions{}, NsgsOptions{}, ProxOptions{}, IpmOptions{}, NewtonFbOptions{}}) {
      std::vector<double> start(problem.size());
      for (double& value : start) value = normal(random);
      project_on_cones(problem, start);
      const ConeSolution other = solve(problem, options, report, start);
      EXPECT_LE(calc_distance(other.p, first.p), kSameForces) << solver_name(options);
    }
  }
  EXPECT_GE(n_redundant, 5);
}

/// Contacts in another order: the same forces, permuted.
TEST(LeastNorm, ForcesDoNotDependOnTheOrder) {
  for (const FrictionLaw law : {FrictionLaw::associated, FrictionLaw::coulomb}) {
    const BoxStack stack({1.0, 2.0, 0.5}, 0.01);
    const int n = stack.n_contacts();
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    SolveReport report;
    const ConeSolution first = solve(stack.make(law, order), AutoOptions{}, report);
    std::mt19937 random(3);
    for (int trial = 0; trial < 3; ++trial) {
      for (int k = n - 1; k > 0; --k) std::swap(order[k], order[static_cast<int>(random() % (k + 1))]);
      const ConeSolution other = solve(stack.make(law, order), AutoOptions{}, report);
      std::vector<double> sorted(other.p.size());
      for (int k = 0; k < n; ++k) std::copy_n(other.p.begin() + 3 * k, 3, sorted.begin() + 3 * order[k]);
      EXPECT_LE(calc_distance(sorted, first.p), kSameForces);
    }
  }
}

/// No solution with the same velocities is shorter: steps within the null space that stay in the cones are longer.
TEST(LeastNorm, NothingShorterNearby) {
  const ConeProblem problem = BoxStack({1.0, 2.0}, 0.02).make(FrictionLaw::associated);
  SolveReport report;
  const ConeSolution solution = solve(problem, AutoOptions{}, report);
  const double norm = std::inner_product(solution.p.begin(), solution.p.end(), solution.p.begin(), 0.0);
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  ProxOptions options;
  options.tolerance = 1e-12;
  for (int trial = 0; trial < 10; ++trial) {
    ConeSolution other;
    for (int i = 0; i < problem.size(); ++i) other.p.push_back(solution.p[i] + 0.3 * normal(random));
    project_on_cones(problem, other.p);
    ASSERT_EQ(make_solver(options)->solve(problem, other).status, Status::ok);
    EXPECT_GE(std::inner_product(other.p.begin(), other.p.end(), other.p.begin(), 0.0), norm * (1.0 - 1e-9));
  }
}

// --- what the metric does not depend on

/// A planar body (velocities v_x, v_y, w; 1 kg, 0.1 kg m^2) held by joint rows that fix its three velocities twice
/// over, forces and torques, and one contact that sticks.
struct HeldBody {
  double per_metre = 1.0;  // units of length in a metre
  bool has_contact = true;
  bool is_one_joint = true;    // else a cone for each row
  std::vector<int> units{};    // of each percussion: powers of length beside kg/s
  Matrix rows{};               // (n, 3)
  Eigen::Vector3d momentum{};  // [kg m/s, kg m^2/s] that percussions have to give
  Eigen::Vector3d inverse_mass{};

  ConeProblem make() {
    const double s = per_metre;
    const std::array<std::array<double, 3>, 4> joint = {{{1, 0, 0}, {0, 0, 1}, {1, 0, 0.5 * s}, {0, 1, -0.3 * s}}};
    inverse_mass << 1.0, 1.0, 1.0 / (0.1 * s * s);
    ConeProblem problem;
    FactoredDelassus w;
    w.add_body(inverse_mass.asDiagonal().toDenseMatrix());
    rows.resize(has_contact ? 6 : 4, 3);
    int n = 0;
    if (has_contact) {
      const FrictionBlock block{1, 0.5, 0, 0.0};
      problem.add_contact({&block, 1});
      w.begin_row(2);
      w.add_block(0) << 0, 1, 0.2 * s, 1, 0, 0;
      rows.row(n++) << 0, 1, 0.2 * s;
      rows.row(n++) << 1, 0, 0;
      units = {1, 1};
    }
    if (is_one_joint) {
      problem.add_free(4);
      w.begin_row(4);
    }
    for (int k = 0; k < 4; ++k) {
      if (!is_one_joint) {
        problem.add_free(1);
        w.begin_row(1);
        w.add_block(0) << joint[k][0], joint[k][1], joint[k][2];
      }
      rows.row(n++) << joint[k][0], joint[k][1], joint[k][2];
      units.push_back(k == 1 ? 2 : 1);
    }
    if (is_one_joint) w.add_block(0) = rows.bottomRows(4);
    problem.delassus = w;
    const Eigen::Vector3d velocity(0.1 * s, -s, 2.0);
    momentum = -velocity.cwiseQuotient(inverse_mass);
    const Vector b = rows * velocity;
    problem.b.assign(b.begin(), b.end());
    return problem;
  }
};

TEST(LeastNorm, UnitsOfLengthAndTheGroupingOfRowsDoNotMatter) {
  for (const bool has_contact : {true, false}) {
    std::vector<double> first;
    for (const bool is_one_joint : {true, false}) {
      for (const double per_metre : {1.0, 1e3, 1e-3}) {
        HeldBody body{.per_metre = per_metre, .has_contact = has_contact, .is_one_joint = is_one_joint};
        const ConeProblem problem = body.make();
        SolveReport report;
        std::vector<double> p = solve(problem, AutoOptions{}, report).p;
        EXPECT_EQ(report.determinacy.rank, 3);
        EXPECT_EQ(report.determinacy.forces, Determined::no);
        // The closed form where no cone matters: p = D^-1 J l, J^T p = momentum, D the metric.
        Vector metric = (body.rows.array().square().matrix() * body.inverse_mass);
        if (has_contact) metric[1] = metric[0];  // friction as the normal
        const Matrix weighted = metric.cwiseInverse().asDiagonal() * body.rows;
        const Eigen::Vector3d l = (body.rows.transpose() * weighted).lu().solve(body.momentum);
        const Vector expected = weighted * l;
        if (has_contact) {
          ASSERT_LT(std::abs(expected[1]), 0.5 * expected[0]);  // it sticks
        }
        EXPECT_LE(calc_distance(p, {expected.begin(), expected.end()}), kSameForces) << per_metre;
        for (std::size_t i = 0; i < p.size(); ++i) p[i] /= std::pow(per_metre, body.units[i]);
        if (first.empty()) first = p;
        EXPECT_LE(calc_distance(p, first), kSameForces) << per_metre << " " << is_one_joint;
      }
    }
  }
}

/// A contact whose second block is a torque, twice; half of everything to each, in any unit of length.
TEST(LeastNorm, TorquesOfContactsCountInAnyUnitOfLength) {
  for (const double s : {1.0, 1e3}) {
    ConeProblem problem;
    FactoredDelassus w;
    w.add_body(Eigen::Vector4d(1.0, 1.0, 1.0 / (0.1 * s * s), 1.0 / (0.3 * s * s)).asDiagonal().toDenseMatrix());
    const std::array<FrictionBlock, 2> blocks = {{{1, 0.5, 0, 0.0}, {2, 0.4 * s, 0, 0.0}}};
    for (int k = 0; k < 2; ++k) {
      problem.add_contact(blocks);
      w.begin_row(4);
      w.add_block(0) = Matrix::Identity(4, 4);
      problem.add_free(1);  // holds all four velocities a little, which couples them
      w.begin_row(1);
      w.add_block(0) << 0.1, 0.1, 0.05 * s, 0.02 * s;
    }
    problem.delassus = w;
    const Eigen::Vector4d velocity(-s, 0.1 * s, 0.2, -0.3);
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i < 4; ++i) problem.b[5 * k + i] = velocity[i];
      problem.b[5 * k + 4] = Eigen::Vector4d(0.1, 0.1, 0.05 * s, 0.02 * s).dot(velocity);
    }
    SolveReport report;
    const ConeSolution solution = solve(problem, AutoOptions{}, report);
    // min sum m p^2 with p = x - c y, y the free row's: y = sum m c x / (m_y + sum m c^2), x the momentum to give.
    const Eigen::Vector4d x(s, -0.1 * s, -0.2 * 0.1 * s * s, 0.3 * 0.3 * s * s);
    const Eigen::Vector4d c(0.1, 0.1, 0.05 * s, 0.02 * s);
    const double torque = 0.5 * (1.0 / 0.1 + 1.0 / 0.3) / (s * s);
    const Eigen::Vector4d m(1.0, 1.0, torque, torque);
    const double m_y = 0.02 + (0.0025 / 0.1 + 0.0004 / 0.3);
    const double y = (m.array() * c.array() * x.array()).sum() / (m_y + (m.array() * c.array().square()).sum());
    for (int k = 0; k < 2; ++k) {
      EXPECT_NEAR(solution.p[5 * k + 4], 0.5 * y, 1e-9 * s);
      for (int i = 0; i < 4; ++i) {
        EXPECT_NEAR(solution.p[5 * k + i], 0.5 * (x[i] - c[i] * y), 1e-9 * (i < 2 ? s : s * s)) << i;
      }
    }
  }
}

// --- rank, convexity, time

/// A light body on the floor and a heavy one on it, W as it is in a file: regular, however heavy it is.
TEST(LeastNorm, AHeavyBodyIsNoRedundancy) {
  for (const double mass : {1.0, 1e8, 1e10}) {
    ConeProblem problem;
    problem.law = FrictionLaw::associated;
    const FrictionBlock block{1, 0.5, 0, 0.0};
    for (int k = 0; k < 2; ++k) problem.add_contact({&block, 1});
    StoredDelassus w;
    const double sum = 1.0 + 1.0 / mass;
    const std::array<int, 2> columns = {0, 1};
    const std::array<int, 2> dims = {2, 2};
    w.add_row(columns, dims, 2, std::array<double, 8>{1, 0, 0, 1, -1, 0, 0, -1});
    w.add_row(columns, dims, 2, std::array<double, 8>{-1, 0, 0, -1, sum, 0, 0, sum});
    problem.delassus = w;
    problem.b = {-0.1, 0.0, 0.0, 0.0};
    AutoOptions options;
    options.tolerance = 1e-5;
    ConeSolution solution;
    solution.p.assign(4, 0.0);
    const SolveReport report = LeastNormSolver(options).solve(problem, solution);
    EXPECT_EQ(report.status, Status::ok);
    EXPECT_EQ(report.determinacy.unknowns, 4);
    EXPECT_EQ(report.determinacy.rank, 4) << mass;
    EXPECT_EQ(report.determinacy.forces, Determined::yes) << mass;
  }
}

/// w = M z + q with M symmetric and not semidefinite: z = (1, 0) and z = (0, 1) solve it, with other velocities.
TEST(LeastNorm, VelocitiesOfProblemsThatAreNotConvexAreNotDetermined) {
  for (const double coupling : {2.0, 1.0}) {
    ConeProblem problem;
    for (int k = 0; k < 2; ++k) problem.add_contact({});
    StoredDelassus w;
    const std::array<int, 2> columns = {0, 1};
    const std::array<int, 2> dims = {1, 1};
    w.add_row(columns, dims, 1, std::array<double, 2>{1, coupling});
    w.add_row(columns, dims, 1, std::array<double, 2>{coupling, 1});
    problem.delassus = w;
    problem.b = {-1.0, -1.0};
    SolveReport report;
    (void)solve(problem, AutoOptions{}, report, {1.0, 0.0});
    EXPECT_EQ(report.determinacy.velocities, coupling > 1.0 ? Determined::unknown : Determined::yes);
  }
}

/// Too little time: the forces that were there, and the report says that nothing was selected.
TEST(LeastNorm, KeepsToTheTimeLimit) {
  const ConeProblem problem = BoxStack(std::vector<double>(8, 1.0)).make(FrictionLaw::coulomb);
  AutoOptions options;
  ConeSolution given;
  given.p.assign(problem.size(), 0.0);
  options.tolerance = 1e-12;
  const SolveReport exact = make_solver(options)->solve(problem, given);
  ASSERT_EQ(exact.status, Status::ok);
  options.tolerance = 1e-9;
  options.time_limit = 1e-9;
  ConeSolution solution = given;
  const SolveReport report = LeastNormSolver(options).solve(problem, solution);
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_NE(std::string(report.message).find("the time was up"), std::string::npos) << report.message;
  EXPECT_EQ(report.determinacy.forces, Determined::unknown);
  EXPECT_EQ(report.determinacy.rank, -1);
  EXPECT_EQ(solution.p, given.p);
}

TEST(LeastNorm, RefusesPolygons) {
  const ConeProblem problem = test::plant({.n_contacts = 2, .facets = 5}, FrictionLaw::coulomb, 1).problem;
  EXPECT_TRUE(LeastNormSolver(AutoOptions{}).refuses(problem));
  EXPECT_EQ(make_solver(AutoOptions{}, ForceChoice::least_norm)->name(), "auto");
}

}  // namespace
}  // namespace stickslip
