// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "stickslip/constraints/envelope.h"
#include "stickslip/io/result_writer.h"
#include "stickslip/scene/build.h"
#include "stickslip/scene/load_scene.h"

namespace stickslip::test {

/// Runs a scene and writes its result, with what `change` makes of row `changed` (counted in steps) in place of what
/// was computed: the run itself goes on as if nothing had been changed. Every `every`-th step is a row. Whether
/// something was changed, or true where nothing was to be.
inline bool write_run(const std::filesystem::path& path, const std::string& text, int changed = -1,
                      const std::function<bool(State&, StepReport&)>& change = {}, int every = 1,
                      std::vector<std::string> fields = {}) {
  const Scene scene = parse_scene(text, "test.toml");
  const BuiltScene built = build(scene);
  const auto n = std::lround((scene.time.end - scene.time.start) / scene.time.step);
  ResultHeader header;
  header.name = "test";
  header.scene = to_toml(scene);
  header.scheme = built.stepper->name();
  header.solver = built.solver->name();
  header.end = scene.time.end;
  header.output.fields = std::move(fields);
  header.output.accelerations = built.stepper->knows_accelerations();
  header.output.impulses = built.stepper->knows_impulses();
  header.output.applied_impulses = built.stepper->knows_applied_impulses();
  header.body_events = built.stepper->moves_bodies_in_and_out();
  header.events = built.stepper->finds_events() || header.body_events;
  header.limits = scene.limits;
  header.expected_rows = header.expected_steps = n + 1;
  State state = built.initial;
  StepReport report;
  built.stepper->initialize(state, report);
  Envelope envelope(*built.system);
  ResultWriter writer(path, *built.system, state, header);
  envelope.complete(state, report);
  writer.begin(state, report);
  writer.publish();
  bool done = !change;
  for (int i = 1; i <= n; ++i) {
    const double t = scene.time.start + i * scene.time.step;
    if (built.stepper->step(state, scene.time.step, t, report) == Status::failed) return false;
    if (i == changed && change) {
      State other = state;
      StepReport told = report;
      done = change(other, told);
      envelope.complete(other, told);
      writer.record(other, told, true);
    } else {
      const bool is_row = i % every == 0 || i == n;
      if (is_row) envelope.complete(state, report);
      writer.record(state, report, is_row);
    }
  }
  writer.finish({RunState::done, "", writer.mark(state), {}});
  return done;
}

}  // namespace stickslip::test
