// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/warm_start.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "stickslip/model/state.h"

namespace stickslip {
namespace {

// A contact with normal, sliding (2), rolling (2) and spinning (1): 6 rows; a joint of kMaxConeDim rows; one of 1.
constexpr std::array<ElementId, 3> kIds = {ElementId{1, 5}, ElementId{1, 6}, ElementId{2, 0}};
constexpr auto kId = [](int cone) { return kIds[static_cast<std::size_t>(cone)]; };

ConeProblem cones_of_many_rows() {
  ConeProblem problem;
  const std::array blocks = {FrictionBlock{2, 0.5, 0, 0.0}, FrictionBlock{2, 0.1, 0, 0.0},
                             FrictionBlock{1, 0.2, 0, 0.0}};
  problem.add_contact(blocks);
  problem.add_free(kMaxConeDim);
  problem.add_ball(1, 1.0);
  return problem;
}

// The rows of a cone are as many as it has, up to kMaxConeDim: none is lost, none is another cone's.
TEST(WarmStart, TakesConesOfEveryDimension) {
  const ConeProblem problem = cones_of_many_rows();
  ASSERT_EQ(problem.size(), 6 + kMaxConeDim + 1);
  ConeSolution before;
  before.p.resize(problem.b.size());
  std::iota(before.p.begin(), before.p.end(), 1.0);
  State state;
  save_warm(problem, kId, before, state.warm);
  ConeSolution after;
  load_warm(state_from_bytes(to_bytes(state)).warm, problem, kId, after);
  EXPECT_EQ(after.p, before.p);
  EXPECT_EQ(after.u, std::vector<double>(problem.b.size(), 0.0));
}

TEST(WarmStart, StartsNewConesFromZero) {
  ValuesById warm;
  warm.add(kIds[1], 3)[0] = 5.0;  // other rows than now
  warm.add(kIds[2], 1)[0] = 7.0;
  warm.add({9, 0}, 1)[0] = 11.0;  // gone
  ConeSolution solution;
  load_warm(warm, cones_of_many_rows(), kId, solution);
  EXPECT_EQ(solution.p.back(), 7.0);
  EXPECT_EQ(std::accumulate(solution.p.begin(), solution.p.end(), 0.0), 7.0);
}

}  // namespace
}  // namespace stickslip
