// SPDX-License-Identifier: BSD-3-Clause
// Velocities at the start that joints do not allow: an impact makes them consistent, under schemes on velocities
// before the first step, under the generalized-alpha scheme in it. And steps in which nothing but round-off is left to
// solve for.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "stickslip/model/system.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

constexpr double kRoundOff = 1e-12;  // [-]

/// Two bodies held together by two hinges, one row more than needed, which their velocities do not allow.
std::string two_hinges(const std::string& step, const std::string& first_hinge = "",
                       const std::string& second_at = "[-0.5, 0.7]", const std::string& scheme = "moreau") {
  return "stickslip = 1\nscheme = {type = \"" + scheme +
         "\"}\ngravity = [0, -9.81]\ntime = {end = 0.4, step = " + step + R"(}
[bodies.a]
type = "planar"
mass = 1.3
inertia = 0.1
velocity = [1, 2]
[bodies.b]
type = "planar"
mass = 2.1
inertia = 0.2
position = [1, 0.3]
velocity = [1.5, 1.7]
angular_velocity = 0.7
[joints.j]
type = "revolute"
between = ["a", "b"]
at = [0.3, 0.4]
)" + first_hinge +
         R"([joints.k]
type = "revolute"
between = ["a", "b"]
at = )" + second_at +
         "\n";
}

/// The one rigid body that they are from then on.
struct Whole {
  double mass = 1.3 + 2.1;
  Vector3 center = 2.1 * Vector3(1.0, 0.3, 0.0) / 3.4;
  Vector3 velocity = (1.3 * Vector3(1.0, 2.0, 0.0) + 2.1 * Vector3(1.5, 1.7, 0.0)) / 3.4;
  double omega() const {
    const auto moment = [&](double m, const Vector3& p, const Vector3& v) {
      return m * (p - center).cross(v - velocity).z();
    };
    const double spin = moment(1.3, Vector3(0, 0, 0), Vector3(1, 2, 0)) +
                        moment(2.1, Vector3(1, 0.3, 0), Vector3(1.5, 1.7, 0)) + 0.2 * 0.7;
    return spin / inertia();
  }
  double inertia() const {
    return 0.3 + 1.3 * center.squaredNorm() + 2.1 * (Vector3(1, 0.3, 0) - center).squaredNorm();
  }
};

TEST(StartImpact, KeepsMomentumAtAnyStep) {
  const Whole whole;
  ASSERT_NEAR(whole.omega(), -0.188, 1e-3);
  for (const std::string step : {"1e-3", "1e-4", "1e-5"}) {
    test::SceneRun run = test::scene_from_text(two_hinges(step));
    EXPECT_EQ(run.report.joints[0].rate, 0.7);  // row 0 is what the scene says
    for (int k = 0; k < 10; ++k) {
      ASSERT_EQ(run.step(), Status::ok) << step;
      for (const int rotation : {2, 5}) EXPECT_NEAR(run.state.u[rotation], whole.omega(), 1e-6) << step << " " << k;
    }
    const double momentum = 1.3 * run.state.u[0] + 2.1 * run.state.u[3];
    EXPECT_NEAR(momentum, whole.mass * whole.velocity.x(), kRoundOff);
  }
}

TEST(StartImpact, TakesEnergyAsDissipation) {
  for (const char* scheme : {"moreau", "ccp", "stewart-trinkle", "relaxation"}) {
    test::SceneRun run = test::scene_from_text(two_hinges("1e-4", "", "[-0.5, 0.7]", scheme));
    const double before = run.report.kinetic_energy;
    const Whole whole;
    const double after =
        0.5 * whole.mass * whole.velocity.squaredNorm() + 0.5 * whole.inertia() * std::pow(whole.omega(), 2);
    ASSERT_EQ(run.step(), Status::ok) << scheme;
    EXPECT_NEAR(run.report.dissipated, before - after, kRoundOff) << scheme;
    EXPECT_LT(std::abs(run.report.energy_error), 1e-5 * (before - after)) << scheme;
  }
}

/// In the step that makes it under generalized-alpha, in which the bodies move, too: first order in its length.
TEST(StartImpact, TakesEnergyUnderGeneralizedAlpha) {
  const Whole whole;
  const double after =
      0.5 * whole.mass * whole.velocity.squaredNorm() + 0.5 * whole.inertia() * std::pow(whole.omega(), 2);
  for (const double h : {1e-4, 1e-5}) {
    test::SceneRun run = test::scene_from_text(two_hinges(std::to_string(h), "", "[-0.5, 0.7]", "generalized-alpha"));
    const double before = run.report.kinetic_energy;
    ASSERT_EQ(run.step(), Status::ok);
    EXPECT_NEAR(run.report.dissipated, before - after, h);
    EXPECT_LT(std::abs(run.report.energy_error), 2.0 * h);
    ASSERT_EQ(run.step(), Status::ok);  // and nothing of it again
    EXPECT_NEAR(run.report.dissipated, before - after, h);
  }
}

/// What rests is welded to what moves at 2 m/s: half of what that puts in is lost, under every scheme.
TEST(StartImpact, TakesHalfOfWhatAMotionPutsIn) {
  for (const char* scheme : {"moreau", "ccp", "stewart-trinkle", "generalized-alpha", "event-driven", "relaxation"}) {
    test::SceneRun run = test::scene_from_text(std::string(R"(stickslip = 1
gravity = [0, 0]
time = {end = 0.1, step = 1e-4}
scheme = {type = ")") + scheme + R"("}
[bodies.base]
type = "moving"
position = ["2*t", 0]
[bodies.b]
type = "planar"
mass = 1
inertia = 0.1
[joints.weld]
type = "weld"
between = ["base", "b"]
)");
    run.run();
    EXPECT_NEAR(run.report.dissipated, 2.0, 1e-9) << scheme;
    EXPECT_NEAR(run.report.energy_error, 0.0, 1e-9) << scheme;
    EXPECT_NEAR(run.state.u(0), 2.0, 1e-9) << scheme;
  }
}

/// The percussion of the impact is in the reactions of the first step: without gravity these bear nothing else.
TEST(StartImpact, IsInTheReactionsOfTheFirstStep) {
  const double h = 1e-4;
  test::SceneRun run = test::scene_from_text(two_hinges("1e-4") + "[bodies.wall]\ntype = \"fixed\"\n");
  const Vector before = run.state.u;
  ASSERT_EQ(run.step(), Status::ok);
  Vector3 sum = Vector3::Zero();
  for (const JointReport& joint : run.report.joints) sum += h * joint.reaction_force;
  EXPECT_NEAR(sum.x(), 2.1 * (run.state.u[3] - before[3]), 1e-10);
  EXPECT_NEAR(sum.y(), 2.1 * (run.state.u[4] - before[4] + 9.81 * h), 1e-10);
}

/// A hinge that moves picks a body up; what it puts in is work, the rest is dissipated.
TEST(StartImpact, TakesMotionsIntoAccount) {
  for (const char* scheme : {"moreau", "generalized-alpha"}) {
    test::SceneRun run = test::scene_from_text(std::string("scheme = {type = \"") + scheme + R"("}
stickslip = 1
gravity = [0, 0]
time = {end = 1, step = 1e-6}
[bodies.drive]
type = "moving"
position = ["2*t", 0]
[bodies.bar]
type = "planar"
mass = 3.0
inertia = 0.25
position = [0, -0.5]
[joints.pin]
type = "revolute"
between = ["drive", "bar"]
at = [0, 0]
)");
    ASSERT_EQ(run.step(), Status::ok);
    // A blow p at half a metre: p / m + p / 4 / J = 2.
    const double p = 2.0 / (1.0 / 3.0 + 0.25 / 0.25);
    EXPECT_NEAR(run.state.u[0], p / 3.0, 1e-5) << scheme;
    EXPECT_NEAR(run.state.u[2], -0.5 * p / 0.25, 1e-5) << scheme;
    EXPECT_NEAR(run.report.work, 2.0 * p, 1e-5) << scheme;
    EXPECT_NEAR(run.report.dissipated, p, 1e-5) << scheme;
    EXPECT_NEAR(run.report.energy_error, 0.0, 1e-5) << scheme;
  }
}

/// Two motions that contradict each other: midway, with percussions that masses and speeds explain.
TEST(StartImpact, IsBoundedWhereJointsContradictEachOther) {
  test::SceneRun run = test::scene_from_text(R"(stickslip = 1
scheme = {type = "moreau"}
gravity = [0, 0]
time = {end = 1, step = 1e-3}
[bodies.left]
type = "moving"
position = ["t", 0]
[bodies.right]
type = "moving"
position = ["-t", 0]
[bodies.bar]
type = "planar"
mass = 2.0
inertia = 0.3
velocity = [5, 0]
[joints.one]
type = "revolute"
between = ["left", "bar"]
at = [0, 0]
[joints.other]
type = "revolute"
between = ["right", "bar"]
at = [0, 0]
)");
  ASSERT_EQ(run.step(), Status::inexact);
  EXPECT_NEAR(run.state.u[0], 0.0, 1e-4);
  for (const JointReport& joint : run.report.joints) EXPECT_LT(1e-3 * joint.reaction_force.norm(), 10.0 * 2.0 * 6.0);
}

TEST(StartImpact, LeavesContactsToTheStep) {
  test::SceneRun run = test::scene_from_text(R"(stickslip = 1
scheme = {type = "moreau"}
gravity = [0, 0]
time = {end = 1, step = 1e-3}
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1]}
[bodies.ball]
type = "planar"
mass = 2.0
inertia = 0.3
position = [0, 0.5]
velocity = [0, -1]
shapes.hull = {type = "sphere", radius = 0.5}
[bodies.bob]
type = "planar"
mass = 1.0
inertia = 0.1
position = [0, 2]
velocity = [0, -1]
[joints.rod]
type = "weld"
between = ["ball", "bob"]
[[contacts]]
name = "floor-ball"
between = ["floor", "ball"]
friction = 0
restitution = {normal = 1}
)");
  ASSERT_EQ(run.step(), Status::ok);
  EXPECT_NEAR(run.state.u[1], 1.0, 1e-9);  // restitution from the velocity that came in
}

// --- round-off

TEST(RoundOff, FreeFlightOfRedundantJointsIsSolved) {
  test::SceneRun run = test::scene_from_text(two_hinges("2e-3", "friction = 0.2\n"));
  int iterations = 0;
  for (int k = 0; k < 200; ++k) {
    ASSERT_EQ(run.step(), Status::ok) << k << " " << run.report.message;
    iterations += run.report.solve.iterations;
  }
  EXPECT_LE(iterations, 800);  // of a solver that finds nothing to do; 125 of these steps took 1000 each
}

/// Two hinges close to each other are nearly one, and no more than nearly: velocities that the second forbids are
/// stopped, too, and what that takes is booked.
TEST(StartImpact, HingesNearEachOtherAreTwo) {
  for (const char* apart : {"1e-3", "1e-4", "1e-5"}) {
    test::SceneRun run = test::scene_from_text(two_hinges("1e-3", "", std::string("[\"=0.3+") + apart + "\", 0.4]"));
    const Whole whole;
    const double left =
        0.5 * whole.mass * whole.velocity.squaredNorm() + 0.5 * whole.inertia() * whole.omega() * whole.omega();
    const double before = 0.5 * 1.3 * 5.0 + 0.5 * 2.1 * (1.5 * 1.5 + 1.7 * 1.7) + 0.5 * 0.2 * 0.49;
    const double height = run.report.potential_energy;
    for (int n = 0; n < 5; ++n) ASSERT_EQ(run.step(), Status::ok) << apart;
    EXPECT_NEAR(run.report.dissipated, before - left, 1e-8) << apart;
    EXPECT_NEAR(run.report.kinetic_energy + run.report.potential_energy - height, left, 1e-6) << apart;
  }
}

}  // namespace
}  // namespace stickslip
