// SPDX-License-Identifier: BSD-3-Clause
// The generalized-alpha scheme over steps, tolerances, damping and prox parameters: it ends every step, and where it
// says that a step is ok the laws of contact hold. A reduced sweep; STICKSLIP_FULL_SWEEP=1 in the environment runs all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/scene_run.h"

namespace stickslip {
namespace {

struct Sweep {
  const char* scene;
  double end;              // [s] of the run
  double r;                // [kg] 0.3 over the largest Delassus diagonal
  double largest_step;     // [s]
  double allowed_inexact;  // [-] share of steps
};

void PrintTo(const Sweep& sweep, std::ostream* out) {
  *out << sweep.scene;
}

class GeneralizedAlphaRobustness : public testing::TestWithParam<Sweep> {};

TEST_P(GeneralizedAlphaRobustness, EndsEveryStepAndSaysTheTruth) {
  const Sweep& sweep = GetParam();
  const bool full = std::getenv("STICKSLIP_FULL_SWEEP") != nullptr;
  const std::vector<double> steps =
      full ? std::vector<double>{1e-2, 1e-3, 1e-4, 1e-5} : std::vector<double>{1e-2, 1e-3};
  const std::vector<const char*> tolerances =
      full ? std::vector<const char*>{"1e-6", "1e-8", "1e-10", "1e-12"} : std::vector<const char*>{"1e-6", "1e-12"};
  const std::vector<const char*> damping =
      full ? std::vector<const char*>{"0.0", "0.5", "0.9", "1.0"} : std::vector<const char*>{"0.0", "0.6", "1.0"};
  std::vector<std::string> prox = {"\"auto\"", std::to_string(0.1 * sweep.r), std::to_string(sweep.r)};
  long total = 0;
  long inexact = 0;
  for (const double step : steps) {
    if (step > sweep.largest_step) continue;
    for (const char* tolerance : tolerances) {
      for (const char* rho : damping) {
        for (const std::string& r : prox) {
          test::SceneRun run =
              test::open_scene(std::string("papers/capobianco/") + sweep.scene,
                               {"scheme.type=generalized-alpha", std::string("scheme.tolerance=") + tolerance,
                                std::string("scheme.rho_inf=") + rho, "scheme.r=" + r,
                                "time.step=" + std::to_string(step), "time.end=" + std::to_string(sweep.end)});
          const std::string what =
              std::string("step ") + std::to_string(step) + " tolerance " + tolerance + " rho " + rho + " r " + r;
          const auto n = std::lround(sweep.end / step);
          while (run.state.step < n) {
            const Status status = run.step();
            ASSERT_NE(status, Status::failed) << what << " t = " << run.state.t << " " << run.report.message;
            ++total;
            if (status == Status::inexact) {
              ++inexact;
              continue;
            }
            // What "ok" promises, in terms of what the bodies move in a step of 2e-2 m at most.
            ASSERT_LE(run.report.penetration, 10.0 * std::atof(tolerance) + 1e-13) << what << " t = " << run.state.t;
            for (const ContactReport& contact : run.report.contacts) {
              ASSERT_GE(contact.percussion[0], -1e-9) << what << " t = " << run.state.t;
              ASSERT_GE(contact.force[0], -1e-3) << what << " t = " << run.state.t;
            }
          }
        }
      }
    }
  }
  RecordProperty("steps", static_cast<int>(total));
  RecordProperty("inexact", static_cast<int>(inexact));
  EXPECT_LE(static_cast<double>(inexact), sweep.allowed_inexact * static_cast<double>(total))
      << inexact << " of " << total;
}

// The rod is stopped before Painleve's paradox, where the discrete problem may have no solution.
INSTANTIATE_TEST_SUITE_P(
    Benchmarks, GeneralizedAlphaRobustness,
    testing::Values(Sweep{"bouncing_ball_zeno", 2.0, 0.3, 1e-2, 0.0}, Sweep{"bouncing_ball_slip", 1.0, 0.08, 1e-2, 0.0},
                    Sweep{"ball_in_corner", 1.6, 0.08, 1e-2, 0.01}, Sweep{"ball_in_cylinder", 2.0, 0.08, 1e-2, 0.0},
                    Sweep{"sliding_rod", 0.8, 0.08, 1e-2, 0.0}, Sweep{"tippe_top", 0.5, 1e-3, 1e-3, 0.0}),
    [](const auto& sweep) { return std::string(sweep.param.scene); });

}  // namespace
}  // namespace stickslip
