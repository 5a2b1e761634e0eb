// SPDX-License-Identifier: BSD-3-Clause
// Joints under Moreau's scheme, which holds them on velocities.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "stickslip/math/rotation.h"
#include "stickslip/solvers/solver_options.h"
#include "stickslip/stepping/moreau.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;

constexpr double kPi = std::numbers::pi;

Body planar_body(const std::string& name, double mass, double inertia) {
  Body b;
  b.name = name;
  b.type = BodyType::planar;
  b.mass = mass;
  b.inertia(2, 2) = inertia;
  return b;
}

Body ground() {
  Body b;
  b.name = "ground";
  b.type = BodyType::fixed;
  return b;
}

Pose planar_pose(const Vector3& q) {
  return {Vector3(q(0), q(1), 0.0), axis_angle_matrix(Vector3::UnitZ(), q(2))};
}

/// A joint at a world point with axes of the world, where bodies have these poses.
JointOptions joint_at(const std::string& name, JointType type, int first, const Pose& pose_first, int second,
                      const Pose& pose_second, const Vector3& at, double axis_angle = 0.0) {
  JointOptions o;
  o.name = name;
  o.type = type;
  o.first = first;
  o.second = second;
  const Matrix3 axes = axis_angle_matrix(Vector3::UnitZ(), axis_angle);
  o.on_first = JointFrame::from_world(pose_first, at, axes);
  o.on_second = JointFrame::from_world(pose_second, at, axes);
  return o;
}

/// A system stepped by Moreau's scheme with nsgs.
struct JointRun {
  System system;
  std::unique_ptr<ConeSolver> solver;
  std::unique_ptr<TimeStepper> stepper;
  State state;
  StepReport report;
  double worst_drift = 0.0;  // [m]

  JointRun(System s, const Vector& q, const Vector& u)
      : system(std::move(s)),
        solver(make_solver(NsgsOptions{})),
        stepper(make_moreau({.projection = Projection::off}, system, *solver)) {
    state.q = q;
    state.u = u;
    stepper->initialize(state, report);
  }
  void to(double t_end, double h) {
    const auto n = std::lround(t_end / h);
    while (state.step < n) {
      ASSERT_EQ(stepper->step(state, h, static_cast<double>(state.step + 1) * h, report), Status::ok) << report.message;
      worst_drift = std::max(worst_drift, report.drift_position);
    }
  }
};

constexpr double kMass = 1.5, kLength = 0.5, kInertia = 0.04;  // [kg], [m] pivot to centre, [kg m^2]

/// A pendulum that starts horizontally.
JointRun pendulum() {
  SystemBuilder builder(true, Vector3(0.0, -kGravity, 0.0));
  const int base = builder.add_body(ground());
  const int bob = builder.add_body(planar_body("bob", kMass, kInertia));
  const Vector3 q(kLength, 0.0, 0.0);
  builder.add_joint(joint_at("pivot", JointType::revolute, base, {}, bob, planar_pose(q), Vector3::Zero()));
  return {builder.build(), q, Vector::Zero(3)};
}

struct PendulumMotion {
  Vector3 bulge = Vector3::Zero();  // (3) [rad^2/s] integral of rate^2 (cos angle, sin angle) since the start
  double angle = 0.0;               // [rad]
  double rate = 0.0;                // [rad/s]
};

/// At t by Runge and Kutta's method with so small a step that it is exact to round-off.
PendulumMotion exact_pendulum(double t_end) {
  const double k = kMass * kGravity * kLength / (kInertia + kMass * kLength * kLength);
  constexpr int kSteps = 20000;
  const double h = t_end / kSteps;
  PendulumMotion m;
  double& a = m.angle;
  double& w = m.rate;
  const auto radial = [](double angle, double rate) {
    return Vector3(rate * rate * std::cos(angle), rate * rate * std::sin(angle), 0.0);
  };
  for (int i = 0; i < kSteps; ++i) {
    const Vector3 before = radial(a, w);
    const double a1 = w, w1 = -k * std::cos(a);
    const double a2 = w + 0.5 * h * w1, w2 = -k * std::cos(a + 0.5 * h * a1);
    const double a3 = w + 0.5 * h * w2, w3 = -k * std::cos(a + 0.5 * h * a2);
    const double a4 = w + h * w3, w4 = -k * std::cos(a + h * a3);
    a += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    w += h / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4);
    m.bulge += 0.5 * h * (before + radial(a, w));
  }
  return m;
}

TEST(MoreauJoints, PendulumConvergesAndDriftsWithTheStep) {
  const double t_end = 0.5;
  const PendulumMotion exact = exact_pendulum(t_end);
  double error[2];
  double energy_error[2];
  for (const int i : {0, 1}) {
    const double h = i == 0 ? 1e-3 : 5e-4;
    JointRun run = pendulum();
    run.to(t_end, h);
    error[i] = std::abs(run.report.joints[0].coordinate - exact.angle);
    energy_error[i] = std::abs(run.report.energy_error);
    EXPECT_EQ(run.report.joints[0].rate, run.state.u(2));
    EXPECT_EQ(run.report.drift_angle, 0.0);
    EXPECT_EQ(run.report.dissipated, 0.0);
    // Each step goes straight along the tangent of the circle and ends h^2 L rate^2 / 2 outside it.
    const double drift = 0.5 * h * kLength * exact.bulge.norm();
    EXPECT_NEAR(run.report.drift_position, drift, 0.02 * drift);
    EXPECT_GE(run.worst_drift, run.report.drift_position);
  }
  EXPECT_LT(error[0], 5e-3);
  EXPECT_NEAR(error[0] / error[1], 2.0, 0.1);
  EXPECT_NEAR(energy_error[0] / energy_error[1], 2.0, 0.1);
}

TEST(MoreauJoints, ReactionsHoldWhatRests) {
  // A weld carries the weight of an arm and its moment; a prismatic guide across gravity the weight.
  for (const JointType type : {JointType::weld, JointType::prismatic}) {
    SystemBuilder builder(true, Vector3(0.0, -kGravity, 0.0));
    const int arm = builder.add_body(planar_body("arm", kMass, kInertia));
    const int base = builder.add_body(ground());
    const Vector3 q(kLength, 0.0, 0.0);
    builder.add_joint(joint_at("joint", type, base, {}, arm, planar_pose(q), Vector3::Zero()));
    JointRun run(builder.build(), q, Vector::Zero(3));
    run.to(0.01, 1e-3);
    constexpr double kTolerance = 1e-7;  // [N] the solver's
    EXPECT_LT((run.report.joints[0].reaction_force - Vector3(0.0, kMass * kGravity, 0.0)).norm(), kTolerance);
    EXPECT_LT((run.report.joints[0].reaction_torque - Vector3(0.0, 0.0, kMass * kGravity * kLength)).norm(),
              kTolerance);
    EXPECT_LT((run.state.q - q).norm(), 1e-10);
  }
}

TEST(MoreauJoints, MotionDrivesItsCoordinateAndItsWorkIsCounted) {
  SystemBuilder builder(true, Vector3::Zero());
  const int base = builder.add_body(ground());
  const int wheel = builder.add_body(planar_body("wheel", kMass, kInertia));
  JointOptions o = joint_at("axle", JointType::revolute, base, {}, wheel, {}, Vector3::Zero());
  o.motion = Expression::parse("t^2");
  builder.add_joint(o);
  JointRun run(builder.build(), Vector::Zero(3), Vector::Zero(3));
  const double h = 1e-3;
  run.to(1.0, h);
  // The velocity holds at midpoints, u_(n+1) = 2 t_(n+1/2), u_0 = 0, so that q = t^2 - t h + h^2 / 2.
  EXPECT_NEAR(run.state.u(2), 2.0 * (1.0 - 0.5 * h), 1e-9);
  EXPECT_NEAR(run.report.joints[0].coordinate, 1.0 - h + 0.5 * h * h, 1e-9);
  EXPECT_NEAR(run.report.joints[0].reaction_torque(2), 2.0 * kInertia, 1e-7);
  EXPECT_NEAR(run.report.work, run.report.kinetic_energy, 2.0 * h * run.report.kinetic_energy);
}

TEST(MoreauJoints, RedundantParallelogramMovesLikeItsEquivalentPendulum) {
  // A coupler on three equal cranks, one more than it takes: it stays level, and the energy gives the cranks' rate.
  SystemBuilder builder(true, Vector3(0.0, -kGravity, 0.0));
  const int base = builder.add_body(ground());
  const double L = 0.4, mass = 0.3, inertia = mass * L * L / 12.0, coupler_mass = 1.0;
  const int coupler = builder.add_body(planar_body("coupler", coupler_mass, 0.1));
  Vector q(12);
  q.head<3>() = Vector3(1.0 + L, 0.0, 0.0);
  for (int i = 0; i < 3; ++i) {
    const Vector3 pose(i + 0.5 * L, 0.0, 0.0);
    const int crank = builder.add_body(planar_body("crank" + std::to_string(i), mass, inertia));
    q.segment<3>(3 + 3 * i) = pose;
    builder.add_joint(joint_at("low" + std::to_string(i), JointType::revolute, base, {}, crank, planar_pose(pose),
                               Vector3(i, 0.0, 0.0)));
    builder.add_joint(joint_at("high" + std::to_string(i), JointType::revolute, crank, planar_pose(pose), coupler,
                               planar_pose(q.head<3>()), Vector3(i + L, 0.0, 0.0)));
  }
  JointRun run(builder.build(), q, Vector::Zero(12));
  run.to(0.2, 1e-3);
  // 1/2 (m_c L^2 + 3 m L^2 / 3) w^2 = (m_c L + 3 m L / 2) g sin(angle)
  const double angle = run.report.joints[0].coordinate;
  const double speed = std::sqrt(2.0 * (coupler_mass * L + 1.5 * mass * L) * kGravity * std::sin(-angle) /
                                 ((coupler_mass + mass) * L * L));
  EXPECT_NEAR(-run.report.joints[0].rate, speed, 2e-3 * speed);
  EXPECT_NEAR(run.state.q(2), 0.0, 1e-9);
  EXPECT_LT(run.worst_drift, 1e-3);
}

TEST(MoreauJoints, KnifeEdgeTravelsAlongItsBlade) {
  // A sleigh whose blade is under its centre: it goes round a circle of radius v / omega.
  SystemBuilder builder(true, Vector3::Zero());
  const int base = builder.add_body(ground());
  const int sleigh = builder.add_body(planar_body("sleigh", kMass, kInertia));
  builder.add_joint(joint_at("blade", JointType::knife_edge, base, {}, sleigh, {}, Vector3::Zero()));
  const double v = 0.7, w = 1.3;
  JointRun run(builder.build(), Vector::Zero(3), Vector3(v, 0.0, w));
  run.to(1.0, 1e-3);
  EXPECT_NEAR(run.state.q(2), w, 1e-12);
  EXPECT_NEAR(run.state.q(0), v / w * std::sin(w), 1e-3);
  EXPECT_NEAR(run.state.q(1), v / w * (1.0 - std::cos(w)), 1e-3);
  EXPECT_TRUE(std::isnan(run.report.joints[0].coordinate));
}

TEST(JointScenes, ChaplyginsSleighFollowsItsClosedForm) {
  const double m = 2.0, J = 0.3, a = 0.25, v0 = -0.4, w0 = 1.2;  // of the scene
  const double I = J + m * a * a;
  const double V = std::sqrt(v0 * v0 + I * w0 * w0 / m);
  const double k = m * a * V / I;
  const double c = std::atanh(v0 / V);
  double error[2] = {0.0, 0.0};
  for (const int i : {0, 1}) {
    test::SceneRun run =
        test::open_scene("chaplygin_sleigh", {"scheme.type=moreau", i == 0 ? "time.step=0.01" : "time.step=0.005"});
    run.run([&](const test::SceneRun& at) {
      const double exact = std::sqrt(m / I) * V / std::cosh(k * at.state.t + c);
      error[i] = std::max(error[i], std::abs(at.state.u(2) - exact));
    });
  }
  EXPECT_LT(error[0], 5e-3);
  EXPECT_NEAR(error[0] / error[1], 2.0, 0.1);  // first order, as Moreau's scheme is with joints
}

TEST(JointScenes, HopperAgreesWithTheReference) {
  // y(0.1 s) of the body by an independent dense implementation of the generalized-alpha scheme at the paper's step.
  // Moreau's scheme is explicit in the shank's forces at such a step, and of second order.
  test::SceneRun run =
      test::open_scene("papers/capobianco/hopper", {"scheme.type=moreau", "time.step=2e-6", "time.end=0.1"});
  run.run();
  EXPECT_NEAR(run.state.q(1), 0.263539, 1e-6);
  EXPECT_LT(run.report.drift_position, 1e-6);
  EXPECT_NEAR(run.report.joints[1].coordinate, kPi / 3.0 - kPi / 30.0 * (1.0 - std::cos(0.4 * kPi)), 1e-4);
}

}  // namespace
}  // namespace stickslip
