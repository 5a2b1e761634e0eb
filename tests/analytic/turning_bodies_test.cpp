// SPDX-License-Identifier: BSD-3-Clause
// Free bodies that turn in space, under the schemes on velocities: what Euler's equations keep, and where they lead.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

class TurningBodies : public testing::TestWithParam<std::string> {
 protected:
  static SceneRun open(const Vector3& inertia, const Vector3& omega, double end, double h) {
    std::ostringstream scene;
    scene.precision(17);
    scene << "stickslip = 1\ngravity = [0, 0, 0]\nscheme = {type = \"" << GetParam() << "\"}\ntime = {end = " << end
          << ", step = " << h << "}\n[bodies.wheel]\nmass = 1\ninertia = [" << inertia(0) << ", " << inertia(1) << ", "
          << inertia(2) << "]\nangular_velocity = [" << omega(0) << ", " << omega(1) << ", " << omega(2) << "]\n";
    return test::scene_from_text(scene.str());
  }
  static Matrix3 attitude(const SceneRun& run) { return run.built.system->calc_pose(0, run.state.t, run.state.q).R_WB; }
};

/// Over 1000 turns momentum in the world frame stays to 1e-9, energy near what it was, without a trend.
TEST_P(TurningBodies, KeepMomentumAndEnergy) {
  struct Case {
    Vector3 inertia, omega;
  };
  const Case cases[] = {{{0.01, 0.01, 0.02}, {0.001, 0.0, 1.0}},   // a wheel that hardly wobbles
                        {{0.01, 0.02, 0.025}, {0.01, 1.0, 0.02}},  // about the axis that is not stable
                        {{0.01, 0.01, 0.001}, {0.4, 0.2, 1.0}},    // a rod
                        {{0.3, 0.5, 0.6}, {1.0, 0.9, -0.8}}};
  for (const Case& c : cases) {
    for (const double turn : {0.1, 0.3}) {  // [rad] a step
      const double h = 1e-3;
      const Vector3 omega = turn / h * c.omega.normalized();
      const double turns = turn == 0.3 ? 1000.0 : 50.0;
      const int n = static_cast<int>(turns * 2.0 * std::numbers::pi / turn);
      SceneRun run = open(c.inertia, omega, n * h, h);
      const Vector3 momentum = c.inertia.asDiagonal() * omega;
      const double energy = 0.5 * omega.dot(momentum);
      double worst = 0.0;
      double lowest[2] = {energy, energy};
      double highest[2] = {energy, energy};
      for (int i = 0; i < n; ++i) {
        ASSERT_EQ(run.step(), Status::ok) << run.report.message;
        const Vector3 w = run.state.u.segment<3>(3);
        const Vector3 Jw = c.inertia.asDiagonal() * w;
        worst = std::max(worst, (attitude(run) * Jw - momentum).norm());
        const int half = i < n / 2 ? 0 : 1;
        lowest[half] = std::min(lowest[half], 0.5 * w.dot(Jw));
        highest[half] = std::max(highest[half], 0.5 * w.dot(Jw));
      }
      EXPECT_LT(worst, 1e-9 * momentum.norm()) << c.inertia.transpose() << ", " << turn;
      EXPECT_LT(highest[1] - energy, 0.2 * turn * energy);
      EXPECT_LT(energy - lowest[1], 0.2 * turn * energy);
      const double margin = 1e-6 * energy + 0.01 * (highest[0] - lowest[0]);
      EXPECT_NEAR(highest[1], highest[0], margin) << c.inertia.transpose() << ", " << turn;
      EXPECT_NEAR(lowest[1], lowest[0], margin) << c.inertia.transpose() << ", " << turn;
    }
  }
}

/// A symmetric top turns about its momentum L with |L| / I1, and about its axis with (1 - I3 / I1) omega_3.
TEST_P(TurningBodies, FindTheAttitudeOfASymmetricTop) {
  const Vector3 inertia(0.02, 0.02, 0.03);
  const Vector3 omega(0.5, -0.3, 2.0);
  const Vector3 momentum = inertia.asDiagonal() * omega;
  const double end = 2.0;
  const Matrix3 exact = (Eigen::AngleAxisd(end * momentum.norm() / inertia(0), momentum.normalized()) *
                         Eigen::AngleAxisd(end * (1.0 - inertia(2) / inertia(0)) * omega(2), Vector3::UnitZ()))
                            .toRotationMatrix();
  double error[2];
  for (const int k : {0, 1}) {
    SceneRun run = open(inertia, omega, end, k == 0 ? 0.01 : 0.005);
    run.run();
    error[k] = (attitude(run) - exact).norm();
  }
  EXPECT_LT(error[0], 1e-3);
  EXPECT_GT(std::log2(error[0] / error[1]), 0.9);
}

INSTANTIATE_TEST_SUITE_P(Schemes, TurningBodies, testing::Values("moreau", "ccp", "stewart-trinkle"),
                         [](const auto& i) { return i.param == "stewart-trinkle" ? "stewart_trinkle" : i.param; });

/// Under generalized-alpha, whose rows then are sums of world vectors that cancel.
TEST(TurningOnAHinge, IsSolvedToItsRoundOff) {
  struct Case {
    const char* quaternion;
    const char* axis;  // world: the z axis of the body
    double omega;      // [rad/s]
  };
  for (const Case& c : {Case{"[0.9321654325742351, 0.282699968416152, 0.22615997473292163, 0]",
                             "[0.42163702135578396, -0.5270462766947299, 0.7378647873726218]", 9.0},
                        Case{"[0.9321654325742351, 0.282699968416152, 0.22615997473292163, 0]",
                             "[0.42163702135578396, -0.5270462766947299, 0.7378647873726218]", -0.3},
                        Case{"[0.6, 0, 0.8, 0]", "[0.96, 0, -0.28]", 40.0},
                        Case{"[0.8, -0.36, 0.48, 0]", "[0.768, 0.576, 0.28]", 2.5}}) {
    std::ostringstream scene;
    scene << R"(stickslip = 1
gravity = [0, 0, 0]
time = {end = 0.5, step = 1e-3}
scheme = {type = "generalized-alpha"}
[bodies.base]
type = "fixed"
[bodies.b]
mass = 0.8
inertia = [0.05, 0.05, 0.06]
position = [0.2, -0.1, 0.3]
quaternion = )"
          << c.quaternion << "\nangular_velocity = [0, 0, " << c.omega << R"(]
[joints.j]
between = ["base", "b"]
type = "revolute"
at = [0.2, -0.1, 0.3]
axis = )" << c.axis
          << "\n";
    SceneRun run = test::scene_from_text(scene.str());
    EXPECT_NO_THROW(run.run()) << c.omega;  // each step is ok
    EXPECT_NEAR(run.state.u(5), c.omega, 1e-12 * std::abs(c.omega));
  }
}

}  // namespace
}  // namespace stickslip
