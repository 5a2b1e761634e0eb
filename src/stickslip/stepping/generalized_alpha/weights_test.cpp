// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/weights.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <complex>

#include "stickslip/math/types.h"

namespace stickslip::generalized_alpha {
namespace {

TEST(Weights, AreThoseOfThePaperByHand) {
  const Weights half(0.5);
  EXPECT_NEAR(half.alpha_m, 0.0, 1e-16);
  EXPECT_DOUBLE_EQ(half.alpha_f, 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(half.gamma, 5.0 / 6.0);
  EXPECT_DOUBLE_EQ(half.beta, 4.0 / 9.0);
  EXPECT_DOUBLE_EQ(half.gamma_prime, 5.0 / 9.0);
  EXPECT_DOUBLE_EQ(half.beta_prime, 8.0 / 27.0);
  const Weights none(0.0);
  EXPECT_DOUBLE_EQ(none.alpha_m, -1.0);
  EXPECT_DOUBLE_EQ(none.alpha_f, 0.0);
  EXPECT_DOUBLE_EQ(none.gamma, 1.5);
  EXPECT_DOUBLE_EQ(none.beta, 1.0);
  EXPECT_DOUBLE_EQ(none.gamma_prime, 0.75);
  EXPECT_DOUBLE_EQ(none.beta_prime, 0.5);
}

TEST(Weights, AreThoseOfSecondOrderAccuracy) {
  for (const double rho : {0.0, 0.5, 0.9, 1.0}) {
    const Weights w(rho);
    EXPECT_DOUBLE_EQ(w.gamma, 0.5 + w.alpha_f - w.alpha_m);
    EXPECT_DOUBLE_EQ(w.beta, 0.25 * (0.5 + w.gamma) * (0.5 + w.gamma));
    // A constant stays what it is.
    EXPECT_NEAR(w.next_bar(3.0, 3.0, 3.0), 3.0, 1e-14);
  }
  // rho_inf = 1: alpha_m = alpha_f = 1/2, the trapezoidal rule's gamma and beta.
  const Weights w(1.0);
  EXPECT_DOUBLE_EQ(w.gamma, 0.5);
  EXPECT_DOUBLE_EQ(w.beta, 0.25);
}

TEST(Weights, AveragesSolveTheirEquation) {
  for (const double rho : {0.0, 0.3, 0.9, 1.0}) {
    const Weights w(rho);
    const double bar = w.next_bar(3.0, -5.0, 7.0);
    EXPECT_NEAR((1.0 - w.alpha_m) * bar + w.alpha_m * 7.0, (1.0 - w.alpha_f) * -5.0 + w.alpha_f * 3.0, 1e-14);  // (71)
    EXPECT_NEAR(w.next_bar(3.0, -5.0, 7.0) - w.next_bar(3.0, 0.0, 7.0), -5.0 * w.gamma_prime / w.gamma, 1e-14);
    EXPECT_DOUBLE_EQ(w.known_bar(3.0, 7.0), w.next_bar(3.0, 0.0, 7.0));
  }
}

/// The map of (q, h u, h^2 a, h^2 abar) over a step of q'' = -w^2 q, h w = frequency [-].
Eigen::Matrix4d calc_amplification(const Weights& w, double frequency) {
  const double square = frequency * frequency;
  Eigen::Matrix4d map;
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector4d y = Eigen::Vector4d::Unit(i);
    const double known = w.known_bar(y(2), y(3));
    const double q = y(0) + y(1) + (0.5 - w.beta) * y(3) + w.beta * known;
    const double a = -square * q / (1.0 + square * w.beta_prime);
    const double bar = w.next_bar(y(2), a, y(3));
    map.col(i) << q + w.beta_prime * a, y(1) + (1.0 - w.gamma) * y(3) + w.gamma * bar, a, bar;
  }
  return map;
}

TEST(Weights, DampInfiniteFrequenciesByRho) {
  for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
    const Eigen::Vector4cd values = calc_amplification(Weights(rho), 1e5).eigenvalues();
    // Roots that are nearly three of one are known to the third root of round-off and of 1 / frequency^2.
    EXPECT_NEAR(values.cwiseAbs().maxCoeff(), rho, 2e-2) << rho;
  }
}

TEST(Weights, AreStableAtAllFrequenciesAndAccurateAtLowOnes) {
  for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
    for (const double frequency : {0.01, 0.1, 1.0, 3.0, 10.0, 100.0}) {
      const Eigen::Vector4cd values = calc_amplification(Weights(rho), frequency).eigenvalues();
      EXPECT_LE(values.cwiseAbs().maxCoeff(), 1.0 + 1e-7) << rho << ", " << frequency;
    }
    std::array<double, 2> worst = {};
    for (int i = 0; i < 2; ++i) {
      const double frequency = i == 0 ? 0.1 : 0.05;
      const Eigen::Vector4cd values = calc_amplification(Weights(rho), frequency).eigenvalues();
      const std::complex<double> exact = std::polar(1.0, frequency);
      worst[i] = (values.array() - exact).abs().minCoeff();
    }
    EXPECT_NEAR(worst[0] / worst[1], 8.0, 1.0) << rho;  // a local error of h^3
  }
}

}  // namespace
}  // namespace stickslip::generalized_alpha
