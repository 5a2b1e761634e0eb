// SPDX-License-Identifier: BSD-3-Clause
// Automatic steps of the nonsmooth generalized-alpha scheme: the local error estimate, the order with steps of any
// lengths, and errors in proportion to the tolerance.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "stickslip/math/rotation.h"
#include "tests/support/automatic_run.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::AutomaticRun;
using test::kGravity;
using test::SceneRun;

/// Runge-Kutta of fourth order with n steps: y' = f(t, y).
Vector integrate(const std::function<Vector(double, const Vector&)>& f, Vector y, double span, int n) {
  const double h = span / n;
  for (int i = 0; i < n; ++i) {
    const double t = i * h;
    const Vector k1 = f(t, y);
    const Vector k2 = f(t + 0.5 * h, y + 0.5 * h * k1);
    const Vector k3 = f(t + 0.5 * h, y + 0.5 * h * k2);
    const Vector k4 = f(t + h, y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return y;
}

/// A point on a line under a force that depends on time alone: global errors are the plain sums of local ones.
SceneRun driven_point(const std::string& force, double end, const std::string& rho_inf, const std::string& step) {
  return test::scene_from_text("stickslip = 1\ngravity = [0, 0]\ntime = {end = " + std::to_string(end) +
                               ", step = " + step + "}\nscheme = {type = \"generalized-alpha\", rho_inf = " + rho_inf +
                               ", tolerance = 1e-13}\n[bodies.p]\ntype = \"point\"\nmass = 2\n" +
                               "[forces.f]\ntype = \"load\"\nbody = \"p\"\nforce = [\"" + force + "\", 0]\n");
}

class Damping : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(RhoInf, Damping, testing::Values("0.0", "0.5", "0.9", "1.0"));

// x'' = cos t, whose third derivatives keep their sign until pi / 2: the scheme's error in u is the sum of the
// estimates of it, and its error in q the sum of both, as they grow until the end.
TEST_P(Damping, EstimatesAreTheLocalErrors) {
  constexpr double kEnd = 1.5;
  for (const double h : {2e-2, 1e-2}) {
    SceneRun run = driven_point("2*cos(t)", kEnd, GetParam(), std::to_string(h));
    double u_error = 0.0;
    double q_error = 0.0;
    State before = run.state;
    run.run([&](SceneRun& r) {
      StepEstimate estimate;
      r.built.stepper->estimate_errors(before, r.state, estimate);
      u_error += estimate.velocity_error;
      q_error += estimate.position_error + estimate.velocity_error * (kEnd - r.state.t);
      before = r.state;
    });
    // The first step has no estimate of a''; what is left of the error expansion is of the size of h.
    const double exact_u = std::sin(kEnd);
    const double exact_q = 1.0 - std::cos(kEnd);
    EXPECT_NEAR(u_error / std::abs(run.state.u(0) - exact_u), 1.0, 4.0 * h) << h;
    EXPECT_NEAR(q_error / std::abs(run.state.q(0) - exact_q), 1.0, 4.0 * h) << h;
  }
}

TEST_P(Damping, EstimatesOfARotationAreTheLocalErrors) {
  // A body that turns steadily about its axis: the angle of (125) falls behind by (w h)^3 / 24 in each step.
  constexpr double kOmega = 3.0;
  for (const double h : {2e-2, 1e-2}) {
    SceneRun run =
        test::scene_from_text("stickslip = 1\ngravity = [0, 0, 0]\ntime = {end = 1, step = " + std::to_string(h) +
                              "}\nscheme = {type = \"generalized-alpha\", rho_inf = " + GetParam() +
                              "}\n[bodies.b]\nmass = 2\ninertia = [1, 1, 1.5]\nangular_velocity = [0, 0, 3]\n");
    double error = 0.0;
    State before = run.state;
    run.run([&](SceneRun& r) {
      StepEstimate estimate;
      r.built.stepper->estimate_errors(before, r.state, estimate);
      error += estimate.position_error;
      before = r.state;
    });
    const double angle = 2.0 * std::atan2(run.state.q(6), run.state.q(3));
    EXPECT_NEAR(error / (std::sqrt(1.5 / 2.0) * std::abs(kOmega - angle)), 1.0, kOmega * h) << h;
  }
}

/// Steps of very different lengths in turn.
double pattern(std::int64_t n, double h) {
  constexpr std::array<double, 5> kPattern = {1.0, 2.5, 0.7, 0.3, 0.5};  // [-] 1 in the mean
  return h * kPattern[n % kPattern.size()];
}

TEST_P(Damping, OrderTwoWithStepsOfAnyLength) {
  double last_u = 0.0;
  double last_q = 0.0;
  for (const int n : {100, 200, 400}) {
    SceneRun run = driven_point("2*sin(t + 1)", 2.0, GetParam(), "1");
    const double h = 2.0 / n;
    while (run.state.step < n) {
      const double step = pattern(run.state.step, h);
      const double t = run.state.step + 1 == n ? 2.0 : run.state.t + step;
      ASSERT_EQ(run.built.stepper->step(run.state, step, t, run.report), Status::ok);
    }
    const double u_error = std::abs(run.state.u(0) - (std::cos(1.0) - std::cos(3.0)));
    const double q_error = std::abs(run.state.q(0) - (2.0 * std::cos(1.0) - std::sin(3.0) + std::sin(1.0)));
    if (last_u > 0.0) {
      EXPECT_NEAR(std::log2(last_u / u_error), 2.0, 0.05) << n;
      EXPECT_NEAR(std::log2(last_q / q_error), 2.0, 0.05) << n;
    }
    last_u = u_error;
    last_q = q_error;
  }
}

/// Runs at tolerances that fall by 10, and expects the errors to fall so, and the steps to grow by sqrt(10).
void expect_error_in_proportion(const std::vector<double>& tolerances,
                                const std::function<double(double, AutomaticRun&)>& error_at) {
  AutomaticRun taken;
  double last_error = error_at(tolerances[0], taken);
  int last_steps = taken.steps;
  for (std::size_t i = 1; i < tolerances.size(); ++i) {
    const double decades = std::log10(tolerances[i - 1] / tolerances[i]);
    const double error = error_at(tolerances[i], taken);
    EXPECT_NEAR(std::log10(last_error / error) / decades, 1.0, 0.15) << tolerances[i] << ": " << error;
    EXPECT_NEAR(std::log10(static_cast<double>(taken.steps) / last_steps) / decades, 0.5, 0.05) << taken.steps;
    last_error = error;
    last_steps = taken.steps;
  }
}

TEST(AutomaticStep, RollingInACylinderErrsInProportionToTheTolerance) {
  // A ball that rolls from rest at -60 degrees: theta'' = -(5/7) (g / L) sin theta, L = 0.9.
  constexpr double L = 0.9;
  const double theta0 = -std::numbers::pi / 3.0;
  Vector start(2);
  start << theta0, 0.0;
  const Vector end = integrate(
      [](double, const Vector& y) {
        Vector f(2);
        f << y(1), -5.0 / 7.0 * kGravity / L * std::sin(y(0));
        return f;
      },
      start, 3.0, 30000);
  const Vector3 q(L * std::sin(end(0)), 1.0 - L * std::cos(end(0)), -(L / 0.1) * (end(0) - theta0));
  expect_error_in_proportion({1e-4, 1e-5, 1e-6}, [&](double tolerance, AutomaticRun& taken) {
    SceneRun run =
        test::open_scene("papers/capobianco/ball_in_cylinder",
                         {"scheme.type=generalized-alpha", "scheme.tolerance=1e-11", "time.end=3", "time.step=auto",
                          "time.tolerance=" + std::to_string(tolerance), "contacts.ball-cylinder.friction=2",
                          "bodies.ball.position=[\"=-0.9*sqrt(3)/2\", 0.55]"});
    taken = run_automatic(run);
    EXPECT_EQ(run.state.t, 3.0);
    const double error = (run.state.q - q).norm();
    EXPECT_LE(error, tolerance * 3.0 * 9.0 * 10.0) << "the length rolled, and what the motion makes of an error";
    return error;
  });
}

TEST(AutomaticStep, FreeAsymmetricBodyErrsInProportionToTheTolerance) {
  const Vector3 J(1.0, 2.0, 3.0);
  const Vector3 omega0(1.0, 2.0, -1.5);
  Vector start(7);  // quaternion, angular velocity
  start << 1.0, 0.0, 0.0, 0.0, omega0;
  const Vector end = integrate(
      [&](double, const Vector& y) {
        const Vector3 omega = y.tail<3>();
        Vector f(7);
        f.head<4>() = quaternion_rate<double>(y.head<4>(), omega);
        f.tail<3>() = -omega.cross(J.cwiseProduct(omega)).cwiseQuotient(J);
        return f;
      },
      start, 5.0, 50000);
  expect_error_in_proportion({1e-4, 1e-5, 1e-6}, [&](double tolerance, AutomaticRun& taken) {
    SceneRun run =
        test::scene_from_text("stickslip = 1\ngravity = [0, 0, 0]\ntime = {end = 5, step = \"auto\", tolerance = " +
                              std::to_string(tolerance) +
                              "}\nscheme = {type = \"generalized-alpha\", rho_inf = 0.5, tolerance = 1e-11}\n"
                              "[bodies.top]\nmass = 1\ninertia = [1, 2, 3]\nangular_velocity = [1, 2, -1.5]\n");
    taken = run_automatic(run);
    return (run.state.q.tail<4>() - end.head<4>()).norm();
  });
}

// A mass on a stiff damped spring, let go far from rest, then slowly driven: the fast motion is over after a tenth of a
// second. As exact all the way as fixed steps of ten times the number.
TEST(AutomaticStep, TwoTimeScalesTakeFewerStepsThanFixedOnes) {
  constexpr double k = 1e4;       // [N/m]
  constexpr double d = 60.0;      // [N s/m]
  constexpr double kStart = 0.1;  // [m]
  constexpr double kEnd = 10.0;   // [s]
  // x'' + d x' + k x = 100 cos t: x = Re(X exp(it)) + exp(-d t / 2) (a cos wt + b sin wt).
  const std::complex<double> X = 100.0 / std::complex<double>(k - 1.0, d);
  const double w = std::sqrt(k - 0.25 * d * d);
  const double a = kStart - X.real();
  const double b = (0.5 * d * a + X.imag()) / w;
  const auto exact = [&](double t) {
    return (X * std::polar(1.0, t)).real() + std::exp(-0.5 * d * t) * (a * std::cos(w * t) + b * std::sin(w * t));
  };
  const auto open = [&](const std::string& step) {
    return test::scene_from_text("stickslip = 1\ngravity = [0, 0]\ntime = {end = 10, step = " + step +
                                 "}\nscheme = {type = \"generalized-alpha\", tolerance = 1e-8}\n"
                                 "[bodies.wall]\ntype = \"fixed\"\n"
                                 "[bodies.p]\ntype = \"point\"\nmass = 1\nposition = [0.1, 0]\n"
                                 "[forces.drive]\ntype = \"load\"\nbody = \"p\"\nforce = [\"100*cos(t)\", 0]\n"
                                 "[forces.s]\ntype = \"spring\"\nbetween = [\"wall\", \"p\"]\nat_a = [-1, 0]\n"
                                 "stiffness = 1e4\ndamping = 60\nrest = 1\n");
  };
  double error = 0.0;
  const auto look = [&](const SceneRun& run) {
    error = std::max(error, std::abs(run.state.q(0) - exact(run.state.t)));
  };
  SceneRun automatic = open("\"auto\", tolerance = 1e-4");
  const AutomaticRun taken = run_automatic(automatic, look);
  const double automatic_error = error;
  error = 0.0;
  SceneRun fixed = open(std::to_string(kEnd / (10.0 * taken.steps)));
  fixed.run(look);
  EXPECT_LT(automatic_error, error) << taken.steps << " steps, " << taken.rejected << " rejected";
  // The tolerance of the largest speed, w times the start, over the tenth of a second that it lasts.
  EXPECT_LE(automatic_error, 1e-4 * w * kStart * 0.1);
  EXPECT_GT(taken.longest, 30.0 * taken.shortest);
}

}  // namespace
}  // namespace stickslip
