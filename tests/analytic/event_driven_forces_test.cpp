// SPDX-License-Identifier: BSD-3-Clause
// The scheme event-driven where forces are not determined: those that it reports obey the laws of contact and friction.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/event_run.h"

namespace stickslip {
namespace {

using test::EventRun;

constexpr double kRopeFriction = 0.3;
constexpr double kRopeHeld = 10.0;  // [N] at the end that holds

/// The pull at which a rope over half a drum slips, of `n` points with turning angles d, half of that at its two ends,
/// where it leaves along the tangent: the tensions beside a point have the ratio
/// (cos(d/2) + mu sin(d/2)) / (cos(d/2) - mu sin(d/2)), those at the two ends together the same. [N]
double calc_slipping_pull(int n) {
  const double half = 0.5 * M_PI / (n - 1);
  const double across = kRopeFriction * std::tan(half);
  return kRopeHeld * std::pow((1.0 + across) / (1.0 - across), n - 1);
}

/// `pull` [N], an expression of t.
std::string make_drum_rope(int n, const std::string& pull) {
  const double d = M_PI / (n - 1);
  std::string text =
      "gravity = [0, 0]\n[bodies.drum]\ntype = \"fixed\"\nshapes.rim = {type = \"sphere\", radius = 1}\n";
  for (int k = 0; k < n; ++k) {
    text += fmt::format(R"(
[bodies.p{0}]
type = "point"
mass = 0.01
position = [{1:.17g}, {2:.17g}]
shapes.p = {{type = "point"}}
[[contacts]]
between = ["drum", "p{0}"]
friction = {3}
)",
                        k, std::cos(k * d), std::sin(k * d), kRopeFriction);
    if (k > 0) text += fmt::format("[joints.j{0}]\ntype = \"distance\"\nbetween = [\"p{1}\", \"p{0}\"]\n", k, k - 1);
  }
  return text + fmt::format(R"toml(
[forces.holds]
type = "load"
body = "p0"
force = [0, {}]
[forces.pulls]
type = "load"
body = "p{}"
force = [0, "=-({})"]
)toml",
                            -kRopeHeld, n - 1, pull);
}

/// By how much friction passes its bound, forces [N] and percussions [N s] over the step.
double find_friction_excess(const EventRun& run, double h) {
  double excess = 0.0;
  for (const ContactReport& contact : run.report.contacts) {
    excess = std::max(excess, std::abs(contact.force[1]) - kRopeFriction * contact.force[0]);
    excess = std::max(excess, (std::abs(contact.percussion[1]) - kRopeFriction * contact.percussion[0]) / h);
  }
  return excess;
}

TEST(EventDrivenForces, ARopeOnADrumHoldsByTheFrictionThatItHas) {
  for (const int n : {7, 19}) {
    SCOPED_TRACE(n);
    const double h = 0.01;
    EventRun run(make_drum_rope(n, fmt::format("{:.17g}", 0.999 * calc_slipping_pull(n))), 5.0 * h, h);
    EXPECT_LE(find_friction_excess(run, h), 1e-8 * kRopeHeld) << "at the start";
    while (run.state.t < 4.5 * h) {
      ASSERT_EQ(run.step(), Status::ok) << run.report.message;
      EXPECT_LE(find_friction_excess(run, h), 1e-8 * kRopeHeld) << "t = " << run.state.t;
      EXPECT_LT(run.state.u.norm(), 1e-12);
    }
    // The joint beside each end bears what its point leaves of the pull: the whole is in equilibrium.
    double vertical = 0.0;
    const double d = M_PI / (n - 1);
    for (int k = 0; k < n; ++k) {
      const auto& force = run.report.contacts[k].force;
      const double cosine = run.report.contacts[k].tangent[0];
      vertical += std::sin(k * d) * force[0] + force[1] * run.report.contacts[k].tangent[1];
      EXPECT_NEAR(std::abs(cosine), std::abs(std::sin(k * d)), 1e-12);
    }
    EXPECT_NEAR(vertical, kRopeHeld + 0.999 * calc_slipping_pull(n), 1e-9 * kRopeHeld);
  }
}

/// A table rests on four feet while a push wanders. The friction of each foot stays in its cone, and together they
/// balance the impulse of the push and the weight.
TEST(EventDrivenForces, PercussionsOfFourFeetStayInTheirCones) {
  constexpr double kMu = 0.5;
  std::string text = R"toml(
gravity = [0, 0, -9.81]
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 0, 1]}
[bodies.table]
mass = 2
inertia = [0.05, 0.06, 0.08]
position = [0, 0, 0.3]
[forces.push]
type = "load"
body = "table"
at = [0.05, 0.02, 0]
force = ["6*sin(4*t)", "5*cos(7*t)", 0]
)toml";
  for (const int k : {0, 1, 2, 3}) {
    text += fmt::format(
        "[bodies.table.shapes.f{0}]\ntype = \"point\"\nposition = [{1}, {2}, -0.3]\n"
        "[[contacts]]\nbetween = [\"floor\", \"table/f{0}\"]\nfriction = {3}\n",
        k, k % 2 == 0 ? 0.2 : -0.2, k / 2 == 0 ? 0.15 : -0.15, kMu);
  }
  const double h = 0.01;
  EventRun run(text, 60.0 * h, h);
  while (run.state.t < 59.5 * h) {
    const double t = run.state.t;
    ASSERT_EQ(run.step(), Status::ok) << run.report.message;
    Vector3 sum = Vector3::Zero();
    for (const ContactReport& contact : run.report.contacts) {
      const double friction = std::hypot(contact.percussion[1], contact.percussion[2]);
      EXPECT_LE(friction, (1.0 + 1e-9) * kMu * contact.percussion[0]) << "t = " << t;
      sum += contact.percussion[0] * contact.normal + contact.percussion[1] * contact.tangent +
             contact.percussion[2] * contact.normal.cross(contact.tangent);
    }
    const double end = t + h;
    const Vector3 balance(1.5 * (std::cos(4.0 * end) - std::cos(4.0 * t)),
                          -5.0 / 7.0 * (std::sin(7.0 * end) - std::sin(7.0 * t)), 2.0 * 9.81 * h);
    EXPECT_LT((sum - balance).norm(), 1e-9) << "t = " << t;
  }
}

TEST(EventDrivenForces, ForcesAtTheEndOfAStepObeyTheLawsWhileThePullSwings) {
  // From .9 of the pull at which it slips one way to .9 of that at which it slips the other way, and back.
  const double most = 0.9 * calc_slipping_pull(7);
  const double least = kRopeHeld * kRopeHeld / most;
  const double h = 0.01;
  EventRun run(
      make_drum_rope(7, fmt::format("{:.17g} + {:.17g}*cos(20*t)", 0.5 * (most + least), 0.5 * (most - least))), 0.4,
      h);
  while (run.state.t < 0.395) {
    ASSERT_EQ(run.step(), Status::ok) << run.report.message;
    for (const ContactReport& contact : run.report.contacts) {
      EXPECT_LE(std::abs(contact.force[1]), kRopeFriction * contact.force[0] + 1e-8 * kRopeHeld);
    }
    EXPECT_LT(run.state.u.norm(), 1e-12);
  }
}

TEST(EventDrivenForces, ARopeThatIsPulledHarderSlips) {
  EventRun run(make_drum_rope(7, fmt::format("{:.17g}", 1.001 * calc_slipping_pull(7))), 0.01, 0.01);
  ASSERT_EQ(run.step(), Status::ok) << run.report.message;
  EXPECT_GT(run.state.u.norm(), 1e-4);
  EXPECT_LE(find_friction_excess(run, 0.01), 1e-8 * kRopeHeld);
}

}  // namespace
}  // namespace stickslip
