// SPDX-License-Identifier: BSD-3-Clause
// A hundred discs that settle in a box, under the generalized-alpha scheme with Moreau's beside it, in one run on one
// machine: the mean cost of a step of each, their ratio, the steps that stayed inexact, the deepest penetration.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"

namespace stickslip {
namespace {

struct Cost {
  double milliseconds = 0.0;  // a step
  double inexact = 0.0;       // [-] share of the steps
  double penetration = 0.0;   // [m]
};

Cost settle(std::vector<std::string> overrides) {
  LoadOptions load;
  load.overrides = std::move(overrides);
  const Scene scene = load_scene(std::string(STICKSLIP_SCENES_DIR) + "/discs_in_box.toml", load);
  const BuiltScene built = build(scene);
  State state = built.initial;
  StepReport report;
  built.stepper->initialize(state, report);
  const auto n = std::lround((scene.time.end - scene.time.start) / scene.time.step);
  Cost cost;
  const auto start = std::chrono::steady_clock::now();
  for (long i = 1; i <= n; ++i) {
    const double t = scene.time.start + static_cast<double>(i) * scene.time.step;
    if (built.stepper->step(state, scene.time.step, t, report) != Status::ok) cost.inexact += 1.0;
    cost.penetration = std::max(cost.penetration, report.penetration);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  cost.milliseconds = 1e3 * taken.count() / static_cast<double>(n);
  cost.inexact /= static_cast<double>(n);
  return cost;
}

void discs_in_box(benchmark::State& bench) {
  for (auto _ : bench) {
    const Cost moreau = settle({"scheme.type=moreau"});
    const Cost alpha = settle({"scheme.type=generalized-alpha", "scheme.tolerance=1e-6"});
    bench.counters["moreau_ms"] = moreau.milliseconds;
    bench.counters["alpha_ms"] = alpha.milliseconds;
    bench.counters["ratio"] = alpha.milliseconds / moreau.milliseconds;
    bench.counters["moreau_inexact"] = moreau.inexact;
    bench.counters["alpha_inexact"] = alpha.inexact;
    bench.counters["moreau_depth"] = moreau.penetration;
    bench.counters["alpha_depth"] = alpha.penetration;
  }
}
BENCHMARK(discs_in_box)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace stickslip
