// SPDX-License-Identifier: BSD-3-Clause
// The sliding rod [Capobianco2021, section 10.4] through Painleve's paradox, where a step has several solutions: which
// of them the rule takes, that the prox parameter and the tolerance do not matter, and that the report says so.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

using test::SceneRun;

SceneRun open_rod(const std::string& tolerance, const std::string& r, const std::string& step = "8e-4") {
  return test::open_scene("papers/capobianco/sliding_rod",
                          {"scheme.type=generalized-alpha", "scheme.rho_inf=0.9", "scheme.tolerance=" + tolerance,
                           "scheme.r=" + r, "time.step=" + step});
}

// All solutions of two steps by a dense Newton method, each index set by itself and kept where its inequalities hold:
//   to 0.8144 s   slides on:   P_N = 0.1377, lambda_N = 106.76;   impact: P_N = 3.654, the tip at rest
//   to 0.8152 s   opens:       P_N = 0;
//                 slides on with a percussion alone, or with a force, P_N = 0.0662;   impact: P_N = 3.513
// The rule takes the first of each.
TEST(Painleve, TheRuleTakesTheFirstOfTheSolutions) {
  SceneRun run = open_rod("1e-12", "\"auto\"");
  while (run.state.step < 1018) ASSERT_EQ(run.step(), Status::ok);
  EXPECT_NEAR(run.state.t, 0.8144, 1e-12);
  const ContactReport& tip = run.report.contacts[0];
  EXPECT_EQ(tip.status, ContactStatus::slip);
  EXPECT_NEAR(tip.percussion[0], 0.1377, 1e-4);
  EXPECT_NEAR(tip.force[0], 106.76, 1e-2);
  EXPECT_NEAR(-run.state.u(2), 3.7311, 1e-4);
  EXPECT_EQ(run.report.choices, 1) << "an impact solves the step as well";
  ASSERT_EQ(run.step(), Status::ok);
  EXPECT_EQ(tip.status, ContactStatus::open);
  EXPECT_EQ(tip.percussion[0], 0.0);
  EXPECT_NEAR(tip.gap, 2.7e-7, 1e-8);
  EXPECT_NEAR(-run.state.u(2), 3.7304, 1e-4);
  EXPECT_EQ(run.report.choices, 1);
}

TEST(Painleve, ContinuationDependsNeitherOnTheProxParameterNorOnTheTolerance) {
  std::vector<SceneRun> runs;
  for (const char* tolerance : {"1e-8", "1e-10", "1e-12"}) {
    for (const char* r : {"\"auto\"", "0.03", "0.1", "0.3"}) {
      runs.push_back(open_rod(tolerance, r));
      SceneRun& run = runs.back();
      const SceneRun& first = runs.front();
      double opened = 0.0;
      while (run.state.step < 2000) {
        ASSERT_EQ(run.step(), Status::ok) << tolerance << " " << r << " " << run.state.t;
        if (opened == 0.0 && run.report.contacts[0].status == ContactStatus::open) opened = run.state.t;
      }
      EXPECT_NEAR(opened, 0.8152, 1e-9) << tolerance << " " << r;
      // A thousand steps of a way of 0.02 m each, to 1e-8 of it.
      EXPECT_LE((run.state.q - first.state.q).norm(), 1e-6) << tolerance << " " << r;
      EXPECT_LE((run.state.u - first.state.u).norm(), 1e-6) << tolerance << " " << r;
    }
  }
}

TEST(Painleve, OpensAtTheSameTimeAtEveryStep) {
  // Sliding ends at t = 0.81446, where A = 0. It may fall back at once, with A < 0: then an impact is the only
  // solution.
  for (const char* step : {"8e-4", "4e-4", "2e-4", "1e-4"}) {
    SceneRun run = open_rod("1e-10", "\"auto\"", step);
    double opened = 0.0;
    while (run.state.t < 0.85) {
      ASSERT_EQ(run.step(), Status::ok) << step << " " << run.state.t;
      const ContactStatus status = run.report.contacts[0].status;
      if (opened == 0.0 && status == ContactStatus::open) opened = run.state.t;
      if (status == ContactStatus::stick) {
        EXPECT_EQ(run.report.choices, 0) << step << " " << run.state.t;
      }
    }
    EXPECT_NEAR(opened, 0.8145, 1.5e-3) << step;
  }
}

}  // namespace
}  // namespace stickslip
