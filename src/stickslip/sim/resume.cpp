// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/resume.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "stickslip/io/stored_shapes.h"
#include "stickslip/io/write_lock.h"
#include "stickslip/scene/load_scene.h"

namespace stickslip {
namespace {

/// The first line in which two texts differ, from each.
std::string first_difference(std::string_view now, std::string_view before) {
  const auto next_line = [](std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
  };
  while (!now.empty() || !before.empty()) {
    const std::string_view a = next_line(now);
    const std::string_view b = next_line(before);
    if (a != b) return fmt::format("\"{}\" instead of \"{}\"", a, b);
  }
  return "";
}

/// now: the scene, without the keys that may differ.
void check_same_scene(const std::string& file, Scene now, const Scene& before, const char* allowed) {
  now.time.end = before.time.end;
  now.output = before.output;
  now.name = before.name;  // the file's name, perhaps
  if (now == before) return;
  throw InputError({file}, "scene", first_difference(to_toml(now), to_toml(before)), allowed);
}

}  // namespace

Scene scene_of(const Trajectory& result) {
  return parse_stored_scene(result.scene(), result.file().name(), find_stored_shapes(result.file()));
}

void check_state_of(const std::string& file, const Scene& scene, const Scene& before) {
  Scene now = scene;
  now.time = before.time;
  now.scheme = before.scheme;
  now.solver = before.solver;
  now.limits = before.limits;
  check_same_scene(file, std::move(now), before,
                   "the same scene as in the result: it may differ in time, scheme, solver, limits and output only");
}

Checkpoint find_checkpoint(const Trajectory& result, const Scene& scene, const State& initial,
                           const StepSequence& steps) {
  const std::string& file = result.file().name();
  if (WriteLock::is_held(file)) throw InputError({file}, "", "", "another run is writing it");
  check_same_scene(file, scene, scene_of(result), "a resumed run may differ in time.end and output only");
  const std::optional<Checkpoint> checkpoint = result.checkpoint();
  if (!checkpoint) throw InputError({file}, "", "", "holds no whole checkpoint");
  if (checkpoint->rows < 1 || checkpoint->rows > result.announced_rows() ||
      checkpoint->steps > result.announced_steps() || checkpoint->steps != checkpoint->state.step + 1) {
    throw InputError({file}, "", "", "its checkpoint counts more rows than there are");
  }
  const State& state = checkpoint->state;
  if (state.q.size() != initial.q.size() || state.u.size() != initial.u.size() ||
      state.memory.size() != initial.memory.size() || state.presence.size() != initial.presence.size() ||
      state.draws.size() != initial.draws.size() || state.told.size() != initial.told.size()) {
    throw InputError({file}, "", "", "its checkpoint is of another system or of an earlier version of the scheme");
  }
  if (steps.at_end(state)) {
    throw InputError({}, "time.end", fmt::format("{}", scene.time.end),
                     fmt::format("must be above {}, where {} goes on", state.t, file));
  }
  return *checkpoint;
}

}  // namespace stickslip
