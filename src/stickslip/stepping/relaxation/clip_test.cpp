// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/relaxation/clip.h"

#include <gtest/gtest.h>

#include <vector>

namespace stickslip {
namespace {

ConeProblem make_clip_problem(const Matrix& w, const std::vector<double>& b, double mu, int n_joint_rows) {
  ConeProblem problem;
  const FrictionBlock friction{2, mu, 0, 0.0};
  problem.add_contact({&friction, 1});
  if (n_joint_rows > 0) problem.add_free(n_joint_rows);
  problem.b = b;
  const auto n = static_cast<int>(b.size());
  auto& delassus = problem.delassus.emplace<FactoredDelassus>();
  delassus.add_body(w);
  int row = 0;
  for (const Cone& cone : problem.cones) {
    delassus.begin_row(cone.dim);
    RowMatrixView block = delassus.add_block(0);
    block.setZero();
    for (int r = 0; r < cone.dim; ++r) block(r, row++) = 1.0;
  }
  EXPECT_EQ(row, n);
  return problem;
}

/// W and b by hand: x = -W^-1 b has x_N < 0, so the contact bears nothing, and the joint carries what is left.
TEST(ClipInclusion, LetsJointsHold) {
  Matrix w = Matrix::Identity(4, 4);
  w(0, 3) = w(3, 0) = 0.5;
  const ConeProblem problem = make_clip_problem(w, {3.0, 0.0, 0.0, 1.0}, 0.3, 1);
  ClipInclusion clip;
  ConeSolution solution;
  ASSERT_TRUE(clip.solve(problem, false, solution));
  EXPECT_EQ(solution.p[0], 0.0);
  EXPECT_NEAR(solution.p[3], -1.0, 1e-14);
  EXPECT_NEAR(solution.u[3], 0.0, 1e-14);
}

/// Two rows that say the same: the forces of least norm.
TEST(ClipInclusion, SharesWhatIsNotDetermined) {
  ConeProblem problem;
  problem.add_contact({});
  problem.add_contact({});
  problem.b = {-2.0, -2.0};
  auto& delassus = problem.delassus.emplace<FactoredDelassus>();
  delassus.add_body(Matrix::Identity(1, 1));
  for (int i = 0; i < 2; ++i) {
    delassus.begin_row(1);
    delassus.add_block(0).setOnes();
  }
  ClipInclusion clip;
  ConeSolution solution;
  ASSERT_TRUE(clip.solve(problem, false, solution));
  EXPECT_NEAR(solution.p[0], 1.0, 1e-14);
  EXPECT_NEAR(solution.p[1], 1.0, 1e-14);
}

}  // namespace
}  // namespace stickslip
