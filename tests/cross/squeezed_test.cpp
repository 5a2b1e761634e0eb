// SPDX-License-Identifier: BSD-3-Clause
// Bodies between walls that close on them: no step has a solution, and none may throw a body about.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <sstream>
#include <string>

#include "tests/support/scene_run.h"
#include "tests/support/squeezed_scene.h"

namespace stickslip {
namespace {

struct Squeeze {
  std::string text;
  bool is_parallel = true;
  bool is_ball = true;
  double mass = 0.0;       // [kg]
  double closing = 0.0;    // [m/s] of both walls together
  double explained = 0.0;  // [m/s] speeds of walls and body, and what gravity makes in a step
};

constexpr double kTilt = 0.1;   // [rad] of the walls of a wedge, each
constexpr double kStep = 1e-3;  // [s]

/// A disc, ball, rectangle or box between a wall that moves and one that may.
Squeeze make_squeeze(const std::string& scheme, unsigned seed, bool boxes) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform;
  constexpr std::array kFriction = {0.0, 0.1, 0.3, 0.6, 1.0};
  Squeeze squeeze;
  const bool planar = seed % 2 == 0;
  squeeze.is_parallel = seed % 3 != 0;
  squeeze.is_ball = !boxes || seed % 4 < 2;
  squeeze.mass = std::pow(10.0, 4.0 * uniform(random) - 2.0);
  const double radius = 0.05 + 0.4 * uniform(random);
  const double first = std::pow(10.0, 2.0 * uniform(random) - 1.0);  // [m/s]
  const double second = seed % 5 == 0 ? 0.0 : first * uniform(random);
  const double mu = kFriction[random() % kFriction.size()];
  const double tilt = squeeze.is_parallel ? 0.0 : kTilt;
  const double angle = 2.0 * std::numbers::pi * uniform(random);
  const double lift = planar ? 0.0 : uniform(random) - 0.5;
  // A frame whose first axis is the direction of the walls; they are tilted about its third.
  const Vector3 axis(std::cos(angle) * std::cos(lift), std::sin(angle) * std::cos(lift), std::sin(lift));
  const Vector3 side(-std::sin(angle), std::cos(angle), 0.0);
  const Vector3 n1 = std::cos(tilt) * axis + std::sin(tilt) * side;
  const Vector3 n2 = -std::cos(tilt) * axis + std::sin(tilt) * side;
  const int dim = planar ? 2 : 3;
  std::ostringstream text;
  text.precision(17);
  const auto list = [&](const auto& entry) {
    text << "[";
    for (int i = 0; i < dim; ++i) {
      if (i > 0) text << ", ";
      entry(i);
    }
    text << "]";
  };
  text << "stickslip = 1\nscheme = {type = \"" << scheme << "\"}\ntime = {end = 1, step = " << kStep << "}\ngravity = ";
  list([&](int i) { text << (i == dim - 1 ? -9.81 : 0.0); });
  for (const auto& [name, n, speed] : {std::tuple("left", n1, first), std::tuple("right", n2, second)}) {
    text << "\n[bodies." << name << "]\ntype = \""
         << "moving"
         << "\"\nposition = ";
    list([&](int i) { text << "\"" << n[i] << "*(" << speed << "*t - " << radius << ")\""; });
    text << "\nshapes.wall = {type = \"half-space\", normal = ";
    list([&](int i) { text << n[i]; });
    text << "}";
  }
  text << "\n[bodies.body]\ntype = \"" << (planar ? "planar" : "rigid") << "\"\nmass = " << squeeze.mass
       << "\ninertia = ";
  const double inertia = 0.4 * squeeze.mass * radius * radius;
  if (planar) {
    text << inertia << "\nangle = " << angle;
  } else {
    text << "[" << inertia << ", " << inertia << ", " << inertia << "]\nquaternion = ";
    const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(Vector3::UnitX(), axis);
    text << "[" << turn.w() << ", " << turn.x() << ", " << turn.y() << ", " << turn.z() << "]";
  }
  const Vector3 velocity = first * Vector3(uniform(random) - 0.5, uniform(random) - 0.5, uniform(random) - 0.5);
  text << "\nvelocity = ";
  list([&](int i) { text << velocity[i]; });
  if (squeeze.is_ball) {
    text << "\nshapes.hull = {type = \"sphere\", radius = " << radius << "}";
  } else {
    text << "\nshapes.hull = {type = \"box\", size = ";
    list([&](int i) { text << (i == 0 ? 2.0 * radius : radius); });
    text << "}";
  }
  for (const char* wall : {"left", "right"}) {
    text << "\n[[contacts]]\nname = \"" << wall << "\"\nbetween = [\"" << wall << "\", \"body\"]\nfriction = " << mu;
  }
  text << "\n";
  squeeze.text = text.str();
  squeeze.closing = first + second;
  squeeze.explained = squeeze.closing + velocity.norm() + 9.81 * kStep;
  return squeeze;
}

class SqueezedBody : public testing::TestWithParam<const char*> {};

TEST_P(SqueezedBody, IsNotThrownAbout) {
  const bool is_alpha = std::string(GetParam()) == "generalized-alpha";
  // Others correct overlaps in the same problem, or have instants instead of a first half step.
  const bool is_moreau = std::string(GetParam()) == "moreau";
  int n_inexact = 0;
  for (unsigned seed = 0; seed < 108; ++seed) {
    if (!is_alpha && !is_moreau && seed >= 36) break;  // a third of them, for the sake of time
    // Boxes take the generalized-alpha scheme a second a step, and may turn out of its way.
    const Squeeze squeeze = make_squeeze(GetParam(), seed, !is_alpha);
    // Nor are wedges quick in which friction jams a body: some of them are enough.
    if (is_alpha && !squeeze.is_parallel && seed > 12) continue;
    const double lever = squeeze.is_parallel ? 1.0 : 1.0 / std::sin(kTilt);  // what a wedge makes of a percussion
    test::SceneRun run = test::scene_from_text(squeeze.text);
    for (int k = 0; k < 2; ++k) {
      const Status status = run.step();
      ASSERT_NE(status, Status::failed) << seed << " " << run.report.message;
      // In its first half step a body may leave one of the walls.
      if (squeeze.is_parallel && k > 0) {
        EXPECT_EQ(status, Status::inexact) << seed << " " << k;
      }
      if (status == Status::ok) continue;
      ++n_inexact;
      for (const ContactReport& contact : run.report.contacts) {
        for (const double p : contact.percussion) {
          EXPECT_LE(std::abs(p), 10.0 * lever * squeeze.mass * squeeze.explained) << seed << " " << k;
        }
      }
      for (int i = 0; i < 2; ++i) EXPECT_LE(std::abs(run.state.u[i]), 2.0 * squeeze.explained) << seed << " " << k;
      if (!squeeze.is_parallel) continue;
      EXPECT_GT(run.report.solve.violation, 0.0) << seed << " " << k;
      if (is_moreau && squeeze.is_ball) {
        EXPECT_NEAR(run.report.solve.violation, squeeze.closing / std::sqrt(2.0), 1e-9 * squeeze.explained) << seed;
        EXPECT_NEAR(run.report.missed, run.report.solve.violation, 1e-4 * squeeze.explained) << seed << " " << k;
      }
    }
  }
  EXPECT_GE(n_inexact, is_alpha || is_moreau ? 120 : 40);
}

/// A block of 100 kg on a plate of 5 g, on a slope that friction holds both on, far from a ball between walls that
/// close: every step is inexact, but there alone.
TEST_P(SqueezedBody, DisturbsNothingElse) {
  if (std::string(GetParam()) == "event-driven") GTEST_SKIP() << "it takes no contacts between solids";
  test::SceneRun run = test::scene_from_text(test::squeeze_beside_a_block(GetParam()));
  for (int k = 0; k < 50; ++k) {
    ASSERT_NE(run.step(), Status::failed) << run.report.message;
    if (k > 0) {
      EXPECT_EQ(run.report.status, Status::inexact) << k;
    }
    EXPECT_LT(run.report.missed, 0.3) << k;  // [m/s] sqrt(2) .2, the least
    for (int i = 3; i < 9; ++i) EXPECT_LT(std::abs(run.state.u[i]), 1e-7) << k << " " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, SqueezedBody,
                         testing::Values("moreau", "generalized-alpha", "ccp", "stewart-trinkle", "event-driven"),
                         [](const auto& made) {
                           std::string name = made.param;
                           std::erase(name, '-');
                           return name;
                         });

/// A closed loop that starts stretched out with velocities that it does not allow: no method solves the first step
/// whole, and in parts an impact makes the velocities consistent. Not of every such start: stretched out is singular.
TEST(SqueezedLoop, IsMadeConsistentByAnImpact) {
  test::SceneRun run = test::open_scene(
      "four_bar",
      {"scheme.type=generalized-alpha", "bodies.coupler.velocity=[0.31,-0.8]", "bodies.coupler.angular_velocity=0.5"});
  const double energy = run.built.system->calc_kinetic_energy(run.state.u);
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(run.step(), Status::ok) << n << ": " << run.report.message;
    EXPECT_LE(run.report.drift_position, 1e-12) << n;
    EXPECT_GT(run.report.kinetic_energy, 0.1 * energy) << n;  // it goes on to move
    EXPECT_LE(run.report.kinetic_energy, 2.0 * energy) << n;
  }
}

}  // namespace
}  // namespace stickslip
