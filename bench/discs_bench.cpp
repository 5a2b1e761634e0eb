// SPDX-License-Identifier: BSD-3-Clause
// A hundred discs that settle in a box, under the generalized-alpha scheme with Moreau's beside it, in one run on one
// machine: steps a second of each and the ratio of the cost of a step, over the whole scene and by phase (discs fly,
// heap up, lie); steps that failed, stayed inexact, needed fallbacks or were made in parts; the deepest penetration.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"

namespace stickslip {
namespace {

/// Until when most discs fly, and until when the heap moves. [s]
constexpr std::array kPhaseEnds = {0.2, 1.0, std::numeric_limits<double>::infinity()};
constexpr std::array kPhaseNames = {"fly", "heap", "lie"};

struct Cost {
  std::array<double, 3> seconds = {};  // CPU time by phase
  int steps = 0, failed = 0, inexact = 0, with_fallbacks = 0, in_parts = 0;
  long fallbacks = 0;
  double penetration = 0.0;  // [m]
  double total() const { return seconds[0] + seconds[1] + seconds[2]; }
};

double cpu_time() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

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
  for (long i = 1; i <= n; ++i) {
    const double t = scene.time.start + static_cast<double>(i) * scene.time.step;
    const double start = cpu_time();
    const Status status = built.stepper->step(state, scene.time.step, t, report);
    const std::size_t phase = std::upper_bound(kPhaseEnds.begin(), kPhaseEnds.end(), t) - kPhaseEnds.begin();
    cost.seconds[phase] += cpu_time() - start;
    ++cost.steps;
    if (status == Status::failed) {
      ++cost.failed;
      break;
    }
    if (status == Status::inexact) ++cost.inexact;
    if (report.fallbacks > 0) ++cost.with_fallbacks;
    if (report.parts > 1) ++cost.in_parts;
    cost.fallbacks += report.fallbacks;
    cost.penetration = std::max(cost.penetration, report.penetration);
  }
  return cost;
}

void discs_in_box(benchmark::State& bench) {
  for ([[maybe_unused]] auto _ : bench) {
    const Cost moreau = settle({"scheme.type=moreau"});
    const Cost alpha = settle({"scheme.type=generalized-alpha", "scheme.tolerance=1e-6"});
    const auto report = [&](const char* scheme, const Cost& cost) {
      const std::string name = scheme;
      bench.counters[name + "_steps_per_s"] = cost.steps / cost.total();
      bench.counters[name + "_failed"] = cost.failed;
      bench.counters[name + "_inexact"] = cost.inexact;
      bench.counters[name + "_with_fallbacks"] = cost.with_fallbacks;
      bench.counters[name + "_fallbacks"] = static_cast<double>(cost.fallbacks);
      bench.counters[name + "_in_parts"] = cost.in_parts;
      bench.counters[name + "_depth"] = cost.penetration;
    };
    report("moreau", moreau);
    report("alpha", alpha);
    bench.counters["ratio"] = alpha.total() / moreau.total();
    for (std::size_t i = 0; i < kPhaseNames.size(); ++i) {
      bench.counters[std::string("ratio_") + kPhaseNames[i]] = alpha.seconds[i] / moreau.seconds[i];
    }
  }
}
BENCHMARK(discs_in_box)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace stickslip
