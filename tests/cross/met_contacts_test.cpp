// SPDX-License-Identifier: BSD-3-Clause
// Contacts that percussions close within a step, by whatever they are known: named, detected, stops of joints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

const char* const kStruck = R"(
stickslip = 1
gravity = [0, 0, 0]
time = {{end = 0.1, step = 0.01}}
scheme = {{type = "{}"}}
[bodies.a]
mass = 1
inertia = [1, 1, 1]
shapes.s = {}
[bodies.c]
mass = 100
inertia = [1, 1, 1]
position = [-0.21, 0, 0]
velocity = [5, 0, 0]
shapes.s = {}
)";

TEST(MetContacts, AHeavyBoxDrivesAnotherIntoItsStop) {
  const char* const box = "{type = \"box\", size = [0.2, 0.2, 0.2]}";
  SceneRun run = test::scene_from_text(fmt::format(fmt::runtime(kStruck), "ccp", box, box) + R"(
[bodies.ground]
type = "fixed"
[joints.slide]
type = "prismatic"
between = ["ground", "a"]
axis = [1, 0, 0]
limits = [-1, 0.005]
[[contacts]]
between = ["a", "c"]
)");
  run.run([](const SceneRun& now) {
    ASSERT_LT(now.report.joints[0].coordinate, 0.005 + 1e-12);
    ASSERT_LT(now.report.penetration, 1e-9);
  });
}

/// The last ball is met in the step in which the first strikes the second: what it reports is not enough, as a contact
/// that is not listed is not reported.
TEST(MetContacts, ThreeBallsInARowDoNotPassIntoEachOther) {
  const char* const ball = "{type = \"sphere\", radius = 0.1}";
  for (const char* scheme : {"ccp", "generalized-alpha"}) {
    SceneRun run = test::scene_from_text(fmt::format(fmt::runtime(kStruck), scheme, ball, ball) + R"(
[bodies.b]
mass = 1
inertia = [1, 1, 1]
position = [0.21, 0, 0]
shapes.s = {type = "sphere", radius = 0.1}
[contact_default]
friction = 0
)");
    run.run([&](const SceneRun& now) {
      ASSERT_GT(now.state.q(14) - now.state.q(0), 0.2 - 1e-9) << scheme;
      ASSERT_GT(now.state.q(0) - now.state.q(7), 0.2 - 1e-9) << scheme;
    });
  }
}

/// Each ball is met only where the one before it was struck: contacts are added to the step again and again.
TEST(MetContacts, ARowOfBallsIsStruckFromBallToBall) {
  constexpr int kBalls = 6;  // that stand
  const char* const ball = "{type = \"sphere\", radius = 0.1}";
  for (const char* scheme : {"ccp", "generalized-alpha"}) {
    std::string text = fmt::format(fmt::runtime(kStruck), scheme, ball, ball);
    for (int i = 1; i < kBalls; ++i) {
      text += fmt::format("[bodies.b{}]\nmass = 1\ninertia = [1, 1, 1]\nposition = [{}, 0, 0]\nshapes.s = {}\n", i,
                          0.21 * i, ball);
    }
    SceneRun run = test::scene_from_text(text + "[contact_default]\nfriction = 0\n");
    run.run([&](const SceneRun& now) {
      ASSERT_EQ(now.report.status, Status::ok) << scheme << " " << now.state.t;
      ASSERT_GT(now.state.q(0) - now.state.q(7), 0.2 - 1e-9) << scheme;
      for (int i = 1; i < kBalls; ++i) {
        const int before = i == 1 ? 0 : 7 * i;
        ASSERT_GT(now.state.q(7 * (i + 1)) - now.state.q(before), 0.2 - 1e-9) << scheme << " " << i;
      }
    });
  }
}

/// An envelope of the scheme makes contacts found that are in it.
TEST(MetContacts, AnEnvelopeOfTheSchemeIsLookedInto) {
  SceneRun run = test::scene_from_text(R"(
stickslip = 1
gravity = [0, 0, 0]
time = {end = 0.05, step = 0.01}
scheme = {type = "ccp", envelope = 0.1}
[bodies.wall]
type = "fixed"
shapes.face = {type = "half-space", normal = [-1, 0, 0], offset = -0.25}
[bodies.a]
mass = 1
inertia = [1, 1, 1]
shapes.s = {type = "sphere", radius = 0.2}
[forces.push]
type = "load"
body = "a"
force = [5000, 0, 0]
[contact_default]
friction = 0
)");
  run.run([](const SceneRun& now) { ASSERT_LT(now.state.q(0), 0.05 + 1e-12); });
}

/// A ball that is squeezed between planes too near to each other does not keep a joint from being put right.
TEST(Projection, WhatCannotBePutRightLeavesTheRest) {
  SceneRun run = test::scene_from_text(R"(
stickslip = 1
time = {end = 1, step = 5e-3}
scheme = {type = "ccp"}
[bodies.floor]
type = "fixed"
shapes.h = {type = "half-space", normal = [0, 0, 1], offset = 0}
[bodies.lid]
type = "fixed"
shapes.h = {type = "half-space", normal = [0, 0, -1], offset = -0.199}
[bodies.ball]
density = 1000
position = [0, 0, 0.0995]
shapes.s = {type = "sphere", radius = 0.1}
[bodies.rod]
density = 1000
position = [3, 0, 1]
shapes.s = {type = "box", size = [1, 0.1, 0.1]}
[joints.pivot]
type = "revolute"
between = ["lid", "rod"]
at = [2.5, 0, 1]
axis = [0, 1, 0]
[contact_default]
friction = 0.3
except = [["floor", "lid"], ["lid", "rod"]]
)");
  for (int n = 0; n < 200; ++n) {
    ASSERT_NE(run.step(), Status::failed);
    ASSERT_LT(run.report.drift_position, 1e-12) << n;
    ASSERT_NEAR(run.report.penetration, 5e-4, 1e-4) << n;
  }
}

/// Balls on half-spaces and boxes on boxes share one range of numbers.
TEST(NumbersOfContacts, AreDifferentInEveryRow) {
  std::string text = R"(
stickslip = 1
time = {end = 1, step = 1e-3}
[contact_default]
friction = 0.3
)";
  for (int i = 0; i < 12; ++i) {
    text += fmt::format(
        "[bodies.box{0:02}]\ndensity = 1000\nposition = [{1}, 0, {2}]\n{3}shapes.s = {{type = \"box\", size = [1, 1, "
        "1]}}\n",
        i, i == 1 ? 0.0 : 1.5 * i, i == 1 ? 1.5 : 0.5,
        i == 6 ? "rotation = {axis = [1, 0, 0], angle = 3.14159}\n" : "");
  }
  text += "[bodies.zfloor]\ntype = \"fixed\"\nshapes.h = {type = \"half-space\", normal = [0, 0, 1], offset = 0}\n";
  SceneRun run = test::scene_from_text(text);
  ASSERT_EQ(run.step(), Status::ok);
  std::set<std::uint64_t> numbers;
  std::size_t n = 0;
  for (const ContactReport& contact : run.report.contacts) {
    numbers.insert(run.built.system->number_of(contact.id));
    ++n;
  }
  EXPECT_EQ(n, 48U);
  EXPECT_EQ(numbers.size(), n);
}

}  // namespace
}  // namespace stickslip
