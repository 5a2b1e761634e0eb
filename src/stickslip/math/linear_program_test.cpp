// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/linear_program.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

namespace stickslip {
namespace {

constexpr double kAtVertex = 1e-11;  // [-] of numbers about 1

/// The largest c . x over all vertices of three rows that obey the others, bounds included; -infinity without any.
double best_vertex(const Vector& c, const Matrix& rows, const Vector& g) {
  double best = -HUGE_VAL;
  const Eigen::Index n = rows.cols();
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = i + 1; j < n; ++j) {
      for (Eigen::Index k = j + 1; k < n; ++k) {
        Matrix3 a;
        a << rows.col(i), rows.col(j), rows.col(k);
        if (std::abs(a.determinant()) < 1e-9) continue;
        const Vector3 x = -(a.transpose().inverse() * Vector3(g(i), g(j), g(k)));
        if ((rows.transpose() * x + g).minCoeff() > -1e-9) best = std::max(best, c.dot(x));
      }
    }
  }
  return best;
}

TEST(LinearProgram, FindsTheBestVertexOrProvesThatThereIsNone) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int infeasible = 0;
  for (int k = 0; k < 200; ++k) {
    const Vector3 c(uniform(random), uniform(random), uniform(random));
    const Vector3 bound = Vector3::Constant(3.0);
    LinearProgram program(c, -bound, bound);
    const int n = 4 + k % 8;
    Matrix rows(3, n + 6);
    Vector g(n + 6);
    rows.rightCols(6) << Matrix3::Identity(), -Matrix3::Identity();
    g.tail(6).setConstant(3.0);
    LinearProgram::Outcome outcome = LinearProgram::Outcome::solved;
    for (int i = 0; i < n; ++i) {
      rows.col(i) = Vector3(uniform(random), uniform(random), uniform(random));
      g(i) = uniform(random) + 0.3;
      if (i % 3 == 0) rows.col(i).setUnit(i % 2);  // degenerate ones among them
      EXPECT_EQ(program.add_row(rows.col(i), g(i)), i);
      if (i == n / 2) outcome = program.maximise();  // and goes on from there
    }
    if (outcome == LinearProgram::Outcome::solved) outcome = program.maximise();
    ASSERT_NE(outcome, LinearProgram::Outcome::gave_up) << k;
    const double best = best_vertex(c, rows, g);
    EXPECT_EQ(outcome == LinearProgram::Outcome::solved, std::isfinite(best)) << k;
    // What the multipliers say, with the bounds for what is left of c.
    const bool solved = outcome == LinearProgram::Outcome::solved;
    Vector3 left = solved ? Vector3(c) : Vector3::Zero();
    double most = 0.0;
    for (const LinearProgram::Multiplier& one : program.multipliers()) {
      EXPECT_GE(one.y, 0.0);
      left += one.y * rows.col(one.row);
      most += one.y * g(one.row);
    }
    most += 3.0 * left.cwiseAbs().sum();
    if (solved) {
      EXPECT_NEAR(c.dot(program.x()), best, kAtVertex) << k;
      EXPECT_NEAR(most, best, kAtVertex) << k;
    } else {
      ++infeasible;
      EXPECT_LT(most, 0.0) << k;
    }
  }
  EXPECT_GT(infeasible, 10);
}

}  // namespace
}  // namespace stickslip
