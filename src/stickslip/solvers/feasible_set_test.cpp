// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/feasible_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "stickslip/math/dense_factors.h"

namespace stickslip {
namespace {

/// Points of E p = e in cones |p_T| <= mu p_N of three rows each.
struct InCones {
  Matrix E;
  Vector e;
  double mu = 0.5;

  FeasibleSet::Verdict find(Vector& p) const {
    const OrthogonalFactors factors(E, 1e-11);
    const Vector p_0 = factors.solve(e);
    FeasibleSet set(p_0, Vector::Zero(p_0.size()), factors.kernel(), std::max(p_0.norm(), 1.0));
    for (Eigen::Index i = 0; i < E.cols(); i += 3) {
      Matrix A = Matrix::Zero(3, E.cols());
      A(0, i) = mu;
      A(1, i + 1) = A(2, i + 2) = 1.0;
      set.add_cone(A, Vector3::Zero());
    }
    return set.find(p);
  }
  double violation(const Vector& p) const {
    double most = (E * p - e).norm();
    for (Eigen::Index i = 0; i < p.size(); i += 3) most = std::max(most, p.segment<2>(i + 1).norm() - mu * p(i));
    return most;
  }
};

/// Either p in the cones is planted, e = E p, or y with E^T y in their duals and y . e < 0 [Farkas], by as little as
/// 1e-6; and where the planted p is at the bound of all cones, what is found is none the worse.
TEST(FeasibleSet, FindsAPointInConesOrProvesThatThereIsNone) {
  std::mt19937 random(17);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 120; ++k) {
    const int contacts = 2 + k % 4;
    InCones problem;
    problem.mu = k % 5 == 0 ? 0.01 : 0.5;
    problem.E = Matrix::NullaryExpr(std::min(6, 3 * contacts - 1), 3 * contacts, [&] { return normal(random); });
    // y of the last row: E^T y in the dual cone of each contact, u_N >= mu |u_T|.
    for (Eigen::Index i = 0; i < 3 * contacts; i += 3) {
      auto last = problem.E.bottomRows(1);
      last(0, i) = problem.mu * last.middleCols(i + 1, 2).norm() * (k % 2 == 0 ? 1.0 : 1.5);
    }
    Vector p(3 * contacts);
    for (Eigen::Index i = 0; i < p.size(); i += 3) {
      const double angle = normal(random);
      p(i) = std::abs(normal(random));
      const double share = k % 3 == 0 ? 1.0 : 0.9;
      p.segment<2>(i + 1) = share * problem.mu * p(i) * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    }
    problem.e = problem.E * p;
    Vector found;
    ASSERT_EQ(problem.find(found), FeasibleSet::Verdict::found) << k;
    EXPECT_LT(problem.violation(found), 1e-10) << k;
    problem.e(problem.e.size() - 1) = k % 4 == 0 ? -1e-6 : -1.0;
    EXPECT_EQ(problem.find(found), FeasibleSet::Verdict::none) << k;
  }
}

/// Cones that the equations touch along one ray each, so that one point is left: round-off of e decides whether there
/// is any, and it is found as a solution's residual asks for it; by 1e-6 beyond there is none.
TEST(FeasibleSet, NeverDeniesAPointThatIsTheOnlyOne) {
  std::mt19937 random(23);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 60; ++k) {
    const int contacts = 2 + k % 3;
    InCones problem;
    problem.E = Matrix::NullaryExpr(contacts + 1 + k % 2, 3 * contacts, [&] { return normal(random); });
    Vector p(3 * contacts);
    for (Eigen::Index i = 0; i < p.size(); i += 3) {
      const double angle = normal(random);
      const Eigen::Vector2d n(std::cos(angle), std::sin(angle));
      p(i) = 0.5 + std::abs(normal(random));
      p.segment<2>(i + 1) = problem.mu * p(i) * n;
      problem.E.bottomRows(1).middleCols(i, 3) << problem.mu, -n.transpose();
    }
    problem.e = problem.E * p;
    Vector found;
    ASSERT_EQ(problem.find(found), FeasibleSet::Verdict::found) << k;
    EXPECT_LT(problem.violation(found), 1e-9) << k;  // what the residual of a solution may be
    problem.e(problem.e.size() - 1) = -1e-6;
    EXPECT_EQ(problem.find(found), FeasibleSet::Verdict::none) << k;
  }
}

/// The unit disc cut by x >= c, c above, below and at 1, and what is farthest along y in it.
TEST(FeasibleSet, OfADiscAndAHalfPlane) {
  for (const double c : {0.5, 1.0 - 1e-7, 1.0 + 1e-7, 2.0}) {
    FeasibleSet set(Vector::Zero(2), Vector::Zero(2), Matrix::Identity(2, 2), 1.0);
    Matrix A = Matrix::Zero(3, 2);
    A.bottomRows(2).setIdentity();
    set.add_cone(A, Vector3(1.0, 0.0, 0.0));
    set.add_row(Vector::Unit(2, 0), -c);
    Vector x;
    EXPECT_EQ(set.find(x), c < 1.0 ? FeasibleSet::Verdict::found : FeasibleSet::Verdict::none) << c;
    if (c > 1.0) continue;
    EXPECT_LT(x.norm(), 1.0 + 1e-12);
    EXPECT_GE(x(0), c - 1e-12);
    ASSERT_TRUE(set.maximise(Vector::Unit(2, 1), x));
    const double height = std::sqrt(1.0 - c * c);
    EXPECT_NEAR(x(1), height, 1e-12 * c / height) << c;  // of x and r that are off by as much as they may
  }
}

}  // namespace
}  // namespace stickslip
