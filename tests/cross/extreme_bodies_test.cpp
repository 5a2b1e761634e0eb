// SPDX-License-Identifier: BSD-3-Clause
// Bodies of masses, sizes, places and speeds that nobody simulates, but everybody types once: a step is ok, or it says
// that it is not; nothing crashes, states stay finite, and what is deep in the floor is reported as penetration.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/scene_run.h"

namespace stickslip::test {
namespace {

const char* const kSchemes[] = {"{type = \"moreau\"}", "{type = \"ccp\"}", "{type = \"generalized-alpha\"}"};

/// A box with a corner ahead thrown on a floor, and a ball that falls on it.
std::string thrown_scene(const std::string& scheme, double mass, double height, double speed) {
  const double inertia = 0.01 * mass;
  return fmt::format(R"(
stickslip = 1
time = {{end = 0.2, step = 2e-3}}
scheme = {}
[bodies.floor]
type = "fixed"
shapes.top = {{type = "half-space", normal = [0, 0, 1], offset = {:.17g}}}
[bodies.box]
mass = {:.17g}
inertia = [{:.17g}, {:.17g}, {:.17g}]
position = [0, 0, {:.17g}]
rotation = {{axis = [1, 2, 0.5], angle = 0.7}}
velocity = [{:.17g}, 0, {:.17g}]
shapes.hull = {{type = "box", size = [0.2, 0.25, 0.3]}}
[[contacts]]
between = ["floor", "box"]
friction = 0.4
)",
                     scheme, height, mass, inertia, 1.1 * inertia, 1.2 * inertia, height + 0.25, speed, -speed);
}

struct Ran {
  int ok = 0, inexact = 0, failed = 0;
  double penetration = 0.0;  // [m] the deepest reported
  State state;
};

/// Steps to the end or the first that fails.
Ran run_steps(const std::string& text) {
  SceneRun run = scene_from_text(text);
  Ran ran;
  const auto n = std::lround((run.scene.time.end - run.scene.time.start) / run.scene.time.step);
  for (int k = 0; k < n && ran.failed == 0; ++k) {
    const Status status = run.step();
    ran.ok += status == Status::ok ? 1 : 0;
    ran.inexact += status == Status::inexact ? 1 : 0;
    ran.failed += status == Status::failed ? 1 : 0;
    ran.penetration = std::max(ran.penetration, run.report.penetration);
    if (status == Status::failed) {
      EXPECT_FALSE(run.report.message.empty());
    }
    // The State of a step that failed is as it was, so numbers are numbers in any case.
    for (const double x : run.state.q) EXPECT_TRUE(std::isfinite(x)) << "step " << k;
    for (const double x : run.state.u) EXPECT_TRUE(std::isfinite(x)) << "step " << k;
    if (status == Status::ok) {
      EXPECT_TRUE(std::isfinite(run.report.coulomb_residual)) << "step " << k;
    }
  }
  ran.state = run.state;
  return ran;
}

/// Motion under gravity and friction does not depend on the mass: to round-off of 100 steps with impacts.
constexpr double kSameMotion = 1e-9;  // [m, -]

TEST(ExtremeBodies, AnyMassMovesAsOneKilogram) {
  for (const char* scheme : kSchemes) {
    const Ran one = run_steps(thrown_scene(scheme, 1.0, 0.0, 1.0));
    EXPECT_EQ(one.ok, 100) << scheme;
    for (const double mass : {1e-12, 1e12}) {
      const Ran other = run_steps(thrown_scene(scheme, mass, 0.0, 1.0));
      EXPECT_EQ(other.ok, 100) << scheme << ' ' << mass;
      EXPECT_LE((other.state.q - one.state.q).cwiseAbs().maxCoeff(), kSameMotion) << scheme << ' ' << mass;
    }
  }
}

TEST(ExtremeBodies, ABodyAtABillionMetresFalls) {
  // Coordinates there are multiples of 1.2e-7 m, and 100 steps round as often.
  constexpr double kRounded = 100.0 * 1.2e-7;  // [m]
  for (const char* scheme : kSchemes) {
    const std::string text = fmt::format(R"(
stickslip = 1
time = {{end = 0.2, step = 2e-3}}
scheme = {}
[bodies.ball]
density = 1000
position = [1e9, -1e9, 1e9]
velocity = [1, 0, 0]
shapes.hull = {{type = "sphere", radius = 0.1}}
)",
                                         scheme);
    const Ran ran = run_steps(text);
    EXPECT_EQ(ran.ok, 100) << scheme;
    EXPECT_NEAR(ran.state.q(0), 1e9 + 0.2, kRounded) << scheme;
    // Positions follow the velocity at the end of the step under ccp: g h t / 2 ahead.
    const double ahead = scheme == kSchemes[1] ? 0.5 * kGravity * 2e-3 * 0.2 : 0.0;
    EXPECT_NEAR(ran.state.q(2), 1e9 - 0.5 * kGravity * 0.04 - ahead, kRounded) << scheme;
  }
}

TEST(ExtremeBodies, AnImpactAtABillionMetresOrAHundredKilometresASecondSaysHowItWent) {
  for (const char* scheme : kSchemes) {
    for (const double height : {0.0, 1e9}) {
      for (const double speed : {1.0, 1e5}) {
        const Ran ran = run_steps(thrown_scene(scheme, 1.0, height, speed));
        EXPECT_GE(ran.ok + ran.inexact + ran.failed, 1) << scheme << ' ' << height << ' ' << speed;
        // A step of 200 m may end below the floor (Moreau's scheme sees it halfway), but then says so. [m] A metre is
        // more than the box.
        EXPECT_GT(ran.state.q(2) + ran.penetration, height - 1.0) << scheme << ' ' << height << ' ' << speed;
      }
    }
  }
}

TEST(ExtremeBodies, SizesAndRatiosSayHowTheyWent) {
  for (const char* scheme : kSchemes) {
    for (const double light : {1e-12, 1.0}) {
      for (const double radius : {1e-150, 1e-9, 0.1, 1e9}) {
        const std::string text =
            fmt::format(R"(
stickslip = 1
time = {{end = 0.02, step = 2e-3}}
scheme = {}
[bodies.floor]
type = "fixed"
shapes.top = {{type = "half-space", normal = [0, 0, 1]}}
[bodies.light]
mass = {:.17g}
inertia = [{:.17g}, {:.17g}, {:.17g}]
position = [0, 0, {:.17g}]
shapes.ball = {{type = "sphere", radius = {:.17g}}}
[bodies.heavy]
mass = 1e12
inertia = [1e10, 1e10, 1e10]
position = [0, 0, {:.17g}]
shapes.ball = {{type = "sphere", radius = {:.17g}}}
[contact_default]
friction = 0.3
)",
                        scheme, light, 0.1 * light, 0.1 * light, 0.1 * light, radius, radius, 3.0 * radius, radius);
        const Ran ran = run_steps(text);
        EXPECT_GE(ran.ok + ran.inexact + ran.failed, 1) << scheme << ' ' << light << ' ' << radius;
      }
    }
  }
}

}  // namespace
}  // namespace stickslip::test
