// SPDX-License-Identifier: BSD-3-Clause
// Springs, forces, dry friction and limits of joints against closed forms, under Moreau's and the generalized-alpha
// scheme.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;

class JointDrives : public testing::TestWithParam<std::string> {
 protected:
  bool is_generalized_alpha() const { return GetParam() == "generalized-alpha"; }
  test::SceneRun open(const std::string& text, double end, double step) const {
    return test::scene_from_text("stickslip = 1\ntime = {end = " + std::to_string(end) + ", step = " +
                                 std::to_string(step) + "}\nscheme = {type = \"" + GetParam() + "\"}\n" + text);
  }
};

/// Where a coordinate turns back: its extreme values, of the parabola through the three samples around each.
class TurningPoints {
 public:
  void add(double x) {
    const double before = last_[1] - last_[0];
    const double after = x - last_[1];
    if (n_ >= 2 && before * after < 0.0) {
      values.push_back(last_[1] - (x - last_[0]) * (x - last_[0]) / (8.0 * (x - 2.0 * last_[1] + last_[0])));
    }
    last_ = {last_[1], x};
    ++n_;
  }
  std::vector<double> values;

 private:
  std::array<double, 2> last_ = {};
  int n_ = 0;
};

const char* const kFrictionPendulum = R"toml(
gravity = [0, -9.81]
parameters = {L = 0.5}
[bodies.ground]
type = "fixed"
[bodies.bob]
type = "planar"
mass = 1.5
inertia = 0.02
position = ["=L*sin(1)", "=-L*cos(1)"]
angle = 1
[joints.pivot]
type = "revolute"
between = ["ground", "bob"]
at = [0, 0]
absolute = true
friction = 0.5
)toml";

TEST_P(JointDrives, PendulumWithDryFrictionLosesItsAmplitudeAndStops) {
  // m g L (cos x' - cos x) = tau (x + x') from one turning point x to the next, -x' [Trinkle2003, eqs. 18, 38].
  constexpr std::array kAmplitudes = {0.842604, 0.692228, 0.547081, 0.405767, 0.267142, 0.130221};
  constexpr double kRest = 0.005888;  // on the side of the last turning point
  constexpr double mass = 1.5;
  constexpr double length = 0.5;
  constexpr double bound = 0.5;
  // Under Moreau's scheme the joint drifts, and the pendulum with it gets longer, in proportion to the step.
  const double h = is_generalized_alpha() ? 1e-3 : 1e-4;
  test::SceneRun run = open(kFrictionPendulum, 8.0, h);
  TurningPoints turns;
  double way = 0.0;
  double last = 1.0;
  double worst_error = 0.0;
  run.run([&](const test::SceneRun& r) {
    const double x = r.report.joints[0].coordinate;
    turns.add(x);
    way += std::abs(x - last);
    last = x;
    worst_error = std::max(worst_error, std::abs(r.report.energy_error));
    EXPECT_LE(std::abs(r.report.joints[0].friction), bound * (1.0 + 1e-9));
  });
  const double tolerance = is_generalized_alpha() ? 1e-5 : 5e-4;
  ASSERT_GE(turns.values.size(), kAmplitudes.size());
  for (std::size_t i = 0; i < kAmplitudes.size(); ++i) {
    EXPECT_NEAR(turns.values[i], (i % 2 == 0 ? -1.0 : 1.0) * kAmplitudes[i], tolerance);
  }
  EXPECT_NEAR(last, kRest, tolerance);
  EXPECT_LE(std::abs(run.report.joints[0].rate), 1e-9);
  // At rest friction holds what gravity pulls; the reaction is the weight.
  const JointReport& joint = run.report.joints[0];
  const double torque = mass * kGravity * length * std::sin(last);
  const double drift = is_generalized_alpha() ? 1e-9 : 1e-4;  // [m] of the lever
  EXPECT_NEAR(joint.friction, torque, 1e-6 + drift * mass * kGravity);
  EXPECT_EQ(joint.reaction_torque(2), joint.friction);
  EXPECT_NEAR(joint.reaction_force(1), mass * kGravity, 1e-6);
  EXPECT_EQ(joint.drive, 0.0);
  // What friction took is the bound times the way.
  EXPECT_NEAR(run.report.dissipated, bound * way, 1e-3 * bound * way);
  EXPECT_LE(worst_error, 1e-3 * mass * kGravity * length);  // second order; first, of the drift
  EXPECT_EQ(run.report.work, 0.0);
}

TEST_P(JointDrives, TorsionalSpringSwings) {
  // J x'' = -k (x - r) - d x' about the centre of mass.
  constexpr double J = 0.02;
  constexpr double k = 0.8;
  constexpr double d = 0.01;
  constexpr double rest = 0.4;
  const auto exact = [](double t) {
    const double decay = 0.5 * d / J;
    const double omega = std::sqrt(k / J - decay * decay);
    return rest - rest * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
  };
  const auto run = [&](double h) {
    test::SceneRun r = open(R"toml(
gravity = [0, 0]
[bodies.ground]
type = "fixed"
[bodies.wheel]
type = "planar"
mass = 1
inertia = 0.02
[joints.axle]
type = "revolute"
between = ["ground", "wheel"]
at = [0, 0]
spring = {stiffness = 0.8, damping = 0.01, rest = 0.4}
)toml",
                            2.0, h);
    r.run();
    const JointReport& joint = r.report.joints[0];
    if (is_generalized_alpha()) {
      EXPECT_NEAR(joint.drive, -k * (joint.coordinate - rest) - d * joint.rate, 1e-12);
    }
    EXPECT_NEAR(joint.reaction_torque(2), joint.drive, 1e-12);
    EXPECT_EQ(joint.friction, 0.0);
    // The damper's work is all that the energy loses.
    EXPECT_LT(r.report.work, 0.0);
    EXPECT_LE(std::abs(r.report.energy_error), 0.05 * std::abs(r.report.work));
    return std::abs(joint.coordinate - exact(2.0));
  };
  const double coarse = run(2e-3);
  const double fine = run(1e-3);
  EXPECT_LE(fine, is_generalized_alpha() ? 2e-5 : 2e-4);
  // The damper is taken at the velocity before the step by Moreau's scheme: first order.
  EXPECT_NEAR(std::log2(coarse / fine), is_generalized_alpha() ? 2.0 : 1.0, 0.1);
}

TEST_P(JointDrives, ForceMovesASlider) {
  // m x'' = F cos(w t): x = F / (m w^2) (1 - cos(w t)). The slider's axis leans, its weight is in the reaction.
  test::SceneRun run = open(R"toml(
gravity = [0, 0]
[bodies.ground]
type = "fixed"
[bodies.slider]
type = "planar"
mass = 2
inertia = 0.1
[joints.rail]
type = "prismatic"
between = ["ground", "slider"]
at = [0, 0]
axis = [3, 4]
force = "5*cos(3*t)"
)toml",
                            1.0, 1e-3);
  run.run();
  const JointReport& joint = run.report.joints[0];
  EXPECT_NEAR(joint.coordinate, 5.0 / 18.0 * (1.0 - std::cos(3.0)), 2e-6);
  EXPECT_NEAR(joint.rate, 5.0 / 6.0 * std::sin(3.0), 3e-6);
  EXPECT_NEAR(run.report.work, run.report.kinetic_energy, 2e-3 * 5.0);
  const double t = is_generalized_alpha() ? 1.0 : 1.0 - 0.5e-3;
  EXPECT_NEAR(joint.drive, 5.0 * std::cos(3.0 * t), 1e-9);
  EXPECT_NEAR(joint.reaction_force(0), 0.6 * joint.drive, 1e-9);
  EXPECT_NEAR(joint.reaction_force(1), 0.8 * joint.drive, 1e-9);
}

TEST_P(JointDrives, RotorBetweenItsStops) {
  test::SceneRun run = open(R"toml(
gravity = [0, 0]
[bodies.ground]
type = "fixed"
[bodies.rotor]
type = "planar"
mass = 1
inertia = 0.02
angular_velocity = 2
[joints.axle]
type = "revolute"
between = ["ground", "rotor"]
at = [0, 0]
limits = [-0.5, 0.7]
restitution = 0.5
)toml",
                            2.0, 1e-3);
  const double h = run.scene.time.step;
  double percussion_low = 0.0;
  double percussion_high = 0.0;
  double beyond = 0.0;
  run.run([&](const test::SceneRun& r) {
    ASSERT_EQ(r.report.contacts.size(), 2U);
    percussion_low += r.report.contacts[0].percussion[0];
    percussion_high += r.report.contacts[1].percussion[0];
    beyond = std::max(beyond, r.report.drift_angle);
    EXPECT_EQ(r.report.penetration, 0.0);
  });
  // 2 rad/s to 0.7 at t = 0.35, -1 rad/s to -0.5 at t = 1.55, 0.5 rad/s from there.
  EXPECT_NEAR(run.report.joints[0].rate, 0.5, 1e-12);
  EXPECT_NEAR(run.report.joints[0].coordinate, -0.5 + 0.5 * 0.45, 3.0 * h * 2.0);
  EXPECT_NEAR(percussion_high, 0.02 * 3.0, 1e-12);
  EXPECT_NEAR(percussion_low, 0.02 * 1.5, 1e-12);
  EXPECT_LE(beyond, is_generalized_alpha() ? 1e-12 : 2.0 * h);
  EXPECT_NEAR(run.report.dissipated, 0.5 * 0.02 * (4.0 - 0.25), is_generalized_alpha() ? 1e-4 : 1e-12);
}

TEST_P(JointDrives, SliderFallsOnItsStopAndRests) {
  test::SceneRun run = open(R"toml(
gravity = [0, -9.81]
[bodies.ground]
type = "fixed"
[bodies.slider]
type = "planar"
mass = 2
inertia = 0.1
position = [0, 0.3]
[joints.rail]
type = "prismatic"
between = ["ground", "slider"]
at = [0, 0]
axis = [0, 1]
absolute = true
limits = [0.1, 1]
)toml",
                            0.5, 1e-3);
  run.run();
  EXPECT_NEAR(run.report.joints[0].coordinate, 0.1, is_generalized_alpha() ? 1e-12 : 2e-3);
  EXPECT_NEAR(run.report.contacts[0].force[0], 2.0 * kGravity, 1e-6);
  EXPECT_NE(run.report.contacts[0].status, ContactStatus::open);
  EXPECT_NEAR(run.report.joints[0].reaction_force(1), 2.0 * kGravity, 1e-6);
  EXPECT_NEAR(run.report.joints[0].reaction_force(0), 0.0, 1e-9);
}

TEST_P(JointDrives, TwoRopesHoldAWeight) {
  // Ropes are distances with a limit alone: no rows of their own, and two of them close a loop. m g / (2 cos 45) each.
  test::SceneRun run = open(R"toml(
gravity = [0, -9.81]
[bodies.ceiling]
type = "fixed"
[bodies.weight]
type = "point"
mass = 2
position = [0, 0]
[joints.left]
type = "distance"
between = ["ceiling", "weight"]
at_a = [-1, 1]
limits = [0, 1.4142135623730951]
[joints.right]
type = "distance"
between = ["ceiling", "weight"]
at_a = [1, 1]
limits = [0, 1.4142135623730951]
)toml",
                            0.1, 1e-3);
  run.run();
  EXPECT_NEAR(run.state.q(1), 0.0, 1e-9);
  for (const JointReport& rope : run.report.joints) {
    EXPECT_NEAR(rope.reaction_force.norm(), 2.0 * kGravity * std::numbers::sqrt2 / 2.0, 1e-6);
  }
}

TEST_P(JointDrives, SpringAndDryFrictionBetweenPoints) {
  // m = 1, k = 100, bound 2 from 0.19: turning points lose 2 bound / k each, rest at 0.01 [Trinkle2003].
  test::SceneRun run = open(R"toml(
gravity = [0, 0]
[bodies.mass]
type = "point"
mass = 1
position = [0.19, 0]
[bodies.frame]
type = "fixed"
[forces.spring]
type = "spring"
between = ["frame", "mass"]
at_a = [-1, 0]
stiffness = 100
rest = 1
[forces.friction]
type = "dry-friction"
between = ["frame", "mass"]
axis = [1, 0]
bound = 2
)toml",
                            2.0, 1e-3);
  TurningPoints turns;
  run.run([&](const test::SceneRun& r) { turns.add(r.state.q(0)); });
  constexpr std::array kTurns = {-0.15, 0.11, -0.07, 0.03};
  ASSERT_GE(turns.values.size(), kTurns.size());
  // The step at each turn begins within it: a few times h^2 k x.
  constexpr double kTolerance = 2e-5;
  for (std::size_t i = 0; i < kTurns.size(); ++i) EXPECT_NEAR(turns.values[i], kTurns[i], kTolerance);
  EXPECT_NEAR(run.state.q(0), 0.01, kTolerance);
  EXPECT_LE(std::abs(run.state.u(0)), 1e-9);
  EXPECT_NEAR(run.report.dissipated, 2.0 * (0.34 + 0.26 + 0.18 + 0.10 + 0.02), 2e-3);
}

TEST_P(JointDrives, DryFrictionAlongATurningAxisIsHeldOnAccelerations) {
  // A bead on a rod that turns at a constant rate, held by friction: it is carried round, the friction is m w^2 r.
  test::SceneRun run = open(R"toml(
gravity = [0, 0]
[bodies.rod]
type = "moving"
position = [0, 0]
angle = "2*t"
[bodies.bead]
type = "planar"
mass = 0.5
inertia = 0.01
position = [0.3, 0]
velocity = [0, 0.6]
angular_velocity = 2
[joints.slot]
type = "prismatic"
between = ["rod", "bead"]
at = [0.3, 0]
axis = [1, 0]
friction = 1
)toml",
                            1.0, 1e-3);
  run.run();
  EXPECT_NEAR(run.report.joints[0].coordinate, 0.0, is_generalized_alpha() ? 1e-9 : 1e-3);
  EXPECT_NEAR(run.report.joints[0].friction, -0.5 * 4.0 * 0.3, is_generalized_alpha() ? 1e-6 : 1e-2);
}

TEST_P(JointDrives, DamperOfAMovingBodyIsInTheBalance) {
  // A body is dragged through a damper by another that moves at a constant speed.
  test::SceneRun run = open(R"toml(
gravity = [0, 0]
[bodies.hand]
type = "moving"
position = ["3*t", 0]
[bodies.cart]
type = "planar"
mass = 1
inertia = 0.1
position = [-1, 0]
[forces.damper]
type = "spring"
between = ["hand", "cart"]
damping = 2
)toml",
                            1.0, 1e-3);
  run.run();
  const double speed = 3.0 * (1.0 - std::exp(-2.0));
  EXPECT_NEAR(run.state.u(0), speed, 2e-3);
  EXPECT_NEAR(run.report.work, 0.5 * speed * speed, 2e-2);
  EXPECT_LE(std::abs(run.report.energy_error), 2e-2);
}

INSTANTIATE_TEST_SUITE_P(Schemes, JointDrives, testing::Values("moreau", "generalized-alpha"), [](const auto& scheme) {
  return scheme.param == "moreau" ? std::string("Moreau") : std::string("GeneralizedAlpha");
});

}  // namespace
}  // namespace stickslip
