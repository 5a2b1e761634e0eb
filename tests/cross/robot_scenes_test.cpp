// SPDX-License-Identifier: BSD-3-Clause
// The shipped robots: servos take them where their targets say, loops stay closed, and what friction holds stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <stdexcept>
#include <string>

#include "stickslip/math/rotation.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

const std::array<std::string, 6> kLegs = {"1", "2", "3", "4", "5", "6"};
const std::array<std::string, 3> kArms = {"1", "2", "3"};

constexpr double kClosed = 1e-12;  // [m, rad] loops, by the coordinates of the joints, too

/// Bodies and joints of a run by their names.
struct Robot {
  const test::SceneRun& run;

  const Body& body(const std::string& name) const {
    const int index = run.built.system->find_body(name);
    if (index < 0) throw std::runtime_error("no body " + name);
    return run.built.system->bodies()[index];
  }
  Vector3 position(const std::string& name) const { return run.state.q.segment<3>(body(name).q_offset); }
  /// (3, 3) from the body's frame to the world's.
  Matrix3 axes(const std::string& name) const {
    return rotation_matrix<double>(run.state.q.segment<4>(body(name).q_offset + 3));
  }
  const JointReport& joint(const std::string& name) const {
    return run.report.joints.at(run.built.system->find_joint(name));
  }
  double parameter(const std::string& name) const { return run.scene.parameters.at(name); }
};

TEST(StewartPlatform, PlateFollowsAndFrictionHoldsTheBlock) {
  constexpr double kBehind = 2e-3;  // [m, rad] the servos: damping/stiffness times the rate, weight/stiffness
  constexpr double kHeld = 1e-7;    // [m] of ways of 0.1 m
  test::SceneRun run = test::open_scene("stewart_platform", {"time.end=0.6"});
  const Robot robot{run};
  const Vector3 start = robot.position("block") - robot.position("plate");
  const Vector3 below(0, 0, 0.03);  // [m] from the plane of the joints to the plate's centre
  run.run([&](const test::SceneRun& at) {
    const double s = std::sin(std::numbers::pi * at.state.t);
    const Matrix3 R = robot.axes("plate");
    const Vector3 middle = robot.position("plate") - R * below;
    EXPECT_LT((middle - Vector3(0.06 * s * s, 0, 0.6 + 0.1 * s * s)).norm(), kBehind) << at.state.t;
    EXPECT_LT((R - axis_angle_matrix(Vector3::UnitX(), 0.2 * s * s * s)).norm(), 2.0 * kBehind) << at.state.t;
    for (const std::string& leg : kLegs) {
      const Vector3 foot(robot.parameter("ax" + leg), robot.parameter("ay" + leg), 0);
      const Vector3 head(robot.parameter("bx" + leg), robot.parameter("by" + leg), 0);
      const double longer = (middle + R * head - foot).norm() - robot.parameter("l");
      EXPECT_NEAR(robot.joint("leg" + leg).coordinate, longer, kClosed) << leg;
    }
    EXPECT_LT(at.report.drift_position, kClosed);
    EXPECT_LT(at.report.drift_angle, kClosed);
    EXPECT_LT((R.transpose() * (robot.position("block") - robot.position("plate")) - start).norm(), kHeld)
        << at.state.t;
  });
}

TEST(DeltaRobot, PlateFollowsWithoutTurning) {
  constexpr double kBehind = 1e-3;  // [m] the servos
  test::SceneRun run = test::open_scene("delta_robot", {"time.end=0.6"});
  const Robot robot{run};
  const double base = robot.parameter("base");
  const double hand = robot.parameter("hand");
  const double arm = robot.parameter("arm");
  run.run([&](const test::SceneRun& at) {
    const double s = std::sin(std::numbers::pi * at.state.t);
    const double twice = std::sin(2.0 * std::numbers::pi * at.state.t);
    const Vector3 aim(0.15 * s * s * s, 0.12 * twice * twice * twice, -robot.parameter("h") - 0.1 * s * s);
    const Vector3 plate = robot.position("plate");
    EXPECT_LT((plate - aim).norm(), kBehind) << at.state.t;
    EXPECT_LT((robot.axes("plate") - Matrix3::Identity()).norm(), kClosed);
    for (const std::string& k : kArms) {
      const double angle = robot.joint("shoulder" + k).coordinate;
      const Vector3 out(robot.parameter("c" + k), robot.parameter("s" + k), 0);
      const Vector3 elbow = (base + arm * std::cos(angle)) * out - Vector3(0, 0, arm * std::sin(angle));
      EXPECT_NEAR((plate + hand * out - elbow).norm(), robot.parameter("rod"), kClosed) << k;
    }
    EXPECT_LT(at.report.drift_position, kClosed);
    EXPECT_LT(at.report.drift_angle, kClosed);
  });
}

TEST(ArmWithGripper, TheBoxStaysInTheHand) {
  constexpr double kStep = 2e-3;               // [s]
  constexpr double kDisplaced = 7e-3 * kStep;  // [m] of ways of 1 m, by swing and tilt: 5.3e-3 is found with any step
  constexpr double kCreep = 1e-12;             // [m/s] at rest
  constexpr double kGripped = 1.9;             // [s]
  constexpr double kAtRest = 5.6;              // [s] from then on
  test::SceneRun run = test::open_scene("arm_with_gripper", {"time.step=" + std::to_string(kStep)});
  const Robot robot{run};
  const double grip = robot.parameter("grip");
  Vector3 gripped = Vector3::Zero();
  Vector3 at_rest = Vector3::Zero();
  run.run([&](const test::SceneRun& at) {
    const Vector3 place = robot.axes("hand").transpose() * (robot.position("box") - robot.position("hand"));
    EXPECT_NEAR(robot.joint("finger").coordinate, robot.joint("second_finger").coordinate, kClosed);
    EXPECT_LE(robot.joint("finger").effort, 2.0 * grip);
    if (at.state.t < kGripped) gripped = place;
    if (at.state.t < kAtRest) at_rest = place;
    if (at.state.t > kGripped) EXPECT_LT((place - gripped).norm(), kDisplaced) << at.state.t;
    if (at.state.t > kAtRest) EXPECT_LT((place - at_rest).norm(), kCreep * (at.state.t - kAtRest) + kClosed);
  });
  // It hangs a right angle further round, 0.15 m above the table but for the sag of the arm, and each pad bears `grip`.
  EXPECT_LT((robot.position("box") - Vector3(0, robot.parameter("r"), 0.175)).norm(), 1e-3);
  std::array<double, 2> pressed = {0.0, 0.0};  // [N]
  double carried = 0.0;                        // [N]
  const std::array<int, 2> pads = {run.built.system->find_body("left"), run.built.system->find_body("right")};
  for (const ContactReport& c : run.report.contacts) {
    for (std::size_t i = 0; i < pads.size(); ++i) {
      if (c.body_a != pads[i]) continue;
      pressed[i] += c.percussion[0] / run.report.step;
      const Vector3 across = c.normal.cross(c.tangent);
      const Vector3 friction = c.percussion[1] * c.tangent + c.percussion[2] * across;
      carried += friction.z() / run.report.step;
    }
  }
  EXPECT_NEAR(pressed[0], grip, 1e-6);
  EXPECT_NEAR(pressed[1], grip, 1e-6);
  EXPECT_NEAR(carried, 0.5 * test::kGravity, 1e-6);
}

/// The rates of a cart and a pole, x, x', phi, phi', with the regulator, its limit and the push of the scene.
Vector4 calc_cart_pole_rates(const Robot& robot, double t, const Vector4& y) {
  const double M = robot.parameter("M");
  const double m = robot.parameter("m");
  const double l = robot.parameter("l");
  const double c = std::cos(y[2]);
  const double s = std::sin(y[2]);
  const double pulse = std::sin(5.0 * std::numbers::pi * (t - 4.0));
  const double push = t > 4.0 && t < 4.2 ? 0.8 * pulse * pulse : 0.0;
  const Vector4 gains(robot.parameter("k_x"), robot.parameter("k_v"), robot.parameter("k_phi"),
                      robot.parameter("k_omega"));
  const double force = std::clamp(-gains.dot(y), -10.0, 10.0);
  Eigen::Matrix2d mass;
  mass << M + m, -0.5 * m * l * c, -0.5 * m * l * c, m * l * l / 3.0;
  const Eigen::Vector2d load(force + push - 0.5 * m * l * s * y[3] * y[3],
                             0.5 * m * test::kGravity * l * s - push * l * c);
  const Eigen::Vector2d a = mass.inverse() * load;
  return {y[1], a[0], y[3], a[1]};
}

TEST(CartPole, IsTheMotionOfItsEquations) {
  constexpr double kSecondOrder = 4e-5;  // [m, rad] of half a metre; 1.7e-5 is found, 4e-6 with half the step
  constexpr double kUpright = 1e-4;      // [m, rad] at the end
  test::SceneRun run = test::open_scene("cart_pole");
  const Robot robot{run};
  Vector4 y(0, 0, std::numbers::pi / 18.0, 0);
  run.run([&](const test::SceneRun& at) {
    const double h = at.report.step;
    const double t = at.state.t - h;
    const Vector4 k1 = calc_cart_pole_rates(robot, t, y);
    const Vector4 k2 = calc_cart_pole_rates(robot, t + 0.5 * h, y + 0.5 * h * k1);
    const Vector4 k3 = calc_cart_pole_rates(robot, t + 0.5 * h, y + 0.5 * h * k2);
    const Vector4 k4 = calc_cart_pole_rates(robot, t + h, y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    EXPECT_NEAR(robot.joint("rail").coordinate, y[0], kSecondOrder) << t;
    EXPECT_NEAR(robot.joint("pivot").coordinate, y[2], kSecondOrder) << t;
    EXPECT_LE(std::abs(robot.joint("rail").effort), 10.0) << t;
  });
  EXPECT_NEAR(robot.joint("rail").coordinate, 0.0, kUpright);
  EXPECT_NEAR(robot.joint("pivot").coordinate, 0.0, kUpright);
}

TEST(QuadrupedTrot, GoesForwardOnItsFeet) {
  constexpr double kStarted = 2.0;  // [s]
  constexpr double kFaster = 0.1;   // [-] the feet bear in the middle of their way, where they are faster
  test::SceneRun run = test::open_scene("quadruped_trot");
  const Robot robot{run};
  const Vector3 start = robot.position("trunk");
  const int ground = run.built.system->find_body("ground");
  const int trunk = run.built.system->find_body("trunk");
  double x = start.x();  // [m] once it has started
  int diagonal = 0;      // steps on two feet across from each other
  run.run([&](const test::SceneRun& at) {
    if (at.state.t < kStarted) x = robot.position("trunk").x();
    EXPECT_NEAR(robot.position("trunk").z(), start.z(), 0.005) << at.state.t;
    EXPECT_GT(robot.axes("trunk")(2, 2), 0.999) << at.state.t;
    std::set<std::string> down;
    for (const ContactReport& c : at.report.contacts) {
      EXPECT_EQ(c.body_a, ground);
      EXPECT_NE(c.body_b, trunk);
      if (c.status != ContactStatus::open) down.insert(at.built.system->bodies()[c.body_b].name);
    }
    const bool crosses = down == std::set<std::string>{"front_left_shank", "hind_right_shank"} ||
                         down == std::set<std::string>{"front_right_shank", "hind_left_shank"};
    diagonal += crosses ? 1 : 0;
    for (const JointReport& joint : at.report.joints) EXPECT_LE(std::abs(joint.effort), 40.0);
  });
  // In each half of a step a foot that is down goes back by twice the stride.
  const double speed = 2.0 * robot.parameter("stride") * robot.parameter("w") / std::numbers::pi;
  EXPECT_NEAR((robot.position("trunk").x() - x) / (run.state.t - kStarted), speed, kFaster * speed);
  EXPECT_LT(std::abs(robot.position("trunk").y()), 0.1);
  EXPECT_GT(diagonal, run.state.step / 2);
}

TEST(Humanoid, SquatsAndStandsWhenPushed) {
  constexpr double kPushed = 4.3;    // [s] from then on
  constexpr double kUpright = 0.01;  // [rad]
  constexpr double kTilted = 0.05;   // [rad] when pushed
  constexpr double kSag = 7e-3;      // [m] knees give way by 50 N m over their stiffness, and lag by 20 ms
  constexpr double kStays = 1e-4;    // [m] the feet
  test::SceneRun run = test::open_scene("humanoid");
  const Robot robot{run};
  double mass = 0.0;  // [kg]
  for (const Body& body : run.built.system->bodies()) mass += body.type == BodyType::fixed ? 0.0 : body.mass;
  const Vector3 left = robot.position("left_foot");
  const Vector3 right = robot.position("right_foot");
  double lifted = 0.0;  // [N s] by the ground
  run.run([&](const test::SceneRun& at) {
    const double t = at.state.t;
    const double s = std::sin(0.5 * std::numbers::pi * std::min(t, 4.0));
    const double bend = 0.5 * robot.parameter("deep") * s * s;
    const double height =
        robot.parameter("ankle") + (robot.parameter("thigh") + robot.parameter("shank")) * std::cos(bend);
    EXPECT_NEAR(robot.position("pelvis").z(), height, kSag) << t;
    EXPECT_GT(robot.axes("trunk")(2, 2), std::cos(t < kPushed ? kUpright : kTilted)) << t;
    if (t < kPushed) {
      EXPECT_LT((robot.position("left_foot") - left).norm(), kStays) << t;
      EXPECT_LT((robot.position("right_foot") - right).norm(), kStays) << t;
    }
    for (const ContactReport& c : at.report.contacts) lifted += c.percussion[0] * c.normal.z();
    for (const JointReport& joint : at.report.joints) EXPECT_LE(std::abs(joint.effort), 300.0);
  });
  // What the ground has given is the weight times the time, and what momentum is left.
  double momentum = 0.0;  // [N s]
  for (const Body& body : run.built.system->bodies()) {
    if (body.type != BodyType::fixed) momentum += body.mass * run.state.u(body.u_offset + 2);
  }
  EXPECT_NEAR(lifted, mass * test::kGravity * run.state.t + momentum, 1e-6 * lifted);
}

}  // namespace
}  // namespace stickslip
