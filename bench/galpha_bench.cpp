// SPDX-License-Identifier: BSD-3-Clause
// Cost of a step of the generalized-alpha scheme on the published benchmarks: each run is a whole scene; the median
// and the mean over its steps, the Newton work and what did not go by itself are counters. The label quotes what a
// dense reference implementation (numpy) and the authors' own package (Python) take for a step: CPU time, on another
// machine.
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

struct Case {
  const char* scene;
  const char* others;  // [us] reference implementation; authors' package
  std::vector<std::string> overrides;
};

void whole_run(benchmark::State& bench, const Case& c) {
  LoadOptions load;
  load.overrides = {"scheme.type=generalized-alpha", "scheme.tolerance=1e-8"};
  load.overrides.insert(load.overrides.end(), c.overrides.begin(), c.overrides.end());
  const Scene scene = load_scene(std::string(STICKSLIP_SCENES_DIR) + "/papers/capobianco/" + c.scene + ".toml", load);
  const auto n = std::lround((scene.time.end - scene.time.start) / scene.time.step);
  std::vector<double> micros;
  double iterations = 0.0;
  double fallbacks = 0.0;
  double not_ok = 0.0;
  for (auto _ : bench) {
    BuiltScene built = build(scene);
    State state = built.initial;
    StepReport report;
    built.stepper->initialize(state, report);
    for (long i = 1; i <= n; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const Status status = built.stepper->step(state, scene.time.step,
                                                scene.time.start + static_cast<double>(i) * scene.time.step, report);
      micros.push_back(1e6 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      iterations += report.solve.iterations;
      fallbacks += report.fallbacks > 0 ? 1.0 : 0.0;
      not_ok += status == Status::ok ? 0.0 : 1.0;
    }
  }
  const auto count = static_cast<double>(micros.size());
  double sum = 0.0;
  for (const double t : micros) sum += t;
  std::nth_element(micros.begin(), micros.begin() + static_cast<std::ptrdiff_t>(micros.size() / 2), micros.end());
  bench.counters["us_step_median"] = micros[micros.size() / 2];
  bench.counters["us_step_mean"] = sum / count;
  bench.counters["newton"] = iterations / count;
  bench.counters["fallback_steps"] = fallbacks;
  bench.counters["not_ok"] = not_ok;
  bench.SetLabel(c.others);
}

BENCHMARK_CAPTURE(whole_run, bounce, Case{"bouncing_ball_slip", "reference 105-170, package 780-1516", {}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_run, corner, Case{"ball_in_corner", "reference 110-140, package does not converge", {}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_run, cylinder, Case{"ball_in_cylinder", "reference 740-970, package does not converge", {}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_run, rod,
                  Case{"sliding_rod", "reference 380-500, package 4700, fails after 0.8 s", {"scheme.rho_inf=0.9"}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_run, tippe_top, Case{"tippe_top", "reference 4700-6300, package 91000", {"time.step=1e-3"}})
    ->Unit(benchmark::kMillisecond);
// Round-off of the shank's axial force allows no tighter tolerance.
BENCHMARK_CAPTURE(whole_run, hopper,
                  Case{"hopper",
                       "reference 1900-3000",
                       {"time.step=5e-5", "time.end=0.4", "scheme.rho_inf=0", "scheme.tolerance=1e-7"}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stickslip
