// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/step_grid.h"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

TEST(StepGrid, TimesAreProducts) {
  const StepGrid grid({.start = 0.1, .end = 2.1, .step = 2e-3}, {});
  ASSERT_EQ(grid.steps(), 1000);
  EXPECT_EQ(grid.time(0), 0.1);
  EXPECT_EQ(grid.time(999), 0.1 + 999 * 2e-3);
  EXPECT_EQ(grid.time(1000), 0.1 + 1000 * 2e-3);
  EXPECT_EQ(grid.length(1000), 2e-3);
}

TEST(StepGrid, LastStepReachesTheEnd) {
  const StepGrid grid({.start = 0.0, .end = 1.0, .step = 0.3}, {});
  ASSERT_EQ(grid.steps(), 4);
  EXPECT_EQ(grid.time(3), 3 * 0.3);
  EXPECT_EQ(grid.time(4), 1.0);
  EXPECT_EQ(grid.length(3), 0.3);
  EXPECT_EQ(grid.length(4), 1.0 - 3 * 0.3);
}

TEST(StepGrid, RoundOffAddsNoStep) {
  EXPECT_EQ(StepGrid({.start = 0.0, .end = 0.3, .step = 0.1}, {}).steps(), 3);  // 0.3 / 0.1 < 3 in doubles
  EXPECT_EQ(StepGrid({.start = 0.0, .end = 8.0, .step = 1e-4}, {}).steps(), 80000);
  EXPECT_EQ(StepGrid({.start = 1e6, .end = 1e6 + 1, .step = 1e-3}, {}).steps(), 1000);
  EXPECT_EQ(StepGrid({.start = 0.0, .end = 1.0, .step = 5.0}, {}).steps(), 1);
}

TEST(StepGrid, ASingleStepLongerThanTheRunIsShortened) {
  const StepGrid grid({.start = 0.0, .end = 1.0, .step = 5.0}, {});
  EXPECT_EQ(grid.length(1), 1.0);
  EXPECT_EQ(grid.time(1), 1.0);
}

TEST(StepGrid, RowsAreEverySoManyStepsAndTheLast) {
  const StepGrid grid({.start = 0.0, .end = 1.0, .step = 0.1}, {.every = 0.29});
  ASSERT_EQ(grid.steps(), 10);
  std::vector<int> rows;
  for (int n = 0; n <= 10; ++n) {
    if (grid.is_output(n)) rows.push_back(n);
  }
  EXPECT_EQ(rows, (std::vector<int>{0, 3, 6, 9, 10}));
  EXPECT_EQ(grid.rows(), 5);
  EXPECT_EQ(StepGrid({.start = 0.0, .end = 1.0, .step = 0.1}, {.every = 1e-9}).rows(), 11);
  EXPECT_EQ(StepGrid({.start = 0.0, .end = 1.0, .step = 0.1}, {.every = 0.5}).rows(), 3);
}

TEST(StepGrid, RefusesWhatCannotBeCounted) {
  EXPECT_THROW(StepGrid({.start = 0.0, .end = 1e9, .step = 1e-9}, {}), InputError);
  EXPECT_THROW(StepGrid({.start = 1.0, .end = 0.0, .step = 0.1}, {}), InputError);
}

}  // namespace
}  // namespace stickslip
