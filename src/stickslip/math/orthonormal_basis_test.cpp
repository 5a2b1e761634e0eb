// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/orthonormal_basis.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace stickslip {
namespace {

constexpr double kUnitRoundOff = 1e-13;
constexpr double kThreshold = 1e-13;

Matrix make_random(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, columns, [&] { return normal(random); });
}

TEST(OrthonormalBasis, SpansTheColumns) {
  for (const Eigen::Index rank : {0, 1, 4, 7}) {
    for (const auto& [rows, columns] : {std::pair(7, 12), std::pair(12, 7), std::pair(7, 7)}) {
      const Matrix a = make_random(rows, rank, 1) * make_random(rank, columns, 2);
      const auto basis = find_orthonormal_basis(a, kThreshold);
      ASSERT_TRUE(basis);
      ASSERT_EQ(basis->rows(), rows);
      ASSERT_EQ(basis->cols(), rank);
      EXPECT_LE((basis->transpose() * *basis - Matrix::Identity(rank, rank)).norm(), kUnitRoundOff);
      EXPECT_LE((a - *basis * (basis->transpose() * a)).norm(), kUnitRoundOff * (1.0 + a.norm()));
    }
  }
}

/// Columns that differ by little more than round-off are two, and by none one.
TEST(OrthonormalBasis, NearlyDependentColumns) {
  for (const double difference : {1e-3, 1e-8, 1e-12, 0.0}) {
    Matrix a(3, 3);
    a << 1, 1, 1, 1, 1 + difference, 1, 0, 0, 0;
    const auto basis = find_orthonormal_basis(a, kThreshold);
    ASSERT_TRUE(basis);
    EXPECT_EQ(basis->cols(), difference > 0.0 ? 2 : 1) << difference;
  }
}

TEST(OrthonormalBasis, EndsWhenItIsLate) {
  int asked = 0;
  const auto is_late = [&asked] { return ++asked > 3; };
  EXPECT_FALSE(find_orthonormal_basis(make_random(9, 9, 3), kThreshold, is_late));
  EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace stickslip
