// SPDX-License-Identifier: BSD-3-Clause
// The accelerations and forces that a run with the generalized-alpha scheme starts from, where friction couples
// strongly to the normal direction: a rod that slides on its tip under 60 degrees [Capobianco2021, section 10.4],
//   lambda_N = g / A,   A = G_NN - d mu G_NF,   G_NN = (1 + 3 cos^2 phi) / m,   G_NF = 3 sin phi cos phi / m,
// d the sign of the sliding velocity, at rest otherwise.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

constexpr double kRoundGravity = 10.0;
constexpr double kNormal = 1.75;                  // [1/kg] G_NN
constexpr double kCoupling = 1.2990381056766580;  // [1/kg] G_NF

test::SceneRun sliding_rod(double mu, int direction) {
  return test::open_scene("papers/capobianco/sliding_rod",
                          {"scheme.type=generalized-alpha", "parameters.phi0=1.0471975511965976",
                           "bodies.rod.velocity=[" + std::to_string(direction) + ",0]", "time.step=1e-3",
                           "contacts.tip-ground.friction=" + std::to_string(mu)});
}

TEST(StartAccelerations, AreThoseOfARodThatSlides) {
  // Backward, with |mu G_NF / G_NN| above one for all but the first; forward just below the paradox (A = 0.0093,
  // 0.0028).
  const std::pair<double, int> cases[] = {{1.0, -1}, {1.36, -1}, {1.7, -1}, {10.0, -1}, {1000.0, -1},
                                          {0.5, 1},  {1.3, 1},   {1.34, 1}, {1.345, 1}};
  for (const auto& [mu, direction] : cases) {
    const test::SceneRun rod = sliding_rod(mu, direction);
    const double A = kNormal - direction * mu * kCoupling;
    const double normal_force = kRoundGravity / A;
    // Nearly singular: a relative error of the coefficients of 1e-15 / A.
    const double tolerance = normal_force * (1e-12 + 1e-14 / A);
    EXPECT_EQ(rod.report.status, Status::ok) << mu;
    EXPECT_NEAR(rod.report.contacts[0].force[0], normal_force, tolerance) << mu << " " << direction;
    EXPECT_NEAR(rod.report.contacts[0].force[1], -direction * mu * normal_force, mu * tolerance) << mu;
    EXPECT_NEAR(rod.report.a(0), -direction * mu * normal_force, mu * tolerance) << mu;
  }
}

TEST(StartAccelerations, OfARodThatJamsAreReportedAsMissing) {
  // A < 0 and the tip accelerates downwards without a force: no finite force solves the instant, the rod jams by a
  // percussion in the first step. Of an impact the kinetic energy cannot rise, and gravity adds g u dt.
  for (const double mu : {1.39, 1.42, 1.6, 3.0}) {
    test::SceneRun rod = sliding_rod(mu, 1);
    EXPECT_EQ(rod.report.status, Status::inexact) << mu;
    EXPECT_EQ(rod.report.contacts[0].force[0], 0.0) << mu;
    EXPECT_NEAR(rod.report.a(1), -kRoundGravity, 1e-12) << mu;
    const double energy = rod.report.kinetic_energy + rod.report.potential_energy;
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(rod.step(), Status::ok) << mu << " step " << i;
      EXPECT_LE(rod.report.kinetic_energy + rod.report.potential_energy, energy * (1.0 + 1e-4)) << mu << " step " << i;
      EXPECT_GE(rod.report.contacts[0].gap, -1e-12) << mu << " step " << i;
    }
  }
}

}  // namespace
}  // namespace stickslip
