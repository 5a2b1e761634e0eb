// SPDX-License-Identifier: BSD-3-Clause
// Time of one step of each shipped scene under Moreau's scheme, and of one spatial contact under every scheme, over the
// whole run of the scene: contacts open, stick and slip in the shares that they have there. The certificate of the step
// is included, output is not.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"
#include "stickslip/stepping/scheme_options.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

void step_scene(benchmark::State& bench, const fs::path& path, const std::string& scheme) {
  LoadOptions load;
  load.overrides = {"scheme.type=" + scheme};
  if (scheme == "relaxation") load.overrides.emplace_back("scheme.delta=0.1");  // to which its step is bound
  if (path.stem() == "hopper") load.overrides.emplace_back("time.step=5e-6");   // explicit in its stiff leg
  const Scene scene = load_scene(path, load);
  const BuiltScene built = build(scene);
  StepReport report;
  State start = built.initial;
  built.stepper->initialize(start, report);
  State state = start;
  const double h = scene.time.step;
  for ([[maybe_unused]] auto _ : bench) {
    const double t_end = scene.time.start + static_cast<double>(state.step + 1) * h;
    if (built.stepper->step(state, h, t_end, report) == Status::failed) {
      bench.SkipWithError(report.message.c_str());
      break;
    }
    if (state.t >= scene.time.end) state = start;
  }
}

const bool kRegistered = [] {
  const fs::path folder = STICKSLIP_SCENES_DIR;
  std::vector<fs::path> scenes;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") scenes.push_back(entry.path());
  }
  std::sort(scenes.begin(), scenes.end());
  for (const fs::path& path : scenes) {
    const std::string name = "step/" + fs::relative(path, folder).replace_extension().string();
    benchmark::RegisterBenchmark(name.c_str(), step_scene, path, "moreau")->Unit(benchmark::kMicrosecond);
  }
  for (const SchemeOptions& scheme : all_schemes()) {
    const std::string type(scheme_traits(scheme).name);
    benchmark::RegisterBenchmark(("one_contact/" + type).c_str(), step_scene, folder / "papers/trinkle/sphere.toml",
                                 type)
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace stickslip
