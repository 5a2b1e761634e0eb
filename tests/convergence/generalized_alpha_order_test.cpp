// SPDX-License-Identifier: BSD-3-Clause
// Observed order of the nonsmooth generalized-alpha scheme where the motion is smooth: two in q, u and lambda.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "stickslip/math/rotation.h"
#include "tests/support/observed_order.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::Errors;
using test::expect_second_order;
using test::integrate;
using test::kGravity;
using test::SceneRun;

class RollingInCylinder : public testing::TestWithParam<const char*> {};

TEST_P(RollingInCylinder, IsOfSecondOrder) {
  // A ball that rolls from rest at -60 degrees: theta'' = -(5/7) (g / L) sin theta, L = 0.9.
  constexpr double L = 0.9;
  constexpr double r = 0.1;
  const double theta0 = -std::numbers::pi / 3.0;
  Vector start(2);
  start << theta0, 0.0;
  const Vector end = integrate(
      [&](const Vector& y) {
        Vector f(2);
        f << y(1), -5.0 / 7.0 * kGravity / L * std::sin(y(0));
        return f;
      },
      start, 1.0, 20000);
  const double theta = end(0);
  const Vector3 q(L * std::sin(theta), 1.0 - L * std::cos(theta), -(L / r) * (theta - theta0));
  const Vector3 u = end(1) * Vector3(L * std::cos(theta), L * std::sin(theta), -L / r);
  const double lambda = L * end(1) * end(1) + kGravity * std::cos(theta);
  expect_second_order({2.5e-3, 1.25e-3, 6.25e-4}, true, [&](double step) {
    SceneRun run =
        test::open_scene("papers/capobianco/ball_in_cylinder",
                         {"scheme.type=generalized-alpha", std::string("scheme.rho_inf=") + GetParam(),
                          "scheme.tolerance=1e-12", "time.end=1", "time.step=" + std::to_string(step),
                          "contacts.ball-cylinder.friction=2", "bodies.ball.position=[\"=-0.9*sqrt(3)/2\", 0.55]"});
    run.run();
    return Errors{(run.state.q - q).norm(), (run.state.u - u).norm(),
                  std::abs(run.report.contacts[0].force[0] - lambda)};
  });
}

INSTANTIATE_TEST_SUITE_P(Damping, RollingInCylinder, testing::Values("0.0", "0.5", "0.9"));

TEST(GeneralizedAlphaOrder, SlidingRod) {
  // At t = 0.5 by a Runge-Kutta method of eighth order to 1e-12.
  const Vector3 q(12.896546728150, 0.527110038020, -0.555196197051);
  const Vector3 u(21.502941917455, 0.098234849527, -0.115598013403);
  const double lambda = 10.782420583114;
  expect_second_order({4e-3, 2e-3, 1e-3}, true, [&](double step) {
    SceneRun run = test::open_scene("papers/capobianco/sliding_rod",
                                    {"scheme.type=generalized-alpha", "scheme.rho_inf=0.9", "scheme.tolerance=1e-12",
                                     "time.end=0.5", "time.step=" + std::to_string(step)});
    run.run();
    return Errors{(run.state.q - q).norm(), (run.state.u - u).norm(),
                  std::abs(run.report.contacts[0].force[0] - lambda)};
  });
}

TEST(GeneralizedAlphaOrder, FreeAsymmetricBody) {
  const Vector3 J(1.0, 2.0, 3.0);
  const Vector3 omega0(1.0, 2.0, -1.5);
  Vector start(7);  // quaternion, angular velocity
  start << 1.0, 0.0, 0.0, 0.0, omega0;
  const Vector end = integrate(
      [&](const Vector& y) {
        const Vector3 omega = y.tail<3>();
        Vector f(7);
        f.head<4>() = quaternion_rate<double>(y.head<4>(), omega);
        f.tail<3>() = -omega.cross(J.cwiseProduct(omega)).cwiseQuotient(J);
        return f;
      },
      start, 1.0, 20000);
  expect_second_order({1e-2, 5e-3, 2.5e-3}, false, [&](double step) {
    SceneRun run =
        test::scene_from_text("stickslip = 1\ngravity = [0, 0, 0]\ntime = {end = 1, step = " + std::to_string(step) +
                              "}\nscheme = {type = \"generalized-alpha\", rho_inf = 0.5, tolerance = 1e-12}\n"
                              "[bodies.top]\nmass = 1\ninertia = [1, 2, 3]\nangular_velocity = [1, 2, -1.5]\n");
    run.run();
    return Errors{(run.state.q.tail<4>() - end.head<4>()).norm(), (run.state.u.tail<3>() - end.tail<3>()).norm(), 0.0};
  });
}

}  // namespace
}  // namespace stickslip
