// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/equations.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::BallStep;
using test::kStepLength;
using test::make_balls;

class Equations : public testing::TestWithParam<double> {
 protected:
  Equations() : ball(make_balls(1, 0.3), {.rho_inf = GetParam()}) {}
  BallStep ball;
  Step& step = ball.step;
};
INSTANTIATE_TEST_SUITE_P(RhoInf, Equations, testing::Values(0.0, 0.5, 0.9, 1.0));

TEST_P(Equations, ConstantAccelerationIsIntegratedExactly) {
  Vector a(6);
  a << 1.0, -2.0, 3.0, 0.0, 0.0, 0.0;
  step.x.a = a;
  ball.state.u << 0.5, 0.25, -0.125, 0.0, 0.0, 0.0;
  ball.remember();
  ball.begin(kStepLength);
  calc_motion(step);
  EXPECT_LE((step.u - (ball.state.u + kStepLength * a)).norm(), 1e-15);  // (73)
  const Vector3 moved = kStepLength * ball.state.u.head<3>() + 0.5 * kStepLength * kStepLength * a.head<3>();
  EXPECT_LE((step.q.head<3>() - ball.state.q.head<3>() - moved).norm(), 1e-16);  // (125)
}

TEST_P(Equations, RotationFollowsTheQuaternionToSecondOrder) {
  const Vector3 omega(3.0, -1.0, 2.0);
  double last = 0.0;
  for (const double h : {0.02, 0.01}) {
    ball.state.u.tail<3>() = omega;
    ball.remember();
    ball.begin(h);
    calc_motion(step);
    const double angle = 0.5 * h * omega.norm();
    Vector4 exact;
    exact << std::cos(angle), std::sin(angle) * omega.normalized();
    const double error = (step.q.tail<4>().normalized() - exact).norm();
    if (last > 0.0) {
      EXPECT_NEAR(last / error, 8.0, 0.1);  // a local error of h^3
    }
    last = error;
  }
}

TEST_P(Equations, PercussionsAreThoseThatWereSet) {
  ball.begin(kStepLength);
  const StepElement& e = step.elements[0];
  step.x.lambda << 20.0, 3.0, -4.0;
  const std::array<double, 3> P = {0.3, -0.1, 0.2};
  const double kappa_hat = 0.005;
  set_percussions(step, e, P.data(), &kappa_hat);
  calc_multipliers(step, e);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(step.P(i), P[i], 1e-15);
  EXPECT_NEAR(step.kappa_hat(0), kappa_hat, 1e-17);
}

TEST_P(Equations, ASteadyForceGivesItsImpulse) {
  step.x.lambda << 20.0, 3.0, -4.0;
  step.elements[0].level = Level::velocity;
  ball.remember();
  ball.begin(kStepLength);
  step.start_lambda = step.start_lambda_bar = step.x.lambda = Vector3(20.0, 3.0, -4.0);
  set_known(step, ball.state);
  step.x.Lambda.setZero();
  step.x.kappa.setZero();
  calc_multipliers(step, step.elements[0]);
  EXPECT_LE((step.P - kStepLength * step.x.lambda).norm(), 1e-15);                            // (95)
  EXPECT_NEAR(step.kappa_hat(0), 0.5 * kStepLength * kStepLength * step.x.lambda(0), 1e-17);  // (102)
}

TEST_P(Equations, BalancesVanishAtRestAndSayWhatIsMissing) {
  ball.begin(kStepLength);
  step.x.lambda << 20.0, 0.0, 0.0;  // m g
  evaluate(step);
  EXPECT_LE(step.r1.norm(), 1e-14);
  step.x.a(2) = 0.5;
  step.x.U(0) = 0.25;
  step.x.Q(1) = 0.125;
  calc_residuals(step);
  EXPECT_NEAR(step.r1(2), 2.0 * 0.5, 1e-14);
  EXPECT_NEAR(step.r2(0), 2.0 * 0.25, 1e-14);
  // Lambda is what P has beside the forces of the step, which began with none; by dt/2 it moves along the friction
  // rows.
  EXPECT_NEAR(step.r3(1), 2.0 * 0.125, 1e-14);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
