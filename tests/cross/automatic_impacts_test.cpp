// SPDX-License-Identifier: BSD-3-Clause
// Automatic steps through impacts, accumulations of them, stick and slip: the published benchmarks run to their ends
// with every step solved, never collapse to a shortest step, and meet the events of the reference.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/automatic_run.h"
#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::AutomaticRun;
using test::kGravity;
using test::SceneRun;

SceneRun open_automatic(const std::string& name, const std::string& tolerance,
                        std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.end(), {"scheme.type=generalized-alpha", "time.step=auto", "time.tolerance=" + tolerance});
  return test::open_scene("papers/capobianco/" + name, overrides);
}

/// The steps with an impact.
struct Impacts {
  std::vector<double> times;     // [s]
  std::vector<double> impulses;  // [N s] largest of the step
  void look(const SceneRun& run, double least) {
    double largest = 0.0;
    for (const ContactReport& c : run.report.contacts) largest = std::max(largest, c.impulse[0]);
    if (largest < least) return;
    times.push_back(run.state.t);
    impulses.push_back(largest);
  }
};

class BouncingBall : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Tolerance, BouncingBall, testing::Values("1e-4", "1e-5", "1e-6"));

TEST_P(BouncingBall, ComesToRestThroughAllItsBounces) {
  const double tolerance = std::stod(GetParam());
  SceneRun run = open_automatic("bouncing_ball_zeno", GetParam());
  Impacts impacts;
  const AutomaticRun taken = run_automatic(run, [&](const SceneRun& r) { impacts.look(r, 0.05); });
  EXPECT_EQ(run.state.t, 2.0);
  EXPECT_NEAR(run.state.q(1), 0.1, 1e-12);
  // Of the speed of the last bounce that is told apart, half is left in each step at rest, and few long steps follow.
  EXPECT_NEAR(run.state.u(1), 0.0, 1e-3 * kGravity * std::sqrt(2.0 * 0.9 / kGravity));
  // Impacts of the exact motion: t_0 = sqrt(2 h / g), then flights of 2 e^k v / g; the length on which the motion bends
  // is V^2 / g, and the instants are found to sqrt(tolerance) of V / g and what the ones before leave over.
  const double t0 = std::sqrt(2.0 * 0.9 / kGravity);
  double exact = t0;
  ASSERT_GE(impacts.times.size(), 5u);
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(impacts.times[k], exact, 6.0 * std::sqrt(tolerance) * t0) << k;
    exact += 2.0 * t0 * std::pow(0.5, k + 1);
  }
  EXPECT_GT(taken.shortest, 1e-2 * std::sqrt(tolerance) * t0);
  EXPECT_LT(taken.steps + taken.rejected, 500) << "half the published fixed steps";
}

TEST(AutomaticImpacts, BallInCorner) {
  SceneRun run = open_automatic("ball_in_corner", "1e-6");
  Impacts impacts;
  const AutomaticRun taken = run_automatic(run, [&](const SceneRun& r) { impacts.look(r, 0.1); });
  EXPECT_EQ(run.state.t, run.scene.time.end);
  // The events of the reference at fixed steps of 1e-4 s.
  const std::vector<double> expected = {.2704, .5988, .8431, 1.0265, 1.1337, 1.2142};
  const std::vector<double> impulse = {1.8753, 4.450, .8472, 1.9522, .3719, .8566};
  ASSERT_GE(impacts.times.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(impacts.times[i], expected[i], 2e-3) << i;
    EXPECT_NEAR(impacts.impulses[i], impulse[i], 0.02) << i;
  }
  EXPECT_NEAR(run.state.q(0), 0.0, 2e-3);
  EXPECT_NEAR(run.state.q(1), 0.1 * std::sqrt(2.0), 2e-3);
  EXPECT_GT(taken.shortest, 1e-6);
  EXPECT_LT(taken.steps, 16000 / 2) << "the published fixed steps are 16000";
}

/// When the top's stem touches the ground. [s]
double run_tippe_top(const std::string& tolerance, AutomaticRun& taken) {
  SceneRun run = open_automatic("tippe_top", tolerance, {"time.end=2"});
  double touches = 0.0;
  taken = run_automatic(run, [&](const SceneRun& r) {
    if (touches == 0.0 && r.report.contacts[1].percussion[0] > 0.0) touches = r.state.t;
  });
  EXPECT_EQ(run.state.t, 2.0);
  return touches;
}

TEST(AutomaticImpacts, TippeTop) {
  // Fixed steps of 1e-3, 1e-4 and 2.5e-5 s: 1.415, 1.3709 and 1.3710 s.
  constexpr double kTouches = 1.3710;
  AutomaticRun taken;
  EXPECT_NEAR(run_tippe_top("1e-3", taken), kTouches, 0.02);
  EXPECT_NEAR(run_tippe_top("1e-4", taken), kTouches, 0.002);
  EXPECT_GT(taken.shortest, 1e-5);
  EXPECT_LT(taken.steps, 8000);
}

TEST(AutomaticImpacts, Hopper) {
  SceneRun run = open_automatic("hopper", "3e-4", {"time.end=0.3", "scheme.rho_inf=0", "scheme.tolerance=1e-6"});
  double closed = 0.0;
  double open = 0.0;
  double P = 0.0;
  const AutomaticRun taken = run_automatic(run, [&](const SceneRun& r) {
    const double p = r.report.contacts[0].percussion[0];
    P += p;
    if (p > 0.0 && closed == 0.0) closed = r.state.t;
    if (p > 0.0) open = r.state.t;
  });
  EXPECT_EQ(run.state.t, 0.3);
  // The reference with fixed steps of 5e-5 s.
  EXPECT_NEAR(closed, 0.12625, 1.5e-3);
  EXPECT_NEAR(open, 0.18225, 1.5e-3);
  EXPECT_NEAR(P, 16.576955, 0.1);
  EXPECT_NEAR(run.state.q(1), 0.394623, 4e-3);
  EXPECT_GT(taken.shortest, 1e-8);
  EXPECT_LT(taken.steps, 12000);
}

}  // namespace
}  // namespace stickslip
