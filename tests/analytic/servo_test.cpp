// SPDX-License-Identifier: BSD-3-Clause
// Servos, inputs by name and limits of efforts against closed forms, under the schemes that take them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "stickslip/base/input_error.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;

test::SceneRun open_with(const std::string& scheme, const std::string& text, double end, double step) {
  return test::scene_from_text("stickslip = 1\ntime = {end = " + std::to_string(end) +
                               ", step = " + std::to_string(step) + "}\nscheme = {type = \"" + scheme + "\"}\n" + text);
}

class Servos : public testing::TestWithParam<std::string> {
 protected:
  test::SceneRun open(const std::string& text, double end, double step) const {
    return open_with(GetParam(), text, end, step);
  }
};

std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

/// A weight of 2 kg on a vertical slide, its coordinate upwards.
std::string lift(const std::string& joint) {
  return R"toml(
[bodies.ground]
type = "fixed"
[bodies.weight]
type = "planar"
mass = 2
inertia = 0.1
[joints.slide]
type = "prismatic"
between = ["ground", "weight"]
at = [0, 0]
axis = [0, 1]
)toml" + joint;
}

/// A body on a slide without gravity.
std::string slide(const std::string& joint) {
  return R"toml(
gravity = [0, 0]
[bodies.ground]
type = "fixed"
[bodies.cart]
type = "planar"
mass = 1
inertia = 0.1
[joints.slide]
type = "prismatic"
between = ["ground", "cart"]
at = [0, 0]
axis = [1, 0]
)toml" + joint;
}

TEST_P(Servos, HoldALoadExactlyAtAnyGain) {
  for (const double gain : {1.0, 1e4, 1e8, 1e12}) {
    // One at its place of rest, one that comes to rest.
    const std::string at_rest = "servo = {type = \"position\", stiffness = " + number_text(gain) +
                                ", target = " + number_text(2.0 * kGravity / gain) + "}\n";
    const std::string comes = "servo = {type = \"position\", stiffness = " + number_text(gain) +
                              ", damping = " + number_text(2.0 * std::sqrt(2.0 * gain)) + ", target = 0}\n";
    for (const std::string& servo : {at_rest, comes}) {
      if (gain == 1.0 && servo == comes) continue;  // over minutes
      test::SceneRun run = open(lift(servo), 2.0, 1e-3);
      run.run();
      const JointReport& joint = run.report.joints[0];
      EXPECT_NEAR(joint.effort, 2.0 * kGravity, 1e-9) << gain << " " << servo;
      EXPECT_EQ(joint.effort, joint.drive);
      EXPECT_LT(std::abs(joint.rate), 1e-9) << gain;
      EXPECT_LT(std::abs(run.report.energy_error), 1e-8) << gain;
    }
  }
}

TEST_P(Servos, StiffOneIsThereAtOnceAndDoesNotRing) {
  test::SceneRun run =
      open(slide("servo = {type = \"position\", stiffness = 1e12, target = \"t < 0.05 ? 0 : 1\"}\n"), 0.1, 1e-2);
  int steps = 0;
  run.run([&](const test::SceneRun& at) {
    ++steps;
    const double x = at.report.joints[0].coordinate;
    EXPECT_NEAR(x, steps < 5 ? 0.0 : 1.0, 1e-6) << steps;
  });
}

/// Two bodies that float: a damped oscillator of their reduced mass, relative.
TEST_P(Servos, ActBetweenTwoMovingBodies) {
  const std::string text = R"toml(
gravity = [0, 0]
[bodies.one]
type = "planar"
mass = 1
inertia = 0.1
velocity = [0.3, 0]
[bodies.two]
type = "planar"
mass = 2
inertia = 0.1
velocity = [0.3, 0]
[joints.slide]
type = "prismatic"
between = ["one", "two"]
at = [0, 0]
axis = [1, 0]
servo = {type = "position", stiffness = 60, damping = 4, target = 0.5}
)toml";
  const double mass = 2.0 / 3.0;
  const double decay = 4.0 / (2.0 * mass);
  const double omega = std::sqrt(60.0 / mass - decay * decay);
  std::vector<double> errors;
  for (const double h : {2e-3, 1e-3}) {
    test::SceneRun run = open(text, 0.4, h);
    double worst = 0.0;
    run.run([&](const test::SceneRun& at) {
      const double t = at.state.t;
      const double x = 0.5 - 0.5 * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
      worst = std::max(worst, std::abs(at.report.joints[0].coordinate - x));
      EXPECT_NEAR(at.state.u(0) + 2.0 * at.state.u(3), 0.9, 1e-12);
      EXPECT_LT(std::abs(at.report.energy_error), 1e-12);
    });
    errors.push_back(worst);
  }
  EXPECT_LT(errors[1], 4e-3);
  EXPECT_NEAR(errors[0] / errors[1], 2.0, 0.2);
}

/// A limit of 5 N on one side: a constant acceleration, then critical damping from where the law comes below the limit.
TEST_P(Servos, LimitIsReachedAndLeftAsInClosedForm) {
  const double k = 100.0, d = 20.0, most = 5.0;
  // k (1 - a t^2/2) - d a t = most, a = most
  const double t_1 = (-d * most + std::sqrt(d * d * most * most + 2.0 * k * most * (k - most))) / (k * most);
  const double x_1 = 0.5 * most * t_1 * t_1;
  const double v_1 = most * t_1;
  std::vector<double> errors;
  for (const double h : {2e-3, 1e-3}) {
    test::SceneRun run = open(
        slide("servo = {type = \"position\", stiffness = 100, damping = 20, target = 1, limit = [-50, 5]}\n"), 1.5, h);
    double worst = 0.0;
    run.run([&](const test::SceneRun& at) {
      const double t = at.state.t;
      const double s = t - t_1;
      const double y = x_1 - 1.0;
      const double x = s < 0.0 ? 0.5 * most * t * t : 1.0 + (y + (v_1 + 10.0 * y) * s) * std::exp(-10.0 * s);
      worst = std::max(worst, std::abs(at.report.joints[0].coordinate - x));
      EXPECT_LE(at.report.joints[0].effort, most);
      EXPECT_EQ(at.report.status, Status::ok);
      EXPECT_LT(std::abs(at.report.energy_error), 1e-12);
      if (s < -h) EXPECT_EQ(at.report.joints[0].effort, most);
    });
    errors.push_back(worst);
  }
  EXPECT_LT(errors[1], 5e-3);
  EXPECT_NEAR(errors[0] / errors[1], 2.0, 0.2);
}

TEST_P(Servos, OneSidedLimitOnlyPushes) {
  test::SceneRun run =
      open(slide("servo = {type = \"position\", stiffness = 1e9, target = \"-t\", limit = [0, 3]}\n"), 0.1, 1e-2);
  run.run([](const test::SceneRun& at) { EXPECT_EQ(at.report.joints[0].effort, 0.0); });
  EXPECT_NEAR(run.report.joints[0].coordinate, 0.0, 1e-14);
}

TEST_P(Servos, VelocityServoTakesASpeedWithinItsLimit) {
  test::SceneRun run = open(slide("servo = {type = \"velocity\", damping = 1e8, target = 2, limit = 4}\n"), 1.0, 1e-2);
  run.run([](const test::SceneRun& at) {
    EXPECT_NEAR(at.report.joints[0].rate, std::min(4.0 * at.state.t, 2.0), 1e-7) << at.state.t;
  });
}

TEST_P(Servos, EffortLimitIsOfServoForceAndInputsTogether) {
  const std::string text = R"toml(
force = [3, {input = "push", gain = 2}]
servo = {type = "velocity", damping = 1e6, target = 100}
effort_limit = [-2, 7]
[inputs.push]
value = "10*t"
range = [-1, 1]
)toml";
  test::SceneRun run = open(slide(text), 1.0, 1e-2);
  run.run([](const test::SceneRun& at) { EXPECT_NEAR(at.report.joints[0].effort, 7.0, 1e-13); });
  EXPECT_NEAR(run.report.joints[0].rate, 7.0, 1e-10);

  test::SceneRun alone = open(slide("force = [3, {input = \"push\", gain = 2}]\neffort_limit = 4\n[inputs.push]\n"
                                    "value = 0.25\nrange = [-1, 1]\n"),
                              1.0, 1e-2);
  alone.run([](const test::SceneRun& at) { EXPECT_NEAR(at.report.joints[0].effort, 3.5, 1e-14); });
  alone.state.inputs.set_named(*alone.built.system, 0, 100.0);  // clamped to 1
  ASSERT_EQ(alone.step(), Status::ok);
  EXPECT_NEAR(alone.report.joints[0].effort, 4.0, 1e-14);
  alone.state.inputs.set_named(*alone.built.system, 0, -100.0);
  alone.state.inputs.set_effort(*alone.built.system, 0, -10.0);
  ASSERT_EQ(alone.step(), Status::ok);
  EXPECT_NEAR(alone.report.joints[0].effort, -4.0, 1e-14);
  alone.state.inputs.clear();
  ASSERT_EQ(alone.step(), Status::ok);
  EXPECT_NEAR(alone.report.joints[0].effort, 3.5, 1e-14);
}

TEST_P(Servos, SeveralAddUp) {
  const std::string two = R"toml(
servo = [{type = "position", stiffness = 40, target = 1}, {type = "velocity", damping = 9, target = 0.5}]
)toml";
  const std::string one = R"toml(
servo = {type = "position", stiffness = 40, damping = 9, target = 1, rate = 0.5}
)toml";
  test::SceneRun a = open(slide(two), 0.3, 1e-3);
  test::SceneRun b = open(slide(one), 0.3, 1e-3);
  a.run();
  b.run();
  EXPECT_NEAR(a.report.joints[0].coordinate, b.report.joints[0].coordinate, 1e-11);
  EXPECT_NEAR(a.report.joints[0].effort, b.report.joints[0].effort, 1e-8);
}

/// What servos with limits of their own do together, within the limit of the joint, as the law says it of the
/// coordinate and the rate at the end of each step. The efforts reach and leave each limit on the way.
TEST_P(Servos, EffortLimitIsOfTheSumOfServosWithLimits) {
  for (const double stiff : {1.0, 1e4, 1e8}) {
    const std::string text = "force = [1.5, {input = \"push\"}]\neffort_limit = [-6, 8]\nservo = [\n" +
                             ("  {type = \"position\", stiffness = " + number_text(60.0 * stiff) + ", damping = ") +
                             number_text(4.0 * std::sqrt(stiff)) + R"toml(, target = "sin(3*t)", limit = [-5, 4]},
  {type = "position", stiffness = 30, target = 0.5, limit = 3},
  {type = "velocity", damping = 5, target = "cos(2*t)", limit = [-2, 6]},
  {type = "velocity", damping = 0.5, target = 0},
  {type = "velocity", damping = 0, target = 1, limit = [0.5, 1]}]
[inputs.push]
value = "2*cos(5*t)"
)toml";
    test::SceneRun run = open(slide(text), 2.0, 1e-3);
    int n_low = 0, n_high = 0, n_within = 0;
    run.run([&](const test::SceneRun& at) {
      const double t = at.state.t;
      const double x = at.report.joints[0].coordinate;
      const double v = at.report.joints[0].rate;
      const double known = 1.5 + 2.0 * std::cos(5.0 * (t - 0.5e-3)) + 0.5;
      const double first = 60.0 * stiff * (std::sin(3.0 * t) - x) - 4.0 * std::sqrt(stiff) * v;
      const double sum = known + std::clamp(first, -5.0, 4.0) + std::clamp(30.0 * (0.5 - x), -3.0, 3.0) +
                         std::clamp(5.0 * (std::cos(2.0 * t) - v), -2.0, 6.0) - 0.5 * v;
      const double effort = at.report.joints[0].effort;
      EXPECT_NEAR(effort, std::clamp(sum, -6.0, 8.0), 1e-9 + 1e-13 * stiff) << stiff << " " << t;
      EXPECT_GE(effort, -6.0);
      EXPECT_LE(effort, 8.0);
      n_low += effort == -6.0 ? 1 : 0;
      n_high += effort == 8.0 ? 1 : 0;
      n_within += effort > -6.0 && effort < 8.0 ? 1 : 0;
    });
    EXPECT_GT(n_low, 10) << stiff;
    EXPECT_GT(n_high, 10) << stiff;
    EXPECT_GT(n_within, 100) << stiff;
  }
}

/// A load that hangs on several servos is held exactly, whatever their gains and which of them are at their limits.
TEST_P(Servos, SeveralHoldALoadExactlyUnderALimit) {
  for (const double gain : {1.0, 1e4, 1e8, 1e12}) {
    const std::string stiffness = number_text(gain);
    const std::string at_rest = number_text((2.0 * kGravity - 5.0) / gain);
    test::SceneRun run =
        open(lift("servo = [{type = \"position\", stiffness = " + stiffness + ", target = " + at_rest +
                  "}, {type = \"position\", stiffness = 1e3, target = 1, limit = 5}]\neffort_limit = 20\n"),
             0.1, 1e-2);
    run.run();
    EXPECT_NEAR(run.report.joints[0].effort, 2.0 * kGravity, 1e-9) << gain;
    test::SceneRun falls =
        open(lift("servo = [{type = \"position\", stiffness = " + stiffness +
                  ", target = 1}, {type = \"position\", stiffness = 1e3, target = 1, limit = 5}]\neffort_limit = 19\n"),
             0.1, 1e-2);
    falls.run();
    if (gain > 1e3) {
      EXPECT_NEAR(falls.report.joints[0].effort, 19.0, 1e-13) << gain;
    }
  }
}

/// Servos without limits of their own are one, whose gains are the sums of theirs.
TEST_P(Servos, SeveralUnderALimitAreOne) {
  test::SceneRun a = open(slide(R"toml(
servo = [{type = "position", stiffness = 40, target = 1}, {type = "position", stiffness = 60, target = 2},
         {type = "velocity", damping = 9, target = 0.5}]
effort_limit = [-20, 30]
)toml"),
                          0.5, 1e-3);
  test::SceneRun b = open(slide(R"toml(
servo = {type = "position", stiffness = 100, damping = 9, target = 1.6, rate = 0.5}
effort_limit = [-20, 30]
)toml"),
                          0.5, 1e-3);
  a.run([](const test::SceneRun& at) { EXPECT_LE(at.report.joints[0].effort, 30.0); });
  b.run();
  EXPECT_NEAR(a.report.joints[0].coordinate, b.report.joints[0].coordinate, 1e-13);
  EXPECT_NEAR(a.report.joints[0].effort, b.report.joints[0].effort, 1e-11);
}

/// An arm in space that turns about z, on a base that is carried along: the servo counts relative to the base.
TEST_P(Servos, CountRelativeToABaseThatMoves) {
  const std::string text = R"toml(
gravity = [0, 0, 0]
[bodies.base]
type = "moving"
rotation = {axis = [0, 0, 1], angle = "2*t"}
[bodies.arm]
type = "rigid"
mass = 1
inertia = [0.1, 0.1, 0.2]
[joints.hinge]
type = "revolute"
between = ["base", "arm"]
at = [0, 0, 0]
axis = [0, 0, 1]
servo = {type = "position", stiffness = 1e10, damping = 1e3, target = "0.5*t"}
)toml";
  test::SceneRun run = open(text, 0.5, 1e-2);
  run.run();
  EXPECT_NEAR(run.report.joints[0].coordinate, 0.25, 1e-4);
  EXPECT_NEAR(run.state.u(5), 2.5, 1e-3);
}

TEST_P(Servos, StateWithNamedInputsGoesOnToTheBit) {
  const std::string text = lift(
      "servo = {type = \"position\", stiffness = 300, damping = 10, target = {input = \"height\", offset = "
      "0.1}, limit = 60}\n[inputs.height]\nvalue = \"sin(t)\"\n");
  test::SceneRun through = open(text, 1.0, 1e-2);
  through.state.inputs.set_named(*through.built.system, 0, 0.7);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(through.step(), Status::ok);
  test::SceneRun later = open(text, 1.0, 1e-2);
  later.state = state_from_bytes(to_bytes(through.state));
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(through.step(), Status::ok);
    ASSERT_EQ(later.step(), Status::ok);
  }
  EXPECT_EQ(to_bytes(through.state), to_bytes(later.state));
}

INSTANTIATE_TEST_SUITE_P(Schemes, Servos, testing::Values("moreau", "ccp", "stewart-trinkle"),
                         [](const auto& info) { return info.param == "stewart-trinkle" ? "trinkle" : info.param; });

/// Schemes without rows of servos take the law as a force that depends on the state.
class ServosAsForces : public testing::TestWithParam<std::string> {};

TEST_P(ServosAsForces, LimitIsReachedAndLeftAsInClosedForm) {
  const double t_1 = (-100.0 + std::sqrt(1e4 + 1000.0 * 95.0)) / 500.0;
  const double y = 2.5 * t_1 * t_1 - 1.0;
  test::SceneRun run = open_with(
      GetParam(),
      slide(
          "servo = {type = \"position\", stiffness = 100, damping = 20, target = {input = \"go\"}, limit = [-50, 5]}\n"
          "[inputs.go]\nvalue = 7\nrange = [0, 1]\n"),
      1.5, 1e-3);
  run.run([&](const test::SceneRun& at) {
    const double t = at.state.t;
    const double s = t - t_1;
    const double x = s < 0.0 ? 2.5 * t * t : 1.0 + (y + (5.0 * t_1 + 10.0 * y) * s) * std::exp(-10.0 * s);
    EXPECT_NEAR(at.report.joints[0].coordinate, x, 1e-4) << t;
    EXPECT_LE(at.report.joints[0].effort, 5.0);
  });
}

TEST_P(ServosAsForces, EffortLimitIsOfTheSumOfServosWithLimits) {
  test::SceneRun run = open_with(GetParam(), slide(R"toml(force = {input = "push"}
effort_limit = [-6, 8]
servo = [{type = "position", stiffness = 60, damping = 4, target = "sin(3*t)", limit = [-5, 4]},
         {type = "velocity", damping = 5, target = "2*cos(2*t)", limit = [-2, 6]}]
[inputs.push]
value = "2*cos(5*t)"
range = [-1, 1.5]
)toml"),
                                 2.0, 1e-3);
  int n_high = 0;
  run.run([&](const test::SceneRun& at) {
    const double t = at.state.t;
    const double x = at.report.joints[0].coordinate;
    const double v = at.report.joints[0].rate;
    const double sum = std::clamp(2.0 * std::cos(5.0 * t), -1.0, 1.5) +
                       std::clamp(60.0 * (std::sin(3.0 * t) - x) - 4.0 * v, -5.0, 4.0) +
                       std::clamp(5.0 * (2.0 * std::cos(2.0 * t) - v), -2.0, 6.0);
    EXPECT_NEAR(at.report.joints[0].effort, std::clamp(sum, -6.0, 8.0), 0.1) << t;  // of the step's inside
    n_high += at.report.joints[0].effort == 8.0 ? 1 : 0;
  });
  EXPECT_GT(n_high, 10);
}

INSTANTIATE_TEST_SUITE_P(Schemes, ServosAsForces, testing::Values("generalized-alpha", "event-driven", "relaxation"),
                         [](const auto& info) {
                           return info.param == "event-driven" ? "events" : info.param.substr(0, 8);
                         });

TEST(ServoScenes, GeneralizedAlphaHoldsALoad) {
  for (const double gain : {1.0, 1e4, 1e8}) {
    test::SceneRun run = open_with("generalized-alpha",
                                   lift("servo = {type = \"position\", stiffness = " + number_text(gain) +
                                        ", target = " + number_text(2.0 * kGravity / gain) + "}\n"),
                                   0.1, 1e-3);
    run.run();
    EXPECT_NEAR(run.report.joints[0].effort, 2.0 * kGravity, 1e-9) << gain;
  }
}

/// Eight links, h^2 k over the inertia of the last 10: the rows of their joints alone are many.
TEST(ServoScenes, GeneralizedAlphaTakesAFewIterationsAStepForStiffChains) {
  constexpr int kLinks = 8;
  constexpr int kMostIterations = 18;  // [-] 12 of the nested problems and some of Newton's method
  std::string text = "[bodies.ground]\ntype = \"fixed\"\n";
  for (int i = 0; i < kLinks; ++i) {
    const std::string k = std::to_string(i);
    const std::string before = i == 0 ? "ground" : "link" + std::to_string(i - 1);
    text += "[bodies.link" + k + "]\nmass = 1\ninertia = [0.01, 0.01, 0.01]\nposition = [" +
            number_text(0.2 * i + 0.1) + ", 0, 0]\n[joints.hinge" + k + "]\ntype = \"revolute\"\nbetween = [\"" +
            before + "\", \"link" + k + "\"]\nat = [" + number_text(0.2 * i) +
            ", 0, 0]\naxis = [0, 1, 0]\nservo = {type = \"position\", stiffness = 1e5, target = \"0.1*sin(pi*t)^2\"}\n";
  }
  test::SceneRun run = open_with("generalized-alpha", text, 0.1, 1e-3);
  run.run([&](const test::SceneRun& at) {
    EXPECT_EQ(at.report.parts, 1) << at.state.t;
    EXPECT_LE(at.report.solve.iterations, kMostIterations) << at.state.t;
  });
}

/// The shoulder gives way on the way up, and holds the arm at its end.
TEST(ServoScenes, ArmLiftsItsWeight) {
  test::SceneRun run = test::open_scene("servo_arm", {"time.end=2"});
  int at_limit = 0;
  run.run([&](const test::SceneRun& at) {
    EXPECT_LE(std::abs(at.report.joints[0].effort), 22.0);
    at_limit += at.report.joints[0].effort == 22.0 ? 1 : 0;
  });
  EXPECT_GT(at_limit, 100);
  EXPECT_NEAR(run.report.joints[0].coordinate, 1.5, 1e-3);
  EXPECT_NEAR(run.report.joints[1].coordinate, 1.0, 1e-4);
  // What hangs on the shoulder: m g times the arms of the centres of mass at its angle.
  const double shoulder = run.report.joints[0].coordinate;
  const double elbow = shoulder + run.report.joints[1].coordinate;
  const double load = kGravity * (0.25 * std::sin(shoulder) + 2.5 * (0.5 * std::sin(shoulder) + 0.2 * std::sin(elbow)));
  EXPECT_NEAR(run.report.joints[0].effort, load, 1e-3);
}

TEST(ServoScenes, ReadBackAsWritten) {
  const Scene scene = parse_scene(
      "stickslip = 1\ntime = {end = 1, step = 0.01}\nscheme = {type = \"ccp\"}\n" +
          slide("force = {input = \"push\", gain = 2, offset = 1}\neffort_limit = 9\n"
                "servo = {type = \"position\", stiffness = 5, damping = 1, target = \"sin(t)\", rate = \"cos(t)\", "
                "limit = [-1, 2]}\n[inputs.push]\nvalue = \"rate(slide)\"\nrange = [0, 1]\n"),
      "a.toml");
  EXPECT_EQ(parse_scene(to_toml(scene), "a.toml"), scene);
}

TEST(ServoScenes, BadInputIsRefusedAtItsPlace) {
  const auto error = [](const std::string& joint) -> std::string {
    try {
      test::scene_from_text("stickslip = 1\ntime = {end = 1, step = 0.01}\nscheme = {type = \"ccp\"}\n" + slide(joint));
    } catch (const InputError& e) {
      return e.what();
    }
    return "none";
  };
  const auto expect = [&](const std::string& joint, const std::string& key, const std::string& what) {
    const std::string text = error(joint);
    EXPECT_NE(text.find(key), std::string::npos) << text;
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_TRUE(text.starts_with("test.toml:")) << text;
  };
  expect("servo = 3\n", "joints.slide.servo", "table");
  expect("servo = {type = \"torque\"}\n", "joints.slide.servo.type", "position");
  expect("servo = {type = \"position\", target = 1}\n", "joints.slide.servo.stiffness", "missing");
  expect("servo = {type = \"position\", stiffness = -1, target = 1}\n", "joints.slide.servo.stiffness", "-1");
  expect("servo = {type = \"position\", stiffness = 1}\n", "joints.slide.servo.target", "missing");
  expect("servo = {type = \"velocity\", stiffness = 1, damping = 1, target = 1}\n", "stiffness", "unknown");
  expect("servo = {type = \"velocity\", damping = -1, target = 1}\n", "joints.slide.servo.damping", "-1");
  expect("servo = {type = \"velocity\", damping = 1, target = \"speed(2)\"}\n", "joints.slide.servo.target", "speed");
  expect("servo = {type = \"velocity\", damping = 1, target = {input = \"no\"}}\n", "servo.target.input",
         "an input of the scene");
  expect("servo = {type = \"velocity\", damping = 1, target = 1, limit = -2}\n", "servo.limit", "-2");
  expect("servo = {type = \"velocity\", damping = 1, target = 1, limit = [2, 1]}\n", "servo.limit", "low <= high");
  expect("effort_limit = [1, 0]\n", "joints.slide.effort_limit", "low <= high");
  expect("force = {input = \"push\", gian = 1}\n[inputs.push]\n", "joints.slide.force.gian", "gain");
  expect("[inputs.push]\nrange = [1, 1]\n", "inputs.push.range", "low < high");
  expect("[inputs.push]\nvalue = \"t +\"\n", "inputs.push.value", "");
  expect("[inputs.push]\nvalues = 1\n", "inputs.push.values", "value");
}

}  // namespace
}  // namespace stickslip
