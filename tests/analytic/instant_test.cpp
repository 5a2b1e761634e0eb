// SPDX-License-Identifier: BSD-3-Clause
// Accelerations and forces at one instant, against answers by hand.
#include "stickslip/constraints/instant.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <numbers>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "stickslip/constraints/contact_finder.h"
#include "stickslip/math/dense_factors.h"
#include "stickslip/math/rotation.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/solvers/solver_options.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;

constexpr double kInstantTolerance = 1e-9;  // [-] ten times the solver's
using Kind = ConstraintSet::Kind;

/// The start of a scene, solved as it is.
struct At {
  BuiltScene built;
  std::unique_ptr<ConeSolver> solver;
  BodySnapshot snapshot;
  ContactFinder contacts;
  Instant instant;
  InstantReport report;

  explicit At(const std::string& toml, ForceChoice forces = ForceChoice::any)
      : built(
            build(parse_scene("stickslip = 1\nname = \"instant\"\ntime = {end = 1.0, step = 1e-3}\n" + toml, "test"))),
        solver(make_solver(AutoOptions{}, forces)),
        snapshot(*built.system),
        contacts(*built.system),
        instant(*built.system, *solver) {
    snapshot.take(0.0, built.initial.q, &built.initial.u);
    contacts.find_touching(snapshot);
    instant.take(snapshot, contacts.points());
    report = instant.solve();
  }

  const Vector& a() const { return instant.a(); }
  /// Of the n-th constraint of a kind, or -1.
  int cone(Kind kind, int n = 0) const {
    for (int i = 0; i < instant.constraints().count(); ++i) {
      if (instant.constraints().kind(i) == kind && n-- == 0) return i;
    }
    return -1;
  }
  std::span<const double> lambda(Kind kind, int n = 0) const { return instant.lambda(cone(kind, n)); }
  InstantMode mode(Kind kind, int n = 0) const { return instant.mode(cone(kind, n)); }
};

std::string format(const char* text, double a, double b = 0.0, double c = 0.0, double d = 0.0) {
  char buffer[2048];
  std::snprintf(buffer, sizeof buffer, text, a, b, c, d);
  return buffer;
}

// --- points and boxes on a plane

/// A mass of 1 kg on a floor with mu = .5 under g = 10, with a load along the floor.
At point_mass(double fx, double fy, double vx = 0.0, double vy = 0.0) {
  return At(format(R"(
gravity = [0, 0, -10]
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}}
bodies.mass = {type = "point", mass = 1.0, position = [0, 0, 0], velocity = [%.17g, %.17g, 0], shapes.p = {type = "point"}}
contacts = [{name = "c", between = ["floor", "mass"], friction = 0.5}]
)",
                   vx, vy) +
            format("forces.push = {type = \"load\", body = \"mass\", force = [%.17g, %.17g, 0]}\n", fx, fy));
}

/// [formulations: Trinkle eq. 22, cp1_pointmass.json]
TEST(InstantPoint, SticksUpToTheBoundAndSlidesAlongTheLoadAbove) {
  const At sticks = point_mass(3.0, 0.0);
  EXPECT_EQ(sticks.report.status, Status::ok);
  EXPECT_EQ(sticks.mode(Kind::contact), InstantMode::sticking);
  EXPECT_LT(sticks.a().norm(), kInstantTolerance);
  EXPECT_NEAR(sticks.lambda(Kind::contact)[0], 10.0, kInstantTolerance);
  EXPECT_NEAR(sticks.lambda(Kind::contact)[1], -3.0, kInstantTolerance);

  const At slides = point_mass(6.0, 8.0);
  EXPECT_EQ(slides.report.status, Status::ok);
  EXPECT_EQ(slides.mode(Kind::contact), InstantMode::sticking);
  EXPECT_LT((slides.a() - Vector3(3.0, 4.0, 0.0)).norm(), 10.0 * kInstantTolerance);
}

TEST(InstantPoint, FrictionOpposesTheVelocityWhereItSlides) {
  const At slides = point_mass(6.0, 0.0, 0.0, 2.0);
  EXPECT_EQ(slides.report.status, Status::ok);
  EXPECT_EQ(slides.mode(Kind::contact), InstantMode::sliding);
  EXPECT_EQ(slides.report.solutions, 1);
  EXPECT_LT((slides.a() - Vector3(6.0, -5.0, 0.0)).norm(), kInstantTolerance);
}

TEST(InstantPoint, LetsGoWhereItIsPulledAndWhereItMovesAway) {
  const std::string scene = R"(
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}}
bodies.mass = {type = "point", mass = 2.0, position = [0, 0, 0], velocity = [1, 0, %g], shapes.p = {type = "point"}}
contacts = [{name = "c", between = ["floor", "mass"], friction = 0.5}]
forces.pull = {type = "load", body = "mass", force = [0, 0, %g]}
)";
  const At pulled(format(scene.c_str(), 0.0, 25.0));
  EXPECT_EQ(pulled.report.status, Status::ok);
  EXPECT_EQ(pulled.lambda(Kind::contact)[0], 0.0);
  EXPECT_NEAR(pulled.instant.gamma_dot()[0], 12.5 - kGravity, kInstantTolerance);
  const At leaves(format(scene.c_str(), 1e-3, 0.0));
  EXPECT_EQ(leaves.mode(Kind::contact), InstantMode::separating);
  EXPECT_NEAR(leaves.a()(2), -kGravity, kInstantTolerance);
  const At strikes(format(scene.c_str(), -1e-3, 0.0));
  EXPECT_TRUE(strikes.instant.jumps(0));
}

/// A table that goes down by a: the ball follows it while a < g.
TEST(InstantPoint, AMovingTableCarriesUntilItFallsFaster) {
  for (const double half : {-2.5, -7.0}) {
    const At at(format(R"(
bodies.table = {type = "moving", position = [0, 0, "%g*t^2"], shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}}
bodies.mass = {type = "point", mass = 2.0, position = [0, 0, 0], shapes.p = {type = "point"}}
contacts = [{name = "c", between = ["table", "mass"], friction = 0.5}]
)",
                       half));
    EXPECT_EQ(at.report.status, Status::ok);
    EXPECT_NEAR(at.a()(2), std::max(2.0 * half, -kGravity), kInstantTolerance);
    EXPECT_NEAR(at.lambda(Kind::contact)[0], 2.0 * std::max(0.0, kGravity + 2.0 * half), kInstantTolerance);
  }
}

/// A planar box, 1 x .5 m, on an incline: it stays where tan(angle) < mu; else its edges share its weight as
/// (1 +- mu h / w) / 2, the front one more.
TEST(InstantBox, StaysOrSlidesOnAnIncline) {
  constexpr double kMu = 0.5;
  for (const double degrees : {20.0, 35.0}) {
    for (const double speed : {0.0, 1.0}) {
      const double angle = degrees * std::numbers::pi / 180.0;
      const At at(format(R"(
gravity = [%.17g, %.17g]
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 1], offset = 0}}
bodies.box = {type = "planar", mass = 2.0, inertia = 0.2, position = [0, 0.25], velocity = [%g, 0], shapes.hull = {type = "box", size = [1.0, 0.5]}}
contacts = [{name = "c", between = ["floor", "box"], friction = 0.5}]
)",
                         kGravity * std::sin(angle), -kGravity * std::cos(angle), speed));
      const double driven = std::sin(angle) - kMu * std::cos(angle);
      const double expected = speed == 0.0 ? std::max(0.0, driven) : driven;
      EXPECT_EQ(at.report.status, Status::ok) << degrees << " " << speed;
      EXPECT_LT((at.a() - Vector3(kGravity * expected, 0.0, 0.0)).norm(), 10.0 * kInstantTolerance)
          << degrees << " " << speed;
      const auto back = at.lambda(Kind::contact, 0);
      const auto front = at.lambda(Kind::contact, 1);
      const double friction = back[1] + front[1];
      EXPECT_NEAR(back[0] + front[0], 2.0 * kGravity * std::cos(angle), 20.0 * kInstantTolerance);
      if (expected == 0.0) {
        EXPECT_NEAR(friction, -2.0 * kGravity * std::sin(angle), 20.0 * kInstantTolerance);
        continue;
      }
      const double share = std::max(back[0], front[0]) / (back[0] + front[0]);
      EXPECT_NEAR(share, 0.5 * (1.0 + kMu * 0.5), kInstantTolerance);
      EXPECT_EQ(at.report.solutions, speed > 0.0 ? 1 : InstantReport::kUnknown);
    }
  }
}

/// A box that slides on four corners: single forces are open, accelerations are not.
TEST(InstantBox, CornersTooManyLeaveOneSolution) {
  const At at(R"(
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}}
bodies.box = {mass = 2.0, inertia = [0.1, 0.2, 0.25], position = [0, 0, 0.25], velocity = [0.6, -0.8, 0], shapes.hull = {type = "box", size = [1.0, 0.8, 0.5]}}
contacts = [{name = "c", between = ["floor", "box"], friction = 0.5}]
)");
  EXPECT_EQ(at.report.status, Status::ok);
  EXPECT_EQ(at.instant.constraints().count(), 4);
  EXPECT_EQ(at.report.solutions, 1);
  EXPECT_LT((at.a().head<3>() - 0.5 * kGravity * Vector3(-0.6, 0.8, 0.0)).norm(), 1e-8);
  EXPECT_LT(at.a().tail<3>().norm(), 1e-8);
}

/// What sticks somewhere else makes solutions hard to count and leaves them as they are.
TEST(InstantBox, SlidesBesideWhatSticks) {
  const At at(R"(
gravity = [0, -9.81]
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 1], offset = 0}}
bodies.box = {type = "planar", mass = 2.0, inertia = 0.2, position = [0, 0.25], velocity = [1, 0], shapes.hull = {type = "box", size = [1.0, 0.5]}}
bodies.stone = {type = "point", mass = 1.0, position = [5, 0], shapes.p = {type = "point"}}
contacts = [{name = "c", between = ["floor", "box"], friction = 0.5}, {name = "d", between = ["floor", "stone"], friction = 0.5}]
)");
  EXPECT_EQ(at.report.status, Status::ok);
  EXPECT_EQ(at.report.solutions, InstantReport::kUnknown);
  EXPECT_LT((at.a() - Vector::Unit(5, 0) * -0.5 * kGravity).norm(), 10.0 * kInstantTolerance);
}

// --- balls

/// A ball on an incline rolls where mu >= 2/7 tan(angle), with 5/7 g sin(angle); else it slides and is turned by its
/// friction.
TEST(InstantBall, RollsOrSlidesOnAnIncline) {
  constexpr double kAngle = 0.5;
  constexpr double kRadius = 0.1;
  for (const double mu : {0.2, 0.1}) {
    const At at(format(R"(
gravity = [%.17g, 0, %.17g]
bodies.floor = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}}
bodies.ball = {mass = 1.0, inertia = [0.004, 0.004, 0.004], position = [0, 0, 0.1], shapes.hull = {type = "sphere", radius = 0.1}}
contacts = [{name = "c", between = ["floor", "ball"], friction = %g}]
)",
                       kGravity * std::sin(kAngle), -kGravity * std::cos(kAngle), mu));
    EXPECT_EQ(at.report.status, Status::ok);
    EXPECT_EQ(at.mode(Kind::contact), InstantMode::sticking);
    const bool rolls = mu >= 2.0 / 7.0 * std::tan(kAngle);
    EXPECT_EQ(rolls, mu == 0.2);
    const double a =
        rolls ? 5.0 / 7.0 * kGravity * std::sin(kAngle) : kGravity * (std::sin(kAngle) - mu * std::cos(kAngle));
    EXPECT_NEAR(at.a()(0), a, kInstantTolerance * kGravity);
    EXPECT_NEAR(kRadius * at.a()(4), rolls ? a : 2.5 * mu * kGravity * std::cos(kAngle), kInstantTolerance * kGravity);
  }
}

/// Trinkle's sphere: it slides at 2 m/s without spin under mu = .2. [Trinkle2003, section 4]
TEST(InstantBall, TrinklesSphereSlides) {
  BuiltScene built = build(load_scene(STICKSLIP_SCENES_DIR "/papers/trinkle/sphere.toml"));
  const auto solver = make_solver(AutoOptions{});
  BodySnapshot at(*built.system);
  ContactFinder contacts(*built.system);
  Instant instant(*built.system, *solver);
  instant.take(at.take(0.0, built.initial.q, &built.initial.u), contacts.points());
  const InstantReport report = instant.solve();
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_EQ(instant.mode(0), InstantMode::sliding);
  EXPECT_EQ(report.problems, 2);  // its friction does not change its normal force
  EXPECT_NEAR(instant.a()(0), -0.2 * kGravity, kInstantTolerance);
  EXPECT_NEAR(instant.a()(4), 2.5 * 0.2 * kGravity, kInstantTolerance);  // of unit radius
  EXPECT_NEAR(instant.lambda(0)[0], kGravity, kInstantTolerance);
}

/// A ball that rolls on a turning plate goes in circles: its centre has the acceleration 2/7 Omega e_z x v.
TEST(InstantBall, RollsOnATurningPlate) {
  constexpr double kOmega = 3.0;  // [rad/s]
  constexpr double kRadius = 0.1;
  const Vector3 place(0.4, 0.2, kRadius);
  const Vector3 v(0.5, -0.3, 0.0);
  // v + w x (-R e_z) is the plate's velocity under the ball, Omega e_z x place.
  const Vector3 plate(-kOmega * place(1), kOmega * place(0), 0.0);
  const Vector3 slip = v - plate;  // = w x R e_z = R (w_y, -w_x, 0)
  const At at(format(R"(
bodies.plate = {type = "moving", position = [0, 0, 0], rotation = {axis = [0, 0, 1], angle = "3*t"}, shapes.top = {type = "half-space", normal = [0, 0, 1], offset = 0}}
[bodies.ball]
mass = 1.0
inertia = [0.004, 0.004, 0.004]
position = [0.4, 0.2, 0.1]
velocity = [0.5, -0.3, 0]
angular_velocity = [%.17g, %.17g, 1.5]
shapes.hull = {type = "sphere", radius = 0.1}
[[contacts]]
name = "c"
between = ["plate", "ball"]
friction = 2.0
)",
                     -slip(1) / kRadius, slip(0) / kRadius));
  EXPECT_EQ(at.report.status, Status::ok);
  EXPECT_EQ(at.mode(Kind::contact), InstantMode::sticking);
  const Vector3 expected = 2.0 / 7.0 * kOmega * Vector3::UnitZ().cross(v);
  EXPECT_LT((at.a().head<3>() - expected).norm(), 10.0 * kInstantTolerance);
}

// --- joints and dry friction

/// A double pendulum of two rods, angles a and b from straight down, against Lagrange's equations; the force at its
/// pivot against Newton's second law.
TEST(InstantJoint, ADoublePendulumObeysLagrange) {
  constexpr double m1 = 1.2, m2 = 0.7, l1 = 0.8, l2 = 0.5, I1 = 0.07, I2 = 0.02, a = 0.6, b = -0.9, wa = 2.0, wb = -3.0;
  const Vector3 along1(std::sin(a), -std::cos(a), 0.0), across1(std::cos(a), std::sin(a), 0.0);
  const Vector3 along2(std::sin(b), -std::cos(b), 0.0), across2(std::cos(b), std::sin(b), 0.0);
  const Vector3 p1 = 0.5 * l1 * along1, p2 = l1 * along1 + 0.5 * l2 * along2;
  const Vector3 v1 = 0.5 * l1 * wa * across1, v2 = l1 * wa * across1 + 0.5 * l2 * wb * across2;
  std::string scene = "gravity = [0, -9.81]\nbodies.ground = {type = \"fixed\"}\n";
  scene +=
      format("bodies.one = {type = \"planar\", mass = 1.2, inertia = 0.07, position = [%.17g, %.17g], ", p1(0), p1(1));
  scene += format("angle = 0.6, angular_velocity = 2.0, velocity = [%.17g, %.17g]}\n", v1(0), v1(1));
  scene +=
      format("bodies.two = {type = \"planar\", mass = 0.7, inertia = 0.02, position = [%.17g, %.17g], ", p2(0), p2(1));
  scene += format("angle = -0.9, angular_velocity = -3.0, velocity = [%.17g, %.17g]}\n", v2(0), v2(1));
  scene += "joints.pivot = {type = \"revolute\", between = [\"ground\", \"one\"], at = [0, 0]}\n";
  scene += format("joints.elbow = {type = \"revolute\", between = [\"one\", \"two\"], at = [%.17g, %.17g]}\n",
                  l1 * along1(0), l1 * along1(1));
  const At at(scene);
  EXPECT_EQ(at.report.status, Status::ok);
  EXPECT_FALSE(at.instant.joints_jump());
  Eigen::Matrix2d mass;
  const double coupling = m2 * l1 * 0.5 * l2;
  mass << I1 + m1 * 0.25 * l1 * l1 + m2 * l1 * l1, coupling * std::cos(a - b), coupling * std::cos(a - b),
      I2 + m2 * 0.25 * l2 * l2;
  const Eigen::Vector2d force(-coupling * std::sin(a - b) * wb * wb - (0.5 * m1 + m2) * l1 * kGravity * std::sin(a),
                              coupling * std::sin(a - b) * wa * wa - 0.5 * m2 * l2 * kGravity * std::sin(b));
  const Eigen::Vector2d angles = mass.inverse() * force;
  EXPECT_NEAR(at.a()(2), angles(0), 1e-8);
  EXPECT_NEAR(at.a()(5), angles(1), 1e-8);
  const auto lambda = at.lambda(Kind::joint, 0);
  const double x = m1 * at.a()(0) + m2 * at.a()(3);
  const double y = m1 * (at.a()(1) + kGravity) + m2 * (at.a()(4) + kGravity);
  EXPECT_NEAR(std::hypot(lambda[0], lambda[1]), std::hypot(x, y), 1e-8);
  EXPECT_LT((at.a().head<2>() - (0.5 * l1 * (angles(0) * across1 - wa * wa * along1)).head<2>()).norm(), 1e-8);
}

/// A rod of 2 kg, level, driven about its end by angle(t) = t^2: the drive gives (I + m c^2) 2 + m g c.
TEST(InstantJoint, ADriveBearsItsTorque) {
  const At at(R"(
gravity = [0, -9.81]
bodies.ground = {type = "fixed"}
bodies.rod = {type = "planar", mass = 2.0, inertia = 0.1, position = [0.5, 0]}
joints.motor = {type = "revolute", between = ["ground", "rod"], at = [0, 0], motion = "t^2"}
)");
  EXPECT_EQ(at.report.status, Status::ok);
  EXPECT_NEAR(at.a()(2), 2.0, kInstantTolerance);
  EXPECT_NEAR(at.lambda(Kind::joint)[2], (0.1 + 2.0 * 0.25) * 2.0 + 2.0 * kGravity * 0.5, 1e-8);
}

/// Three hinges at one point share what one would bear alone.
TEST(InstantJoint, RedundantJointsShareByLeastNorm) {
  const std::string rod = R"(
gravity = [0, -9.81]
bodies.ground = {type = "fixed"}
bodies.rod = {type = "planar", mass = 2.0, inertia = 0.1, position = [0.5, 0], angular_velocity = 3.0, velocity = [0, 1.5]}
joints.a = {type = "revolute", between = ["ground", "rod"], at = [0, 0]}
)";
  const At one(rod);
  const At three(rod +
                     "joints.b = {type = \"revolute\", between = [\"ground\", \"rod\"], at = [0, 0]}\n"
                     "joints.c = {type = \"revolute\", between = [\"ground\", \"rod\"], at = [0, 0]}\n",
                 ForceChoice::least_norm);
  EXPECT_EQ(one.report.status, Status::ok);
  EXPECT_EQ(three.report.status, Status::ok);
  EXPECT_NEAR(one.a()(2), -2.0 * kGravity * 0.5 / (0.1 + 2.0 * 0.25), 1e-8);
  EXPECT_LT((three.a() - one.a()).norm(), 1e-8);
  for (int j = 0; j < 3; ++j) {
    for (int r = 0; r < 2; ++r) {
      EXPECT_NEAR(three.lambda(Kind::joint, j)[r], one.lambda(Kind::joint)[r] / 3.0, 1e-7) << j << " " << r;
    }
  }
}

/// Bodies that fall together are held by nothing: what joints see of it is round-off, which is no residual.
TEST(InstantJoint, WhatFallsTogetherHoldsBeyondDoubt) {
  const At at(R"(
gravity = [0.3, -9.81]
bodies.a = {type = "planar", mass = 3.0, inertia = 0.1, position = [0.1, 1000.3]}
bodies.b = {type = "planar", mass = 0.7, inertia = 0.2, position = [1.3, 1000.7]}
joints.a = {type = "revolute", between = ["a", "b"], at = [0.7, 1000.1]}
joints.b = {type = "revolute", between = ["a", "b"], at = [0.9, 1000.2]}
)");
  EXPECT_EQ(at.report.status, Status::ok);
  for (const double x : at.instant.lambda()) EXPECT_NEAR(x, 0.0, 1e-12);
}

/// A slider of 1 kg on a spring of 100 N/m with dry friction of 2 N.
TEST(InstantDryFriction, HoldsUpToItsBoundAndOpposesTheVelocity) {
  struct Case {
    double x, v, a, force;
  };
  for (const Case& c : {Case{0.01, 0.0, 0.0, 1.0}, Case{0.05, 0.0, -3.0, 2.0}, Case{0.01, -0.3, 1.0, 2.0},
                        Case{0.01, 0.3, -3.0, -2.0}}) {
    const At at(format(R"(
gravity = [0, 0]
bodies.ground = {type = "fixed"}
bodies.mass = {type = "planar", mass = 1.0, inertia = 1.0, velocity = [%.17g, 0]}
[joints.rail]
type = "prismatic"
between = ["ground", "mass"]
at = [0, 0]
axis = [1, 0]
spring = {stiffness = 100.0, damping = 0.0, rest = %.17g}
friction = 2.0
)",
                       c.v, -c.x));
    EXPECT_EQ(at.report.status, Status::ok);
    EXPECT_EQ(at.mode(Kind::dry_friction), c.v == 0.0 ? InstantMode::sticking : InstantMode::sliding);
    EXPECT_NEAR(at.a()(0), c.a, 1e-8) << c.x << " " << c.v;
    EXPECT_NEAR(at.lambda(Kind::dry_friction)[0], c.force, 1e-8) << c.x << " " << c.v;
  }
}

/// A hinge turns by 1e-7 rad/s, which is nothing at the radius of gyration of 1 mm.
TEST(InstantDryFriction, RatesOfAnglesCountByTheirLever) {
  for (const double rate : {1e-7, 1e-4}) {
    const At at(format(R"(
gravity = [0, -9.81]
bodies.ground = {type = "fixed"}
bodies.disc = {type = "planar", mass = 1.0, inertia = 1e-6, position = [1, 0], angular_velocity = %g}
joints.pin = {type = "revolute", between = ["ground", "disc"], at = [1, 0], friction = 1e-3}
)",
                       rate));
    EXPECT_EQ(at.report.status, Status::ok);
    EXPECT_EQ(at.mode(Kind::dry_friction), rate == 1e-7 ? InstantMode::sticking : InstantMode::sliding);
  }
}

// --- no solution, or two

/// A drive that pushes a body into a wall, from rest: whatever its forces, the wall does not give way.
TEST(InstantExistence, ADriveAgainstAWallHasNoSolution) {
  const std::string scene = R"(
gravity = [0, -9.81]
bodies.wall = {type = "fixed", shapes.face = {type = "half-space", normal = [-1, 0], offset = 0}}
bodies.slider = {type = "planar", mass = 1.0, inertia = 0.1, position = [-0.1, 0], shapes.hull = {type = "sphere", radius = 0.1}}
joints.drive = {type = "prismatic", between = ["wall", "slider"], at = [-0.1, 0], axis = [1, 0], motion = "%g*t^2"}
contacts = [{name = "c", between = ["wall", "slider"], friction = 0.5}]
)";
  const At away(format(scene.c_str(), -2.0));
  EXPECT_EQ(away.report.status, Status::ok);
  EXPECT_FALSE(away.report.has_none());
  EXPECT_EQ(away.lambda(Kind::contact)[0], 0.0);
  const At into(format(scene.c_str(), 2.0));
  EXPECT_EQ(into.report.status, Status::inexact);
  EXPECT_TRUE(into.report.has_none());
}

/// At 45 degrees the normal force of Painleve's rod does nothing to its normal acceleration, up to round-off, whose
/// sign would decide.
TEST(InstantExistence, WhatRoundOffWouldDecideIsNotCounted) {
  const double s = std::sqrt(0.5);
  const At at(format(R"(
gravity = [0, -10]
bodies.ground = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 1], offset = 0}}
bodies.rod = {type = "planar", mass = 1.0, inertia = 0.33333333333333331, position = [0, %.17g], angle = %.17g, )",
                     s, 0.25 * std::numbers::pi) +
              R"(velocity = [-1, 0], shapes.tip = {type = "point", position = [-1, 0]}}
contacts = [{name = "tip", between = ["ground", "rod"], friction = 1.6666666666666667}]
)");
  EXPECT_EQ(at.report.status, Status::inexact);
  EXPECT_EQ(at.report.solutions, InstantReport::kUnknown);
}

/// Painleve's rod, half length and mass 1, slides at 1 m/s under mu = 5/3: how many accelerations there are, and which,
/// by the reference; A = 1 + 3 c^2 - 3 mu s c is its normal response, b = theta'^2 s - g.
TEST(InstantExistence, PainlevesRodHasNoneOneOrTwoSolutions) {
  std::ifstream file(STICKSLIP_TEST_DATA_DIR "/painleve_table.csv");
  ASSERT_TRUE(file);
  std::string line;
  std::array<int, 3> seen = {};
  while (std::getline(file, line)) {
    if (line[0] == '#' || line[0] == 't') continue;
    std::istringstream cells(line);
    std::vector<std::string> row;
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    const double theta = std::stod(row[0]) * std::numbers::pi / 180.0;
    const double rate = std::stod(row[1]);
    const int n = std::stoi(row[8]);
    const double s = std::sin(theta), c = std::cos(theta);
    const At at(format(R"(
gravity = [0, -10]
bodies.ground = {type = "fixed", shapes.top = {type = "half-space", normal = [0, 1], offset = 0}}
bodies.rod = {type = "planar", mass = 1.0, inertia = 0.33333333333333331, position = [0, %.17g], angle = %.17g, )",
                       s, theta) +
                format("angular_velocity = %.17g, velocity = [%.17g, %.17g], shapes.tip = {type = \"point\", ", rate,
                       -1.0 - rate * s, rate * c) +
                R"(position = [-1, 0]}}
contacts = [{name = "tip", between = ["ground", "rod"], friction = 1.6666666666666667}]
)");
    EXPECT_EQ(at.mode(Kind::contact), InstantMode::sliding) << line;
    EXPECT_EQ(at.report.solutions, n) << line;
    EXPECT_EQ(at.report.has_none(), n == 0) << line;
    EXPECT_EQ(at.report.status, n == 0 ? Status::inexact : Status::ok) << line;
    EXPECT_LE(at.report.problems, 6) << line;  // repetition alone gives up after 12
    ++seen.at(n);
    if (n == 0) continue;
    const double A = 1.0 + 3.0 * c * c - 5.0 * s * c;
    const double b = rate * rate * s - 10.0;
    const double force = row[6] == "slip" ? -b / A : 0.0;  // of two it lets go
    EXPECT_NEAR(at.lambda(Kind::contact)[0], force, kInstantTolerance * (1.0 + force)) << line;
    EXPECT_NEAR(at.lambda(Kind::contact)[1], 5.0 / 3.0 * force, 2.0 * kInstantTolerance * (1.0 + force)) << line;
  }
  EXPECT_EQ(seen, (std::array{37, 64, 19}));
}

/// Chains of rods that slide on a floor with a corner each, under friction that is often too much for accelerations:
/// there are some if and only if any are counted, and these obey the laws.
TEST(InstantExistence, ChainsThatSlideObeyTheLawsOrHaveNoSolution) {
  constexpr int kTrials = 300;
  constexpr int kLinks = 3;
  constexpr double kClosed = 1e9;  // [-] of lengths: corners count as closed wherever they are
  constexpr double kHolds = 1e-8;  // [-] of the accelerations
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto random = [&] { return uniform(generator); };
  const auto solver = make_solver(AutoOptions{});
  std::array<int, 3> seen = {};  // none, one, more
  for (int trial = 0; trial < kTrials; ++trial) {
    SystemBuilder builder(true, Vector3(0.0, -kGravity, 0.0));
    Body floor;
    floor.name = "floor";
    floor.type = BodyType::fixed;
    floor.shapes = {Shape{.name = "top", .geometry = HalfSpace{.normal = Vector3::UnitY(), .offset = 0.0}}};
    builder.add_body(floor);
    Vector q(3 * kLinks), u(3 * kLinks);
    for (Vector* y : {&q, &u}) {
      for (double& x : *y) x = random();
    }
    for (int i = 0; i < kLinks; ++i) {
      Body link;
      link.name = "link" + std::to_string(i);
      link.type = BodyType::planar;
      link.mass = std::pow(10.0, random());
      link.inertia(2, 2) = link.mass * (0.01 + 0.3 * std::abs(random()));
      link.shapes = {Shape{.name = "corner", .geometry = PointShape{}, .position = Vector3(random(), random(), 0.0)}};
      ContactPairOptions contact;
      contact.name = "on" + std::to_string(i);
      contact.second = builder.add_body(link);
      contact.law.friction = 2.0 * std::abs(random());
      builder.add_contact(contact);
    }
    const auto pose = [&](int i) {
      return Pose{Vector3(q(3 * i), q(3 * i + 1), 0.0), axis_angle_matrix(Vector3::UnitZ(), q(3 * i + 2))};
    };
    for (int i = 0; i + 1 < kLinks; ++i) {
      JointOptions hinge;
      hinge.name = "hinge" + std::to_string(i);
      hinge.first = 1 + i;
      hinge.second = 2 + i;
      const Vector3 at(random(), random(), 0.0);
      hinge.on_first = JointFrame::from_world(pose(i), at, Matrix3::Identity());
      hinge.on_second = JointFrame::from_world(pose(i + 1), at, Matrix3::Identity());
      builder.add_joint(hinge);
    }
    const System system = builder.build();
    // Velocities that hinges and floor allow.
    BodySnapshot at(system);
    ConstraintSet set(system);
    set.gather(at.take(0.0, q, &u), system.contact_points(), kClosed, 1.0);
    Matrix W(set.size(), system.n_u());
    for (int k = 0; k < system.n_u(); ++k) {
      std::vector<double> column(set.size(), 0.0);
      set.add_relative_velocities(Vector::Unit(system.n_u(), k), column);
      W.col(k) = ConstVectorView(column.data(), set.size());
    }
    std::vector<int> held;
    for (int i = 0; i < set.count(); ++i) {
      const Cone& cone = set.problem().cones[i];
      for (int r = 0; r < (set.kind(i) == Kind::joint ? cone.dim : 1); ++r) held.push_back(cone.offset + r);
    }
    u -= solve_least_norm(Matrix(W(held, Eigen::all)), Vector(W(held, Eigen::all) * u));

    Instant instant(system, *solver);
    instant.take(at.take(0.0, q, &u), system.contact_points(), {}, {.gap = kClosed});
    const InstantReport report = instant.solve();
    ASSERT_NE(report.solutions, InstantReport::kUnknown) << trial;
    ++seen.at(std::min(report.solutions, 2));
    EXPECT_EQ(report.status == Status::ok, report.solutions > 0) << trial;
    if (report.status != Status::ok) continue;
    const ConstVectorView lambda(instant.lambda().data(), set.size());
    Vector balance(system.n_u());
    system.multiply_mass(instant.a(), balance);
    balance -= instant.force() + W.transpose() * lambda;
    EXPECT_LT(balance.norm(), kHolds * (instant.force().norm() + (W.transpose() * lambda).norm())) << trial;
    const double zero =
        kHolds * (1.0 + (W * instant.a()).norm() + ConstVectorView(instant.zeta().data(), set.size()).norm());
    for (int i = 0; i < set.count(); ++i) {
      const int row = set.problem().cones[i].offset;
      const auto gamma_dot = instant.gamma_dot().subspan(row);
      if (set.kind(i) == Kind::joint) {
        EXPECT_LT(std::hypot(gamma_dot[0], gamma_dot[1]), zero) << trial;
        continue;
      }
      EXPECT_EQ(instant.mode(i), InstantMode::sliding) << trial;
      EXPECT_GE(lambda(row), 0.0) << trial;
      EXPECT_GT(gamma_dot[0], -zero) << trial;
      EXPECT_TRUE(lambda(row) == 0.0 || gamma_dot[0] < zero) << trial;
      const double mu = system.contacts()[set.index(i)].law().friction;
      EXPECT_NEAR(lambda(row + 1), -std::copysign(mu * lambda(row), instant.constraints().gamma()[row + 1]),
                  1e-12 * lambda(row))
          << trial;
    }
  }
  EXPECT_GT(seen[0], 10);
  EXPECT_GT(seen[1], 10);
  EXPECT_GT(seen[2], 10);
}

}  // namespace
}  // namespace stickslip
