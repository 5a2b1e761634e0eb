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

TEST(Verdict, IsOnTheResidualByAllVelocitiesAndOnWhatIsMissedByThoseGiven) {
  const Residual residual = {.absolute = 1e-6, .relative = 1e-6 / 3.0, .missed = 4e-7, .size = 3.0, .given = 2.0};
  EXPECT_TRUE(residual.is_within({.relative = 3.34e-7}));
  EXPECT_FALSE(residual.is_within({.relative = 3.33e-7}));
  Residual missing = residual;
  missing.missed = 9e-7;
  EXPECT_TRUE(missing.is_within({.relative = 4.51e-7}));
  EXPECT_FALSE(missing.is_within({.relative = 4.49e-7}));
  EXPECT_TRUE(missing.is_within({.absolute = 1e-6}));
  EXPECT_FALSE(missing.is_within({.absolute = 0.99e-6}));
}

TEST(Floor, ExcusesRoundOffAndNoMore) {
  constexpr Tolerance kTolerance = {.relative = 1e-10};
  ConeProblem problem = three_cones();
  const std::vector<double> none(6, 0.0);
  problem.b = {-1e-16, 0.0, 0.0, 0.0, 2e-16, 0.0};
  EXPECT_FALSE(calc_residual(problem, none).is_within(kTolerance));
  problem.floor = 1e-15;
  const Residual excused = calc_residual(problem, none);
  EXPECT_TRUE(excused.is_within(kTolerance));
  EXPECT_GT(excused.absolute, 2e-16);  // what it is, it is
  EXPECT_GT(excused.relative, 0.5);
  problem.b[4] = 2e-15;
  EXPECT_FALSE(calc_residual(problem, none).is_within(kTolerance));
}

/// A body of 1 kg that bears one of 1e6 kg: what its percussions cancel is known to their round-off.
TEST(Floor, IsWhatRoundingMakesOfVelocitiesThatCancel) {
  ConeProblem problem;
  problem.add_contact({});
  problem.add_contact({});
  StoredDelassus w;
  const std::array columns = {0, 1};
  const std::array sizes = {1, 1};
  w.add_row(columns, sizes, 1, std::vector{1.0, -1.0});
  w.add_row(columns, sizes, 1, std::vector{-1.0, 1.0 + 1e-6});
  problem.delassus = w;
  problem.b = {-0.01, 0.0};
  const double p = 0.01 * 1e6;
  const std::vector<double> exact = {p + 0.01, p};
  const double ulp = std::nextafter(p, 1e9) - p;  // one of p is as large as one of W p
  constexpr Tolerance kTolerance = {.relative = 1e-10};
  EXPECT_TRUE(calc_residual(problem, exact).is_within(kTolerance));
  EXPECT_TRUE(calc_residual(problem, std::vector{p + 0.01 + 2.0 * ulp, p}).is_within(kTolerance));
  EXPECT_GT(ulp, 1e-10 * 0.01);  // which the tolerance alone would refuse
  EXPECT_FALSE(calc_residual(problem, std::vector{p + 0.01 + 1e4 * ulp, p}).is_within(kTolerance));
}

/// Percussions that grow excuse a share of what is given, and no more.
TEST(Floor, OfPercussionsIsBoundedByWhatIsGiven) {
  ConeProblem problem = three_cones();
  problem.b = {-3.0, 0.0, 0.0, 0.0, 0.0, 4.0};
  const std::vector<double> huge = {1e15, 0.0, 0.0, 0.0, 0.0, -4.0};
  EXPECT_LE(calc_residual(problem, huge).floor, 1e-6 * 5.0 * (1.0 + 1e-12));
  EXPECT_FALSE(calc_residual(problem, huge).is_within({.relative = 1e-10}));
}

/// Percussions of which the last digit is more than b.
TEST(Verdict, NothingIsSolvedByPercussionsInWhichVelocitiesAreLost) {
  ConeProblem problem;
  problem.add_contact({});
  problem.add_contact({});
  StoredDelassus w;
  const std::array columns = {0, 1};
  const std::array sizes = {1, 1};
  w.add_row(columns, sizes, 1, std::vector{1.0, -1.0});
  w.add_row(columns, sizes, 1, std::vector{-1.0, 1.0});
  problem.delassus = w;
  problem.b = {-0.3, 0.3};  // p = (.3, 0) solves it
  EXPECT_TRUE(calc_residual(problem, std::vector<double>{0.3, 0.0}).is_within({.relative = 1e-15}));
  for (const double p : {1e18, 1e18 + 128.0, 1e21}) {
    EXPECT_FALSE(calc_residual(problem, std::vector<double>{1e18, p}).is_within({.relative = 0.1})) << p;
  }
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
      EXPECT_FALSE(residual.is_within({.relative = 1.0}));
    }
  }
}

}  // namespace
}  // namespace stickslip
