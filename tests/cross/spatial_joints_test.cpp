// SPDX-License-Identifier: BSD-3-Clause
// Joints between rigid bodies in space under every scheme: each type between two free bodies against a dense
// integration of its own, and mechanisms with known motions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "stickslip/math/rotation.h"
#include "tests/support/dense_joints.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::DenseConstraint;
using test::DensePair;
using test::kGravity;
using DenseKind = DenseConstraint::Kind;

constexpr double kHalfTurn = std::numbers::pi;

std::string text_of(const Vector3& x) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}

/// Where the joint is at the start, and its axes in the world: x is a universal joint's second axis.
const Vector3 kAt(0.3, -0.2, 0.1);
const Matrix3 kAxes = axis_angle_matrix(Vector3(1, 2, -1).normalized(), 0.7);

/// Two bodies with loads on them, so that nothing is symmetric.
DensePair make_pair() {
  DensePair pair;
  pair.gravity = Vector3(0, 0, -kGravity);
  auto& [a, b] = pair.bodies;
  a.mass = 1.5;
  a.inertia = Vector3(0.11, 0.17, 0.21).asDiagonal();
  a.p = Vector3(0.1, 0.2, -0.1);
  a.R = axis_angle_matrix(Vector3(0, 1, 1).normalized(), 0.4);
  a.v = Vector3(0.3, -0.5, 1.0);
  a.w = Vector3(1.0, -0.7, 0.4);
  b.mass = 0.8;
  b.inertia = Vector3(0.06, 0.05, 0.03).asDiagonal();
  b.p = Vector3(0.5, -0.4, 0.35);
  b.R = axis_angle_matrix(Vector3(1, -1, 0).normalized(), 1.1);
  b.v = Vector3(-0.2, 0.4, 0.9);
  b.w = Vector3(-1.5, 0.6, 2.0);
  b.load = {Vector3(0.4, -0.3, 0.8), Vector3(0.1, 0.2, -0.15)};
  return pair;
}

class PairBuilder {
 public:
  explicit PairBuilder(DensePair& pair) : pair_(pair) {
    const auto& [a, b] = pair.bodies;
    first_at_ = a.R.transpose() * (kAt - a.p);
    second_at_ = b.R.transpose() * (kAt - b.p);
    first_ = a.R.transpose() * kAxes;
    second_ = b.R.transpose() * kAxes;
  }
  PairBuilder& coincide() {
    for (int i = 0; i < 3; ++i) {
      pair_.constraints.push_back({DenseKind::coincide, Vector3::Unit(i), first_at_, second_at_});
    }
    return *this;
  }
  PairBuilder& along(int axis) {
    pair_.constraints.push_back({DenseKind::along, first_.col(axis), first_at_, second_at_});
    return *this;
  }
  PairBuilder& perpendicular(int on_first, int on_second) {
    pair_.constraints.push_back(
        {DenseKind::perpendicular, first_.col(on_first), Vector3::Zero(), second_.col(on_second)});
    return *this;
  }

 private:
  DensePair& pair_;
  Vector3 first_at_, second_at_;
  Matrix3 first_, second_;
};

/// The constraints of a joint at kAt, from elementary ones.
DensePair make_pair(const std::string& type) {
  DensePair pair = make_pair();
  PairBuilder joint(pair);
  if (type == "revolute") joint.coincide().perpendicular(0, 2).perpendicular(1, 2);
  if (type == "prismatic") joint.along(0).along(1).perpendicular(0, 1).perpendicular(1, 2).perpendicular(2, 0);
  if (type == "spherical") joint.coincide();
  if (type == "cylindrical") joint.along(0).along(1).perpendicular(0, 2).perpendicular(1, 2);
  if (type == "universal") joint.coincide().perpendicular(2, 0);
  if (type == "planar") joint.along(2).perpendicular(0, 2).perpendicular(1, 2);
  if (type == "weld") joint.coincide().perpendicular(0, 1).perpendicular(1, 2).perpendicular(2, 0);
  pair.project_velocities();
  return pair;
}

std::string body_text(const std::string& name, const test::DenseBody& b) {
  const Eigen::Quaterniond e(b.R);
  return fmt::format(
      "[bodies.{}]\nmass = {:.17g}\ninertia = {}\nposition = {}\nquaternion = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n"
      "velocity = {}\nangular_velocity = {}\n"
      "[forces.on-{}]\ntype = \"load\"\nbody = \"{}\"\nforce = {}\ntorque = {}\n",
      name, b.mass, text_of(b.inertia.diagonal()), text_of(b.p), e.w(), e.x(), e.y(), e.z(), text_of(b.v),
      text_of(b.R.transpose() * b.w), name, name, text_of(b.load[0]), text_of(b.load[1]));
}

std::string scheme_text(const std::string& scheme, double end, double step, const std::string& text) {
  return fmt::format("stickslip = 1\ntime = {{end = {:.17g}, step = {:.17g}}}\nscheme = {{type = \"{}\"}}\n{}{}", end,
                     step, scheme, scheme == "moreau" ? "solver = {tolerance = 1e-12}\n" : "", text);
}

/// Runs to the end: every step solved; the largest drift of joints, as a length and an angle taken together.
double run_held(test::SceneRun& run) {
  double drift = 0.0;
  run.run([&](const test::SceneRun& r) {
    drift = std::max({drift, r.report.drift_position, r.report.drift_angle});
    EXPECT_EQ(r.report.fallbacks, 0);
  });
  return drift;
}

struct JointCase {
  std::string scheme, type;
};

class SpatialJoints : public testing::TestWithParam<JointCase> {
 protected:
  bool holds_positions() const { return GetParam().scheme == "generalized-alpha"; }
};

/// Of both bodies: positions and columns of R, and velocities. [m, -], [m/s, rad/s]
struct PairErrors {
  double q = 0.0, u = 0.0;
};

PairErrors errors_of(const test::SceneRun& run, const DensePair& exact) {
  PairErrors e;
  for (int k = 0; k < 2; ++k) {
    const test::DenseBody& b = exact.bodies[k];
    const Pose pose = run.built.system->calc_pose(k, run.state.t, run.state.q);
    const Twist twist = run.built.system->calc_twist(k, run.state.t, run.state.q, run.state.u);
    e.q = std::max({e.q, (pose.p_WB - b.p).norm(), (pose.R_WB - b.R).norm()});
    e.u = std::max({e.u, (twist.v_WB - b.v).norm(), (twist.w_WB - b.w).norm()});
  }
  return e;
}

TEST_P(SpatialJoints, TwoFreeBodiesMoveAsDenselyIntegrated) {
  const std::string& type = GetParam().type;
  const DensePair start = make_pair(type);
  DensePair exact = start;
  exact.integrate(1.0, 4000);
  const auto error = [&](double h) {
    std::string text =
        body_text("a", start.bodies[0]) + body_text("b", start.bodies[1]) +
        fmt::format("[joints.joint]\ntype = \"{}\"\nbetween = [\"a\", \"b\"]\nat = {}\n", type, text_of(kAt));
    const bool has_axis = type != "spherical" && type != "weld";
    if (has_axis) text += fmt::format("axis = {}\n", text_of(kAxes.col(2)));
    if (type == "universal") text += fmt::format("axis2 = {}\n", text_of(kAxes.col(0)));
    test::SceneRun run = test::scene_from_text(scheme_text(GetParam().scheme, 1.0, h, text));
    EXPECT_EQ(run.built.system->joints()[0].dim, static_cast<int>(start.constraints.size()));
    const double drift = run_held(run);
    if (holds_positions()) {
      constexpr double kHeld = 1e-12;  // [m, rad]
      EXPECT_LE(drift, kHeld);
    }
    return errors_of(run, exact);
  };
  const PairErrors coarse = error(1e-2);
  const PairErrors fine = error(5e-3);
  const PairErrors finest = error(2.5e-3);
  if (holds_positions()) {
    constexpr double kOrderTolerance = 0.1;  // [-] what is left of the next term
    EXPECT_NEAR(std::log2(fine.q / finest.q), 2.0, kOrderTolerance) << coarse.q << " " << fine.q << " " << finest.q;
    EXPECT_NEAR(std::log2(fine.u / finest.u), 2.0, kOrderTolerance) << coarse.u << " " << fine.u << " " << finest.u;
    EXPECT_LT(finest.q, 2e-4);
  } else {
    EXPECT_GT(std::log2(fine.q / finest.q), 0.9) << coarse.q << " " << fine.q << " " << finest.q;
    EXPECT_LT(finest.q, 2e-2);
  }
}

std::vector<JointCase> make_cases() {
  std::vector<JointCase> cases;
  for (const char* scheme : {"moreau", "generalized-alpha"}) {
    for (const char* type : {"revolute", "prismatic", "spherical", "cylindrical", "universal", "planar", "weld"}) {
      cases.push_back({scheme, type});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, SpatialJoints, testing::ValuesIn(make_cases()), [](const auto& c) {
  return (c.param.scheme == "moreau" ? "moreau_" : "generalized_alpha_") + c.param.type;
});

class SpatialMechanisms : public testing::TestWithParam<std::string> {
 protected:
  bool holds_positions() const { return GetParam() == "generalized-alpha"; }
  /// What ccp's positions, which follow the velocity at the end of a step, are ahead by under a constant acceleration.
  double calc_lead(double a, double t, double h) const { return GetParam() == "ccp" ? 0.5 * a * t * h : 0.0; }
  test::SceneRun open(double end, double step, const std::string& text) const {
    return test::scene_from_text(scheme_text(GetParam(), end, step, text));
  }
};

constexpr double kBobMass = 2.0, kBobArm = 0.4;                      // [kg], [m]
constexpr double kBobInertia = 0.05 + kBobMass * kBobArm * kBobArm;  // [kg m^2] about y

/// A body whose centre is kBobArm along x from a revolute joint about y at the origin, turning at `speed` [rad/s].
std::string pendulum_text(double speed, const std::string& joint) {
  return fmt::format(
             "[bodies.ground]\ntype = \"fixed\"\n"
             "[bodies.bob]\nmass = {}\ninertia = [0.03, 0.05, 0.04]\nposition = [{}, 0, 0]\nvelocity = [0, 0, {}]\n"
             "angular_velocity = [0, {}, 0]\n"
             "[joints.hinge]\ntype = \"revolute\"\nbetween = [\"ground\", \"bob\"]\nat = [0, 0, 0]\naxis = [0, 1, 0]\n",
             kBobMass, kBobArm, -kBobArm * speed, speed) +
         joint;
}

constexpr const char* kWeightless = "gravity = [0, 0, 0]\n";

/// s'' = rate(s) from s = 0, s' = speed, by Runge-Kutta's method of fourth order: s and s' at the end.
template <class Rate>
std::array<double, 2> swing(double end, double speed, Rate&& rate) {
  constexpr int kSteps = 20000;
  const double h = end / kSteps;
  double s = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    const double a1 = rate(s);
    const double a2 = rate(s + 0.5 * h * speed);
    const double a3 = rate(s + 0.5 * h * speed + 0.25 * h * h * a1);
    const double a4 = rate(s + h * speed + 0.5 * h * h * a2);
    s += h * speed + h * h / 6.0 * (a1 + a2 + a3);
    speed += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
  return {s, speed};
}

TEST_P(SpatialMechanisms, PhysicalPendulumCountsItsTurns) {
  // About +y x turns to -z, so that the weight's torque is m g l cos s. Fast enough to go round and round.
  constexpr double kTurning = 12.0;  // [rad/s]
  constexpr double kEnd = 2.0;       // [s]
  const auto [exact, rate] =
      swing(kEnd, kTurning, [](double s) { return kBobMass * kGravity * kBobArm * std::cos(s) / kBobInertia; });
  ASSERT_GT(exact, 4.0 * kHalfTurn);
  const auto error = [&, exact = exact](double h) {
    test::SceneRun run = open(kEnd, h, pendulum_text(kTurning, ""));
    run_held(run);
    return std::abs(run.report.joints[0].coordinate - exact);
  };
  const double coarse = error(2e-3);
  const double fine = error(1e-3);
  EXPECT_GT(std::log2(coarse / fine), holds_positions() ? 1.9 : 0.9) << coarse << " " << fine;
  // Moreau's scheme lets the hinge slip by centimetres at this speed.
  EXPECT_LT(fine, holds_positions() ? 1e-3 : 2.0) << fine;
}

TEST_P(SpatialMechanisms, TorsionSpringWindsOnBeyondAWholeTurn) {
  constexpr double kStiffness = 1.5;  // [N m/rad]
  constexpr double kTurning = 20.0;   // [rad/s]
  const double frequency = std::sqrt(kStiffness / kBobInertia);
  const double end = 0.5 * kHalfTurn / frequency;  // [s] a quarter of a period: at its largest
  constexpr double kSteps = 1000.0;
  test::SceneRun run =
      open(end, end / kSteps,
           kWeightless + pendulum_text(kTurning, fmt::format("spring = {{stiffness = {}}}\n", kStiffness)));
  run_held(run);
  const double exact = kTurning / frequency;
  ASSERT_GT(exact, 2.0 * kHalfTurn);
  const double digits = holds_positions() ? 1e-3 : 5e-2;  // [-] Moreau's scheme lets the hinge slip
  EXPECT_NEAR(run.report.joints[0].coordinate, exact, digits * exact);
  EXPECT_NEAR(run.report.joints[0].drive, -kStiffness * exact, digits * kStiffness * exact);
  EXPECT_NEAR(run.report.joints[0].reaction_torque.y(), -kStiffness * exact, digits * kStiffness * exact);
}

TEST_P(SpatialMechanisms, StopBeyondAWholeTurnThrowsBack) {
  constexpr double kTurning = 10.0;  // [rad/s]
  test::SceneRun run = open(1.0, 1e-3, kWeightless + pendulum_text(kTurning, "limits = [-1, 7]\nrestitution = 0.5\n"));
  double most = 0.0;
  run.run([&](const test::SceneRun& r) { most = std::max(most, r.report.joints[0].coordinate); });
  // The way of two steps; under Moreau's scheme the hinge slips, too.
  const double step = holds_positions() ? 0.02 : 0.2;  // [rad]
  EXPECT_NEAR(most, 7.0, 0.02);
  EXPECT_NEAR(run.report.joints[0].rate, -0.5 * kTurning, holds_positions() ? 1e-4 : 0.2);
  EXPECT_NEAR(run.report.joints[0].coordinate, 7.0 - 0.3 * 0.5 * kTurning, step);
}

TEST_P(SpatialMechanisms, FrictionStopsAHingeAndASlider) {
  // Torque .3 N m takes the rate down by .3 / I a second; force 1.2 N the block's by .6 m/s^2.
  constexpr double kTurning = 0.8;                      // [rad/s]
  constexpr double kBound = 0.3;                        // [N m]
  const double stop = kTurning * kBobInertia / kBound;  // [s]
  test::SceneRun run = open(0.5 * stop, stop / 2000.0, kWeightless + pendulum_text(kTurning, "friction = 0.3\n"));
  run_held(run);
  EXPECT_NEAR(run.report.joints[0].rate, 0.5 * kTurning, holds_positions() ? 1e-6 : 1e-4);
  EXPECT_NEAR(run.report.joints[0].friction, -kBound, 1e-9);
  const std::string pushed = pendulum_text(0.0, "friction = 0.3\nforce = 0.29\n");
  test::SceneRun held = open(1.0, 1e-2, kWeightless + pushed);
  run_held(held);
  EXPECT_NEAR(held.report.joints[0].coordinate, 0.0, 1e-12);
  EXPECT_NEAR(held.report.joints[0].friction, -0.29, 1e-9);

  // Down a slope of 30 degrees about y, along the axis (cos, 0, -sin): g/2 less friction.
  test::SceneRun slider =
      open(1.0, 1e-2,
           "[bodies.ground]\ntype = \"fixed\"\n"
           "[bodies.block]\nmass = 2\ninertia = [0.03, 0.05, 0.04]\n"
           "[joints.rail]\ntype = \"prismatic\"\nbetween = [\"ground\", \"block\"]\nfriction = 1.2\n"
           "axis = [0.86602540378443865, 0, -0.5]\n");
  run_held(slider);
  const double a = 0.5 * kGravity - 0.6;
  constexpr double kRoundOff = 1e-9;
  EXPECT_NEAR(slider.report.joints[0].rate, a, kRoundOff);
  EXPECT_NEAR(slider.report.joints[0].coordinate, 0.5 * a + calc_lead(a, 1.0, 1e-2), kRoundOff);
  // What the rail bears: the weight across it, and the friction along it.
  const Vector3 along(std::sqrt(0.75), 0.0, -0.5);
  EXPECT_NEAR(slider.report.joints[0].reaction_force.dot(along), -1.2, 1e-6);
  EXPECT_NEAR(slider.report.joints[0].reaction_force.norm(), std::hypot(1.2, 2.0 * kGravity * std::sqrt(0.75)), 1e-6);
}

TEST_P(SpatialMechanisms, BallJointsFrictionIsIsotropicAndItsPlanarForceToo) {
  // A ball (all moments of inertia alike) turning about any axis: its rate falls by bound / I a second.
  const Vector3 w(1.0, -2.0, 0.5);
  const std::string text =
      kWeightless +
      fmt::format(
          "[bodies.ground]\ntype = \"fixed\"\n"
          "[bodies.ball]\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nangular_velocity = {}\n"
          "[joints.socket]\ntype = \"spherical\"\nbetween = [\"ground\", \"ball\"]\nat = [0, 0, 0]\nfriction = 0.2\n"
          "[bodies.puck]\nmass = 2\ninertia = [0.1, 0.1, 0.1]\nvelocity = [3, 4, 0]\nangular_velocity = [0, 0, 5]\n"
          "[joints.table]\ntype = \"planar\"\nbetween = [\"ground\", \"puck\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\n"
          "friction = {{force = 2, torque = 0.3}}\n",
          text_of(w));
  constexpr double kEnd = 0.5;    // [s]
  constexpr double kStep = 1e-3;  // [s]
  test::SceneRun run = open(kEnd, kStep, text);
  run_held(run);
  const Vector3 left = w * (1.0 - kEnd * 0.2 / 0.1 / w.norm());
  const Twist ball = run.built.system->calc_twist(1, run.state.t, run.state.q, run.state.u);
  constexpr double kRoundOff = 1e-8;
  EXPECT_LT((ball.w_WB - left).norm(), kRoundOff);
  EXPECT_NEAR(run.report.joints[0].friction, 0.2, kRoundOff);
  EXPECT_TRUE(std::isnan(run.report.joints[0].coordinate));
  const Twist puck = run.built.system->calc_twist(2, run.state.t, run.state.q, run.state.u);
  EXPECT_LT((puck.v_WB - Vector3(0.6, 0.8, 0.0) * (5.0 - kEnd)).norm(), kRoundOff);
  EXPECT_NEAR(puck.w_WB.z(), 5.0 - 3.0 * kEnd, kRoundOff);
  const double way = 5.0 * kEnd - 0.5 * kEnd * kEnd + calc_lead(-1.0, kEnd, kStep);
  EXPECT_NEAR(run.report.joints[1].coordinate, 0.6 * way, kRoundOff);
  EXPECT_NEAR(run.report.joints[1].more_coordinates[0], 0.8 * way, kRoundOff);
  EXPECT_NEAR(run.report.joints[1].more_coordinates[1], 5.0 * kEnd - 1.5 * kEnd * kEnd + calc_lead(-3.0, kEnd, kStep),
              1e-5);  // rotations in space: second order in the step
}

TEST_P(SpatialMechanisms, SphericalPendulumKeepsEnergyAndVerticalAngularMomentum) {
  const double end = holds_positions() ? 10.0 : 1.0;
  test::SceneRun run = open(end, 1e-3,
                            "[bodies.ground]\ntype = \"fixed\"\n"
                            "[bodies.bob]\nmass = 2\ninertia = [0.03, 0.05, 0.04]\nposition = [0.4, 0, -0.2]\n"
                            "velocity = [0, 1.2, 0]\nangular_velocity = [1.2, 0, 2.4]\n"
                            "[joints.ball]\ntype = \"spherical\"\nbetween = [\"ground\", \"bob\"]\nat = [0, 0, 0]\n");
  const auto momentum = [&] {
    const Pose pose = run.built.system->calc_pose(1, run.state.t, run.state.q);
    const Twist twist = run.built.system->calc_twist(1, run.state.t, run.state.q, run.state.u);
    const Matrix3 J = pose.R_WB * run.built.system->bodies()[1].inertia * pose.R_WB.transpose();
    return (2.0 * pose.p_WB.cross(twist.v_WB) + J * twist.w_WB).z();
  };
  const double before = momentum();
  const double drift = run_held(run);
  // Of 8 J that it exchanges, and of the momentum; the slip of the ball under Moreau's scheme takes more.
  EXPECT_LT(std::abs(run.report.energy_error), holds_positions() ? 2e-3 : 0.2);
  EXPECT_NEAR(momentum(), before, (holds_positions() ? 1e-4 : 2e-2) * std::abs(before));
  if (holds_positions()) {
    constexpr double kHeld = 1e-12;  // [m]
    EXPECT_LE(drift, kHeld);
  }
}

TEST_P(SpatialMechanisms, TopPrecessesSteadily) {
  // About its fixed point, tilted by theta: A P^2 cos(theta) - C n P + m g l = 0 for the rate P of precession, with the
  // spin n = s + P cos(theta) along its axis. The axis goes round at P and keeps its tilt.
  constexpr double kTilt = 0.5;                // [rad]
  constexpr double kL = 0.3, m = 1.5;          // [m], [kg]
  constexpr double kAcross = 0.02, C = 0.03;   // [kg m^2] about the centre, about the axis
  constexpr double A = kAcross + m * kL * kL;  // about the fixed point
  constexpr double n = 60.0;                   // [rad/s]
  const double c = std::cos(kTilt), s = std::sin(kTilt);
  const double P = (C * n - std::sqrt(C * C * n * n - 4.0 * A * c * m * kGravity * kL)) / (2.0 * A * c);
  // Angular velocity P e_z + (n - P c) axis; in the body frame, turned by kTilt about y: e_z = (-s, 0, c).
  const Vector3 w(-P * s, 0.0, n);
  const double end = kHalfTurn / P;  // [s] half a round
  constexpr double kSteps = 4000.0;
  test::SceneRun run =
      open(end, end / kSteps,
           fmt::format("[bodies.ground]\ntype = \"fixed\"\n"
                       "[bodies.top]\nmass = {}\ninertia = [{}, {}, {}]\nposition = [{}, 0, {}]\n"
                       "rotation = {{axis = [0, 1, 0], angle = {}}}\nvelocity = [0, {}, 0]\nangular_velocity = {}\n"
                       "[joints.tip]\ntype = \"spherical\"\nbetween = [\"ground\", \"top\"]\nat = [0, 0, 0]\n",
                       m, kAcross, kAcross, C, kL * s, kL * c, kTilt, P * kL * s, text_of(w)));
  double nutation = 0.0;
  run.run([&](const test::SceneRun& r) {
    const Vector3 axis = r.built.system->calc_pose(1, r.state.t, r.state.q).R_WB.col(2);
    nutation = std::max(nutation, std::abs(std::acos(axis.z()) - kTilt));
  });
  const Vector3 axis = run.built.system->calc_pose(1, run.state.t, run.state.q).R_WB.col(2);
  EXPECT_LT(nutation, holds_positions() ? 1e-4 : 5e-2);
  EXPECT_LT((axis - Vector3(-s, 0.0, c)).norm(), holds_positions() ? 1e-3 : 0.1);
}

/// Two shafts through the origin, at an angle of 0.6 rad, with a universal joint between them.
std::string cardan_text(const std::string& drive) {
  constexpr double kBend = 0.6;  // [rad]
  return fmt::format(
      "[bodies.ground]\ntype = \"fixed\"\n"
      "[bodies.in]\nmass = 1\ninertia = [0.01, 0.01, 0.02]\nposition = [0, 0, -0.5]\n"
      "[bodies.out]\nmass = 1\ninertia = [0.01, 0.01, 0.02]\nposition = [{0}, 0, {1}]\n"
      "rotation = {{axis = [0, 1, 0], angle = {2}}}\n"
      "[joints.first]\ntype = \"revolute\"\nbetween = [\"ground\", \"in\"]\nat = [0, 0, -0.5]\naxis = [0, 0, 1]\n{3}"
      "[joints.second]\ntype = \"revolute\"\nbetween = [\"ground\", \"out\"]\nat = [{0}, 0, {1}]\naxis = [{4}, 0, "
      "{5}]\n"
      "[joints.cross]\ntype = \"universal\"\nbetween = [\"in\", \"out\"]\nat = [0, 0, 0]\naxis = [0, 1, 0]\n"
      "axis2 = [{5}, 0, {6}]\n",
      0.5 * std::sin(kBend), 0.5 * std::cos(kBend), kBend, drive, std::sin(kBend), std::cos(kBend), -std::sin(kBend));
}

TEST_P(SpatialMechanisms, UniversalJointTransmitsAsHookesDoes) {
  // The driving fork's arm starts across the plane of the shafts: tan(out) = cos(bend) tan(in).
  constexpr double kRate = 3.0;  // [rad/s]
  constexpr double kBend = 0.6;
  test::SceneRun run =
      open(3.0, 1e-3, kWeightless + cardan_text(fmt::format("motion = \"{}*t + 0.1*(1 - cos(2*t))\"\n", kRate)));
  double worst = 0.0;
  double motor = 0.0;
  run.run([&](const test::SceneRun& r) {
    const double t = r.state.t;
    const double in = kRate * t + 0.1 * (1.0 - std::cos(2.0 * t));
    const double turns = std::round(in / kHalfTurn) * kHalfTurn;
    const double out = turns + std::atan(std::cos(kBend) * std::tan(in - turns));
    worst = std::max(worst, std::abs(r.report.joints[1].coordinate - out));
    motor = std::max(motor, std::abs(r.report.joints[0].coordinate - in));
  });
  EXPECT_GT(run.report.joints[1].coordinate, 2.0 * kHalfTurn);
  constexpr double kHeld = 1e-10;  // [rad]
  EXPECT_LE(motor, holds_positions() ? kHeld : 2e-2);
  EXPECT_LE(worst, holds_positions() ? kHeld : 2e-2);
}

/// A crank of .2 m and a rod of .7 m in the plane x-z, the slider on the x axis; revolutes about y, with three
/// constraints more than it needs.
std::string slider_crank_text(const std::string& drive) {
  return "[bodies.ground]\ntype = \"fixed\"\n"
         "[bodies.crank]\nmass = 0.3\ninertia = [0.001, 0.002, 0.002]\nposition = [0.1, 0, 0]\n"
         "[bodies.rod]\nmass = 0.5\ninertia = [0.002, 0.02, 0.02]\nposition = [0.55, 0, 0]\n"
         "[bodies.slider]\nmass = 1\ninertia = [0.01, 0.01, 0.01]\nposition = [0.9, 0, 0]\n"
         "[joints.main]\ntype = \"revolute\"\nbetween = [\"ground\", \"crank\"]\nat = [0, 0, 0]\naxis = [0, 1, 0]\n" +
         drive +
         "[joints.pin]\ntype = \"revolute\"\nbetween = [\"crank\", \"rod\"]\nat = [0.2, 0, 0]\naxis = [0, 1, 0]\n"
         "[joints.wrist]\ntype = \"revolute\"\nbetween = [\"rod\", \"slider\"]\nat = [0.9, 0, 0]\naxis = [0, 1, 0]\n"
         "[joints.rail]\ntype = \"prismatic\"\nbetween = [\"ground\", \"slider\"]\naxis = [1, 0, 0]\n";
}

TEST_P(SpatialMechanisms, DrivenSliderCrankIsWhereGeometrySays) {
  test::SceneRun run = open(2.0, 1e-3, slider_crank_text("motion = \"2*pi*t^2/(1 + t)\"\n"));
  double worst = 0.0;
  run.run([&](const test::SceneRun& r) {
    const double t = r.state.t;
    const double angle = 2.0 * kHalfTurn * t * t / (1.0 + t);
    const double x = 0.2 * std::cos(angle) + std::sqrt(0.49 - 0.04 * std::pow(std::sin(angle), 2)) - 0.9;
    worst = std::max(worst, std::abs(r.report.joints[3].coordinate - x));
  });
  constexpr double kHeld = 1e-10;  // [m]
  EXPECT_LE(worst, holds_positions() ? kHeld : 2e-2);
}

/// A chain of links of .1 m that hang from the ground, hinged about x and y in turn, stretched out along x at the
/// start.
std::string chain_text(int n) {
  std::string text = "[bodies.ground]\ntype = \"fixed\"\n";
  for (int i = 0; i < n; ++i) {
    text += fmt::format("[bodies.link{}]\nmass = 0.1\ninertia = [2e-5, 1e-4, 9e-5]\nposition = [{}, 0, 0]\n", i,
                        0.1 * i + 0.05);
    text += fmt::format(
        "[joints.hinge{}]\ntype = \"revolute\"\nbetween = [\"{}\", \"link{}\"]\nat = [{}, 0, 0]\naxis = [0, {}, {}]\n",
        i, i == 0 ? std::string("ground") : fmt::format("link{}", i - 1), i, 0.1 * i, i % 2 == 0 ? 1 : 0.6,
        i % 2 == 0 ? 0 : 0.8);
  }
  return text;
}

TEST_P(SpatialMechanisms, ChainOf20FallsHeld) {
  test::SceneRun run = open(2.0, 2e-3, chain_text(20));
  const double drift = run_held(run);
  if (!holds_positions()) return;
  constexpr double kHeld = 1e-12;  // [m, rad]
  EXPECT_LE(drift, kHeld);
  constexpr double kEnergy = 1.0;  // [J] of the 20 J that it exchanges, second order in the step
  EXPECT_LT(std::abs(run.report.energy_error), kEnergy);
}

TEST(SlowSpatialMechanism, ChainOf20ConvergesWithSecondOrder) {
  const auto end_of = [](double h) {
    test::SceneRun run = test::scene_from_text(scheme_text("generalized-alpha", 0.5, h, chain_text(20)));
    run_held(run);
    Vector angles(20);
    for (int j = 0; j < 20; ++j) angles(j) = run.report.joints[static_cast<std::size_t>(j)].coordinate;
    return angles;
  };
  const Vector coarse = end_of(2e-3);
  const Vector fine = end_of(1e-3);
  const Vector finest = end_of(5e-4);
  constexpr double kOrderTolerance = 0.1;  // [-]
  EXPECT_NEAR(std::log2((coarse - fine).norm() / (fine - finest).norm()), 2.0, kOrderTolerance)
      << (coarse - fine).norm();
}

/// Bars of .2, .5 and .5 m on bearings .4 m apart; `planar` or about y in space, z up.
std::string four_bar_text(bool planar) {
  const auto point = [planar](double x, double z) {
    return planar ? fmt::format("[{}, {}]", x, z) : fmt::format("[{}, 0, {}]", x, z);
  };
  std::string text =
      planar ? "gravity = [0, -9.81]\n[bodies.ground]\ntype = \"fixed\"\n" : "[bodies.ground]\ntype = \"fixed\"\n";
  const auto add_bar = [&](const char* name, double mass, double inertia, double x, double z, double tilt, double v,
                           double w) {
    text +=
        fmt::format("[bodies.{}]\nmass = {}\nposition = {}\nvelocity = {}\n", name, mass, point(x, z), point(v, 0.0));
    text += planar ? fmt::format("type = \"planar\"\ninertia = {}\nangle = {:.17g}\nangular_velocity = {}\n", inertia,
                                 tilt, -w)
                   : fmt::format(
                         "inertia = [{0}, {0}, {0}]\nrotation = {{axis = [0, -1, 0], angle = {1:.17g}}}\n"
                         "angular_velocity = [0, {2}, 0]\n",
                         inertia, tilt, w);
  };
  const auto add_hinge = [&](const char* name, const char* first, const char* second, double x, double z) {
    text += fmt::format("[joints.{}]\ntype = \"revolute\"\nbetween = [\"{}\", \"{}\"]\nat = {}\n{}", name, first,
                        second, point(x, z), planar ? "" : "axis = [0, -1, 0]\n");
  };
  add_bar("crank", 0.2, 0.0007, 0.0, 0.1, 0.0, 0.1, 1.0);
  add_bar("coupler", 0.5, 0.0104, 0.2, 0.35, std::atan2(3.0, 4.0), 0.2, 0.0);
  add_bar("rocker", 0.5, 0.0104, 0.4, 0.25, 0.0, 0.1, 0.4);
  add_hinge("first", "ground", "crank", 0.0, 0.0);
  add_hinge("second", "crank", "coupler", 0.0, 0.2);
  add_hinge("third", "coupler", "rocker", 0.4, 0.5);
  add_hinge("fourth", "ground", "rocker", 0.4, 0.0);
  return text;
}

TEST_P(SpatialMechanisms, FourBarWithThreeRedundantConstraintsMovesAsInThePlane) {
  test::SceneRun run = open(10.0, 2e-3, four_bar_text(false));
  test::SceneRun plane = open(10.0, 2e-3, four_bar_text(true));
  double most = 0.0;
  double apart = 0.0;
  double drift = 0.0;
  run.run([&](const test::SceneRun& r) {
    ASSERT_EQ(plane.step(), Status::ok);
    EXPECT_EQ(r.report.fallbacks, 0);
    drift = std::max({drift, r.report.drift_position, r.report.drift_angle});
    for (std::size_t j = 0; j < 4; ++j) {
      if (r.state.t < 1.0) {
        apart = std::max(apart, std::abs(r.report.joints[j].coordinate - plane.report.joints[j].coordinate));
      }
      most = std::max(most, std::abs(r.report.joints[j].coordinate));
    }
  });
  EXPECT_GT(most, 1.0);
  RecordProperty(GetParam() + "_apart", std::to_string(apart));
  if (!holds_positions()) return;
  constexpr double kHeld = 1e-12;  // [m, rad]
  EXPECT_LE(drift, kHeld);
  EXPECT_LT(std::abs(run.report.energy_error), 1e-2);
  EXPECT_LT(apart, 1e-4);  // rotations in space and in the plane differ at second order in the step
}

TEST_P(SpatialMechanisms, AMotorsTurnsAreCountedHoweverFewTheSteps) {
  test::SceneRun run = test::scene_from_text(scheme_text(GetParam(), 0.1, 0.01, R"(gravity = [0, 0, 0]
bodies = {ground = {type = "fixed"}, rotor = {mass = 2, inertia = [0.1, 0.1, 0.2]}}
joints.axle = {type = "revolute", between = ["ground", "rotor"], at = [0, 0, 0], axis = [0, 0, 1], motion = "400*t"}
)"));
  run.run([&](const test::SceneRun& r) {
    // 4 rad a step. Under ccp a step turns by 2 atan(w h / 2), and correction_speed caps what is put right: whole turns
    // are counted all the same.
    EXPECT_NEAR(r.report.joints[0].coordinate, 400.0 * r.state.t, GetParam() == "ccp" ? std::numbers::pi : 1e-10);
  });
}

INSTANTIATE_TEST_SUITE_P(All, SpatialMechanisms, testing::Values("moreau", "ccp", "generalized-alpha"),
                         [](const auto& c) {
                           return c.param == "generalized-alpha" ? std::string("generalized_alpha") : c.param;
                         });

}  // namespace
}  // namespace stickslip
