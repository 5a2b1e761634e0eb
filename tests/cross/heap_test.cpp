// SPDX-License-Identifier: BSD-3-Clause
// Many discs that lie on each other under the generalized-alpha scheme: every step ends exact, and what it publishes
// obeys the laws of contact, judged from coordinates, velocities and percussions alone. Some
// such steps have no index sets and are made in parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/heap_scene.h"
#include "tests/support/scene_run.h"

namespace stickslip::test {
namespace {

constexpr double kFriction = 0.3;
using test::kGravity;

constexpr double kTolerance = 1e-6;  // [-] of scheme and solver

Eigen::Vector2d sum_momentum(const SceneRun& run) {
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  for (const Body& body : run.built.system->bodies()) {
    if (body.n_u > 0) sum += body.mass * run.state.u.segment<2>(body.u_offset);
  }
  return sum;
}

/// A disc's radius, from what is known of it otherwise: density 1000 times area.
double find_radius(const Body& body) {
  return std::sqrt(body.mass / (1000.0 * M_PI));
}

/// The deepest overlap of all pairs of discs, and of discs with the box. [m]
double find_penetration(const SceneRun& run) {
  struct Disc {
    double x, y, r;
  };
  std::vector<Disc> discs;
  for (const Body& body : run.built.system->bodies()) {
    if (body.n_u == 0) continue;
    discs.push_back({run.state.q(body.q_offset), run.state.q(body.q_offset + 1), find_radius(body)});
  }
  double deepest = 0.0;
  for (std::size_t i = 0; i < discs.size(); ++i) {
    const Disc& a = discs[i];
    deepest = std::max({deepest, a.r - a.x, a.r - a.y, a.r + a.x - 0.23});
    for (std::size_t j = 0; j < i; ++j) {
      deepest = std::max(deepest, a.r + discs[j].r - std::hypot(a.x - discs[j].x, a.y - discs[j].y));
    }
  }
  return deepest;
}

TEST(Heap, EveryStepOfDenseDiscsIsExactAndObeysTheLaws) {
  SceneRun run = scene_from_text(heap_scene(8, R"(
[scheme]
type = "generalized-alpha"
tolerance = 1e-6
[solver]
tolerance = 1e-6
)"));
  const double h = run.scene.time.step;
  double mass = 0.0;
  for (const Body& body : run.built.system->bodies()) {
    if (body.n_u == 0) continue;
    mass += body.mass;
    EXPECT_NEAR(find_radius(body), 0.0185, 0.0025);
  }
  int most = 0;
  int in_parts = 0;
  for (int n = 1; n <= 300; ++n) {
    const Eigen::Vector2d before = sum_momentum(run);
    const double speed = run.state.u.cwiseAbs().maxCoeff();
    ASSERT_EQ(run.step(), Status::ok) << n << ": " << run.report.message;
    const StepReport& report = run.report;
    most = std::max(most, report.closed_contacts);
    if (report.parts > 1) ++in_parts;
    // What the tolerance allows of lengths and velocities; sums over contacts and rotating discs need some more.
    constexpr double kFactor = 10.0;  // [-]
    const double allowed = kFactor * kTolerance * (std::max(speed, run.state.u.cwiseAbs().maxCoeff()) + h * kGravity);
    EXPECT_LE(find_penetration(run), h * allowed) << n;
    Eigen::Vector2d from_box = Eigen::Vector2d::Zero();
    for (const ContactReport& contact : report.contacts) {
      const double P = contact.percussion[0];
      const double F = contact.percussion[1];
      if (P == 0.0 && F == 0.0) continue;
      const double per_mass = mass / 40.0;  // [kg] of a disc: percussions over it are velocities
      const double gamma = contact.velocity[0];
      const double slip = contact.velocity[1];
      EXPECT_GE(P, -allowed * per_mass) << n;
      EXPECT_LE(std::abs(F), kFriction * P + allowed * per_mass) << n;
      if (report.parts == 1) {  // the sum of several parts says nothing of the end
        EXPECT_LE(std::abs(gamma), allowed) << n << ": closed, and without restitution";
        // Friction takes all the power that the cone allows.
        EXPECT_LE(std::abs(F * slip + kFriction * P * std::abs(slip)), allowed * (std::abs(slip) * per_mass + P)) << n;
        // And nothing acts from afar.
        EXPECT_LE(contact.gap, h * allowed) << n;
      }
      const bool first_is_box = run.built.system->bodies()[contact.body_a].n_u == 0;
      const bool second_is_box = run.built.system->bodies()[contact.body_b].n_u == 0;
      if (!first_is_box && !second_is_box) continue;
      const Vector3 on_disc = (P * contact.normal + F * contact.tangent) * (second_is_box ? -1.0 : 1.0);
      from_box += on_disc.head<2>();
    }
    // What discs do to each other cancels.
    const Eigen::Vector2d balance = sum_momentum(run) - before - from_box + Eigen::Vector2d(0, mass * kGravity * h);
    EXPECT_LE(balance.norm(), allowed * mass) << n;
  }
  EXPECT_GT(most, 55) << "the discs must lie densely";
  EXPECT_LE(in_parts, 15) << "and be few, of 300";
  RecordProperty("in_parts", in_parts);
}

/// A ball rattles in a corner, where steps need more than one try; a rotor that turns fast and a ball that falls on a
/// floor have nothing to do with it. The accelerations of the one do not hold the other in mid-air.
TEST(Heap, NothingIsHeldInMidAir) {
  SceneRun run = scene_from_text(R"(
stickslip = 1
gravity = [0, -9.81]
time = {end = 1.5, step = 1e-3}
scheme = {type = "generalized-alpha", rho_inf = 0.5, tolerance = 1e-8}
parameters = {c = 0.7071067811865476}
[bodies.ball]
type = "planar"
mass = 1.0
inertia = 0.004
position = [-0.5, 1]
shapes.hull = {type = "sphere", radius = 0.1}
[bodies.walls]
type = "fixed"
shapes.right = {type = "half-space", normal = ["=-c", "=c"], offset = 0}
shapes.left = {type = "half-space", normal = ["=c", "=c"], offset = 0}
shapes.floor = {type = "half-space", normal = [0, 1], offset = -20}
[bodies.drop]
type = "planar"
mass = 1.0
inertia = 0.004
position = [30, -10.80]
shapes.hull = {type = "sphere", radius = 0.1}
[bodies.rotor]
type = "planar"
mass = 1.0
inertia = 0.01
position = [10.5, 5]
velocity = [0, 157]
angular_velocity = 314
[joints.pin]
type = "revolute"
between = ["walls", "rotor"]
at = [10, 5]
[[contacts]]
name = "right"
between = ["walls/right", "ball"]
friction = 0.3
restitution = {normal = 0.5}
[[contacts]]
name = "left"
between = ["walls/left", "ball"]
friction = 0.3
[[contacts]]
name = "drop"
between = ["walls/floor", "drop"]
friction = 0.3
)");
  constexpr double kApart = 1e-10;  // [m] what the tolerance allows of the fastest
  const auto n = std::lround(run.scene.time.end / run.scene.time.step);
  double impact = 0.0;
  for (long i = 0; i < n; ++i) {
    ASSERT_EQ(run.step(), Status::ok) << i << " " << run.report.message;
    for (const ContactReport& contact : run.report.contacts) {
      if (contact.gap > kApart) {
        EXPECT_EQ(contact.percussion[0], 0.0) << i << " " << contact.gap;
      }
      impact = std::max(impact, contact.percussion[0]);
    }
  }
  EXPECT_GT(impact, 10.0) << "the ball must have reached the floor";
}

/// The tip of a rod hits the floor while it slides. Its friction percussion turns the rod so that it lifts the tip, by
/// dt/2 G_NF Lambda_F in the half step that the scheme gives it; for heights in a window of that width no contact and
/// contact both contradict themselves. In parts the step has a solution, and every law at its end is obeyed.
TEST(Heap, ATipThatItsOwnFrictionLiftsLandsInParts) {
  constexpr double kTall = 1e-4;  // [m] between the heights
  int in_parts = 0;
  int unsolved = 0;
  for (int k = 0; k < 48; ++k) {
    SceneRun run = scene_from_text(R"(
stickslip = 1
gravity = [0, -9.81]
time = {end = 0.1, step = 1e-3}
scheme = {type = "generalized-alpha", tolerance = 1e-8}
[bodies.floor]
type = "fixed"
shapes.plane = {type = "half-space", normal = [0, 1], offset = 0}
[bodies.rod]
type = "planar"
mass = 1
inertia = 0.0208
angle = 0.6
position = [0, )" + std::to_string(0.75 + k * kTall) +
                                   R"(]
velocity = [-7, -4]
shapes.tip = {type = "point", position = [0, -0.5]}
[[contacts]]
between = ["floor/plane", "rod/tip"]
friction = 0.3
)");
    double percussion = 0.0;
    for (int n = 1; n <= 100; ++n) {
      const double energy = run.report.kinetic_energy + run.report.potential_energy;
      const Status status = run.step();
      const ContactReport& tip = run.report.contacts[0];
      const double P = tip.percussion[0];
      percussion = std::max(percussion, P);
      if (status != Status::ok) {
        ++unsolved;
        continue;
      }
      EXPECT_LE(run.report.penetration, 1e-9) << k;
      EXPECT_GE(P, 0.0) << k;
      EXPECT_LE(std::abs(tip.percussion[1]), kFriction * P * (1.0 + 1e-9)) << k;
      EXPECT_LE(run.report.kinetic_energy + run.report.potential_energy, energy * (1.0 + 1e-6)) << k;
      if (P > 0.0 && tip.status != ContactStatus::open) {
        EXPECT_LE(tip.gap, 1e-9) << k;
        EXPECT_LE(std::abs(tip.velocity[0]), 1e-6) << k;
      }
      if (run.report.parts == 1) {
        EXPECT_EQ(P > 0.0, tip.status != ContactStatus::open) << k;
        continue;
      }
      ++in_parts;
      EXPECT_GT(P, 0.0) << k;
    }
    EXPECT_GT(percussion, 0.5) << k << ": it must have hit the floor";
  }
  // The window is dt/2 G_NF Lambda_F of the dt v = 4.8 mm that the heights cover.
  // What the end of the step hardly closes is left: each halving, of four, halves that part of the window.
  EXPECT_LE(unsolved, 1);
  EXPECT_GE(in_parts, 3);
  EXPECT_LE(in_parts, 9);
}

}  // namespace
}  // namespace stickslip::test
