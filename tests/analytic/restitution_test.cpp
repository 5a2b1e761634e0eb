// SPDX-License-Identifier: BSD-3-Clause
// Newton's law of impacts under every scheme that has it: what a contact gives back, wherever in a step it closes, and
// rows of balls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::kGravity;
using test::SceneRun;

class Restitution : public testing::TestWithParam<std::string> {
 protected:
  static bool is_generalized_alpha() { return GetParam() == "generalized-alpha"; }
  static SceneRun open(const std::string& text, double end, double h) {
    std::ostringstream scene;
    scene.precision(17);
    // The tolerance of the generalized-alpha scheme is its own.
    scene << "stickslip = 1\nscheme = {type = \"" << GetParam()
          << "\"}\nsolver = {tolerance = 1e-12}\ntime = {end = " << end << ", step = " << h << "}\n"
          << text;
    return test::scene_from_text(scene.str());
  }
};

constexpr int kPhases = 20;              // of the step, in which the impact falls
constexpr double kOfRestitution = 1e-3;  // [-] asked of the ratio of velocities

/// A ball `gap` over the floor with `velocity` down and upward `gravity`.
std::string make_ball(double gap, double velocity, double gravity, double e) {
  std::ostringstream text;
  text.precision(17);
  text << "gravity = [0, 0, " << -gravity
       << "]\n[bodies.floor]\ntype = \"fixed\"\nshapes.top = {type = \"half-space\", "
       << "normal = [0, 0, 1], offset = 0}\n[bodies.ball]\nmass = 0.3\ninertia = [0.01, 0.01, 0.01]\nposition = [0, 0, "
       << 0.1 + gap << "]\nvelocity = [0.4, 0, " << -velocity
       << "]\nshapes.hull = {type = \"sphere\", radius = 0.1}\n[[contacts]]\nbetween = [\"floor\", \"ball\"]\n"
       << "friction = 0.3\nrestitution = {normal = " << e << "}\n";
  return text.str();
}

/// The ball's velocity after the first impact in n steps over that of the last row before. `ccp` lands on the surface
/// where nothing is given back: that takes another row.
double calc_ratio(SceneRun& run, int n) {
  double before = HUGE_VAL;
  for (int i = 0; i < n; ++i) {
    const double velocity = run.state.u(2);
    EXPECT_EQ(run.step(), Status::ok) << run.report.message;
    if (before != HUGE_VAL) return -run.state.u(2) / before;
    if (run.report.contacts[0].percussion[0] > 0.0) before = velocity;
  }
  return HUGE_VAL;
}

TEST_P(Restitution, OfAThrownBallDoesNotDependOnThePhaseOfTheStep) {
  constexpr double h = 1e-3;
  constexpr double kSpeed = 2.0;  // [m/s]
  for (const double e : {0.0, 0.4, 0.8, 1.0}) {
    for (int phase = 0; phase < kPhases; ++phase) {
      SceneRun run = open(make_ball((3.0 + static_cast<double>(phase) / kPhases) * h * kSpeed, kSpeed, 0.0, e), 1.0, h);
      EXPECT_NEAR(calc_ratio(run, 10), e, kOfRestitution) << "e = " << e << ", phase " << phase;
      EXPECT_NEAR(run.state.u(2), e * kSpeed, kOfRestitution * kSpeed) << "e = " << e << ", phase " << phase;
    }
  }
}

/// At 3 m/s; gravity changes 3e-4 of it within two steps.
TEST_P(Restitution, OfADroppedBallDoesNotDependOnThePhaseOfTheStep) {
  constexpr double h = 5e-5;
  constexpr double kSpeed = 3.0;  // [m/s]
  for (const double e : {0.0, 0.4, 0.8, 1.0}) {
    for (int phase = 0; phase < kPhases; ++phase) {
      const double gap = (3.0 + static_cast<double>(phase) / kPhases) * h * kSpeed;
      SceneRun run = open(make_ball(gap, kSpeed, kGravity, e), 1.0, h);
      EXPECT_NEAR(calc_ratio(run, 10), e, kOfRestitution) << "e = " << e << ", phase " << phase;
    }
  }
}

/// Balls of radius .1 along x with `gaps` between them, of which the first is thrown at the others.
enum class Contacts { named, found };
std::string make_row(const std::vector<double>& gaps, double velocity, Contacts contacts = Contacts::named) {
  std::ostringstream text;
  text.precision(17);
  text << "gravity = [0, 0, 0]\n";
  double x = 0.0;
  for (std::size_t i = 0; i <= gaps.size(); ++i) {
    text << "[bodies.ball" << i << "]\nmass = 0.3\ninertia = [0.01, 0.01, 0.01]\nposition = [" << x
         << ", 0, 0]\nvelocity = [" << (i == 0 ? velocity : 0.0)
         << ", 0, 0]\nshapes.hull = {type = \"sphere\", radius = 0.1}\n";
    if (i < gaps.size()) x += 0.2 + gaps[i];
  }
  if (contacts == Contacts::found) text << "[contact_default]\nrestitution = {normal = 1}\n";
  for (std::size_t i = 0; i < gaps.size() && contacts == Contacts::named; ++i) {
    text << "[[contacts]]\nbetween = [\"ball" << i << "\", \"ball" << i + 1 << "\"]\nrestitution = {normal = 1}\n";
  }
  return text.str();
}

/// Velocities of all balls after n steps over that of the throw.
std::vector<double> throw_at(SceneRun run, int n) {
  const double velocity = run.state.u(0);
  for (int i = 0; i < n; ++i) EXPECT_EQ(run.step(), Status::ok) << run.report.message;
  std::vector<double> result;
  for (int i = 0; i < run.state.u.size(); i += 6) result.push_back(run.state.u(i) / velocity);
  return result;
}

constexpr double kStands = 1e-9;  // [m, m/s] asked of a stack
constexpr double kOfRow = 1e-9;   // [-] what solvers leave

/// Newton's law where all balls touch: what touches and does not close gives nothing back.
TEST_P(Restitution, OfThreeTouchingBallsIsNewtons) {
  const std::vector<double> v = throw_at(open(make_row({0.0, 0.0}, 1.0), 1.0, 1e-3), 30);
  EXPECT_NEAR(v[0], -1.0 / 3.0, kOfRow);
  EXPECT_NEAR(v[1], 2.0 / 3.0, kOfRow);
  EXPECT_NEAR(v[2], 2.0 / 3.0, kOfRow);
}

/// With gaps that are seen, one impact follows the other and the last ball flies, whatever the phases.
TEST_P(Restitution, PassesThroughARowWithVisibleGaps) {
  constexpr double h = 1e-3;
  for (int phase = 0; phase < kPhases; ++phase) {
    const double gap = (2.0 + static_cast<double>(phase) / kPhases) * h;
    for (const Contacts contacts : {Contacts::named, Contacts::found}) {
      const std::vector<double> three = throw_at(open(make_row({gap, gap}, 1.0, contacts), 1.0, h), 30);
      EXPECT_NEAR(three[0], 0.0, kOfRow) << phase;
      EXPECT_NEAR(three[1], 0.0, kOfRow) << phase;
      EXPECT_NEAR(three[2], 1.0, kOfRow) << phase;
    }
    const std::vector<double> five = throw_at(open(make_row({gap, gap, gap, gap}, 1.0), 1.0, h), 50);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(five[i], 0.0, kOfRow) << phase;
    EXPECT_NEAR(five[4], 1.0, kOfRow) << phase;
  }
}

/// Gaps of less than what the balls move in a step cannot be told apart from none; but no energy comes of them.
TEST_P(Restitution, OfRowsGainsNoEnergyWhateverTheGaps) {
  constexpr double h = 1e-3;
  for (const Contacts contacts : {Contacts::named, Contacts::found}) {
    for (const double gap : {1e-9, 1e-6, 1e-4, 3e-4, 5e-4, 9e-4, 1.3e-3, 1.9e-3}) {
      const std::vector<double> v = throw_at(open(make_row({0.5e-3, gap, gap}, 1.0, contacts), 1.0, h), 50);
      double momentum = 0.0;
      double energy = 0.0;
      for (const double x : v) {
        momentum += x;
        energy += x * x;
      }
      EXPECT_NEAR(momentum, 1.0, kOfRow) << gap;
      EXPECT_LE(energy, 1.0 + kOfRow) << gap;
      for (int i = 0; i < 3; ++i) EXPECT_LE(v[i], v[i + 1] + kOfRow) << gap;  // they part
    }
  }
}

/// An envelope in which the contact takes part long before it closes takes nothing of the approach away.
TEST(RestitutionUnderCcp, DoesNotDependOnTheEnvelope) {
  constexpr double h = 1e-3;
  constexpr double kSpeed = 2.0;  // [m/s]
  for (const char* envelope : {"0.0", "5e-4", "0.05"}) {
    for (int phase = 0; phase < kPhases; ++phase) {
      const double gap = (3.0 + static_cast<double>(phase) / kPhases) * h * kSpeed;
      SceneRun run =
          test::scene_from_text(std::string("stickslip = 1\nscheme = {type = \"ccp\", envelope = ") + envelope +
                                "}\ntime = {end = 1, step = 1e-3}\n" + make_ball(gap, kSpeed, 0.0, 0.4));
      EXPECT_NEAR(calc_ratio(run, 10), 0.4, kOfRestitution) << "envelope " << envelope << ", phase " << phase;
    }
  }
}

/// What rests gives nothing back.
TEST_P(Restitution, LetsAStackStand) {
  std::ostringstream text;
  text << "[bodies.floor]\ntype = \"fixed\"\nshapes.top = {type = \"half-space\", normal = [0, 0, 1], offset = 0}\n";
  for (int i = 0; i < 3; ++i) {
    text << "[bodies.box" << i << "]\ndensity = 100\nposition = [0, 0, " << 0.25 + 0.5 * i
         << "]\nshapes.hull = {type = \"box\", size = [0.5, 0.5, 0.5]}\n";
  }
  text << "[contact_default]\nfriction = 0.5\nrestitution = {normal = 0.5}\n";
  SceneRun run = open(text.str(), 1.0, 5e-3);
  const Vector start = run.state.q;
  run.run();
  EXPECT_LE((run.state.q - start).lpNorm<Eigen::Infinity>(), kStands);
  EXPECT_LE(run.state.u.lpNorm<Eigen::Infinity>(), kStands);
}

INSTANTIATE_TEST_SUITE_P(, Restitution, testing::Values("moreau", "ccp", "generalized-alpha"), [](const auto& of) {
  return of.param == "generalized-alpha" ? std::string("GeneralizedAlpha") : of.param;
});

}  // namespace
}  // namespace stickslip
