// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/least_violation.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>
#include <string>

#include "stickslip/cone/one_step_problem.h"
#include "stickslip/math/sparse.h"

namespace stickslip {
namespace {

/// A ball between two walls that close on it along any direction: the second normal is the first turned round, and by
/// `tilt` besides. Entries of W that should cancel are round-off.
struct SqueezedBall {
  ConeProblem problem;
  double mass = 0.0;     // [kg]
  double closing = 0.0;  // [m/s] of both walls together
  double speed = 0.0;    // [m/s] of walls and ball
};

SqueezedBall squeeze(unsigned seed, FrictionLaw law, double tilt) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  constexpr std::array kFriction = {0.0, 0.1, 0.3, 1.0};
  const double mu = kFriction[seed % kFriction.size()];
  SqueezedBall ball;
  ball.mass = std::pow(10.0, 2.0 * uniform(random));
  const double radius = std::pow(10.0, uniform(random));
  const double walls = std::pow(10.0, uniform(random));
  const Vector3 velocity = walls * Vector3(uniform(random), uniform(random), uniform(random));
  const Vector3 normal = Vector3(uniform(random), uniform(random), uniform(random) + 2.0).normalized();
  const Vector3 side = normal.unitOrthogonal();
  Matrix j(6, 6);
  Vector b(6);
  for (int k = 0; k < 2; ++k) {
    const double angle = k == 0 ? tilt : std::acos(-1.0) - tilt;
    const Vector3 n = std::cos(angle) * normal + std::sin(angle) * side;
    const Vector3 t1 = n.unitOrthogonal();
    const Vector3 t2 = n.cross(t1);
    const Vector3 arm = -radius * n;
    const double closing = walls * (1.0 + 0.5 * uniform(random));
    ball.closing += closing;
    int row = 3 * k;
    for (const Vector3& direction : {n, t1, t2}) {
      j.row(row) << direction.transpose(), arm.cross(direction).transpose();
      b[row] = direction.dot(velocity) - (row == 3 * k ? closing : 0.0);
      ++row;
    }
  }
  Vector inverse(6);
  inverse << Vector::Constant(3, 1.0 / ball.mass), Vector::Constant(3, 2.5 / (ball.mass * radius * radius));
  ConeProblem cones;
  const FrictionBlock disc{2, mu, 0, 0.0};
  for (int k = 0; k < 2; ++k) cones.add_contact({&disc, 1});
  cones.b.assign(b.data(), b.data() + 6);
  ball.problem = make_one_step_problem(
                     ConeForm{SparseMatrix(Matrix(j * inverse.asDiagonal() * j.transpose()).sparseView())}, cones)
                     .cones;
  ball.problem.law = law;
  ball.speed = velocity.norm() + ball.closing;
  return ball;
}

class Squeezed : public testing::TestWithParam<FrictionLaw> {};

/// Between parallel walls nothing helps, whatever the friction and the law: there is a proof, and an answer near by.
TEST_P(Squeezed, HasAProofAndABoundedAnswer) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    const SqueezedBall ball = squeeze(seed, GetParam(), 0.0);
    ConeSolution solution{std::vector<double>(6, 0.0), {}};
    const SolveReport report = make_solver(AutoOptions{})->solve(ball.problem, solution);
    EXPECT_EQ(report.status, Status::inexact) << seed;
    EXPECT_NEAR(report.violation, ball.closing / std::sqrt(2.0), 1e-9 * ball.speed) << seed;
    EXPECT_NEAR(report.residual.missed, report.violation, 1e-4 * ball.speed) << seed;
    for (const double p : solution.p) EXPECT_LE(std::abs(p), 10.0 * ball.mass * ball.speed) << seed;
    for (const double u : solution.u) EXPECT_LE(std::abs(u), 10.0 * ball.speed) << seed;
  }
}

/// In a wedge that closes friction may jam a ball, and then there is no solution either under the exact law.
TEST_P(Squeezed, IsBoundedInAWedge) {
  int inexact = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    const SqueezedBall ball = squeeze(seed, GetParam(), 0.05);
    ConeSolution solution{std::vector<double>(6, 0.0), {}};
    const SolveReport report = make_solver(AutoOptions{})->solve(ball.problem, solution);
    if (report.status == Status::ok) continue;
    ++inexact;
    for (const double p : solution.p) EXPECT_LE(std::abs(p), 10.0 * ball.mass * ball.speed) << seed;
    for (const double u : solution.u) EXPECT_LE(std::abs(u), 10.0 * ball.speed) << seed;
  }
  EXPECT_GE(inexact, 30);
}

/// Whatever solver is asked.
TEST_P(Squeezed, IsBoundedByEverySolver) {
  for (const std::string_view name : solver_names()) {
    const auto solver = make_solver(make_solver_options(name));
    for (unsigned seed = 0; seed < 8; ++seed) {
      const SqueezedBall ball = squeeze(seed, GetParam(), 0.0);
      if (solver->refuses(ball.problem)) continue;
      ConeSolution solution{std::vector<double>(6, 0.0), {}};
      EXPECT_EQ(solver->solve(ball.problem, solution).status, Status::inexact) << name << " " << seed;
      for (const double p : solution.p) EXPECT_LE(std::abs(p), 10.0 * ball.mass * ball.speed) << name << " " << seed;
    }
  }
}

/// A solver that has not got far yet is no sign that there is no solution: sweeps under a body 1e4 times as heavy keep
/// what they have, which grows from step to step.
TEST(LeastViolation, LeavesSlowSolversAlone) {
  ConeProblem problem;
  for (int i = 0; i < 2; ++i) problem.add_contact({});
  FactoredDelassus w;
  for (const double mass : {1.0, 1e4}) w.add_body(Matrix::Constant(1, 1, 1.0 / mass));
  w.begin_row(1);
  w.add_block(0) << 1.0;
  w.begin_row(1);
  w.add_block(0) << -1.0;
  w.add_block(1) << 1.0;
  problem.delassus = std::move(w);
  problem.b = {-0.01, 0.0};  // both fall at 0.01 m/s
  PgsOptions options;
  options.max_iterations = 100;
  const auto solver = make_solver(options);
  ConeSolution solution{{60.0, 60.0}, {}};
  EXPECT_EQ(solver->solve(problem, solution).status, Status::inexact);
  for (const double p : solution.p) EXPECT_GE(p, 60.0) << "of 100 N s that are needed";
}

INSTANTIATE_TEST_SUITE_P(Laws, Squeezed, testing::Values(FrictionLaw::coulomb, FrictionLaw::associated),
                         [](const auto& made) {
                           return made.param == FrictionLaw::coulomb ? "coulomb" : "associated";
                         });

}  // namespace
}  // namespace stickslip
