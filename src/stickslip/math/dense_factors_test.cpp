// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/dense_factors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip {
namespace {

constexpr double kFactorRoundOff = 1e-14;

/// Needs pivoting: its first diagonal entry is zero. Its determinant is -2 - 12 = -14.
Matrix square() {
  Matrix a(3, 3);
  a << 0.0, 2.0, 1.0, 1.0, 3.0, -1.0, 4.0, 6.0, 0.0;
  return a;
}

/// Of rank two: the third column is the sum of the others.
Matrix dependent() {
  Matrix a(4, 3);
  a << 1.0, 0.0, 1.0, 0.0, 2.0, 2.0, 1.0, 1.0, 2.0, 0.0, 1.0, 1.0;
  return a;
}

TEST(DenseLu, SolvesWithTheMatrixAndItsTranspose) {
  DenseLu lu;
  EXPECT_GT(lu.factorise(square()), 0.1);
  const Vector x = Vector3(1.0, -2.0, 0.5);
  EXPECT_LT((lu.solve(square() * x) - x).norm(), kFactorRoundOff);
  EXPECT_LT((lu.solve_transposed(square().transpose() * x) - x).norm(), kFactorRoundOff);
  EXPECT_LT((lu.inverse() * square() - Matrix3::Identity()).norm(), kFactorRoundOff);
}

TEST(DenseLu, ReturnsThePivotThatTellsASingularMatrix) {
  DenseLu lu;
  EXPECT_LT(lu.factorise(dependent().topRows(3)), kFactorRoundOff);
}

TEST(PivotedQr, FindsIndependentColumns) {
  const PivotedQr qr(dependent(), 1e-12);
  EXPECT_EQ(qr.rank(), 2);
  EXPECT_EQ(qr.pivot(0), 2);  // the longest
  EXPECT_NE(qr.pivot(1), 2);
}

TEST(PivotedQr, SolvesOneRightSideOrMore) {
  const PivotedQr qr(square(), 1e-12);
  EXPECT_EQ(qr.rank(), 3);
  const Vector x = Vector3(1.0, -2.0, 0.5);
  EXPECT_LT((qr.solve(Vector(square() * x)) - x).norm(), kFactorRoundOff);
  EXPECT_LT((qr.solve(square()) - Matrix3::Identity()).norm(), kFactorRoundOff);
}

TEST(PivotedQr, ProjectsOffTheColumns) {
  const PivotedQr qr(dependent(), 1e-12);
  const Vector y = Vector4(1.0, 2.0, 3.0, 4.0);
  const Vector off = qr.project_off_columns(y);
  EXPECT_LT((dependent().transpose() * off).norm(), kFactorRoundOff);
  EXPECT_LT(qr.project_off_columns(y - off).norm(), 10.0 * kFactorRoundOff);
  EXPECT_GT(off.norm(), 1.0);
}

TEST(PivotedQr, SquaresOfEntriesNeitherOverflowNorVanish) {
  const Vector x = Vector3(1.0, -2.0, 0.5);
  for (const int power : {-900, -600, 600, 1000}) {
    const Matrix a = std::ldexp(1.0, power) * square();
    const PivotedQr qr(a, 1e-12);
    EXPECT_EQ(qr.rank(), 3) << power;
    EXPECT_LT((qr.solve(Vector(a * x)) - x).norm(), kFactorRoundOff) << power;
    EXPECT_EQ(PivotedQr(std::ldexp(1.0, power) * dependent(), 1e-12).rank(), 2) << power;
  }
}

TEST(PivotedQr, ScalesWithoutAChangeOfBits) {
  const Vector b = Vector3(0.3, 0.7, -0.1);
  const PivotedQr large(std::ldexp(1.0, 400) * square(), 1e-12);
  EXPECT_EQ(large.solve(b), std::ldexp(1.0, -400) * PivotedQr(square(), 1e-12).solve(b));
}

TEST(PivotedQr, OfNothingHasRankZero) {
  const PivotedQr none(Matrix(0, 0), 1e-12);
  EXPECT_EQ(none.rank(), 0);
  EXPECT_EQ(none.solve(Vector()).size(), 0);
  const PivotedQr tall(Matrix(3, 0), 1e-12);
  EXPECT_EQ(tall.rank(), 0);
  EXPECT_EQ(tall.solve(Vector(Vector3(1.0, 2.0, 3.0))).size(), 0);
  EXPECT_EQ(tall.project_off_columns(Vector3(1.0, 2.0, 3.0)), Vector3(1.0, 2.0, 3.0));
  const PivotedQr flat(Matrix(0, 2), 1e-12);
  EXPECT_EQ(flat.solve(Matrix(0, 4)), Matrix::Zero(2, 4));
}

TEST(PivotedQr, OfWhatIsNotFiniteIsOfTheSizeOfTheMatrix) {
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    Matrix a = square();
    a(1, 1) = bad;
    const PivotedQr qr(a, 1e-12);
    EXPECT_LE(qr.rank(), 3);
    for (Eigen::Index k = 0; k < 3; ++k) EXPECT_LT(qr.pivot(k), 3);
    EXPECT_EQ(PivotedQr(Matrix::Constant(3, 3, bad), 1e-12).rank(), 0);
  }
}

TEST(SolveSymmetric, TakesIndefiniteMatrices) {
  Matrix a(2, 2);
  a << 1.0, 3.0, 3.0, 2.0;
  const Vector x = Eigen::Vector2d(2.0, -1.0);
  EXPECT_LT((solve_symmetric(a, a * x) - x).norm(), kFactorRoundOff);
}

TEST(SolveLeastNorm, IsShortestOfAllSolutions) {
  // The kernel of `dependent` is (1, 1, -1): the shortest solution is orthogonal to it.
  const Vector shortest = Vector3(1.0, 0.0, 1.0);
  const Vector b = dependent() * (shortest + 5.0 * Vector3(1.0, 1.0, -1.0));
  EXPECT_LT((solve_least_norm(dependent(), b) - shortest).norm(), 10.0 * kFactorRoundOff);
  EXPECT_LT((solve_least_norm(dependent(), b, 1e-10) - shortest).norm(), 10.0 * kFactorRoundOff);
}

TEST(SolveLeastNorm, TakesPivotsBelowTheThresholdForZero) {
  const Matrix a = Vector3(1.0, 1e-3, 1.0).asDiagonal();
  const Vector b = Vector3(1.0, 1.0, 1.0);
  EXPECT_NEAR(solve_least_norm(a, b)[1], 1e3, 1e-9);
  EXPECT_EQ(solve_least_norm(a, b, 1e-2)[1], 0.0);
}

TEST(OrthogonalFactors, FindTheShortestSolutionAndTheKernel) {
  const OrthogonalFactors factors(dependent(), 1e-12);
  EXPECT_EQ(factors.rank(), 2);
  const Matrix kernel = factors.kernel();  // along (1, 1, -1)
  ASSERT_EQ(kernel.cols(), 1);
  EXPECT_LT((kernel.col(0) * (kernel(0, 0) < 0.0 ? -1.0 : 1.0) - Vector3(1.0, 1.0, -1.0) / std::sqrt(3.0)).norm(),
            kFactorRoundOff);
  const Vector x = factors.solve(dependent() * Vector3(1.0, 2.0, 3.0));
  EXPECT_LT((x - Vector3(1.0, 2.0, 3.0)).norm(), 10.0 * kFactorRoundOff);  // which is orthogonal to it
  EXPECT_EQ(OrthogonalFactors(square(), 1e-12).kernel().cols(), 0);
}

TEST(OrthogonalFactors, TakeHugeTinyAndNoEntries) {
  const Vector x = Vector3(1.0, 2.0, 3.0);
  for (const int power : {-600, 600}) {
    const Matrix a = std::ldexp(1.0, power) * dependent();
    const OrthogonalFactors factors(a, 1e-12);
    EXPECT_EQ(factors.rank(), 2) << power;
    EXPECT_LT((factors.solve(a * x) - x).norm(), 10.0 * kFactorRoundOff) << power;
    EXPECT_LT((solve_least_norm(a, a * x) - x).norm(), 10.0 * kFactorRoundOff) << power;
  }
  const OrthogonalFactors none(Matrix(0, 2), 1e-12);
  EXPECT_EQ(none.rank(), 0);
  EXPECT_EQ(none.kernel(), Matrix::Identity(2, 2));
  EXPECT_EQ(none.solve(Vector()), Vector::Zero(2));
  EXPECT_EQ(solve_least_norm(Matrix(0, 2), Vector()), Vector::Zero(2));
}

}  // namespace
}  // namespace stickslip
