// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/stepping/pass_finder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stickslip {
namespace {

constexpr double kPassStep = 1e-3;     // [s]
constexpr double kPenetration = 0.05;  // [-] of a ball's diameter

Shape at(ShapeGeometry geometry, const Vector3& position = Vector3::Zero()) {
  Shape shape;
  shape.geometry = std::move(geometry);
  shape.position = position;
  return shape;
}

Body make_body(BodyType type, std::vector<Shape> shapes) {
  Body body;
  body.name = "a";
  body.type = type;
  body.mass = 1.0;
  body.inertia = Matrix3::Identity();
  body.shapes = std::move(shapes);
  return body;
}

/// Two bodies and the passes of one step between two states.
class TwoBodies {
 public:
  TwoBodies(bool planar, bool named, Body a, Body b)
      : system_(make_system(planar, named, std::move(a), std::move(b))),
        sizes_(system_),
        finder_(system_, sizes_, kPenetration) {}

  System& system() { return system_; }

  /// The velocities are those of the way unless given.
  std::vector<Pass> find(const Vector& q0, const Vector& q1, const StepReport& report = {}) {
    const Vector still = Vector::Zero(system_.n_u());
    return find(q0, still, q1, still, report);
  }
  std::vector<Pass> find(const Vector& q0, const Vector& u0, const Vector& q1, const Vector& u1,
                         const StepReport& report = {}) {
    State state;
    state.t = 1.0;
    state.q = q0;
    state.u = u0;
    finder_.begin(state);
    state.t += kPassStep;
    state.q = q1;
    state.u = u1;
    std::vector<Pass> passes;
    finder_.find(state, report, passes);
    return passes;
  }

 private:
  static System make_system(bool planar, bool named, Body a, Body b) {
    b.name = "b";
    SystemBuilder builder(planar, Vector3::Zero());
    builder.add_body(std::move(a));
    builder.add_body(std::move(b));
    if (named) {
      ContactPairOptions pair;
      pair.name = "pair";
      pair.second = 1;
      builder.add_contact(pair);
    } else {
      builder.detect_contacts({});
    }
    return builder.build();
  }

  System system_;
  BodySizes sizes_;
  PassFinder finder_;
};

/// Discs of radius .1 and .01.
TwoBodies ball_and_bullet(bool named) {
  return {true, named, make_body(BodyType::planar, {at(Sphere{0.1})}), make_body(BodyType::planar, {at(Sphere{0.01})})};
}

Vector planar_q(const Vector3& a, const Vector3& b) {
  Vector q(6);
  q << a, b;
  return q;
}

TEST(PassFinder, ABulletThroughABallIsSeen) {
  for (const bool named : {true, false}) {
    TwoBodies bodies = ball_and_bullet(named);
    const auto passes = bodies.find(planar_q({0, 0, 0}, {-0.5, 0.03, 0}), planar_q({0, 0, 0}, {0.5, 0.03, 0}));
    ASSERT_EQ(passes.size(), 1U);
    EXPECT_EQ(passes[0].body_a, 0);
    EXPECT_EQ(passes[0].body_b, 1);
    EXPECT_NEAR(passes[0].depth, 0.11 - 0.03, 1e-15);
  }
}

TEST(PassFinder, AHairDecides) {
  for (const bool named : {true, false}) {
    TwoBodies bodies = ball_and_bullet(named);
    constexpr double kHair = 1e-9;  // [m]
    const auto fly_by = [&bodies](double y) {
      return bodies.find(planar_q({0, 0, 0}, {-0.5, y, 0}), planar_q({0, 0, 0}, {0.5, y, 0})).size();
    };
    EXPECT_EQ(fly_by(0.11 + kHair), 0U);
    EXPECT_EQ(fly_by(-0.11 - kHair), 0U);
    EXPECT_EQ(fly_by(0.11 - kHair), 1U);
    EXPECT_EQ(fly_by(-0.11 + kHair), 1U);
  }
}

TEST(PassFinder, PathsThatCrossAtDifferentInstantsDoNotMeet) {
  for (const bool named : {true, false}) {
    TwoBodies bodies = ball_and_bullet(named);
    // Both ways lead through the origin: of the ball at the start of the step, of the bullet at its end.
    EXPECT_TRUE(bodies.find(planar_q({-0.1, 0, 0}, {0, -0.9, 0}), planar_q({0.9, 0, 0}, {0, 0.1, 0})).empty());
    // At the same instant.
    EXPECT_EQ(bodies.find(planar_q({-0.5, 0, 0}, {0, -0.5, 0}), planar_q({0.5, 0, 0}, {0, 0.5, 0})).size(), 1U);
    // Side by side, however fast.
    EXPECT_TRUE(bodies.find(planar_q({0, 0, 0}, {0, 0.2, 0}), planar_q({1e3, 0, 0}, {1e3, 0.2, 0})).empty());
  }
}

TEST(PassFinder, WhatTouchesAtAnEndOrWasActedOnIsLeftToTheContact) {
  TwoBodies bodies = ball_and_bullet(true);
  EXPECT_TRUE(bodies.find(planar_q({0, 0, 0}, {-0.5, 0, 0}), planar_q({0, 0, 0}, {0.05, 0, 0})).empty());
  EXPECT_TRUE(bodies.find(planar_q({0, 0, 0}, {-0.05, 0, 0}), planar_q({0, 0, 0}, {0.5, 0, 0})).empty());
  StepReport report;
  report.contacts.resize(1);
  report.contacts[0].body_a = 1;
  report.contacts[0].body_b = 0;
  EXPECT_EQ(bodies.find(planar_q({0, 0, 0}, {-0.5, 0, 0}), planar_q({0, 0, 0}, {0.5, 0, 0}), report).size(), 1U);
  report.contacts[0].percussion[0] = 1e-3;
  EXPECT_TRUE(bodies.find(planar_q({0, 0, 0}, {-0.5, 0, 0}), planar_q({0, 0, 0}, {0.5, 0, 0}), report).empty());
}

// Balls of radius .1 pass by with a way of .15, less than the sum of the radii.
TEST(PassFinder, AGrazeWithinTheLimitOfPenetrationIsNoPass) {
  for (const bool named : {true, false}) {
    TwoBodies bodies(true, named, make_body(BodyType::planar, {at(Sphere{0.1})}),
                     make_body(BodyType::planar, {at(Sphere{0.1})}));
    const auto fly_by = [&bodies](double y) {
      return bodies.find(planar_q({0, 0, 0}, {-0.075, y, 0}), planar_q({0, 0, 0}, {0.075, y, 0})).size();
    };
    EXPECT_EQ(fly_by(0.2 - 0.99 * kPenetration * 0.2), 0U);
    EXPECT_EQ(fly_by(0.2 - 1.01 * kPenetration * 0.2), 1U);
  }
}

// On a circle of radius R + gap about the ball: the chord cuts the ball, the path does not.
TEST(PassFinder, ACurvedPathIsNotItsChord) {
  TwoBodies bodies = ball_and_bullet(true);
  const double radius = 0.1101;  // [m]
  const double angle = 0.2;      // [rad] a step
  constexpr double kLimit = kPenetration * 0.02;
  ASSERT_GT(0.11 - radius * std::cos(0.5 * angle), 0.0);
  ASSERT_LT(0.11 - radius * std::cos(0.5 * angle), kLimit);
  const auto state_at = [&](double phi) {
    return planar_q({0, 0, 0}, {radius * std::cos(phi), radius * std::sin(phi), 0});
  };
  const auto velocity_at = [&](double phi) {
    const double v = radius * angle / kPassStep;
    return planar_q({0, 0, 0}, {-v * std::sin(phi), v * std::cos(phi), 0});
  };
  EXPECT_TRUE(bodies.find(state_at(0), velocity_at(0), state_at(angle), velocity_at(angle)).empty());
  // As far round that the chord would be beyond the limit.
  const double far = 1.2;
  ASSERT_GT(0.11 - radius * std::cos(0.5 * far), kLimit);
  const auto fast = [&](double phi) { return Vector(velocity_at(phi) * far / angle); };
  EXPECT_TRUE(bodies.find(state_at(0), fast(0), state_at(far), fast(far)).empty());
  EXPECT_EQ(bodies.find(state_at(0), state_at(far)).size(), 1U) << "straight";
}

TEST(PassFinder, BrakingAlongTheWayDoesNotHideAPass) {
  TwoBodies bodies = ball_and_bullet(true);
  const Vector from = planar_q({0, 0, 0}, {-0.5, 0, 0});
  const Vector to = planar_q({0, 0, 0}, {0.5, 0, 0});
  const Vector still = Vector::Zero(6);
  EXPECT_EQ(bodies.find(from, planar_q({0, 0, 0}, {1000, 0, 0}), to, still).size(), 1U);
  EXPECT_TRUE(bodies.find(from, planar_q({0, 0, 0}, {0, 1000, 0}), to, still).empty()) << "it may have gone round";
}

TEST(PassFinder, AnOverlapWithinTheLimitIsApart) {
  for (const bool named : {true, false}) {
    TwoBodies bodies = ball_and_bullet(named);
    const auto pass_from = [&bodies](double x0, double x1) {
      return bodies.find(planar_q({0, 0, 0}, {x0, 0, 0}), planar_q({0, 0, 0}, {x1, 0, 0})).size();
    };
    constexpr double kLimit = kPenetration * 0.02;
    EXPECT_EQ(pass_from(-0.11, 0.11), 1U);
    EXPECT_EQ(pass_from(-0.11 + 0.99 * kLimit, 0.5), 1U);
    EXPECT_EQ(pass_from(-0.11 + 1.01 * kLimit, 0.5), 0U) << "a penetration";
    EXPECT_EQ(pass_from(-0.5, 0.11 - 0.99 * kLimit), 1U);
    // A touching bullet slides off.
    EXPECT_TRUE(bodies.find(planar_q({0, 0, 0}, {-1e-5, 0.1099, 0}), planar_q({0, 0, 0}, {0.5, 0.1099, 0})).empty());
  }
}

// Two balls of one body: the one pressed against the other body's ball, the other flies through it.
TEST(PassFinder, APercussionOfAnotherBallHidesNoPass) {
  TwoBodies bodies(true, false, make_body(BodyType::planar, {at(Sphere{0.1})}),
                   make_body(BodyType::planar, {at(Sphere{0.01}, {0, 0.3, 0}), at(Sphere{0.01})}));
  const Vector from = planar_q({0, 0, 0}, {-0.5, 0, 0});
  const Vector to = planar_q({0, 0, 0}, {0.5, 0, 0});
  StepReport report;
  report.contacts.resize(1);
  ContactReport& contact = report.contacts[0];
  contact.contact = kDetected;
  contact.body_b = 1;
  contact.percussion[0] = 1.0;
  const auto id_of = [](int sphere, int ball) { return System::make_contact_id(sphere, ball, 0); };
  contact.id = id_of(0, 1);
  EXPECT_EQ(bodies.find(from, to, report).size(), 1U);
  for (const ElementId id : {id_of(0, 2), id_of(2, 0)}) {
    contact.id = id;
    EXPECT_TRUE(bodies.find(from, to, report).empty());
  }
}

TEST(PassFinder, PointsPassBallsAndEachOther) {
  const auto point = [] { return make_body(BodyType::planar, {at(PointShape{})}); };
  TwoBodies with_ball(true, false, make_body(BodyType::planar, {at(Sphere{0.1})}), point());
  EXPECT_EQ(with_ball.find(planar_q({0, 0, 0}, {-1, 0.09, 0}), planar_q({0, 0, 0}, {1, 0.09, 0})).size(), 1U);
  EXPECT_EQ(with_ball.find(planar_q({0, 0, 0}, {-1, 0.11, 0}), planar_q({0, 0, 0}, {1, 0.11, 0})).size(), 0U);
  TwoBodies points(true, false, point(), point());
  EXPECT_TRUE(points.find(planar_q({0, 0, 0}, {-1, 0, 0}), planar_q({0, 0, 0}, {1, 0, 0})).empty());
}

// A body that only turns swings a ball on an arm past another one.
TEST(PassFinder, ATurningBodySwingsItsBalls) {
  TwoBodies bodies(true, false, make_body(BodyType::planar, {at(Sphere{0.05}, {1, 0, 0})}),
                   make_body(BodyType::planar, {at(Sphere{0.05})}));
  const double angle = 0.4;
  const Vector3 middle(std::cos(0.5 * angle), std::sin(0.5 * angle), 0.0);
  const Vector3 on_chord = middle * std::cos(0.5 * angle);
  EXPECT_EQ(bodies.find(planar_q({0, 0, 0}, on_chord), planar_q({0, 0, angle}, on_chord)).size(), 1U);
  EXPECT_EQ(bodies.find(planar_q({0, 0, 0}, 1.15 * middle), planar_q({0, 0, angle}, 1.15 * middle)).size(), 0U);
}

TEST(PassFinder, PrescribedMotionsPassToo) {
  Body hammer = make_body(BodyType::moving, {at(Sphere{0.1})});
  hammer.motion.emplace();
  hammer.motion->position = {Expression::parse("1000*(t - 1.0005)"), Expression::parse("0"), Expression::parse("0")};
  TwoBodies bodies(true, false, std::move(hammer), make_body(BodyType::planar, {at(Sphere{0.01})}));
  const Vector still = Vector::Zero(3);
  EXPECT_EQ(bodies.find(still, still).size(), 1U);
  const Vector aside = Vector3(0, 0.2, 0);
  EXPECT_EQ(bodies.find(aside, aside).size(), 0U);
}

/// Balls on arms of two rigid bodies, anywhere, against positions at many instants.
TEST(PassFinder, AgreesWithLookingAtManyInstants) {
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  const Vector3 arm(0.1, -0.2, 0.3);
  TwoBodies bodies(false, false, make_body(BodyType::rigid, {at(Sphere{0.3}, arm)}),
                   make_body(BodyType::rigid, {at(Sphere{0.2}, -arm), at(Sphere{0.1})}));
  int found = 0, missed = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Vector q[2] = {Vector(14), Vector(14)};
    for (Vector& x : q) {
      for (double& each : x) each = u(generator);
      bodies.system().normalize_quaternions(x);
    }
    const auto center = [&](int end, int body, const Vector3& local) {
      const Pose pose = bodies.system().calc_pose(body, 0.0, q[end]);
      return Vector3(pose.p_WB + pose.R_WB * local);
    };
    bool expected = false;
    bool unclear = false;  // by less than instants are apart
    for (const auto& [local, radius] : {std::pair(Vector3(-arm), 0.2), std::pair(Vector3(0, 0, 0), 0.1)}) {
      const Vector3 s0 = center(0, 1, local) - center(0, 0, arm);
      const Vector3 s1 = center(1, 1, local) - center(1, 0, arm);
      double nearest = 1e9;
      for (int i = 0; i <= 1000; ++i) nearest = std::min(nearest, (s0 + 1e-3 * i * (s1 - s0)).norm());
      const double radii = 0.3 + radius;
      const double depth = radii - nearest;
      const double limit = kPenetration * 0.6;
      const double nearest_end = std::min(s0.norm(), s1.norm());
      const bool touch = nearest_end <= radii;
      const bool graze = (s1 - s0).norm() < radii;
      const bool apart = nearest_end > radii - (graze ? 0.0 : limit);
      const double least = graze || touch ? limit : 0.0;
      unclear |= apart && std::abs(depth - least) < 1e-5;
      expected |= apart && depth > least;
    }
    if (unclear) continue;
    EXPECT_EQ(!bodies.find(q[0], q[1]).empty(), expected) << trial;
    ++(expected ? found : missed);
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(missed, 100);
}

/// A pair that took no part in a step's events is judged by its chord; what did, or is tied to that, is not.
TEST(PassFinder, EventsOfOthersHideNothing) {
  SystemBuilder builder(true, Vector3::Zero());
  for (const char* name : {"a", "b", "c", "d"}) {
    Body body = make_body(BodyType::planar, {at(Sphere{name[0] == 'a' ? 0.1 : 0.01})});
    body.name = name;
    builder.add_body(std::move(body));
  }
  for (const auto& [first, second] : {std::pair(0, 1), std::pair(2, 3), std::pair(1, 2)}) {
    ContactPairOptions pair;
    pair.name = std::string("pair") + static_cast<char>('0' + first);
    pair.first = first;
    pair.second = second;
    builder.add_contact(pair);
  }
  const System system = builder.build();
  const BodySizes sizes(system);
  PassFinder finder(system, sizes, kPenetration);
  State state;
  state.t = 0.0;
  state.u = Vector::Zero(system.n_u());
  state.q.resize(12);
  StepReport report;
  const auto find = [&] {
    state.q << 0, 0, 0, -0.5, 0.03, 0, 5, 0, 0, 5, 1, 0;
    finder.begin(state);
    state.q(3) = 0.5;
    std::vector<Pass> passes;
    finder.find(state, report, passes);
    return passes.size();
  };
  EXPECT_EQ(find(), 1U);
  report.events = {{0.0, EventKind::impact, 1, -1}};
  EXPECT_EQ(find(), 1U);
  report.contacts.resize(1);
  report.contacts[0].contact = 2;
  report.contacts[0].body_a = 1;
  report.contacts[0].body_b = 2;
  report.contacts[0].percussion[0] = 1.0;
  EXPECT_EQ(find(), 0U);
  report.contacts.clear();
  report.events[0].contact = 0;
  EXPECT_EQ(find(), 0U);
}

}  // namespace
}  // namespace stickslip
