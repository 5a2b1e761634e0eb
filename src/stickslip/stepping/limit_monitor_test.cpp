// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/limit_monitor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

Body make_body(const std::string& name, BodyType type, ShapeGeometry geometry) {
  Body body;
  body.name = name;
  body.type = type;
  body.mass = 2.0;
  body.inertia = Matrix3::Identity();
  body.shapes.emplace_back();
  body.shapes.back().geometry = std::move(geometry);
  return body;
}

/// Two balls on a floor, of diameter .2 and 2, a revolute joint with stops between them and a weld to the floor.
System make_system() {
  SystemBuilder builder(true, Vector3(0, -10, 0));
  builder.add_body(make_body("floor", BodyType::fixed, HalfSpace{}));
  builder.add_body(make_body("small", BodyType::planar, Sphere{0.1}));
  builder.add_body(make_body("large", BodyType::planar, Sphere{1.0}));
  ContactPairOptions pair;
  for (const int ball : {1, 2}) {
    pair.name = "floor-" + std::to_string(ball);
    pair.second = ball;
    builder.add_contact(pair);
  }
  JointOptions joint;
  joint.name = "hinge";
  joint.first = 1;
  joint.second = 2;
  joint.limits = JointLimits{-1.0, 1.0};
  builder.add_joint(joint);
  joint = {};
  joint.name = "weld";
  joint.type = JointType::weld;
  joint.second = 2;
  builder.add_joint(joint);
  return builder.build();
}

/// The points of the system, in order: small and large on the floor, low and high stop.
enum Point { kSmall, kLarge, kLow, kHigh };

/// A run whose reports the test writes.
class LimitMonitorTest : public ::testing::Test {
 protected:
  LimitMonitorTest() {
    state.q = Vector::Zero(system.n_q());
    state.u = Vector::Zero(system.n_u());
    report.contacts.resize(4);
    for (std::size_t k = 0; k < 4; ++k) {
      report.contacts[k].body_a = system.side(system.contact_points()[k], Side::first).body;
      report.contacts[k].body_b = system.side(system.contact_points()[k], Side::second).body;
    }
    report.joints.resize(2);
  }

  void penetrate(Point point, double depth) {
    report.contacts[point].gap = -depth;
    if (!system.turns(system.contact_points()[point])) report.penetration = std::max(report.penetration, depth);
  }

  LimitMonitor make_monitor(const LimitOptions& options = {}) const { return {system, options, state, report}; }

  /// The next step of 1 s.
  bool step(LimitMonitor& monitor) {
    report.t = state.t = ++steps;
    return monitor.examine(state, report);
  }

  System system = make_system();
  State state;
  StepReport report;
  int steps = 0;
};

TEST_F(LimitMonitorTest, PenetrationIsComparedWithTheSmallerBody) {
  LimitMonitor monitor = make_monitor();
  penetrate(kSmall, 0.0099);
  penetrate(kLarge, 0.099);
  EXPECT_FALSE(step(monitor)) << "each is within 5 % of its ball";
  EXPECT_TRUE(monitor.entries().empty());
  penetrate(kSmall, 0.0101);
  EXPECT_TRUE(step(monitor));
  ASSERT_EQ(monitor.new_entries().size(), 1U);
  const LimitEntry& entry = monitor.entries()[0];
  EXPECT_EQ(entry.what, LimitKind::penetration);
  EXPECT_EQ(entry.name, "floor, small");
  EXPECT_EQ(entry.first_time, 2.0);
  EXPECT_EQ(entry.worst, 0.0101);
  EXPECT_NEAR(entry.limit, 0.05 * 0.2, 1e-11);
  penetrate(kSmall, 0.02);
  penetrate(kLarge, 0.2);
  EXPECT_TRUE(step(monitor));
  EXPECT_EQ(monitor.new_entries().size(), 1U);
  EXPECT_EQ(monitor.new_entries()[0].name, "floor, large");
  penetrate(kSmall, 0.015);
  penetrate(kLarge, 0.0);
  EXPECT_TRUE(step(monitor));
  EXPECT_TRUE(monitor.new_entries().empty());
  EXPECT_EQ(monitor.first_passed().name, "floor, small");
  EXPECT_EQ(monitor.entries()[0].count, 3);
  EXPECT_EQ(monitor.entries()[0].worst, 0.02);
  EXPECT_EQ(monitor.entries()[1].count, 1);
  EXPECT_EQ(describe(monitor.entries()[0]),
            "penetration of floor, small: 0.02 m at most, the limit is 0.01; in 3 steps, first at t = 2 s");
}

TEST_F(LimitMonitorTest, AStopThatIsAnAngleIsAPenetrationInRadiansAndNoDrift) {
  LimitMonitor monitor = make_monitor();
  penetrate(kHigh, 0.049);
  state.q << 0, 0, 0, 0, 0, 1.049;
  report.joints[0].drift_angle = report.drift_angle = 0.049;
  EXPECT_FALSE(step(monitor));
  penetrate(kHigh, 0.051);
  report.joints[0].drift_angle = report.drift_angle = 0.051;
  EXPECT_TRUE(step(monitor));
  ASSERT_EQ(monitor.entries().size(), 1U);
  EXPECT_EQ(monitor.entries()[0].what, LimitKind::penetration_angle);
  EXPECT_EQ(monitor.entries()[0].name, "hinge");
  EXPECT_EQ(monitor.entries()[0].worst, 0.051);
  EXPECT_EQ(monitor.entries()[0].limit, 0.05);
}

TEST_F(LimitMonitorTest, DriftIsComparedJointByJoint) {
  LimitMonitor monitor = make_monitor();
  report.joints[0].drift_position = 0.00019;
  report.joints[1].drift_position = report.drift_position = 0.0019;
  report.joints[1].drift_angle = report.drift_angle = 0.00099;
  EXPECT_FALSE(step(monitor)) << "the weld holds a larger body";
  report.joints[0].drift_position = 0.00021;
  EXPECT_TRUE(step(monitor));
  report.joints[1].drift_angle = report.drift_angle = 0.0011;
  EXPECT_TRUE(step(monitor));
  ASSERT_EQ(monitor.entries().size(), 2U);
  EXPECT_EQ(monitor.entries()[0].what, LimitKind::drift);
  EXPECT_EQ(monitor.entries()[0].name, "hinge");
  EXPECT_EQ(monitor.entries()[0].count, 2);
  EXPECT_EQ(monitor.entries()[1].what, LimitKind::drift_angle);
  EXPECT_EQ(monitor.entries()[1].name, "weld");
  EXPECT_EQ(monitor.entries()[1].joint, 1);
}

TEST_F(LimitMonitorTest, EnergyErrorIsComparedWithTheEnergyOfTheRun) {
  report.potential_energy = -3.0;
  LimitMonitor monitor = make_monitor();
  report.kinetic_energy = 4.0;
  report.potential_energy = -9.0;
  report.energy_error = -0.49;  // of 4 + 6
  EXPECT_FALSE(step(monitor));
  report.kinetic_energy = 1.0;
  report.potential_energy = -5.0;
  EXPECT_FALSE(step(monitor)) << "the energy of the run is the largest so far";
  report.energy_error = 0.51;
  EXPECT_TRUE(step(monitor));
  ASSERT_EQ(monitor.entries().size(), 1U);
  EXPECT_EQ(monitor.entries()[0].what, LimitKind::energy);
  EXPECT_EQ(monitor.entries()[0].name, "");
  EXPECT_DOUBLE_EQ(monitor.entries()[0].worst, 0.051);
  LimitMonitor other = make_monitor();
  report.work = -100.0;
  EXPECT_FALSE(step(other)) << "a motor's work counts, too: 0.51 J of 100 J";
  report.energy_error = 5.1;
  EXPECT_TRUE(step(other));
}

TEST_F(LimitMonitorTest, EnergyThatContactsMakeIsSummedAndNamedByTheFirstStepThatPasses) {
  LimitMonitor monitor = make_monitor();
  report.kinetic_energy = 10.0;
  report.contact_work = {0.2, 0.0, 1.0, 0.2, 0, 1};
  EXPECT_FALSE(step(monitor));
  EXPECT_FALSE(step(monitor)) << "0.4 of 10 J";
  report.contact_work = {0.2, 0.0, 1.0, 0.2, 0, 2};
  state.step = 3;
  EXPECT_TRUE(step(monitor));
  report.contact_work = {};
  state.step = 4;
  EXPECT_TRUE(step(monitor)) << "what was made stays";
  ASSERT_EQ(monitor.entries().size(), 1U);
  const LimitEntry& entry = monitor.entries()[0];
  EXPECT_EQ(entry.what, LimitKind::contact_energy);
  EXPECT_EQ(entry.body_a, 0);
  EXPECT_EQ(entry.body_b, 2);
  EXPECT_EQ(entry.first_time, 3.0);
  EXPECT_EQ(entry.first_step, 3);
  EXPECT_EQ(entry.count, 2);
  EXPECT_DOUBLE_EQ(entry.worst, 0.06);
  EXPECT_EQ(entry.limit, 0.05);
  LimitMonitor off = make_monitor({.contact_energy = std::numeric_limits<double>::infinity()});
  report.contact_work = {5.0, 0.0, 1.0, 5.0, 0, 1};
  EXPECT_FALSE(step(off));
  LimitMonitor resumed = make_monitor();
  resumed.restore(monitor.to_bytes(), state);
  EXPECT_EQ(resumed.entries(), monitor.entries());
  report.contact_work = {0.3, 0.0, 1.0, 0.3, 1, 2};
  EXPECT_TRUE(step(resumed));
  EXPECT_EQ(resumed.entries()[0].count, 3);
  EXPECT_NEAR(resumed.entries()[0].worst, 0.09, 1e-15) << "the sum goes on";
  EXPECT_EQ(resumed.entries()[0].body_b, 2);
}

// Contacts that are springs give back what they took: no more than that is none that they make.
TEST_F(LimitMonitorTest, EnergyThatContactsTookMayComeBack) {
  LimitMonitor monitor = make_monitor();
  report.kinetic_energy = 10.0;
  for (const double made : {-3.0, 2.0, -1.0, 2.0}) {
    report.contact_work.made = made;
    EXPECT_FALSE(step(monitor));
  }
  report.contact_work.made = 0.6;
  EXPECT_TRUE(step(monitor));
  EXPECT_DOUBLE_EQ(monitor.entries()[0].worst, 0.06);
}

// The first step puts right what the scene begins with; what later steps put in is the run's.
TEST_F(LimitMonitorTest, OverlapsOfTheStartAreNoEnergyOfContacts) {
  LimitMonitor monitor = make_monitor();
  report.kinetic_energy = 10.0;
  for (const double sum : {4.0, 4.3}) {
    report.projection_energy = sum;
    ++state.step;
    EXPECT_FALSE(step(monitor));
  }
  LimitMonitor resumed = make_monitor();
  resumed.restore(monitor.to_bytes(), state);
  report.projection_energy = 4.6;
  ++state.step;
  EXPECT_TRUE(step(resumed));
  EXPECT_NEAR(resumed.entries()[0].worst, 0.06, 1e-15);
  EXPECT_EQ(resumed.entries()[0].what, LimitKind::contact_energy);
}

// A constant force from rest: E ~ t^2, with an error of half a step's growth.
TEST_F(LimitMonitorTest, AStartFromRestIsJudgedByTheEnergyOfTheWholeRun) {
  LimitMonitor monitor = make_monitor();
  for (int n = 1; n <= 100; ++n) {
    report.work = report.kinetic_energy = 1e-3 * n * n;
    report.energy_error = 1.02e-3 * n;
    EXPECT_FALSE(step(monitor)) << n;
    EXPECT_TRUE(monitor.new_entries().empty());
    EXPECT_TRUE(monitor.entries().empty());
    const std::vector<LimitEntry> entries = monitor.entries_of_ended();
    ASSERT_EQ(entries.size(), n <= 20 ? 1U : 0U) << n;
    if (n <= 20) {
      EXPECT_NEAR(entries[0].worst, 1.02 / n, 1e-12);
      EXPECT_EQ(entries[0].count, n);
    }
  }
}

// Forces that set in gently: E ~ t^k, with an error of a whole step's growth.
TEST_F(LimitMonitorTest, AStartByAnyPowerOfTimeIsQuiet) {
  for (const int power : {1, 2, 4, 8}) {
    report.work = report.kinetic_energy = report.energy_error = 0.0;
    LimitMonitor monitor = make_monitor();
    double before = 0.0;  // [J]
    for (int n = 1; n <= 400; ++n) {
      const double energy = 1e-6 * std::pow(n, power);
      report.work = report.kinetic_energy = energy;
      report.energy_error = energy - before;
      EXPECT_FALSE(step(monitor)) << n << ", power " << power;
      before = energy;
    }
    EXPECT_TRUE(monitor.entries_of_ended().empty()) << power;
  }
}

// The first of very short steps have less energy than the round-off of positions may come to.
TEST_F(LimitMonitorTest, AStartBelowRoundOffIsQuiet) {
  LimitMonitor monitor = make_monitor();
  for (int n = 1; n <= 400; ++n) {
    report.work = report.kinetic_energy = 1e-9 * n * n;
    report.energy_error = 1e-9 * n;
    EXPECT_FALSE(step(monitor)) << n;
  }
  EXPECT_TRUE(monitor.entries_of_ended().empty());
}

// What error there is of the first step alone may be many times the energy that there is then.
TEST_F(LimitMonitorTest, AnErrorOfTheFirstStepIsQuietWhereEnergyOutgrowsIt) {
  LimitMonitor monitor = make_monitor();
  report.energy_error = 0.05;
  for (int n = 1; n <= 100; ++n) {
    report.work = report.kinetic_energy = 1e-3 * n * n;
    EXPECT_FALSE(step(monitor)) << n;
  }
  EXPECT_TRUE(monitor.entries_of_ended().empty());
}

// Energy that grows without a cause: all of it that is new is the error. However fast it grows, it never pauses.
TEST_F(LimitMonitorTest, ARunThatBlowsUpIsToldOfWhileItDoes) {
  for (const double growth : {0.005, 0.1, 1.0, 5.0, 1e2}) {
    for (const double initial : {0.0, 1.0}) {  // [J] kinetic energy, else potential energy that is released
      report.kinetic_energy = initial;
      report.energy_error = 0.0;
      LimitMonitor monitor = make_monitor();
      double energy = 1.0;  // [J]
      bool is_told = false;
      int n = 0;
      for (; n < 100 && !is_told; ++n) {
        energy *= 1.0 + growth;
        report.kinetic_energy = energy;
        report.energy_error = energy - 1.0;
        is_told = step(monitor);
        EXPECT_EQ(is_told, monitor.new_entries().size() == 1);
      }
      EXPECT_TRUE(is_told) << growth;
      if (growth >= 1.0) {
        EXPECT_LT(n, 15) << growth;
      }
    }
  }
}

TEST_F(LimitMonitorTest, AnEnergyErrorAfterTheStartCountsOnceGrowthHasPaused) {
  LimitMonitor monitor = make_monitor();
  for (int n = 1; n <= 10; ++n) {
    report.kinetic_energy = n * n;
    report.energy_error = 0.06 * n * n;
    EXPECT_FALSE(step(monitor)) << n;
  }
  for (int n = 1; n < 10; ++n) EXPECT_FALSE(step(monitor)) << n;
  EXPECT_TRUE(step(monitor));
  ASSERT_EQ(monitor.new_entries().size(), 1U);
  EXPECT_EQ(monitor.entries()[0].first_time, 1.0);
  EXPECT_EQ(monitor.entries()[0].count, 20) << "the energy never grew beyond all error so far";
  EXPECT_NEAR(monitor.entries()[0].worst, 0.06, 1e-15);
  EXPECT_TRUE(step(monitor));
  EXPECT_TRUE(monitor.new_entries().empty());
}

// A warning that the end denied would be none.
TEST_F(LimitMonitorTest, AnEnergyErrorThatWasToldStays) {
  LimitMonitor monitor = make_monitor();
  report.kinetic_energy = 100.0;
  report.energy_error = 6.0;
  while (!step(monitor)) ASSERT_LT(steps, 10);
  const LimitEntry told = monitor.new_entries()[0];
  EXPECT_EQ(told.worst, 0.06);
  LimitMonitor resumed = make_monitor();
  resumed.restore(monitor.to_bytes(), state);
  report.work = 121.0;
  for (LimitMonitor* each : {&monitor, &resumed}) {
    EXPECT_FALSE(step(*each)) << "6 J of 121 J";
    EXPECT_EQ(each->entries(), std::vector{told});
    EXPECT_EQ(each->entries_of_ended(), std::vector{told});
  }
  report.energy_error = 12.1;
  for (LimitMonitor* each : {&monitor, &resumed}) {
    EXPECT_TRUE(step(*each));
    EXPECT_TRUE(each->new_entries().empty()) << "it is no news";
    EXPECT_EQ(each->entries()[0].count, told.count + 1);
    EXPECT_DOUBLE_EQ(each->entries()[0].worst, 0.1);
  }
}

// Forces that hold each other have no energy, but round-off.
TEST_F(LimitMonitorTest, ALoadAtRestHasRoundOff) {
  const double weights = 2.0 * 10.0 * (0.2 + 2.0);  // [J]
  for (const double force : {0.0, 1e6}) {
    LimitMonitor monitor = make_monitor();
    report.step = 1e-3;
    report.contacts[kSmall].percussion[0] = force * report.step;
    report.energy_error = 0.0;
    step(monitor);
    report.energy_error = 0.049 * 1e-8 * std::max(weights, 0.2 * force);
    step(monitor);
    EXPECT_TRUE(monitor.entries().empty()) << force;
    report.energy_error = 0.051 * 1e-8 * std::max(weights, 0.2 * force);
    EXPECT_TRUE(step(monitor)) << force;
  }
}

// Dry friction, loads and inputs hold each other, too: each has the same round-off alone, without gravity.
TEST(LimitMonitor, WhatHoldsABodyHasRoundOff) {
  SystemBuilder builder(true, Vector3::Zero());
  builder.add_body(make_body("wall", BodyType::fixed, HalfSpace{}));
  builder.add_body(make_body("ball", BodyType::planar, Sphere{0.1}));
  JointOptions hinge;
  hinge.name = "hinge";
  hinge.second = 1;
  hinge.friction = 1e9;
  builder.add_joint(hinge);
  Force force;
  force.name = "brake";
  DryFriction brake;
  brake.second = 1;
  brake.bound = 1e9;
  force.law = brake;
  builder.add_force(force);
  Load load;
  load.body = 1;
  load.force[0] = Expression::parse("t > 9 ? 3 : 0");
  load.force[1] = Expression::parse("t > 9 ? 4 : 0");
  load.torque[2] = Expression::parse("t > 11 ? 1 : 0");
  force.name = "push";
  force.law = load;
  builder.add_force(force);
  const System system = builder.build();
  ASSERT_EQ(system.dry_frictions().size(), 2U);
  State state;
  state.q = state.u = Vector::Zero(3);
  StepReport report;
  report.joints.resize(1);
  const auto expect_load = [&](double expected, double t) {  // [N m], [s]
    report.t = state.t = t;
    report.energy_error = 0.0;
    for (const bool is_beyond : {false, true}) {
      LimitMonitor monitor(system, {}, state, report);
      report.energy_error = (is_beyond ? 0.051 : 0.049) * 1e-8 * expected;
      EXPECT_EQ(monitor.examine(state, report), is_beyond) << expected << " N m, at " << t << " s";
    }
  };
  expect_load(5.0 * 0.2, 10.0);
  expect_load(5.0 * 0.2 + 1.0, 12.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  report.dry_frictions = {7.0, nan};
  expect_load(7.0, 1.0);  // of the hinge, a torque
  report.dry_frictions = {nan, 7.0};
  expect_load(7.0 * 0.2, 1.0);
  report.dry_frictions.clear();
  state.inputs.set_force(system, 1, Vector3(0, -30, 0), Vector3(0, 0, -2));
  expect_load(30.0 * 0.2 + 2.0, 1.0);
  state.inputs.clear();
  state.inputs.set_effort(system, 0, -6.0);
  expect_load(6.0, 1.0);
}

// 4 kg at heights of no motion: what is left at rest is below 1e-8 of weight times distance.
TEST_F(LimitMonitorTest, RoundOffAtRestIsNoEnergyError) {
  state.q << 100, 0, 0, 100, 0, 0;
  LimitMonitor monitor = make_monitor();
  report.kinetic_energy = 1e-14;
  report.potential_energy = 1e-11;
  report.energy_error = 1e-11;
  EXPECT_FALSE(step(monitor));
  const double weights = 2.0 * 10.0 * (100.2 + 102.0);  // [J]
  report.energy_error = 0.049 * 1e-8 * weights;
  EXPECT_FALSE(step(monitor));
  report.energy_error = 0.051 * 1e-8 * weights;
  EXPECT_TRUE(step(monitor));
}

TEST_F(LimitMonitorTest, InfinitySwitchesOff) {
  const double inf = std::numeric_limits<double>::infinity();
  LimitMonitor monitor = make_monitor({inf, inf, inf, false});
  penetrate(kSmall, 1e9);
  penetrate(kHigh, 1e9);
  report.joints[0].drift_position = report.drift_position = 1e9;
  report.energy_error = 1e9;
  EXPECT_FALSE(step(monitor));
  report.energy_error = inf;
  EXPECT_TRUE(step(monitor)) << "but for what is not finite";
  EXPECT_EQ(monitor.entries()[0].what, LimitKind::energy);
  EXPECT_EQ(monitor.entries()[0].worst, inf);
}

TEST_F(LimitMonitorTest, ARestoredMonitorGoesOnWithTheSameNumbers) {
  LimitMonitor monitor = make_monitor();
  report.kinetic_energy = 7.0;
  report.potential_energy = 0.1;
  report.energy_error = 1.0;
  report.work = 2.0;
  penetrate(kSmall, 0.03);
  report.joints[1].drift_angle = report.drift_angle = 0.25;
  ASSERT_TRUE(step(monitor));
  ASSERT_EQ(monitor.entries().size(), 2U);
  ASSERT_EQ(monitor.entries_of_ended().size(), 3U) << "the energy has just grown";

  const std::vector<std::byte> bytes = monitor.to_bytes();
  LimitMonitor restored = make_monitor();
  restored.restore(bytes, state);
  EXPECT_TRUE(restored.new_entries().empty());
  EXPECT_EQ(restored.entries(), monitor.entries());
  EXPECT_EQ(restored.entries_of_ended(), monitor.entries_of_ended());
  EXPECT_EQ(restored.to_bytes(), bytes);
  report.kinetic_energy = 0.0;
  report.potential_energy = -0.1;
  penetrate(kLarge, 0.3);
  ASSERT_TRUE(step(monitor));
  ASSERT_TRUE(restored.examine(state, report));
  EXPECT_EQ(restored.entries(), monitor.entries());
  EXPECT_EQ(restored.to_bytes(), monitor.to_bytes());
  EXPECT_EQ(restored.new_entries().size(), 2U) << "the large ball's, and the energy's, which grows no more";

  for (std::size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_THROW(restored.restore(std::span(bytes).first(size), state), InputError);
  }
  // magic, count, kind of the one before the last, that which waits
  for (const std::size_t place : {std::size_t{0}, std::size_t{128}, bytes.size() - 144, bytes.size() - 72}) {
    std::vector<std::byte> damaged = bytes;
    damaged[place] = std::byte{77};
    EXPECT_THROW(restored.restore(damaged, state), InputError) << place;
  }
}

TEST(LimitMonitor, BeyondManyPairsTheOthersAreOneEntry) {
  SystemBuilder builder(true, Vector3(0, -10, 0));
  builder.add_body(make_body("floor", BodyType::fixed, HalfSpace{}));
  const int n = static_cast<int>(LimitMonitor::kMostEntries) + 5;
  for (int i = 1; i <= n; ++i) builder.add_body(make_body("b" + std::to_string(i), BodyType::point, Sphere{0.1}));
  builder.detect_contacts({});
  const System system = builder.build();
  State state;
  state.q = Vector::LinSpaced(system.n_q(), 0.0, 1e4);
  state.u = Vector::Zero(system.n_u());
  StepReport report;
  LimitMonitor monitor(system, {}, state, report);
  for (int i = 1; i <= n; ++i) {
    ContactReport& contact = report.contacts.emplace_back();
    contact.body_b = i;
    contact.gap = -0.02 - 1e-6 * i;
  }
  report.penetration = 0.02 + 1e-6 * n;
  for (report.t = 1.0; report.t < 3.0; report.t += 1.0) EXPECT_TRUE(monitor.examine(state, report));
  ASSERT_EQ(monitor.entries().size(), LimitMonitor::kMostEntries + 1);
  const LimitEntry& others = monitor.entries().back();
  EXPECT_EQ(others.name, "");
  EXPECT_EQ(others.body_b, -1);
  EXPECT_EQ(others.count, 2) << "steps, not pairs";
  EXPECT_EQ(others.worst, report.penetration);
  EXPECT_EQ(describe(others).rfind("penetration of others", 0), 0U);
}

}  // namespace
}  // namespace stickslip
