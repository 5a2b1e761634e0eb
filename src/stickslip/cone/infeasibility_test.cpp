// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/cone/infeasibility.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stickslip/cone/one_step_problem.h"

namespace stickslip {
namespace {

constexpr double kRoundOff = 1e-12;
constexpr FrictionBlock kDisc{2, 0.5, 0, 0.0};

ConeProblem with(const Matrix& w, const ConeProblem& cones) {
  return make_one_step_problem(ConeForm{SparseMatrix(w.sparseView())}, cones).cones;
}

/// A body between two walls that face one another, normals opposite: J = (1, 0, 0; 0, 1, 0; 0, 0, 1) and its negative
/// normal row. b = what the two gaps ask of it, [m/s].
ConeProblem squeezed(double first, double second) {
  Matrix j(6, 3);
  j << 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, 1;
  ConeProblem cones;
  cones.add_contact({&kDisc, 1}, 0);
  cones.add_contact({&kDisc, 1}, 1);
  cones.b = {first, 0.3, 0.0, second, 0.3, 0.0};
  return with(j * j.transpose(), cones);
}

TEST(Infeasibility, SqueezedBody) {
  // Both gaps negative: u_1 + u_2 = -3 whatever acts. The violation is shared: 1.5 each.
  const auto found = find_infeasibility(squeezed(-1.0, -2.0));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->violation, std::sqrt(2.0) * 1.5, kRoundOff);
  EXPECT_NEAR(found->y[0], 1.5, kRoundOff);
  EXPECT_NEAR(found->y[3], 1.5, kRoundOff);
  EXPECT_EQ(found->y[1], 0.0);
  // One gap makes up for the other.
  EXPECT_FALSE(find_infeasibility(squeezed(-1.0, 2.0)));
  EXPECT_FALSE(find_infeasibility(squeezed(-1.0, 1.0)));
}

TEST(Infeasibility, InconsistentJoints) {
  // One unknown, two bilateral rows that ask two velocities of it.
  ConeProblem cones;
  cones.add_free(1, 0);
  cones.add_free(1, 1);
  cones.b = {1.0, 1.5};
  const auto found = find_infeasibility(with(Matrix::Ones(2, 2), cones));
  ASSERT_TRUE(found);
  EXPECT_NEAR(std::abs(found->y[0]), 0.25, kRoundOff);
  EXPECT_NEAR(found->y[0] + found->y[1], 0.0, kRoundOff);
  cones.b = {1.0, 1.0};
  EXPECT_FALSE(find_infeasibility(with(Matrix::Ones(2, 2), cones)));
}

TEST(Infeasibility, LinearComplementarity) {
  // w_1 = -z_2 - z_3 - 1e-4 < 0: y = (1, 0, 0), M^T y <= 0, q . y < 0. M is not symmetric.
  ConeProblem cones;
  for (int i = 0; i < 3; ++i) cones.add_contact({}, i);
  cones.b = {-1e-4, -1.0, 1.0};
  const Matrix m = (Matrix(3, 3) << 0, -1, -1, 1, 0, 0, -1, 0, 0).finished();
  EXPECT_TRUE(find_infeasibility(with(m, cones)));
  cones.b = {0.0, -1.0, 1.0};  // z = (1, 0, 0)
  EXPECT_FALSE(find_infeasibility(with(m, cones)));
}

}  // namespace
}  // namespace stickslip
