// SPDX-License-Identifier: BSD-3-Clause
// Beams in motion: what a free one conserves, and forces at its material points.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

const char* const kBeam = R"toml(
gravity = [0, 0]
[bodies.leg]
type = "beam"
length = 0.5
axial_stiffness = 50
bending_stiffness = 0.02
line_density = 0.4
elements = 4
degree = 3
start = [0.1, -0.2]
direction = [3, 4]
)toml";

test::SceneRun open_beam(const std::string& scheme, double step, const std::string& text) {
  return test::scene_from_text("stickslip = 1\ntime = {end = 0.5, step = " + std::to_string(step) +
                               "}\nscheme = {type = \"" + scheme + "\"}\n" + text);
}

struct Invariants {
  Eigen::Vector2d momentum = Eigen::Vector2d::Zero();  // (2) [N s]
  double angular = 0.0;                                // [N m s] about the origin
  double energy = 0.0;                                 // [J]

  explicit Invariants(const test::SceneRun& run) {
    const System& system = *run.built.system;
    Vector Mu(system.n_u());
    system.multiply_mass(run.state.u, Mu);
    for (int i = 0; i < system.n_u(); i += 2) {
      momentum += Mu.segment<2>(i);
      angular += run.state.q(i) * Mu(i + 1) - run.state.q(i + 1) * Mu(i);
    }
    energy = system.calc_kinetic_energy(run.state.u) + system.calc_potential_energy(run.state.t, run.state.q);
  }
};

/// A beam thrown while it turns, with its middle pushed aside, so that it bends and stretches.
test::SceneRun thrown_beam(const std::string& scheme, double step) {
  test::SceneRun run = open_beam(scheme, step, kBeam);
  const int n = static_cast<int>(run.state.q.size()) / 2;
  for (int i = 0; i < n; ++i) {
    const double s = static_cast<double>(i) / (n - 1) - 0.5;
    const Eigen::Vector2d arm = run.state.q.segment<2>(2 * i) - run.state.q.segment<2>(0);
    const double aside = 0.6 * (1.0 - 4.0 * s * s);
    run.state.u.segment<2>(2 * i) << 0.7 - 3.0 * arm(1) - 0.8 * aside, 0.2 + 3.0 * arm(0) + 0.6 * aside;
  }
  run.built.stepper->initialize(run.state, run.report);
  return run;
}

struct Drift {
  double momentum = 0.0, angular = 0.0, energy = 0.0;
};

Drift largest_drift(const std::string& scheme, double step) {
  test::SceneRun run = thrown_beam(scheme, step);
  const Invariants start(run);
  EXPECT_GT(start.angular, 0.01);
  Drift drift;
  run.run([&](const test::SceneRun& r) {
    const Invariants now(r);
    drift.momentum = std::max(drift.momentum, (now.momentum - start.momentum).norm());
    drift.angular = std::max(drift.angular, std::abs(now.angular - start.angular));
    drift.energy = std::max(drift.energy, std::abs(now.energy - start.energy));
    EXPECT_NEAR(r.report.energy_error, now.energy - start.energy, 1e-13);
  });
  return drift;
}

TEST(FreeBeam, KeepsItsMomentaToRoundOffUnderMoreausScheme) {
  // The midpoint scheme takes internal forces at one configuration, about which they have no moment.
  const Drift coarse = largest_drift("moreau", 2e-4);
  const Drift fine = largest_drift("moreau", 1e-4);
  constexpr double kRoundOff = 1e-12;  // [N s, N m s] of 5000 steps
  for (const Drift& drift : {coarse, fine}) {
    EXPECT_LE(drift.momentum, kRoundOff);
    EXPECT_LE(drift.angular, kRoundOff);
  }
  EXPECT_NEAR(std::log2(coarse.energy / fine.energy), 2.0, 0.2);
  EXPECT_LE(fine.energy, 1e-4);
}

TEST(FreeBeam, KeepsItsMomentaUnderTheGeneralizedAlphaScheme) {
  // Linear momentum to the tolerance of the step; what the scheme's averages do to the rest is of second order.
  const Drift coarse = largest_drift("generalized-alpha", 4e-4);
  const Drift fine = largest_drift("generalized-alpha", 2e-4);
  for (const Drift& drift : {coarse, fine}) EXPECT_LE(drift.momentum, 1e-9);
  EXPECT_GE(std::log2(coarse.angular / fine.angular), 1.8);
  EXPECT_GE(std::log2(coarse.energy / fine.energy), 1.8);
  EXPECT_LE(fine.angular, 1e-4);
  EXPECT_LE(fine.energy, 1e-3);
}

TEST(BeamForces, LoadAtItsTipBendsACantilever) {
  // A small load on the tip of a clamped beam, damped until it rests: deflection F L^3 / (3 E I), slope F L^2 / (2 E
  // I).
  test::SceneRun run = open_beam("generalized-alpha", 5e-3, R"toml(
gravity = [0, 0]
[bodies.wall]
type = "fixed"
[bodies.arm]
type = "beam"
length = 0.5
axial_stiffness = 1000
bending_stiffness = 0.5
line_density = 0.4
elements = 2
degree = 3
direction = [1, 0]
[joints.clamp]
type = "weld"
between = ["wall", "arm"]
at_parameter = 0
[forces.tip]
type = "load"
body = "arm"
at_parameter = 1
force = [0, 0.006]
[forces.damper]
type = "spring"
between = ["wall", "arm"]
at_a = [0.5, -5]
at_parameter = 1
damping = 2
)toml");
  while (run.state.t < 6.0) ASSERT_EQ(run.step(), Status::ok);
  const Attachment tip = run.built.system->attach(1, 1.0);
  const Pose pose = run.built.system->calc_pose(tip, run.state.t, run.state.q);
  const double deflection = 0.006 * 0.125 / (3.0 * 0.5);
  EXPECT_NEAR(pose.p_WB(1), deflection, 1e-5 * deflection);
  EXPECT_NEAR(std::atan2(pose.R_WB(1, 0), pose.R_WB(0, 0)), 0.006 * 0.25 / (2.0 * 0.5), 1e-5);
}

}  // namespace
}  // namespace stickslip
