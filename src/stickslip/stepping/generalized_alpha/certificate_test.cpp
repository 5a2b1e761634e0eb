// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/certificate.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "stickslip/stepping/generalized_alpha/newton.h"
#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::BallStep;
using test::kStepLength;
using test::make_balls;

constexpr double kMu = 0.3;              // [-]
constexpr double kNormalResponse = 0.5;  // [1/kg] G_NN of a ball on the floor
constexpr double kSlipResponse = 1.75;   // [1/kg] G_FF

/// A ball that slides on the floor, over a solved step.
class Certified : public testing::Test {
 protected:
  void solve(BallStep& one) {
    one.state.u.head<2>() << 2.0, 1.0;
    one.step.x.lambda << 20.0, -6.0, 0.0;
    one.remember();
    one.begin(kStepLength);
    evaluate(one.step);
    Newton newton(one.step);
    ASSERT_TRUE(newton.solve(one.step).converged);
  }
  bool judge(BallStep& one) {
    Vector response = Vector::Zero(one.system.n_u());
    for (const StepElement& e : one.step.elements) {
      if (e.evaluated) one.step.rows.add_response(e, one.step.P.data() + e.offset, response);
    }
    Certificate certificate(one.step);
    return certificate.judge(one.step, response, report);
  }
  BallStep ball{make_balls(1, kMu)};
  Step& step = ball.step;
  StepReport report;
};

TEST_F(Certified, ASolvedStepIs) {
  solve(ball);
  EXPECT_TRUE(judge(ball));
  EXPECT_LE(report.solve.residual.absolute, 1e-9);
  EXPECT_EQ(report.coulomb_residual, report.solve.residual.absolute);
}

TEST_F(Certified, AnOpenContactSaysNothing) {
  ball.state.q(2) = 2.0;
  ball.begin(kStepLength);
  evaluate(step);
  step.elements[0].xi[0] = -1.0;
  report.solve.residual.absolute = report.coulomb_residual = 3.0;
  EXPECT_TRUE(judge(ball));
  EXPECT_EQ(report.solve.residual.absolute, 0.0);
  EXPECT_EQ(report.coulomb_residual, 0.0);
  EXPECT_EQ(report.worst_kind, 0);
}

TEST_F(Certified, AFrictionOutOfItsConeIsRefused) {
  solve(ball);
  const double w = (kNormalResponse + 2.0 * kSlipResponse) / 3.0;
  const double P_F = step.P.tail<2>().norm();
  const double more = 0.01 * P_F;  // [N s]
  step.P.tail<2>() *= 1.01;
  EXPECT_FALSE(judge(ball));
  // The nearest point of the cone, whose side is at the angle atan(mu): of a radius that is too large.
  const double slip = std::hypot(step.elements[0].xi[1], step.elements[0].xi[2]);
  const double N = w * step.P(0) - kMu * slip;
  const double F = w * (P_F + more) + slip;
  const double along = (N + kMu * F) / (1.0 + kMu * kMu);
  const double expected = std::hypot(w * step.P(0) - along, w * (P_F + more) - kMu * along);
  EXPECT_NEAR(report.solve.residual.absolute, expected, 1e-9);
  EXPECT_EQ(report.worst_kind, 1);
  EXPECT_EQ(report.worst, 0);
}

TEST_F(Certified, APenetratingVelocityIsMissed) {
  solve(ball);
  step.elements[0].xi[0] = -1e-5;
  EXPECT_FALSE(judge(ball));
  EXPECT_NEAR(report.missed, 1e-5, 1e-15);
  EXPECT_GT(report.solve.residual.absolute, 0.9e-5);
}

/// What is solved for is the stretched law; the exact one is reported.
TEST_F(Certified, SecondOrderFrictionHoldsToItsOwnLaw) {
  BallStep second(make_balls(1, kMu), {.friction = GeneralizedAlphaFriction::second_order});
  solve(second);
  StepElement& e = second.step.elements[0];
  ASSERT_GT(e.states[0].stretch.tau, 0.5);
  // Where the slip has turned, P_F opposes S xi, and S xi has turned less.
  e.xi[1] = 2.0;
  e.xi[2] = -1.0;
  std::array<double, 3> stretched = {e.xi[1], e.xi[2], 0.0};
  e.states[0].stretch.apply(stretched.data());
  const double size = std::hypot(stretched[0], stretched[1]);
  for (int i = 0; i < 2; ++i) second.step.P(1 + i) = -kMu * second.step.P(0) * stretched[i] / size;
  EXPECT_TRUE(judge(second));
  EXPECT_LE(report.solve.residual.absolute, 1e-9);
  EXPECT_GT(report.coulomb_residual, 1e-2);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
