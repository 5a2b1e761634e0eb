// SPDX-License-Identifier: BSD-3-Clause
// Gears and couplings among bodies that all move, under every scheme, against exact motions and against Lagrange's
// equations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

class Couplings : public testing::TestWithParam<std::string> {
 protected:
  test::SceneRun open(double end, double step, const std::string& text) const {
    return test::scene_from_text(fmt::format(
        "stickslip = 1\ntime = {{end = {:.17g}, step = {:.17g}}}\nscheme = {{type = \"{}\"}}\n{}{}", end, step,
        GetParam(), GetParam() == "relaxation" || GetParam() == "event-driven" ? "" : "solver = {tolerance = 1e-12}\n",
        text));
  }
  /// How far ahead positions that follow the velocity at the end of a step are under a constant acceleration.
  double calc_lead(double a, double t, double h) const {
    return GetParam() == "ccp" || GetParam() == "stewart-trinkle" ? 0.5 * a * t * h : 0.0;
  }
  /// To which a relation between coordinates holds, of a coordinate of size x. [m, rad]
  double calc_held(double x) const {
    constexpr double kOfRelaxation = 1e-8;  // violations decay there, and velocities are off by its integrator's errors
    return (GetParam() == "relaxation" ? kOfRelaxation : 1e-12) * std::max(1.0, std::abs(x));
  }
};

constexpr double kExactMotion = 1e-9;  // [-] round-off of a thousand steps, and what their solver leaves

/// Momentum of all bodies, and angular momentum about the origin; world frame. [kg m/s, kg m^2/s]
struct WholeMomentum {
  Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
};

WholeMomentum calc_whole_momentum(const System& system, const State& state) {
  WholeMomentum sum;
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    const Body& body = system.bodies()[i];
    if (body.n_u == 0) continue;
    const Pose pose = system.calc_pose(static_cast<int>(i), state.t, state.q);
    const Twist twist = system.calc_twist(static_cast<int>(i), state.t, state.q, state.u);
    sum.linear += body.mass * twist.v_WB;
    sum.angular +=
        body.mass * pose.p_WB.cross(twist.v_WB) + pose.R_WB * body.inertia * (pose.R_WB.transpose() * twist.w_WB);
  }
  return sum;
}

/// Two fingers that slide on a free palm against each other, coupled by a mimic joint; a force between the palm and one
/// of them alone. With x the first finger's coordinate, r x the second's and no momentum,
///   (m1 + m2 r^2 - (m1 - m2 r)^2 / (M + m1 + m2)) x'' = F.
constexpr double kPalm = 0.6, kFinger1 = 0.1, kFinger2 = 0.25, kOfMimic = 0.7, kFingerPush = 0.2;

double calc_finger_acceleration() {
  const double moved = kFinger1 - kFinger2 * kOfMimic;
  return kFingerPush / (kFinger1 + kFinger2 * kOfMimic * kOfMimic - moved * moved / (kPalm + kFinger1 + kFinger2));
}

std::string make_hand(bool planar, const std::string& motion) {
  const auto body = [&](const char* name, double mass, double x) {
    return planar
               ? fmt::format("bodies.{} = {{type = \"planar\", mass = {}, inertia = 1e-3, position = [{}, -0.05]{}}}\n",
                             name, mass, x, motion)
               : fmt::format(
                     "bodies.{} = {{mass = {}, inertia = [1e-3, 2e-3, 1.5e-3], position = [{}, 0, "
                     "-0.05]{}}}\n",
                     name, mass, x, motion);
  };
  const char* axis = planar ? "0" : "0, 0";
  return fmt::format("gravity = [0, {}]\n", axis) + body("left", kFinger1, -0.04) + body("palm", kPalm, 0.0) +
         body("right", kFinger2, 0.04) +
         fmt::format(
             "joints.mimic = {{type = \"gear\", joints = [\"one\", \"two\"], ratio = {}}}\n"
             "joints.one = {{type = \"prismatic\", between = [\"palm\", \"left\"], axis = [1, {}], force = "
             "\"{}\"}}\n"
             "joints.two = {{type = \"prismatic\", between = [\"palm\", \"right\"], axis = [-1, {}]}}\n",
             kOfMimic, axis, kFingerPush, axis);
}

TEST_P(Couplings, FingersOfAFreeHandMoveTogether) {
  const double step = GetParam() == "event-driven" ? 2e-2 : 1e-3;
  for (const bool planar : {true, false}) {
    SCOPED_TRACE(planar);
    test::SceneRun run = open(0.5, step, make_hand(planar, ""));
    const double a = calc_finger_acceleration();
    double apart = 0.0;
    double momentum = 0.0;
    run.run([&](const test::SceneRun& r) {
      const std::vector<JointReport>& joints = r.report.joints;
      apart = std::max(apart, std::abs(joints[1].coordinate - kOfMimic * joints[0].coordinate));
      momentum = std::max(momentum, calc_whole_momentum(*r.built.system, r.state).linear.norm());
    });
    EXPECT_LE(apart, calc_held(0.1));
    EXPECT_LE(momentum, 1e-13);
    const double t = run.state.t;
    const std::vector<JointReport>& joints = run.report.joints;
    EXPECT_NEAR(joints[0].rate, a * t, kExactMotion * a * t);
    const double x = 0.5 * a * t * t;
    EXPECT_NEAR(joints[0].coordinate, x + calc_lead(a, t, step), kExactMotion * x);
    // The force of the gear by the second finger's equation of motion: along -x it has m2 (r x'' - v'), v the palm's.
    const double palm = -(kFinger1 - kFinger2 * kOfMimic) * a / (kPalm + kFinger1 + kFinger2);
    const double force = kFinger2 * (kOfMimic * a - palm);
    EXPECT_NEAR(joints[2].coupling, force, 1e-8);
    EXPECT_NEAR(joints[1].coupling, force, 1e-8);
    EXPECT_NEAR(joints[0].coupling, -kOfMimic * force, 1e-8);
    EXPECT_NEAR(joints[1].reaction_force.x(), -force, 1e-8);
    EXPECT_NEAR(joints[0].reaction_force.x(), kFingerPush - kOfMimic * force, 1e-8);
    EXPECT_NEAR(joints[2].reaction_force.x(), -force, 1e-8);
    // What the fingers gain is what the push gives.
    EXPECT_NEAR(run.report.kinetic_energy, run.report.work - run.report.dissipated, 1e-9);
  }
}

/// The same hand flies and turns: momentum and angular momentum stay.
TEST_P(Couplings, AHandThatFliesKeepsItsMomentum) {
  for (const bool planar : {true, false}) {
    SCOPED_TRACE(planar);
    // The joints do not allow this: a percussion at the start, which keeps momentum.
    const std::string spin = planar ? ", velocity = [0.15, 0.1], angular_velocity = 3"
                                    : ", velocity = [0.15, 0, 0.1], angular_velocity = [0.5, 3, -0.4]";
    test::SceneRun run = open(0.2, GetParam() == "event-driven" ? 2e-2 : 1e-3, make_hand(planar, spin));
    const WholeMomentum start = calc_whole_momentum(*run.built.system, run.state);
    double apart = 0.0;
    // [kg m^2/s] of .01
    const double kept = GetParam() == "event-driven" ? 1e-13 : GetParam() == "relaxation" ? 1e-8 : 1e-6;
    run.run([&](const test::SceneRun& r) {
      const std::vector<JointReport>& joints = r.report.joints;
      apart = std::max(apart, std::abs(joints[1].coordinate - kOfMimic * joints[0].coordinate));
    });
    const WholeMomentum end = calc_whole_momentum(*run.built.system, run.state);
    EXPECT_LE(apart, calc_held(0.1));
    EXPECT_LE((end.linear - start.linear).norm(), 1e-12);
    // Joints' forces act where bodies are at one instant of a step: angular momentum stays to the scheme's order.
    EXPECT_LE((end.angular - start.angular).norm(), kept);
  }
}

/// A differential: three shafts on one axis of a free frame, coordinates 1 + 1 - 2. All turn about that axis alone, so
/// that accelerations are constant and follow from five linear equations.
TEST_P(Couplings, DifferentialOnAFreeFrame) {
  constexpr std::array<double, 4> kInertia = {0.5, 0.02, 0.03, 0.05};  // [kg m^2] frame, shafts
  constexpr std::array<double, 3> kTorque = {1.6, -0.4, 0.0};          // [N m] on the shafts, against the frame
  constexpr std::array<double, 3> kOf = {1.0, 1.0, -2.0};
  // Unknown: the frame's and the shafts' angular accelerations in space, the force of the coupling.
  Eigen::Matrix<double, 5, 5> A = Eigen::Matrix<double, 5, 5>::Zero();
  Eigen::Matrix<double, 5, 1> b = Eigen::Matrix<double, 5, 1>::Zero();
  A(0, 0) = kInertia[0];
  for (int i = 0; i < 3; ++i) {
    A(1 + i, 1 + i) = kInertia[static_cast<std::size_t>(1 + i)];
    A(1 + i, 4) = -kOf[static_cast<std::size_t>(i)];
    A(0, 4) += kOf[static_cast<std::size_t>(i)];
    A(4, 1 + i) = kOf[static_cast<std::size_t>(i)];
    A(4, 0) -= kOf[static_cast<std::size_t>(i)];
    b(1 + i) = kTorque[static_cast<std::size_t>(i)];
    b(0) -= kTorque[static_cast<std::size_t>(i)];
  }
  const Eigen::Matrix<double, 5, 1> exact = A.partialPivLu().solve(b);
  for (const bool planar : {true, false}) {
    SCOPED_TRACE(planar);
    std::string text = planar ? "gravity = [0, 0]\n" : "gravity = [0, 0, 0]\n";
    const std::array<const char*, 4> names = {"frame", "one", "two", "three"};
    for (std::size_t i = 0; i < 4; ++i) {
      text += planar ? fmt::format("bodies.{} = {{type = \"planar\", mass = 1, inertia = {}}}\n", names[i], kInertia[i])
                     : fmt::format("bodies.{} = {{mass = 1, inertia = [{}, {}, {}]}}\n", names[i], kInertia[i],
                                   kInertia[i], kInertia[i]);
      if (i == 0) continue;
      text += fmt::format("joints.j{} = {{type = \"revolute\", between = [\"frame\", \"{}\"]{}, force = \"{}\"}}\n",
                          names[i], names[i], planar ? ", at = [0, 0]" : ", at = [0, 0, 0], axis = [0, 0, 1]",
                          kTorque[i - 1]);
    }
    text += "[[couplings]]\nname = \"cage\"\njoints = [\"jone\", \"jtwo\", \"jthree\"]\ncoefficients = [1, 1, -2]\n";
    // The event-driven scheme integrates with steps of its own.
    const double step = GetParam() == "event-driven" ? 2e-2 : (GetParam() == "relaxation" ? 5e-4 : 1e-3);
    test::SceneRun run = open(0.5, step, text);
    double apart = 0.0;
    double largest = 0.0;
    run.run([&](const test::SceneRun& r) {
      double sum = 0.0;
      for (std::size_t i = 0; i < 3; ++i) sum += kOf[i] * r.report.joints[i].coordinate;
      apart = std::max(apart, std::abs(sum));
      largest = std::max(largest, std::abs(r.report.joints[0].coordinate));
    });
    EXPECT_LE(apart, calc_held(largest));
    EXPECT_GT(largest, 2.0 * std::numbers::pi);
    const double t = run.state.t;
    // Rotations in space follow the angular velocity to second order in w h.
    const double digits = planar || GetParam() == "moreau" ? kExactMotion : 1e-3;
    // [N m] Relaxation: what a relation is off by, over delta^2 = 1e-6 s^2, times an inertia of .05.
    const double force = GetParam() == "relaxation" ? 5e-2 * calc_held(largest) / 1e-6 : 1e-8;
    for (std::size_t i = 0; i < 3; ++i) {
      const double a = exact(static_cast<Eigen::Index>(1 + i)) - exact(0);
      EXPECT_NEAR(run.report.joints[i].rate, a * t, digits * std::abs(a * t));
      const double x = 0.5 * a * t * t;
      EXPECT_NEAR(run.report.joints[i].coordinate, x + calc_lead(a, t, step), digits * std::abs(x));
      EXPECT_NEAR(run.report.joints[i].coupling, kOf[i] * exact(4), force);
    }
    EXPECT_NEAR(run.report.joints[3].coupling, exact(4), force);
    EXPECT_LE(run.report.joints[3].drift_position, calc_held(largest));
    EXPECT_LE(calc_whole_momentum(*run.built.system, run.state).angular.norm(), 1e-11);
  }
}

// --- two pendulums on a swinging base, coupled: Lagrange's equations in (phi, theta)

struct Swing {
  double mass, inertia;  // [kg, kg m^2]
  double x, y;           // [m] on the base: the hinge; of the base itself its centre
  double length;         // [m] from the hinge down to the centre
  double factor;         // of theta in the angle against the base
};

constexpr double kRatioOfSwings = -1.5;
constexpr std::array<Swing, 3> kSwings = {Swing{2.0, 0.1, 0.0, -0.4, 0.0, 0.0}, Swing{0.5, 0.01, -0.3, -0.5, 0.25, 1.0},
                                          Swing{0.8, 0.02, 0.3, -0.5, 0.2, kRatioOfSwings}};

using Vec2 = Eigen::Vector2d;

/// (phi'', theta''), of M = sum m J^T J + I j^T j and the forces sum m J^T (g - J' q').
Vec2 calc_swing_acceleration(const Vec2& q, const Vec2& v) {
  Eigen::Matrix2d M = Eigen::Matrix2d::Zero();
  Vec2 f = Vec2::Zero();
  const Vec2 g(0.0, -test::kGravity);
  const double c = std::cos(q(0));
  const double s = std::sin(q(0));
  for (const Swing& swing : kSwings) {
    const double angle = q(0) + swing.factor * q(1);
    const double rate = v(0) + swing.factor * v(1);
    const Vec2 hinge_1(-s * swing.x - c * swing.y, c * swing.x - s * swing.y);  // d/dphi of the hinge
    const Vec2 hinge_2(-c * swing.x + s * swing.y, -s * swing.x - c * swing.y);
    const Vec2 down_1(swing.length * std::cos(angle), swing.length * std::sin(angle));
    const Vec2 down_2(-swing.length * std::sin(angle), swing.length * std::cos(angle));
    Eigen::Matrix2d J;
    J.col(0) = hinge_1 + down_1;
    J.col(1) = swing.factor * down_1;
    const Vec2 bias = hinge_2 * (v(0) * v(0)) + down_2 * (rate * rate);
    const Vec2 j(1.0, swing.factor);
    M += swing.mass * J.transpose() * J + swing.inertia * j * j.transpose();
    f += swing.mass * J.transpose() * (g - bias);
  }
  return M.inverse() * f;
}

Eigen::Vector4d integrate_swings(double end) {
  const auto rate = [](const Eigen::Vector4d& y) {
    Eigen::Vector4d r;
    r << y.tail<2>(), calc_swing_acceleration(y.head<2>(), y.tail<2>());
    return r;
  };
  Eigen::Vector4d y(0.0, 0.0, 1.5, 4.0);
  constexpr int kSteps = 2000;  // [-] of 2.5e-4 s, fourth order
  const double h = end / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const Eigen::Vector4d k1 = rate(y);
    const Eigen::Vector4d k2 = rate(y + 0.5 * h * k1);
    const Eigen::Vector4d k3 = rate(y + 0.5 * h * k2);
    const Eigen::Vector4d k4 = rate(y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return y;
}

std::string make_swings(bool planar) {
  std::string text = planar ? "gravity = [0, -9.81]\nbodies.ground = {type = \"fixed\"}\n"
                            : "gravity = [0, 0, -9.81]\nbodies.ground = {type = \"fixed\"}\n";
  const std::array<const char*, 3> names = {"base", "one", "two"};
  // In space x is x, y is z, and a turn about z of the plane one about -y.
  const auto place = [&](double x, double y) {
    return planar ? fmt::format("[{}, {}]", x, y) : fmt::format("[{}, 0, {}]", x, y);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const Swing& s = kSwings[i];
    const double x = s.x;
    const double y = s.y - s.length;
    const double w = 1.5 + s.factor * 4.0;
    // The velocity of the centre: of the hinge by phi', from there by the own rate.
    const double vx = -1.5 * s.y + w * s.length;
    const double vy = 1.5 * s.x;
    text += planar ? fmt::format(
                         "bodies.{} = {{type = \"planar\", mass = {}, inertia = {}, position = {}, velocity = "
                         "{}, angular_velocity = {}}}\n",
                         names[i], s.mass, s.inertia, place(x, y), place(vx, vy), w)
                   : fmt::format(
                         "bodies.{} = {{mass = {}, inertia = [{}, {}, {}], position = {}, velocity = {}, "
                         "angular_velocity = [0, {}, 0]}}\n",
                         names[i], s.mass, s.inertia, s.inertia, s.inertia, place(x, y), place(vx, vy), -w);
    const double at_x = i == 0 ? 0.0 : s.x;
    const double at_y = i == 0 ? 0.0 : s.y;
    text += fmt::format("joints.j{} = {{type = \"revolute\", between = [\"{}\", \"{}\"], at = {}{}}}\n", names[i],
                        i == 0 ? "ground" : "base", names[i], place(at_x, at_y), planar ? "" : ", axis = [0, -1, 0]");
  }
  return text +
         fmt::format("joints.teeth = {{type = \"gear\", joints = [\"jone\", \"jtwo\"], ratio = {}}}\n", kRatioOfSwings);
}

TEST_P(Couplings, PendulumsOnASwingingBaseObeyLagrangesEquations) {
  constexpr double kEnd = 0.5;  // [s]
  const Eigen::Vector4d exact = integrate_swings(kEnd);
  for (const bool planar : {true, false}) {
    SCOPED_TRACE(planar);
    const auto error = [&](double h) {
      test::SceneRun run = open(kEnd, h, make_swings(planar));
      double apart = 0.0;
      run.run([&](const test::SceneRun& r) {
        apart =
            std::max(apart, std::abs(r.report.joints[2].coordinate - kRatioOfSwings * r.report.joints[1].coordinate));
      });
      EXPECT_LE(apart, calc_held(1.0));
      return std::hypot(run.report.joints[0].coordinate - exact(0), run.report.joints[1].coordinate - exact(1));
    };
    if (GetParam() == "event-driven" || GetParam() == "relaxation") {
      EXPECT_LE(error(GetParam() == "relaxation" ? 1e-3 : 2e-2), 1e-6);
      continue;
    }
    const double coarse = error(4e-3);
    const double fine = error(2e-3);
    EXPECT_LT(fine, 2e-2) << coarse;
    EXPECT_GT(std::log2(coarse / fine), GetParam() == "generalized-alpha" ? 1.8 : 0.8) << coarse << " " << fine;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Couplings,
                         testing::Values("moreau", "ccp", "stewart-trinkle", "generalized-alpha", "event-driven",
                                         "relaxation"),
                         [](const auto& c) {
                           std::string name = c.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace stickslip
