// SPDX-License-Identifier: BSD-3-Clause
// Positions put right at the end of steps of schemes on velocities: overlaps, joints, and what cannot be put right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

class ProjectedPositions : public testing::TestWithParam<std::string> {
 protected:
  static SceneRun open(const std::string& text, double end, double h, const std::string& options = "") {
    std::ostringstream scene;
    scene.precision(17);
    scene << "stickslip = 1\nscheme = {type = \"" << GetParam() << "\", projection = true" << options
          << "}\nsolver = {tolerance = 1e-12}\ntime = {end = " << end << ", step = " << h << "}\n"
          << text;
    return test::scene_from_text(scene.str());
  }
};

constexpr double kRight = 1e-12;  // [m, rad] what positions are right within here

/// A box that starts `depth` deep in the ground.
std::string make_sunk_box(double depth, const std::string& contact) {
  std::ostringstream text;
  text.precision(17);
  text << "[bodies.ground]\ntype = \"fixed\"\nshapes.top = {type = \"half-space\", normal = [0, 0, 1], offset = 0}\n"
       << "[bodies.box]\nmass = 2\ninertia = [0.1, 0.1, 0.1]\nposition = [0, 0, " << 0.25 - depth
       << "]\nshapes.hull = {type = \"box\", size = [0.5, 0.5, 0.5]}\n[[contacts]]\nbetween = [\"ground\", \"box\"]\n"
       << "friction = 0.5\n"
       << contact;
  return text.str();
}

/// An overlap of 20 mm goes at the cap, of 2 m/s here: 2 mm a step of 1 ms, and no velocity comes of it. What lifts the
/// weight is booked.
TEST_P(ProjectedPositions, AnOverlapAtTheStartGoesAtTheCappedSpeed) {
  constexpr double kDepth = 0.02;
  constexpr double kSpeed = 2.0;
  constexpr double h = 1e-3;
  SceneRun run = open(make_sunk_box(kDepth, "correction_speed = 2.0\n"), 0.1, h);
  run.run([&](const SceneRun& r) {
    const double depth = std::max(0.0, kDepth - kSpeed * r.state.t);
    EXPECT_NEAR(r.state.q(2), 0.25 - depth, 1e-10 + kRight) << "t = " << r.state.t;
    EXPECT_LE(r.state.u.lpNorm<Eigen::Infinity>(), kRight) << "t = " << r.state.t;
    EXPECT_NEAR(r.report.projection_energy, 2.0 * 9.81 * (kDepth - depth), 1e-8) << "t = " << r.state.t;
    EXPECT_NEAR(r.report.energy_error, 0.0, kRight) << "t = " << r.state.t;
  });
}

/// Spheres on the ground, n times ten. As many as a heap has may overlap it by 1e-5 of their size, which is booked when
/// they are lifted to half of that; few may not, nor many whose tolerance the scene gives.
TEST(AdmittedOverlaps, AreThoseOfTheToleranceOfHeaps) {
  constexpr double kRadius = 0.1;
  const auto depth_after_a_step = [](int n, double depth, const std::string& more) {
    std::ostringstream scene;
    scene.precision(17);
    scene << "stickslip = 1\ntime = {end = 1e-3, step = 1e-3}\ncontact_default = {friction = 0}\n"
          << more << "bodies.ground = {type = \"fixed\", shapes.top = {type = \"half-space\", normal = [0, 0, 1]}}\n"
          << "[[fill]]\ngrid = {counts = [" << n << ", 10, 1], spacing = 0.3, origin = [0, 0, " << kRadius - depth
          << "]}\nbody = {density = 1000, shapes.ball = {type = \"sphere\", radius = " << kRadius << "}}\n";
    SceneRun run = test::scene_from_text(scene.str());
    const double mass = run.built.system->bodies().back().mass;
    double after = 0.0;
    run.run([&](const SceneRun& r) {
      after = kRadius - r.state.q(2);
      const double weight = 10.0 * n * mass * 9.81;
      EXPECT_NEAR(r.report.projection_energy, weight * (depth - after), 1e-7 * weight);
      EXPECT_NEAR(r.report.energy_error, 0.0, 1e-8 * weight);
    });
    return after;
  };
  EXPECT_NEAR(depth_after_a_step(40, 5e-7, ""), 5e-7, 1e-7);
  const double left = depth_after_a_step(40, 1e-4, "");
  EXPECT_GT(left, 2e-7);
  EXPECT_LT(left, 2e-6);
  for (const double depth : {5e-7, 1e-4}) {
    EXPECT_NEAR(depth_after_a_step(3, depth, ""), 0.0, 1e-10);
    EXPECT_NEAR(depth_after_a_step(40, depth, "solver = {tolerance = 1e-8}\n"), 0.0, 1e-9);
  }
}

TEST(OverlapsAtTheStart, AreSaidWithTheDeepestPair) {
  const auto warnings_of = [](const std::string& contacts) {
    std::string all;
    for (const std::string& warning : check_scene(parse_scene(R"(stickslip = 1
time = {end = 1, step = 1e-3}
[bodies.ground]
type = "fixed"
shapes.block = {type = "box", size = [4, 4, 1], position = [0, 0, -0.5]}
[bodies.low]
density = 1000
position = [0, 0, 0.24]
shapes.hull = {type = "box", size = [0.5, 0.5, 0.5]}
[bodies.high]
density = 1000
position = [0, 0, 0.71]
shapes.hull = {type = "box", size = [0.5, 0.5, 0.5]}
)" + contacts,
                                                              "test.toml"))
                                          .warnings) {
      all += warning + "\n";
    }
    return all;
  };
  EXPECT_NE(warnings_of("[contact_default]\n").find("the bodies 'low' and 'high' overlap by 0.03 m at the start"),
            std::string::npos);
  const std::string named =
      warnings_of("[[contacts]]\nbetween = [\"ground\", \"low\"]\n[[contacts]]\nbetween = [\"low\", \"high\"]\n");
  EXPECT_NE(named.find("contacts.ground-low: the bodies overlap by 0.01 m at the start"), std::string::npos) << named;
  EXPECT_NE(named.find("contacts.low-high: the bodies overlap by 0.03 m at the start"), std::string::npos) << named;
}

/// A chain of different joints that swings freely and loses a motor's start, for two seconds.
TEST_P(ProjectedPositions, JointsDoNotDrift) {
  SceneRun run = open(R"(
[bodies.ground]
type = "fixed"
[bodies.upper]
mass = 1.5
inertia = [0.02, 0.03, 0.04]
position = [0.5, 0, 0]
[bodies.lower]
mass = 0.7
inertia = [0.01, 0.02, 0.02]
position = [1, 0.3, 0]
angular_velocity = [3, 0, 1]
[bodies.slide]
mass = 0.2
inertia = [0.001, 0.002, 0.002]
position = [1, 0.6, 0]
[bodies.wheel]
mass = 0.4
inertia = [0.004, 0.002, 0.004]
position = [0, -0.4, 0]
[joints.pivot]
type = "revolute"
between = ["ground", "upper"]
at = [0, 0, 0]
axis = [0, 1, 0]
[joints.elbow]
type = "spherical"
between = ["upper", "lower"]
at = [1, 0, 0]
[joints.rail]
type = "prismatic"
between = ["lower", "slide"]
axis = [0, 1, 0]
spring = {stiffness = 50, damping = 0.1}
[joints.motor]
type = "revolute"
between = ["upper", "wheel"]
at = [0, -0.4, 0]
axis = [0, 1, 0]
motion = "0.5*sin(6*t)^2"
)",
                      2.0, 1e-3);
  double position = 0.0;
  double angle = 0.0;
  run.run([&](const SceneRun& r) {
    position = std::max(position, r.report.drift_position);
    angle = std::max(angle, r.report.drift_angle);
  });
  EXPECT_LE(position, kRight);
  EXPECT_LE(angle, kRight);
}

/// A ball wider than the slot it is in: no positions are right, so it stays where it is, and the certificate says by
/// how much it overlaps.
TEST_P(ProjectedPositions, ASqueezedBodyStaysAndIsSaid) {
  SceneRun run = open(R"(
gravity = [0, 0, 0]
[bodies.slot]
type = "fixed"
shapes.left = {type = "half-space", normal = [1, 0, 0], offset = -0.09}
shapes.right = {type = "half-space", normal = [-1, 0, 0], offset = -0.09}
[bodies.ball]
mass = 1
inertia = [0.1, 0.1, 0.1]
velocity = [0, 0.3, 0]
shapes.hull = {type = "sphere", radius = 0.1}
[[contacts]]
between = ["slot/left", "ball"]
[[contacts]]
between = ["slot/right", "ball"]
)",
                      0.2, 1e-3);
  run.run([&](const SceneRun& r) {
    EXPECT_NEAR(r.report.penetration, 0.01, kRight) << "t = " << r.state.t;
    EXPECT_NEAR(r.state.q(0), 0.0, kRight);
    EXPECT_NEAR(r.state.u(1), 0.3, kRight);
  });
  EXPECT_NEAR(run.state.q(1), 0.06, kRight);
}

/// More than half a turn in a step is counted by the motion.
TEST_P(ProjectedPositions, AFastMotorTurnsAsItsMotionSays) {
  SceneRun run = open(R"(
gravity = [0, 0]
[bodies.ground]
type = "fixed"
[bodies.rotor]
type = "planar"
mass = 1
inertia = 0.1
[joints.axle]
type = "revolute"
between = ["ground", "rotor"]
at = [0, 0]
motion = "400*t"
)",
                      0.1, 0.01);
  run.run([&](const SceneRun& r) {
    EXPECT_NEAR(r.report.joints[0].coordinate, 400.0 * r.state.t, 1e-10);
    EXPECT_NEAR(r.report.joints[0].rate, 400.0, 1e-10);
  });
}

/// 1 kg lifted by t^2. Under Moreau's scheme the work of the drive is what speed and weight gain; under ccp, whose
/// positions follow the velocities at the ends of steps, it is more by h/2 times the force of inertia and the speed.
TEST_P(ProjectedPositions, TheWorkOfALiftIsWhatItGains) {
  constexpr double kStep = 0.01;  // [s]
  constexpr double kForce = 2.0;  // [N] m a
  constexpr double kSpeed = 2.0;  // [m/s] at the end
  SceneRun run = open(R"(
[bodies.ground]
type = "fixed"
[bodies.load]
mass = 1
inertia = [0.1, 0.1, 0.1]
[joints.lift]
type = "prismatic"
between = ["ground", "load"]
axis = [0, 0, 1]
motion = "t^2"
)",
                      1.0, kStep);
  run.run([](const SceneRun&) {});
  EXPECT_NEAR(run.report.joints[0].coordinate, 1.0, kRight);
  const double off = GetParam() == "ccp" ? 0.5 * kStep * kForce * kSpeed : 0.0;
  EXPECT_NEAR(std::abs(run.report.energy_error), off, 0.01 * off + 1e-9);
}

INSTANTIATE_TEST_SUITE_P(, ProjectedPositions, testing::Values("moreau", "ccp"),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace stickslip
