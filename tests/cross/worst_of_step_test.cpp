// SPDX-License-Identifier: BSD-3-Clause
// Which contact, joint or force sets the residual of a step, and what the step misses, under both schemes.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

enum Kind { kNothing = 0, kNamedContact = 1, kDetectedContact = 2, kJoint = 3, kForce = 4 };

/// The bodies of what a report says was solved worst, by its index.
std::pair<int, int> bodies_of_worst(const System& system, const StepReport& report) {
  switch (report.worst_kind) {
    case kNamedContact: {
      const ContactPoint& point = system.contact_points().at(report.worst);
      return {system.side(point, Side::first).body, system.side(point, Side::second).body};
    }
    case kDetectedContact:
      EXPECT_EQ(report.worst, -1);
      for (const ContactReport& contact : report.contacts) {
        const bool same = contact.body_a == report.worst_a && contact.body_b == report.worst_b;
        if (same && contact.contact == kDetected) return {contact.body_a, contact.body_b};
      }
      return {-2, -2};
    case kJoint: {
      const JointOptions& options = system.joints().at(report.worst).options;
      return {options.first, options.second};
    }
    case kForce: {
      const auto& law = std::get<DryFriction>(system.forces().at(report.worst).law);
      return {law.first, law.second};
    }
    default:
      return {-1, -1};
  }
}

/// The kinds that so many steps name.
std::set<int> collect_kinds(test::SceneRun& run, int steps) {
  std::set<int> kinds;
  for (int i = 0; i < steps; ++i) {
    EXPECT_EQ(run.step(), Status::ok);
    const StepReport& report = run.report;
    EXPECT_EQ(report.worst_kind == kNothing, report.solve.residual.absolute == 0.0);
    EXPECT_EQ(std::pair(report.worst_a, report.worst_b), bodies_of_worst(*run.built.system, report));
    kinds.insert(report.worst_kind);
  }
  return kinds;
}

class WorstOfStep : public testing::TestWithParam<const char*> {
 protected:
  test::SceneRun open(const std::string& name, std::vector<std::string> overrides = {}) const {
    overrides.push_back(std::string("scheme.type=") + GetParam());
    return test::open_scene(name, std::move(overrides));
  }
};

TEST_P(WorstOfStep, IsAJoint) {
  test::SceneRun run = open("four_bar");
  const std::set<int> kinds = collect_kinds(run, 100);
  EXPECT_TRUE(kinds.contains(kJoint));
  EXPECT_TRUE(kinds == (std::set<int>{kJoint}) || kinds == (std::set<int>{kNothing, kJoint}));
}

TEST_P(WorstOfStep, IsANamedContact) {
  test::SceneRun run = open("box_incline_35");
  const std::set<int> kinds = collect_kinds(run, 100);
  EXPECT_TRUE(kinds.contains(kNamedContact));
  EXPECT_FALSE(kinds.contains(kDetectedContact) || kinds.contains(kJoint) || kinds.contains(kForce));
}

TEST_P(WorstOfStep, IsADetectedContact) {
  test::SceneRun run = open("discs_in_box");
  std::set<int> kinds;
  for (int i = 0; i < 100 && !kinds.contains(kDetectedContact); ++i) kinds.merge(collect_kinds(run, 10));
  EXPECT_TRUE(kinds.contains(kDetectedContact));
  EXPECT_FALSE(kinds.contains(kNamedContact) || kinds.contains(kJoint) || kinds.contains(kForce));
}

/// The brake of a pendulum is its hinge's, that of a mass is a force's.
TEST_P(WorstOfStep, IsADryFrictionByWhatHasIt) {
  test::SceneRun mass = test::scene_from_text(std::string(R"(
stickslip = 1
gravity = [0, -9.81]
time = {end = 1.0, step = 1e-3}
scheme = {type = ")") + GetParam() + R"("}
[bodies.frame]
type = "fixed"
[bodies.mass]
type = "point"
mass = 1.3
velocity = [0.7, 1.1]
[forces.load]
type = "load"
body = "mass"
force = ["2*t", 0]
[forces.brake]
type = "dry-friction"
between = ["frame", "mass"]
bound = 3.1
)");
  const std::set<int> kinds = collect_kinds(mass, 200);
  EXPECT_TRUE(kinds.contains(kForce));
  EXPECT_FALSE(kinds.contains(kDetectedContact) || kinds.contains(kNamedContact) || kinds.contains(kJoint));
  test::SceneRun pendulum = test::scene_from_text(std::string(R"(
stickslip = 1
gravity = [0, -9.81]
time = {end = 1.0, step = 1e-3}
scheme = {type = ")") + GetParam() + R"("}
[bodies.frame]
type = "fixed"
[bodies.rod]
type = "planar"
mass = 1.3
inertia = 0.2
position = [0.7, 0]
[joints.hinge]
type = "revolute"
between = ["frame", "rod"]
at = [0, 0]
friction = 1.1
)");
  const std::set<int> of_joints = collect_kinds(pendulum, 200);
  EXPECT_TRUE(of_joints.contains(kJoint));
  EXPECT_FALSE(of_joints.contains(kForce));
}

INSTANTIATE_TEST_SUITE_P(Schemes, WorstOfStep, testing::Values("moreau", "generalized-alpha"),
                         [](const auto& scheme) { return scheme.param[0] == 'm' ? "Moreau" : "GeneralizedAlpha"; });

// Under the generalized-alpha scheme what joints are held to are their velocities at the end of the step.
TEST(Missed, IsTheVelocityOfTheJointsAtTheEnd) {
  test::SceneRun run = test::open_scene("four_bar", {"scheme.type=generalized-alpha"});
  const System& system = *run.built.system;
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(run.step(), Status::ok);
    double squared = 0.0;
    JointVector gamma;
    for (int j = 0; j < static_cast<int>(system.joints().size()); ++j) {
      system.calc_joint_velocity(j, run.state.t, run.state.q, run.state.u, gamma);
      squared += gamma.squaredNorm();
    }
    EXPECT_NEAR(run.report.missed, std::sqrt(squared), 1e-14);
  }
}

// Two bodies on two hinges, one row more than needed, with velocities that these do not allow: what the rows ask of the
// accelerations before the first step contradicts itself and means nothing. The start is as good as one that a single
// hinge forbids; and the first step keeps the angular momentum.
TEST(StartOfForbiddenVelocities, IsOkWithRedundantJointsToo) {
  for (const bool redundant : {false, true}) {
    std::string text = R"(
stickslip = 1
gravity = [0, -9.81]
time = {end = 0.4, step = 1e-3}
scheme = {type = "generalized-alpha"}
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
)";
    if (redundant) text += "[joints.k]\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [-0.5, 0.7]\n";
    test::SceneRun run = test::scene_from_text(text);
    EXPECT_EQ(run.report.status, Status::ok) << run.report.message;
    EXPECT_EQ(run.step(), Status::ok);
    if (!redundant) continue;
    // L about the common centre of mass, over the inertia about it.
    const double reduced = 1.3 * 2.1 / 3.4;
    const double momentum = 0.2 * 0.7 + reduced * (1.0 * (1.7 - 2.0) - 0.3 * (1.5 - 1.0));
    const double inertia = 0.1 + 0.2 + reduced * (1.0 + 0.09);
    EXPECT_NEAR(run.state.u(2), momentum / inertia, 1e-3 * std::abs(momentum / inertia));
    EXPECT_NEAR(run.state.u(5), run.state.u(2), 1e-12);
  }
}

}  // namespace
}  // namespace stickslip
