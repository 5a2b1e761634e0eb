// SPDX-License-Identifier: BSD-3-Clause
// Armature of joints and dampers of ball joints against closed forms and equations of motion written out by hand.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;

class Armature : public testing::TestWithParam<std::string> {
 protected:
  test::SceneRun open(const std::string& text, double end, double step) const {
    return test::scene_from_text("stickslip = 1\ntime = {end = " + std::to_string(end) + ", step = " +
                                 std::to_string(step) + "}\nscheme = {type = \"" + GetParam() + "\"}\n" + text);
  }
};

/// 3 kg on a slide whose motor has 5 kg more: what is pushed by 16 N has the speed 2 t, and 16 t^2 J.
TEST_P(Armature, OfASlideIsAsMassAlongIt) {
  const std::string text = R"toml(
gravity = [0, 0]
bodies.ground = {type = "fixed"}
bodies.cart = {type = "planar", mass = 3, inertia = 0.1, velocity = [0.5, 0]}
joints.slide = {type = "prismatic", between = ["ground", "cart"], at = [0, 0], axis = [1, 0], armature = 5, force = 16}
)toml";
  test::SceneRun run = open(text, 1.0, 0.001);
  run.run([](const test::SceneRun& at) {
    const double v = 0.5 + 2.0 * at.state.t;
    EXPECT_NEAR(at.report.joints[0].rate, v, 1e-10);
    EXPECT_NEAR(at.report.kinetic_energy, 0.5 * 8.0 * v * v, 1e-9);
    EXPECT_NEAR(at.report.energy_error, 0.0, 1e-9);
  });
  EXPECT_EQ(run.report.joints[0].effort, 16.0) << "armature is no effort";
  EXPECT_EQ(run.built.system->shown_bodies().size(), 2U);
  EXPECT_EQ(run.built.system->shown_joints().size(), 1U);
}

/// Two wheels on one axle, free in space: armature is of the relative rate, so that it has no angular momentum.
TEST_P(Armature, OfAFreePairIsOfTheRelativeRate) {
  const std::string text = R"toml(
gravity = [0, 0]
bodies.first = {type = "planar", mass = 1, inertia = 2}
bodies.second = {type = "planar", mass = 1, inertia = 3}
joints.axle = {type = "revolute", between = ["first", "second"], at = [0, 0], armature = 0.8, force = 4}
)toml";
  test::SceneRun run = open(text, 0.5, 0.001);
  run.run();
  const double rate = 4.0 / (2.0 * 3.0 / 5.0 + 0.8) * 0.5;
  EXPECT_NEAR(run.report.joints[0].rate, rate, 1e-10);
  EXPECT_NEAR(2.0 * run.state.u(2) + 3.0 * run.state.u(5), 0.0, 1e-10);
  EXPECT_NEAR(run.report.kinetic_energy,
              run.state.u(2) * run.state.u(2) + 1.5 * run.state.u(5) * run.state.u(5) + 0.4 * rate * rate, 1e-10);
}

/// A pendulum in space with a motor, against its equation (m l^2 + J + A) x'' = -m g l sin x by steps of fourth order.
TEST_P(Armature, OfAPendulum) {
  const std::string text = R"toml(
gravity = [0, 0, -9.81]
bodies.ground = {type = "fixed"}
bodies.bob = {type = "rigid", mass = 2, inertia = [0.1, 0.02, 0.1], position = [0, 0, -0.5], parent = "ground"}
[joints.pivot]
type = "revolute"
between = ["ground", "bob"]
local = true
at = [0, 0, 0.5]
axis = [0, 1, 0]
armature = 0.6
start = 1
)toml";
  constexpr double kStep = 1e-3;
  test::SceneRun run = open(text, 1.0, kStep);
  run.run();
  const auto rates = [](double x) { return -2.0 * 9.81 * 0.5 * std::sin(x) / (2.0 * 0.25 + 0.02 + 0.6); };
  double x = 1.0;
  double v = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const double a1 = rates(x);
    const double a2 = rates(x + 0.5 * kStep * v);
    const double a3 = rates(x + 0.5 * kStep * (v + 0.5 * kStep * a1));
    const double a4 = rates(x + kStep * (v + 0.5 * kStep * a2));
    x += kStep * v + kStep * kStep / 6.0 * (a1 + a2 + a3);
    v += kStep / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
  const bool is_fine = GetParam() == "event-driven" || GetParam() == "generalized-alpha";
  EXPECT_NEAR(run.report.joints[0].coordinate, x, is_fine ? 5e-5 : 2e-2);
  EXPECT_NEAR(run.report.joints[0].rate, v, is_fine ? 5e-5 : 2e-2);
  const double height = -2.0 * 9.81 * 0.5 * std::cos(run.report.joints[0].coordinate);
  const double energy = run.report.kinetic_energy + height + 2.0 * 9.81 * 0.5 * std::cos(1.0);
  EXPECT_NEAR(energy, 0.0, is_fine ? 1e-4 : 5e-2);
}

/// Two bodies tumble about a ball joint in both their centres, with armature and a damper: their angular velocities by
///   J1 w1' + w1 x J1 w1 = -tau,  J2 w2' + w2 x J2 w2 = tau,  tau = -A (w2' - w1' - w1 x w2) - d (w2 - w1),
/// as what the armature's momentum changes by is told where the first body is at rest.
TEST_P(Armature, OfABallThatTumbles) {
  const std::string text = R"toml(
gravity = [0, 0, 0]
bodies.first = {type = "rigid", mass = 1, inertia = [0.3, 0.4, 0.5], angular_velocity = [1, -2, 0.5]}
bodies.second = {type = "rigid", mass = 1, inertia = [0.2, 0.5, 0.4], angular_velocity = [-0.6, 0.3, 1.5]}
[joints.ball]
type = "spherical"
between = ["first", "second"]
at = [0, 0, 0]
armature = 0.7
spring = {damping = 0.15}
)toml";
  constexpr double kStep = 1e-3;
  constexpr double kArmature = 0.7;
  constexpr double kDamping = 0.15;
  test::SceneRun run = open(text, 0.5, kStep);
  run.run();
  const Matrix3 J1 = Vector3(0.3, 0.4, 0.5).asDiagonal();
  const Matrix3 J2 = Vector3(0.2, 0.5, 0.4).asDiagonal();
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  struct Two {
    Matrix3 R1 = Matrix3::Identity(), R2 = Matrix3::Identity();
    Vector6 w;  // world
  } x;
  x.w << 1, -2, 0.5, -0.6, 0.3, 1.5;
  const auto skew_of = [](const Vector3& a) {
    Matrix3 S;
    S << 0, -a(2), a(1), a(2), 0, -a(0), -a(1), a(0), 0;
    return S;
  };
  const auto rates = [&](const Two& at) {
    const Vector3 w1 = at.w.head<3>();
    const Vector3 w2 = at.w.tail<3>();
    const Matrix3 K1 = at.R1 * J1 * at.R1.transpose();
    const Matrix3 K2 = at.R2 * J2 * at.R2.transpose();
    const Matrix3 A = kArmature * Matrix3::Identity();
    Matrix6 M;
    M << K1 + A, -A, -A, K2 + A;
    const Vector3 tau = kArmature * w1.cross(w2) - kDamping * (w2 - w1);
    Vector6 f;
    f << -w1.cross(K1 * w1) - tau, -w2.cross(K2 * w2) + tau;
    Two rate;
    rate.R1 = skew_of(w1) * at.R1;
    rate.R2 = skew_of(w2) * at.R2;
    rate.w = M.lu().solve(f);
    return rate;
  };
  const auto moved = [](const Two& at, const Two& rate, double h) {
    Two next;
    next.R1 = at.R1 + h * rate.R1;
    next.R2 = at.R2 + h * rate.R2;
    next.w = at.w + h * rate.w;
    return next;
  };
  for (int i = 0; i < 500; ++i) {
    const Two a = rates(x);
    const Two b = rates(moved(x, a, 0.5 * kStep));
    const Two c = rates(moved(x, b, 0.5 * kStep));
    const Two d = rates(moved(x, c, kStep));
    x = moved(moved(moved(moved(x, a, kStep / 6.0), b, kStep / 3.0), c, kStep / 3.0), d, kStep / 6.0);
  }
  const bool is_fine = GetParam() == "event-driven" || GetParam() == "generalized-alpha";
  const double most = is_fine ? 1e-5 : 1e-2;
  EXPECT_LT((run.state.u.segment<3>(3) - x.R1.transpose() * x.w.head<3>()).norm(), most);
  EXPECT_LT((run.state.u.segment<3>(9) - x.R2.transpose() * x.w.tail<3>()).norm(), most);
  const Vector3 relative = x.w.tail<3>() - x.w.head<3>();
  const double energy = 0.5 * x.w.head<3>().dot(x.R1 * J1 * x.R1.transpose() * x.w.head<3>()) +
                        0.5 * x.w.tail<3>().dot(x.R2 * J2 * x.R2.transpose() * x.w.tail<3>()) +
                        0.5 * kArmature * relative.squaredNorm();
  EXPECT_NEAR(run.report.kinetic_energy, energy, 2.0 * most);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Armature,
                         testing::Values("moreau", "ccp", "stewart-trinkle", "generalized-alpha", "event-driven",
                                         "relaxation"),
                         [](const auto& of) {
                           std::string name;
                           for (const char c : of.param) name += c == '-' ? '_' : c;
                           return name;
                         });

/// A stop takes the momentum of the armature, too: plastic, what hits it stays.
TEST(ArmatureOfServos, IsInImpactsAndBehindAServo) {
  const std::string text = R"toml(
stickslip = 1
time = {end = 1, step = 0.01}
scheme = {type = "ccp"}
gravity = [0, 0]
bodies.ground = {type = "fixed"}
bodies.cart = {type = "planar", mass = 1, inertia = 0.1, velocity = [1, 0]}
[joints.slide]
type = "prismatic"
between = ["ground", "cart"]
at = [0, 0]
axis = [1, 0]
armature = 3
limits = [-1, 0.5]
restitution = 0.5
)toml";
  test::SceneRun run = test::scene_from_text(text);
  run.run();
  EXPECT_NEAR(run.report.joints[0].rate, -0.5, 1e-10);
  EXPECT_NEAR(run.report.kinetic_energy, 0.5 * 4.0 * 0.25, 1e-10);
  EXPECT_NEAR(run.report.dissipated, 0.5 * 4.0 * 0.75, 1e-10);
}

/// A stiff servo of an arm with armature: the same closed form as with as much more inertia.
TEST(ArmatureOfServos, IsAsInertiaOfAnArmOnTheGround) {
  const auto run_with = [](const std::string& inertia, const std::string& armature) {
    const std::string text = R"toml(
stickslip = 1
time = {end = 0.5, step = 0.001}
gravity = [0, 0]
scheme = {type = "ccp"}
bodies.ground = {type = "fixed"}
bodies.arm = {type = "planar", mass = 2, inertia = )toml" +
                             inertia + R"toml(}
[joints.shoulder]
type = "revolute"
between = ["ground", "arm"]
at = [0, 0]
servo = {type = "position", stiffness = 60, damping = 1, target = "sin(9*t)"}
)toml" + armature;
    test::SceneRun run = test::scene_from_text(text);
    run.run();
    return run;
  };
  const test::SceneRun heavy = run_with("0.75", "");
  const test::SceneRun light = run_with("0.05", "armature = 0.7\n");
  EXPECT_NEAR(light.report.joints[0].coordinate, heavy.report.joints[0].coordinate, 1e-12);
  EXPECT_NEAR(light.report.joints[0].effort, heavy.report.joints[0].effort, 1e-9);
  EXPECT_NEAR(light.report.kinetic_energy, heavy.report.kinetic_energy, 1e-12);
}

}  // namespace
}  // namespace stickslip
