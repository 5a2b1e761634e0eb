// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/residual.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace stickslip {
namespace {

constexpr FrictionBlock kLine = {1, 0.5, 0, 0.0};

/// A contact with friction, a ball and a bilateral cone, each of two rows, W = 1.
ConeProblem three_cones() {
  ConeProblem problem;
  problem.add_contact({&kLine, 1});
  problem.add_ball(2, 3.0);
  problem.add_free(2);
  StoredDelassus w;
  for (int i = 0; i < 3; ++i) {
    const std::array columns = {i};
    const std::array sizes = {2};
    w.add_row(columns, sizes, 2, std::vector{1.0, 0.0, 0.0, 1.0});
  }
  problem.delassus = w;
  return problem;
}

TEST(Missed, IsWhatContactsCloseAndBilateralRowsMoveBy) {
  ConeProblem problem = three_cones();
  const std::vector<double> none(6, 0.0);
  problem.b = {-3.0, 7.0, 8.0, 9.0, 0.0, -4.0};
  EXPECT_DOUBLE_EQ(calc_residual(problem, none).missed, 5.0);
  problem.b[0] = 3.0;  // opens
  EXPECT_DOUBLE_EQ(calc_residual(problem, none).missed, 4.0);
  EXPECT_DOUBLE_EQ(calc_residual(problem, std::vector{1.0, 0.0, 0.0, 0.0, 0.0, 3.0}).missed, 1.0);
  problem.b = {0.0, 7.0, 8.0, 9.0, 0.0, 0.0};  // slides: what friction leaves is another matter
  EXPECT_EQ(calc_residual(problem, none).missed, 0.0);
}

TEST(Floor, ExcusesRoundOffAndNoMore) {
  ConeProblem problem = three_cones();
  const std::vector<double> none(6, 0.0);
  problem.b = {-1e-16, 0.0, 0.0, 0.0, 2e-16, 0.0};
  EXPECT_GT(calc_residual(problem, none).relative, 0.5);
  problem.floor = 1e-15;
  const Residual excused = calc_residual(problem, none);
  EXPECT_EQ(excused.relative, 0.0);
  EXPECT_GT(excused.absolute, 2e-16);  // what it is, it is
  EXPECT_GT(excused.unfloored, 0.5);
  problem.b[4] = 2e-15;
  EXPECT_GT(calc_residual(problem, none).relative, 0.5);
}

/// Percussions of which the last digit is more than b satisfy any law by chance.
TEST(Floor, NothingIsSolvedByPercussionsInWhichVelocitiesAreLost) {
  ConeProblem problem;
  problem.add_contact({});
  problem.add_contact({});
  StoredDelassus w;
  const std::array columns = {0, 1};
  const std::array sizes = {1, 1};
  w.add_row(columns, sizes, 1, std::vector{1.0, -1.0});
  w.add_row(columns, sizes, 1, std::vector{-1.0, 1.0});
  problem.delassus = w;
  problem.b = {-0.3, -0.3};
  const std::vector<double> p = {1e18, 1e18 + 128.0};
  EXPECT_GE(calc_residual(problem, problem.law, p, std::vector{0.0, 0.0}, 1.0).relative, 1.0);
  EXPECT_GE(calc_residual(problem, p).relative, 1.0);
}

/// Bodies that have nothing to do with each other do not lose each other's velocities: a light one at rest beside one
/// that is 1e18 times as heavy.
TEST(Floor, NothingIsLostWhereNothingCancels) {
  ConeProblem problem;
  for (int i = 0; i < 2; ++i) problem.add_contact({});
  FactoredDelassus w;
  for (const double mass : {1e-9, 1e9}) w.add_body(Matrix::Constant(1, 1, 1.0 / mass));
  for (int i = 0; i < 2; ++i) {
    w.begin_row(1);
    w.add_block(i) << 1.0;
  }
  problem.delassus = std::move(w);
  problem.b = {-0.01, -0.01};
  EXPECT_LE(calc_residual(problem, std::vector<double>{0.01 * 1e-9, 0.01 * 1e9}).relative, 1e-15);
}

TEST(WorstCone, HasTheLargestPartOfTheResidual) {
  ConeProblem problem = three_cones();
  const std::vector<double> none(6, 0.0);
  problem.b = {-3.0, 0.0, 2.0, 2.0, 0.0, -2.9};
  EXPECT_EQ(calc_residual(problem, none).worst, 0);
  problem.b[5] = -3.1;
  EXPECT_EQ(calc_residual(problem, none).worst, 2);
  problem.b[2] = 6.0;  // of which the ball takes 3 at most: the rest is motion
  EXPECT_EQ(calc_residual(problem, none).worst, 2);
  problem.b[3] = -2.0;
  EXPECT_EQ(calc_residual(problem, std::vector{3.0, 0.0, 0.0, 0.0, 0.0, 3.1}).worst, 1);
}

TEST(WorstCone, IsNoneWhereAllLawsHold) {
  ConeProblem problem = three_cones();
  problem.b = {1.0, 7.0, 0.0, 0.0, 0.0, 0.0};
  EXPECT_EQ(calc_residual(problem, std::vector<double>(6, 0.0)).worst, -1);
  EXPECT_EQ(calc_residual(ConeProblem(), std::vector<double>()).worst, -1);
}

TEST(WorstCone, IsTheOneThatIsNotFinite) {
  ConeProblem problem = three_cones();
  for (const double bad : {HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    for (int row = 0; row < 6; ++row) {
      problem.b = {-1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
      problem.b[row] = bad;
      const Residual residual = calc_residual(problem, std::vector<double>(6, 0.0));
      EXPECT_EQ(residual.worst, row / 2);
      EXPECT_EQ(residual.missed, HUGE_VAL);
      EXPECT_EQ(residual.absolute, HUGE_VAL);
    }
  }
}

}  // namespace
}  // namespace stickslip
