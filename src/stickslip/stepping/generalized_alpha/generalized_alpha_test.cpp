// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/generalized_alpha.h"

#include <gtest/gtest.h>

#include <array>
#include <cfenv>
#include <cmath>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/math/rank_revealing_solve.h"
#include "tests/support/no_solver.h"

namespace stickslip {
namespace {

using test::NoSolver;

Body make_point(const std::string& name) {
  Body body;
  body.name = name;
  body.type = BodyType::point;
  body.mass = 2.0;
  return body;
}

TEST(GeneralizedAlphaOptions, AreChecked) {
  GeneralizedAlphaOptions options;
  options.rho_inf = 1.5;
  EXPECT_THROW(options.check(), InputError);
  options = {};
  options.tolerance = 0.0;
  EXPECT_THROW(options.check(), InputError);
  options = {};
  options.r = -1.0;
  EXPECT_THROW(options.check(), InputError);
}

TEST(GeneralizedAlpha, FreeFallIsExact) {
  SystemBuilder builder(false, Vector3(0, 0, -9.81));
  builder.add_body(make_point("ball"));
  const System system = builder.build();
  NoSolver solver;
  const auto stepper = make_generalized_alpha({}, system, solver);
  State state;
  state.q = Vector3(0, 0, 1);
  state.u = Vector3(1, 0, 2);
  StepReport report;
  stepper->initialize(state, report);
  EXPECT_NEAR(report.a(2), -9.81, 1e-14);
  const double h = 0.01;
  for (int i = 1; i <= 100; ++i) {
    ASSERT_EQ(stepper->step(state, h, i * h, report), Status::ok);
    EXPECT_EQ(report.solve.iterations, 0);
  }
  EXPECT_NEAR(state.q(0), 1.0, 1e-13);
  EXPECT_NEAR(state.q(2), 1.0 + 2.0 - 0.5 * 9.81, 1e-13);
  EXPECT_NEAR(state.u(2), 2.0 - 9.81, 1e-13);
  EXPECT_NEAR(report.energy_error, 0.0, 1e-12);
}

TEST(GeneralizedAlpha, FailedStepLeavesTheStateAsItWas) {
  SystemBuilder builder(false, Vector3::Zero());
  const int ball = builder.add_body(make_point("ball"));
  Load load;
  load.body = ball;
  load.force[0] = Expression::parse("exp(1000000*t)");  // overflows in the second step
  Force push;
  push.name = "push";
  push.law = load;
  builder.add_force(push);
  const System system = builder.build();
  NoSolver solver;
  const auto stepper = make_generalized_alpha({}, system, solver);
  State state;
  state.q = Vector3::Zero();
  state.u = Vector3::Zero();
  StepReport report;
  stepper->initialize(state, report);
  ASSERT_EQ(stepper->step(state, 1e-6, 1e-6, report), Status::ok);
  const std::vector<std::byte> before = to_bytes(state);
  // The traps of these tests would stop at the overflow that is to be seen here.
  std::fenv_t traps;
  std::feholdexcept(&traps);
  EXPECT_EQ(stepper->step(state, 1e-2, 1e-2, report), Status::failed);
  std::fesetenv(&traps);
  EXPECT_NE(report.message.find("ball"), std::string::npos) << report.message;
  EXPECT_EQ(to_bytes(state), before);
}

TEST(RankRevealingSolve, SolvesAndKnowsTheRank) {
  const std::array<double, 9> regular = {0.0, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, -1.0};
  const std::array<double, 3> x = {1.0, -2.0, 3.0};
  std::array<double, 9> a = regular;
  std::array<double, 3> b = {};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) b[i] += a[3 * i + j] * x[j];
  }
  std::array<double, 3> solution = {};
  std::array<int, 3> order = {};
  EXPECT_EQ(solve_complete_pivoting(3, a.data(), b.data(), order.data(), solution.data(), 1e-12).rank, 3);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(solution[i], x[i], 1e-14);

  // Rows twice: of all solutions of x + y = 2 the shortest.
  std::array<double, 4> twice = {1.0, 1.0, 1.0, 1.0};
  std::array<double, 2> two = {2.0, 2.0};
  std::array<double, 2> shortest = {};
  EXPECT_EQ(solve_complete_pivoting(2, twice.data(), two.data(), order.data(), shortest.data(), 1e-12).rank, 1);
  EXPECT_NEAR(shortest[0], 1.0, 1e-14);
  EXPECT_NEAR(shortest[1], 1.0, 1e-14);
}

/// A = B C of every rank from none to all, b outside of what A reaches: as an orthogonal decomposition has it.
TEST(RankRevealingSolve, IsOfLeastNormWithTheLeastResidual) {
  constexpr int n = 60;
  using RowMajor = Eigen::Matrix<double, n, n, Eigen::RowMajor>;
  std::srand(7);
  for (const int rank : {0, 1, 20, 45, 59, 60}) {
    const RowMajor A = Matrix::Random(n, rank) * Matrix::Random(rank, n);
    const Vector b = Vector::Random(n);
    Vector best(n);
    solve_least_norm(n, A.data(), b.data(), best.data(), 1e-10);
    RowMajor destroyed = A;
    Vector right = b;
    Vector x(n);
    std::array<int, n> order = {};
    EXPECT_EQ(solve_complete_pivoting(n, destroyed.data(), right.data(), order.data(), x.data(), 1e-10).rank, rank);
    EXPECT_LE((x - best).norm(), 1e-10 * (1.0 + best.norm())) << rank;
  }
}

}  // namespace
}  // namespace stickslip
