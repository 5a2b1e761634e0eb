// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/free_rotation.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "stickslip/math/rotation.h"

namespace stickslip {
namespace {

TEST(FreeRotation, KeepsAngularMomentumAndHasNoEnergyDrift) {
  const Matrix3 J = Vector3(1.0, 2.0, 2.5).asDiagonal();
  const Matrix3 J_inverse = J.inverse();
  const double h = 0.02;
  Vector3 omega(0.1, 3.0, 0.2);  // about the unstable middle axis: it tumbles
  Matrix3 R = Matrix3::Identity();
  const Vector3 L0 = R * J * omega;
  const double E0 = 0.5 * omega.dot(J * omega);
  double worst_energy = 0.0;
  for (int i = 0; i < 5000; ++i) {
    const FreeRotation next = solve_free_rotation(J, J_inverse, omega, Vector3::Zero(), 0.5 * h, 0.5 * h);
    ASSERT_TRUE(next.converged);
    R = R * rotation_matrix<double>(quaternion_exp(0.5 * h * omega)) *
        rotation_matrix<double>(quaternion_exp(0.5 * h * next.omega));
    omega = next.omega;
    worst_energy = std::max(worst_energy, std::abs(0.5 * omega.dot(J * omega) - E0));
  }
  EXPECT_LT((R * J * omega - L0).norm(), 1e-11 * L0.norm());  // 5000 steps of round-off in R
  EXPECT_LT(worst_energy, 1e-3 * E0);                         // bounded O(h^2), see the order test
}

TEST(FreeRotation, IsOfSecondOrder) {
  // Against a hundred times finer steps.
  const Matrix3 J = Vector3(1.0, 2.0, 2.5).asDiagonal();
  const auto end = [&](int n) {
    const double h = 1.0 / n;
    Vector3 omega(1.0, 2.0, -1.0);
    for (int i = 0; i < n; ++i) {
      omega = solve_free_rotation(J, J.inverse(), omega, Vector3::Zero(), 0.5 * h, 0.5 * h).omega;
    }
    return omega;
  };
  const Vector3 exact = end(20000);
  const double coarse = (end(100) - exact).norm();
  const double fine = (end(200) - exact).norm();
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.02);
}

TEST(FreeRotation, SaysWhenTheStepIsTooLarge) {
  const Matrix3 J = Vector3(1.0, 2.0, 2.5).asDiagonal();
  const FreeRotation r = solve_free_rotation(J, J.inverse(), {1e4, 2e4, -3e4}, Vector3::Zero(), 0.5, 0.5);
  EXPECT_FALSE(r.converged && !r.omega.allFinite());
}

}  // namespace
}  // namespace stickslip
