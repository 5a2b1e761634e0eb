// SPDX-License-Identifier: BSD-3-Clause
// What every scheme must do, with its default options and by what its SchemeTraits announce: a scheme that joins the
// variant SchemeOptions is tested here without another word.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/math/rotation.h"
#include "stickslip/stepping/scheme_options.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

class EveryScheme : public testing::TestWithParam<SchemeOptions> {
 protected:
  static const SchemeTraits& traits() { return scheme_traits(GetParam()); }

  /// [s] The time constant of schemes that relax, several of the largest steps here.
  static constexpr double kDelta = 0.01;

  /// `text` under the scheme, with `options` of it, with steps of h.
  static SceneRun open(const std::string& text, double end, double h, const std::string& options = "") {
    std::ostringstream scene;
    scene.precision(17);
    scene << "stickslip = 1\nscheme = {type = \"" << traits().name << '"' << (options.empty() ? "" : ", ") << options;
    if (traits().relaxed) scene << ", delta = " << kDelta;
    scene << "}\nsolver = {tolerance = 1e-12}\ntime = {end = " << end << ", step = " << h << "}\n" << text;
    return test::scene_from_text(scene.str());
  }

  static State end_of(const std::string& text, double end, double h) {
    SceneRun run = open(text, end, h);
    run.run();
    return run.state;
  }
};

/// A body with three different moments of inertia that tumbles in free fall.
constexpr const char* kTumbling = R"(
gravity = [0, 0, -9.81]
[bodies.body]
type = "rigid"
mass = 2
inertia = [0.4, 0.5, 0.8]
position = [0, 0, 1]
velocity = [1, 2, 3]
angular_velocity = [0.5, -2, 1]
)";

/// Two bars on a distance joint each, which carry a spring between them: smooth motion under constraints.
constexpr const char* kPendulums = R"(
gravity = [0, -9.81]
[bodies.wall]
type = "fixed"
[bodies.a]
type = "planar"
mass = 1
inertia = 0.3
position = [0, -1]
velocity = [0.5, 0]
[bodies.b]
type = "planar"
mass = 2
inertia = 0.2
position = [1.5, -1.2]
velocity = [-0.3, 0]
[joints.left]
type = "distance"
between = ["wall", "a"]
at_a = [0, 0]
at_b = [0, 0.2]
[joints.right]
type = "distance"
between = ["wall", "b"]
at_a = [1.5, 0]
at_b = [0.1, 0.3]
[forces.spring]
type = "spring"
between = ["a", "b"]
at_a = [0.2, 0]
at_b = [-0.2, 0]
stiffness = 40
rest = 1
)";

/// An arm in space: a swivel with a torsion spring, which goes round and back, a hinged bar on it, and a second one on
/// a universal joint.
constexpr const char* kArmInSpace = R"(
gravity = [0, 0, -9.81]
[bodies.post]
type = "fixed"
[bodies.swivel]
mass = 1
inertia = [0.1, 0.1, 0.2]
angular_velocity = [0, 0, 12]
[bodies.bar]
mass = 1
inertia = [0.02, 0.2, 0.2]
position = [0.5, 0, 0]
velocity = [0, 6, 0]
angular_velocity = [0, 0, 12]
[bodies.tip]
mass = 0.5
inertia = [0.01, 0.05, 0.06]
position = [1.2, 0, 0]
velocity = [0, 14.4, 0]
angular_velocity = [0, 0, 12]
[joints.turn]
type = "revolute"
between = ["post", "swivel"]
at = [0, 0, 0]
axis = [0, 0, 1]
spring = {stiffness = 3, damping = 0.1}
[joints.hinge]
type = "revolute"
between = ["swivel", "bar"]
at = [0.1, 0, 0]
axis = [0, 1, 0]
[joints.cross]
type = "universal"
between = ["bar", "tip"]
at = [1, 0, 0]
axis = [0, 1, 0]
axis2 = [0, 0, 1]
)";

/// A box that is thrown on a floor, bounces, slides and stops, and a ball that spins on it until it rolls.
constexpr const char* kThrown = R"(
gravity = [0, -9.81]
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
[bodies.box]
type = "planar"
mass = 1
inertia = 0.02
position = [0, 0.3]
angle = 0.1
velocity = [1.5, 0]
shapes.hull = {type = "box", size = [0.4, 0.2]}
[bodies.ball]
type = "planar"
mass = 0.5
inertia = 0.002
position = [0.8, 0.1]
velocity = [-1, 0]
angular_velocity = 10
shapes.hull = {type = "sphere", radius = 0.1}
[[contacts]]
name = "box"
between = ["floor", "box"]
friction = 0.4
restitution = {normal = 0.3}
[[contacts]]
name = "ball"
between = ["floor", "ball"]
friction = 0.4
)";

/// The same without restitution, for schemes that have none.
std::string thrown_box(const SchemeTraits& traits) {
  std::string text = kThrown;
  const std::string restitution = "restitution = {normal = 0.3}\n";
  if (traits.relaxed) text.erase(text.find(restitution), restitution.size());
  return text;
}

/// A point that slides on a floor.
constexpr double kSpeed = 1.0;         // [m/s]
constexpr double kDeceleration = 2.5;  // [m/s^2]
constexpr const char* kSliding = R"(
gravity = [0, -10]
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
[bodies.mass]
type = "point"
mass = 3
position = [0, 0]
velocity = [1, 0]
shapes.tip = {type = "point"}
[[contacts]]
name = "contact"
between = ["floor", "mass"]
friction = 0.25
)";

Vector3 angular_momentum(const SceneRun& run) {
  const Vector& q = run.state.q;
  const Vector& u = run.state.u;
  const Vector3 spin = run.built.system->bodies().back().inertia * Vector3(u.segment<3>(3));
  return rotation_matrix<double>(Vector4(q.segment<4>(3))) * spin;
}

TEST_P(EveryScheme, KeepsMomentumInFreeFlight) {
  std::vector<double> errors;
  constexpr double kEnd = 1.0;
  for (const double h : {2e-3, 1e-3}) {
    SceneRun run = open(kTumbling, kEnd, h);
    const Vector3 before = angular_momentum(run);
    run.run();
    errors.push_back((angular_momentum(run) - before).norm() / before.norm());
    EXPECT_LT((run.state.u.head<3>() - Vector3(1.0, 2.0, 3.0 - 9.81 * kEnd)).norm(), 1e-12);
    // The parabola is of second degree.
    const double allowed = traits().order >= 2 ? 1e-11 : 9.81 * kEnd * h;
    EXPECT_NEAR(run.state.q(2), 1.0 + 3.0 * kEnd - 0.5 * 9.81 * kEnd * kEnd, allowed);
    EXPECT_NEAR(run.state.q.segment<4>(3).norm(), 1.0, 1e-14);
  }
  // To round-off, or by the order that is announced.
  constexpr double kRoundOff = 1e-11;
  EXPECT_LT(errors[1], std::max(kRoundOff, errors[0] * 1.2 * std::pow(0.5, traits().order)));
  EXPECT_LT(errors[1], 1e-3);
}

TEST_P(EveryScheme, HasTheOrderThatItAnnounces) {
  for (const char* text : {kPendulums, kArmInSpace}) {
    std::vector<Vector> ends;
    const bool turns = text == kArmInSpace;  // faster: its errors are those of smaller steps
    const double finest = (turns ? 1.25e-4 : 5e-4) * (traits().controls_errors ? 25.0 : 1.0);
    for (const double factor : {8.0, 4.0, 2.0, 1.0}) ends.push_back(end_of(text, turns ? 0.4 : 0.8, factor * finest).q);
    const double coarse = (ends[1] - ends[0]).norm();
    const double middle = (ends[2] - ends[1]).norm();
    const double fine = (ends[3] - ends[2]).norm();
    if (traits().controls_errors) {  // to tolerances of 1e-10, of each of some hundred steps
      EXPECT_LT(std::max({coarse, middle, fine}), 1e-8);
      continue;
    }
    EXPECT_GT(std::log2(coarse / middle), traits().order - 0.15) << coarse << ' ' << middle;
    EXPECT_GT(std::log2(middle / fine), traits().order - 0.1) << middle << ' ' << fine;
    EXPECT_LT(std::log2(middle / fine), traits().order + 0.5) << "it announces too little";
  }
}

TEST_P(EveryScheme, HoldsJoints) {
  for (const char* text : {kPendulums, kArmInSpace}) {
    double of_larger_step = 1.0;
    for (const double h : {2e-3, 1e-3}) {
      SceneRun run = open(text, 1.0, h);
      double drift = 0.0;
      run.run([&](const SceneRun& now) {
        drift = std::max({drift, now.report.drift_position, now.report.drift_angle});
      });
      if (!traits().relaxed) {
        EXPECT_LT(drift, traits().holds_positions ? 1e-10 : 1e-12) << "positions are put right by default";
      } else if (text == kPendulums) {
        // The right bar begins with a velocity along its joint: it gives way by that times t exp(-t/delta).
        const double along = 0.3 * 0.1 / std::hypot(0.1, 0.9);
        EXPECT_LT(drift, 1.001 * along * kDelta / std::numbers::e);
      } else {
        EXPECT_LT(drift, of_larger_step * std::pow(0.5, traits().order - 0.2));
        EXPECT_LT(drift, 1e-6);
        of_larger_step = drift;
      }
    }
  }
}

TEST_P(EveryScheme, LetsJointsDriftByTheStepWherePositionsAreNotPutRight) {
  if (traits().holds_positions || traits().relaxed) GTEST_SKIP() << "has no such choice";
  for (const char* text : {kPendulums, kArmInSpace}) {
    std::vector<double> drifts;
    for (const double h : {2e-3, 1e-3}) {
      SceneRun run = open(text, 1.0, h, "projection = false");
      double drift = 0.0;
      run.run([&](const SceneRun& now) {
        drift = std::max({drift, now.report.drift_position, now.report.drift_angle});
      });
      drifts.push_back(drift);
    }
    // Velocities alone are held: what the joint's curvature makes of a step adds up, and halves with the step. What
    // stabilisation takes back does not add up.
    EXPECT_GT(drifts[1], 1e-9);
    EXPECT_LT(drifts[1], text == kArmInSpace ? 0.2 : 1e-2);
    EXPECT_LT(drifts[1], 0.6 * drifts[0]);
  }
}

TEST_P(EveryScheme, CountsTurnsOfJointsInSpace) {
  SceneRun run = open(kArmInSpace, 1.5, 1e-3);
  double most = 0.0;
  double way = 0.0;
  run.run([&](const SceneRun& now) {
    const JointReport& joint = now.report.joints[0];
    way += 1e-3 * joint.rate;
    most = std::max(most, std::abs(joint.coordinate));
    ASSERT_NEAR(joint.coordinate, way, 0.1);
  });
  constexpr double kTurn = 6.283;  // [rad]
  EXPECT_GT(most, kTurn);
}

TEST_P(EveryScheme, DoesNotPenetrateByMoreThanItAnnounces) {
  for (const double h : {2e-3, 1e-3}) {
    SceneRun run = open(thrown_box(traits()), 1.0, h);
    double deepest = 0.0;
    run.run([&](const SceneRun& now) { deepest = std::max(deepest, now.report.penetration); });
    constexpr double kFastest = 2.0;  // [m/s] of what falls from .3 m
    // All energy of the box in one corner, E = .5 1.5^2 + 9.81 .2: sqrt(2 E W_NN), W_NN = 1 + .2^2/.02.
    constexpr double kCorner = 4.31;  // [m/s]
    const double allowed = traits().relaxed ? kDelta * kCorner / std::numbers::e : h * kFastest;
    EXPECT_LT(deepest, traits().holds_positions ? 1e-10 : allowed) << h;
  }
}

TEST_P(EveryScheme, NeverGainsEnergyFromContacts) {
  constexpr double kGravityInStep = 9.81 * 1e-3;  // [m/s]
  SceneRun run = open(thrown_box(traits()), 1.5, 1e-3);
  const double first = run.report.kinetic_energy + run.report.potential_energy;
  const double dissipated_before = run.report.dissipated;
  double dissipated = dissipated_before;
  run.run([&](const SceneRun& now) {
    const StepReport& r = now.report;
    ASSERT_LT(r.kinetic_energy + r.potential_energy, first + std::abs(r.energy_error) + 1e-12) << r.t;
    ASSERT_LT(std::abs(r.energy_error), 5e-3 * first) << r.t;
    ASSERT_NEAR(r.work, 0.0, 1e-12) << r.t;
    // What falls onto a surface and lands there at less than a step's worth of gravity: its percussion may have taken
    // the momentum of gravity before that worked (docs/moreau.md, energy balance).
    if (traits().relaxed) return;  // contacts give back what they stored
    double landing = 0.0;
    for (const ContactReport& c : r.contacts) {
      const bool lands = c.velocity[0] < -1e-9 && c.velocity[0] > -kGravityInStep;
      if (lands) landing += 0.5 * kGravityInStep * c.percussion[0];
    }
    ASSERT_GT(r.dissipated, dissipated - 1e-9 * first - landing) << r.t;
    dissipated = r.dissipated;
  });
  EXPECT_GT(run.report.dissipated, dissipated_before + 0.3 * first);
}

TEST_P(EveryScheme, StopsASlidingMassWhereItShould) {
  constexpr double kStop = kSpeed / kDeceleration;
  for (const double h : {3e-3, 1.5e-3}) {  // it stops within a step
    SceneRun run = open(kSliding, 0.9, h);
    run.run();
    // By the midpoint of each step, or by its end.
    double allowed = kDeceleration * h * h + (traits().order < 2 ? 0.5 * kSpeed * h : 0.0);
    // From the speed a T on it creeps with time constant T = delta/2 in the place of stopping in T: a T^2 / 2 farther.
    if (traits().relaxed) allowed += 0.5 * kDeceleration * std::pow(0.5 * kDelta, 2);
    EXPECT_NEAR(run.state.q(0), 0.5 * kSpeed * kStop, allowed) << h;
    EXPECT_LT(run.state.u.cwiseAbs().maxCoeff(), 1e-13) << h;
    constexpr double kMass = 3.0;  // [kg]
    const double last =
        kDeceleration * h;  // [m/s] what it loses in a step: the ledger of the last one may miss as much
    EXPECT_NEAR(run.report.dissipated, 0.5 * kMass * kSpeed * kSpeed, 0.5 * kMass * last * last) << h;
  }
}

TEST_P(EveryScheme, RestsWithoutMoving) {
  SceneRun run = open(kSliding, 0.8, 1e-3);
  run.run();
  const Vector q = run.state.q;
  for (int i = 0; i < 200; ++i) ASSERT_EQ(run.step(), Status::ok);
  EXPECT_EQ(run.state.q(0), q(0));
  EXPECT_NEAR(run.state.q(1), q(1), 1e-13);
  EXPECT_NEAR(run.report.contacts[0].percussion[0], 1e-3 * 3.0 * 10.0, 1e-10);
}

TEST_P(EveryScheme, GoesOnFromSavedBytesWithTheSameBits) {
  const std::string thrown = thrown_box(traits());
  for (const std::string& text : {std::string(kTumbling), std::string(kPendulums), std::string(kArmInSpace), thrown}) {
    SceneRun whole = open(text, 1.0, 1e-3);
    // At the start, in flight, before and between the box's impacts (steps 193, 206, 222, 251, 321), and in sliding.
    for (const int stop : {1, 137, 180, 220, 300, 400}) {
      while (whole.state.step < stop) ASSERT_EQ(whole.step(), Status::ok);
      SceneRun anew = open(text, 1.0, 1e-3);
      anew.state = state_from_bytes(to_bytes(whole.state));
      for (int i = 0; i < 40; ++i) {
        ASSERT_EQ(whole.step(), Status::ok);
        ASSERT_EQ(anew.step(), Status::ok);
      }
      EXPECT_EQ(to_bytes(anew.state), to_bytes(whole.state)) << stop;
    }
  }
}

TEST_P(EveryScheme, LeavesTheStateWhereAStepFails) {
  SceneRun run = open(std::string(kSliding) + R"toml([forces.grows]
type = "load"
body = "mass"
force = ["exp(1e5*t)", "0"]
)toml",
                      1.0, 1e-3);
  std::vector<std::byte> before;
  Status status = Status::ok;
  for (int i = 0; i < 20 && status != Status::failed; ++i) {
    before = to_bytes(run.state);
    status = run.step();
  }
  ASSERT_EQ(status, Status::failed);
  EXPECT_EQ(to_bytes(run.state), before);
  EXPECT_FALSE(run.report.message.empty());
}

TEST_P(EveryScheme, RefusesWhatItDoesNotKnow) {
  const std::string name(traits().name);
  const auto load = [](const std::string& scheme, const std::string& step) {
    return test::scene_from_text("stickslip = 1\nscheme = {" + scheme + "}\ntime = {end = 1, step = " + step + "}\n" +
                                 kSliding);
  };
  try {
    load("type = \"" + name + "\", mistyped = 1", "1e-3");
    FAIL() << "an unknown key was taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("mistyped"), std::string::npos) << error.what();
  }
  EXPECT_THROW(load("type = \"" + name + "x\"", "1e-3"), InputError);
  if (traits().automatic_steps) {
    EXPECT_NO_THROW(load("type = \"" + name + "\"", "\"auto\""));
  } else {
    EXPECT_THROW(load("type = \"" + name + "\"", "\"auto\""), InputError);
  }
}

TEST_P(EveryScheme, DoesWhatItsTraitsSay) {
  SceneRun run = open(kSliding, 1.0, 1e-3);
  EXPECT_EQ(run.built.stepper->name(), traits().name);
  EXPECT_EQ(run.built.stepper->estimates_errors(), traits().automatic_steps);
  ASSERT_EQ(run.step(), Status::ok);
  EXPECT_EQ(run.built.stepper->knows_accelerations(), !std::isnan(run.report.a(0)));
}

INSTANTIATE_TEST_SUITE_P(Schemes, EveryScheme, testing::ValuesIn(all_schemes()), [](const auto& scheme) {
  std::string name(scheme_traits(scheme.param).name);
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
});

}  // namespace
}  // namespace stickslip
