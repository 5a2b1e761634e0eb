// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/generalized_alpha/report.h"

#include <gtest/gtest.h>

#include <utility>

#include "stickslip/constraints/certificate.h"
#include "stickslip/stepping/generalized_alpha/newton.h"
#include "tests/support/generalized_alpha_step.h"

namespace stickslip::generalized_alpha {
namespace {

using test::kMass;
using test::kStepGravity;
using test::kStepLength;
using test::kWeight;
using test::make_point;
using test::SystemStep;

/// A solved step and its report.
struct Solved : SystemStep {
  explicit Solved(System s) : SystemStep(std::move(s)) {}
  void solve() {
    begin(kStepLength);
    evaluate(step);
    Newton newton(step);
    ASSERT_TRUE(newton.solve(step).converged);
    begin_contacts(step.contacts.points().size(), report);
    begin_joints(system, report);
    report_contacts(step, report);
    account_energy(step, state, work, ledger, contact_work);
  }
  Vector work = Vector::Zero(system.n_u());
  StepReport report;
  EnergyLedger ledger;
  ContactWork contact_work;
};

struct Point : Solved {
  explicit Point(double gravity = kStepGravity, double restitution = 0.0)
      : Solved(make_point(Vector3(0.0, -gravity, 0.0), 0.5, restitution)) {}
  const ContactReport& contact() const { return report.contacts[0]; }
};

TEST(ReportOfContacts, SaysWhatSticksSlipsAndIsOpen) {
  Point resting;
  resting.solve();
  EXPECT_EQ(resting.contact().status, ContactStatus::stick);
  EXPECT_NEAR(resting.contact().force[0], kWeight, 1e-8);
  EXPECT_EQ(resting.report.closed_contacts, 1);
  Point sliding;
  sliding.state.u(0) = -3.0;
  sliding.solve();
  EXPECT_EQ(sliding.contact().status, ContactStatus::slip);
  EXPECT_NEAR(sliding.contact().force[1], 0.5 * kWeight, 1e-8);
  EXPECT_NEAR(sliding.contact().percussion[1], 0.5 * sliding.contact().percussion[0], 1e-10);
  EXPECT_NEAR(sliding.contact().velocity[0], 0.0, 1e-10);
  EXPECT_EQ(sliding.contact().velocity[1], sliding.step.u(0));
  Point flying;
  flying.state.q(1) = 1.0;
  flying.solve();
  EXPECT_EQ(flying.contact().status, ContactStatus::open);
  EXPECT_EQ(flying.contact().percussion[0], 0.0);
  EXPECT_EQ(flying.report.closed_contacts, 0);
}

TEST(ReportOfContacts, TellsImpulsesFromForces) {
  Point point(0.0, 0.25);
  point.state.u(1) = -4.0;
  point.solve();
  EXPECT_NEAR(point.contact().impulse[0], 1.25 * kMass * 4.0, 1e-9);
  EXPECT_NEAR(point.contact().percussion[0], 1.25 * kMass * 4.0, 1e-9);
  EXPECT_NEAR(point.contact().force[0], 0.0, 1e-9);
}

TEST(ReportOfContacts, AtTheStartThereAreNoPercussions) {
  Point point;
  begin_contacts(1, point.report);
  StepElement& e = point.step.elements[0];
  point.step.x.lambda << kWeight, 3.0;
  e.level = Level::velocity;
  e.xi[1] = 0.25;
  const auto status = [&] {
    report_start_contacts(point.step, point.report);
    return point.contact().status;
  };
  e.states[0].stick = true;
  EXPECT_EQ(status(), ContactStatus::stick);
  e.states[0].stick = false;
  EXPECT_EQ(status(), ContactStatus::slip);
  EXPECT_EQ(point.contact().force[1], 3.0);
  EXPECT_EQ(point.contact().velocity[1], 0.25);
  EXPECT_EQ(point.contact().percussion[0], 0.0);
  point.step.x.lambda.setZero();
  EXPECT_EQ(status(), ContactStatus::open);
}

TEST(ReportOfReactions, IsWhatBearsTheWeight) {
  SystemBuilder builder(true, Vector3(0.0, -kStepGravity, 0.0));
  Body bob;
  bob.name = "bob";
  bob.type = BodyType::planar;
  bob.mass = kMass;
  bob.inertia(2, 2) = 0.2;
  JointOptions hinge;
  hinge.name = "hinge";
  hinge.first = builder.add_body(test::make_floor(Vector3::UnitY()));
  hinge.second = builder.add_body(bob);
  hinge.on_first.at = hinge.on_second.at = Vector3(0.5, 0.0, 0.0);
  hinge.friction = 12.0;  // [N m] more than the weight asks for
  builder.add_joint(hinge);
  Solved arm(builder.build());
  arm.solve();
  report_reactions(arm.step, arm.report);
  EXPECT_LE((arm.report.joints[0].reaction_force - Vector3(0.0, kWeight, 0.0)).norm(), 1e-7);
  EXPECT_NEAR(arm.report.joints[0].reaction_torque.z(), -0.5 * kWeight, 1e-7);
  EXPECT_NEAR(arm.report.joints[0].friction, -0.5 * kWeight, 1e-7);
  EXPECT_NEAR(arm.report.dry_frictions[0], 0.5 * kWeight, 1e-7);
}

TEST(Energy, SlidingDissipatesForceTimesWay) {
  Point point;
  point.state.u(0) = 3.0;
  point.step.x.a(0) = -0.5 * kStepGravity;
  point.step.x.lambda << kWeight, -0.5 * kWeight;
  point.remember();
  point.solve();
  EXPECT_NEAR(point.ledger.dissipated, 0.5 * kWeight * point.step.q(0), 1e-9);
  EXPECT_EQ(point.ledger.work, 0.0);
}

TEST(Energy, AnImpactTakesWhatNewtonsLawSays) {
  Point point(0.0, 0.25);
  point.state.u << 9.0, -4.0;
  point.solve();
  const double before = point.system.calc_kinetic_energy(point.state.u);
  const double across = 0.5 * kMass * 4.0 * 4.0 * (1.0 - 0.25 * 0.25);  // [J]
  const double slip = 9.0 - 0.5 * 1.25 * 4.0;                           // [m/s] after it
  const double along = 0.5 * kMass * (9.0 * 9.0 - slip * slip);         // [J]
  EXPECT_NEAR(point.ledger.dissipated, across + along, 1e-8);
  EXPECT_NEAR(before - point.system.calc_kinetic_energy(point.step.u), across + along, 1e-8);
}

TEST(Energy, ABeltPutsInForceTimesItsWay) {
  SystemBuilder builder(true, Vector3(0.0, -kStepGravity, 0.0));
  Body belt = test::make_floor(Vector3::UnitY());
  belt.type = BodyType::moving;
  belt.motion.emplace();
  belt.motion->position[0] = Expression::parse("2*t");
  ContactPairOptions pair;
  pair.name = "contact";
  pair.first = builder.add_body(belt);
  pair.second = builder.add_body(test::make_point_body(kMass));
  pair.law.friction = 0.5;
  builder.add_contact(pair);
  Solved carried(builder.build());
  carried.step.x.a(0) = 0.5 * kStepGravity;
  carried.step.x.lambda << kWeight, 0.5 * kWeight;
  carried.remember();
  carried.solve();
  const double way = 2.0 * kStepLength;  // [m] of the belt
  EXPECT_NEAR(carried.ledger.work, 0.5 * kWeight * way, 1e-9);
  EXPECT_NEAR(carried.ledger.dissipated, 0.5 * kWeight * (way - carried.step.q(0)), 1e-9);
}

TEST(Energy, ALoadDoesItsWork) {
  SystemBuilder builder(true, Vector3::Zero());
  Load load;
  load.body = builder.add_body(test::make_point_body(kMass));
  load.force[0] = Expression(6.0);
  builder.add_force({.name = "push", .law = load});
  Solved pushed(builder.build());
  pushed.step.x.a(0) = 3.0;
  pushed.remember();
  pushed.solve();
  EXPECT_NEAR(pushed.ledger.work, 6.0 * pushed.step.q(0), 1e-12);
  EXPECT_NEAR(pushed.ledger.work, pushed.system.calc_kinetic_energy(pushed.step.u), 1e-12);
}

}  // namespace
}  // namespace stickslip::generalized_alpha
