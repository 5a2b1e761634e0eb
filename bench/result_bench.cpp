// SPDX-License-Identifier: BSD-3-Clause
// What a row of a result costs the step that writes it: the disc itself apart.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "stickslip/io/result_writer.h"

namespace stickslip {
namespace {

/// Spheres without contacts, as many as the argument says.
System make_spheres(int n) {
  SystemBuilder builder(false, Vector3(0.0, 0.0, -9.81));
  for (int i = 0; i < n; ++i) {
    Body body;
    body.name = "ball" + std::to_string(i);
    body.mass = 1.0;
    body.inertia = 0.4 * Matrix3::Identity();
    body.shapes = {Shape{.name = "hull", .geometry = Sphere{.radius = 1.0}}};
    builder.add_body(body);
  }
  return builder.build();
}

void BM_ResultRow(benchmark::State& timing) {
  const auto n = static_cast<int>(timing.range(0));
  const System system = make_spheres(n);
  State state;
  state.q = Vector::Constant(system.n_q(), 0.5);
  state.u = Vector::Constant(system.n_u(), 0.25);
  StepReport report;
  ResultHeader header;
  header.expected_rows = header.expected_steps = 1'000'000;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("stickslip-bench-" + std::to_string(::getpid()) + ".h5");
  {
    ResultWriter writer(path, system, state, header);
    writer.begin(state, report);
    for (auto _ : timing) writer.record(state, report, true);
  }
  std::filesystem::remove(path);
  timing.counters["rows/s"] = benchmark::Counter(1.0, benchmark::Counter::kIsIterationInvariantRate);
  timing.counters["s/body"] = benchmark::Counter(
      static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_ResultRow)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace stickslip
