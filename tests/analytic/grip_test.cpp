// SPDX-License-Identifier: BSD-3-Clause
// What friction just holds and just does not: boxes on slopes, a box between two pads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;
using test::SceneRun;

class Grip : public testing::TestWithParam<std::string> {
 protected:
  /// `text` with steps of 5 ms, solved to 1e-12.
  static SceneRun open(const std::string& text, double end) {
    std::ostringstream scene;
    scene.precision(17);
    scene << "stickslip = 1\nscheme = {type = \"" << GetParam()
          << "\"}\nsolver = {tolerance = 1e-12}\ntime = {end = " << end << ", step = 5e-3}\n"
          << text;
    return test::scene_from_text(scene.str());
  }
};

constexpr double kHeld = 1e-12;       // [m/s] asked of what sticks
constexpr double kOfSlide = 1e-3;     // [-] asked of an acceleration that is 1e-6 of gravity's
constexpr double kEitherSide = 1e-6;  // [-] by which friction is more or less than the slope asks for

enum class Ground { half_space, box };

/// A box on a slope that falls along x, turned about y.
std::string make_slope(Ground ground, double angle, double friction) {
  std::ostringstream text;
  text.precision(17);
  const double s = std::sin(angle);
  const double c = std::cos(angle);
  const auto pose = [&](double z) {
    text << "position = [" << z * s << ", 0, " << z * c << "]\nrotation = {axis = [0, 1, 0], angle = " << angle
         << "}\n";
  };
  text << "[bodies.box]\nmass = 2\ninertia = [0.02, 0.05, 0.06]\n";
  pose(0.1);
  text << "shapes.hull = {type = \"box\", size = [0.6, 0.4, 0.2]}\n[bodies.slope]\ntype = \"fixed\"\n";
  if (ground == Ground::half_space) {
    pose(0.0);
    text << "shapes.top = {type = \"half-space\", normal = [0, 0, 1], offset = 0}\n";
  } else {
    pose(-0.25);
    text << "shapes.top = {type = \"box\", size = [4, 3, 0.5]}\n";
  }
  text << "[[contacts]]\nbetween = [\"slope\", \"box\"]\nfriction = " << friction << "\n";
  return text.str();
}

TEST_P(Grip, BoxesOnSlopesStickAndSlideEitherSideOfTheAngleOfFriction) {
  for (const Ground ground : {Ground::half_space, Ground::box}) {
    for (int degrees = 5; degrees <= 40; degrees += 5) {
      SCOPED_TRACE(std::to_string(degrees) +
                   (ground == Ground::box ? " degrees on a box" : " degrees on a half-space"));
      const double angle = degrees * std::numbers::pi / 180.0;
      SceneRun held = open(make_slope(ground, angle, (1.0 + kEitherSide) * std::tan(angle)), 1.0);
      held.run(
          [&](const SceneRun& r) { EXPECT_LT(r.state.u.lpNorm<Eigen::Infinity>(), kHeld) << "t = " << r.state.t; });
      const double friction = (1.0 - kEitherSide) * std::tan(angle);
      SceneRun slides = open(make_slope(ground, angle, friction), 1.0);
      slides.run();
      const double speed = slides.state.u(0) * std::cos(angle) - slides.state.u(2) * std::sin(angle);
      const double exact = kGravity * (std::sin(angle) - friction * std::cos(angle)) * slides.state.t;
      EXPECT_NEAR(speed, exact, kOfSlide * exact);
    }
  }
}

/// A box of 45 g between two pads of 20 g on slides, pressed by .35 N each: friction carries 95 % of what it can.
TEST_P(Grip, ABoxBetweenTwoPadsDoesNotCreep) {
  constexpr double kPress = 0.35;  // [N]
  constexpr double kMass = 0.045;  // [kg]
  constexpr double kShare = 0.95;  // [-] of what friction can carry
  std::ostringstream text;
  text.precision(17);
  text << R"(
[bodies.frame]
type = "fixed"
[bodies.box]
mass = 0.045
inertia = [1.875e-5, 1.875e-5, 1.875e-5]
position = [0, 0, 0]
shapes.hull = {type = "box", size = [0.05, 0.05, 0.05]}
[bodies.left]
mass = 0.02
inertia = [1.7e-6, 1e-6, 1e-6]
position = [-0.03, 0, 0]
shapes.hull = {type = "box", size = [0.01, 0.02, 0.03]}
[bodies.right]
mass = 0.02
inertia = [1.7e-6, 1e-6, 1e-6]
position = [0.03, 0, 0]
shapes.hull = {type = "box", size = [0.01, 0.02, 0.03]}
[joints.left]
type = "prismatic"
between = ["frame", "left"]
axis = [1, 0, 0]
force = "0.35"
[joints.right]
type = "prismatic"
between = ["frame", "right"]
axis = [1, 0, 0]
force = "-0.35"
)";
  for (const char* side : {"left", "right"}) {
    text << "[[contacts]]\nbetween = [\"" << side
         << "\", \"box\"]\nfriction = " << kMass * kGravity / (kShare * 2.0 * kPress) << "\n";
  }
  SceneRun run = open(text.str(), 10.0);
  const Vector start = run.state.q;
  run.run([&](const SceneRun& r) {
    int bearing = 0;
    for (const ContactReport& c : r.report.contacts) {
      if (c.percussion[0] > 0.0) ++bearing;
      EXPECT_LT(std::hypot(c.velocity[1], c.velocity[2]), kHeld) << "t = " << r.state.t;
    }
    EXPECT_GE(bearing, 6) << "t = " << r.state.t;  // three a side hold; how four share the load is open
  });
  EXPECT_LT((run.state.q - start).lpNorm<Eigen::Infinity>(), kHeld * run.state.t);
}

INSTANTIATE_TEST_SUITE_P(, Grip, testing::Values("moreau", "ccp"), [](const auto& of) { return of.param; });

}  // namespace
}  // namespace stickslip
