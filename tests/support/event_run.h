// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/scene_run.h"

namespace stickslip::test {

/// Of event times: the tolerance of smooth motion, 1e-10, adds up over some steps. [s]
inline constexpr double kEventTime = 1e-9;

/// A run of a scene, whose events are kept.
struct EventRun : SceneRun {
  explicit EventRun(const std::string& text, double end, double h, const std::string& options = "")
      : SceneRun(parse_scene(fmt::format("stickslip = 1\ntime = {{end = {:.17g}, step = {:.17g}}}\nscheme = {{type = "
                                         "\"event-driven\"{}}}\nsolver = {{tolerance = 1e-12}}\n{}",
                                         end, h, options, text),
                             "test.toml")) {}

  void run_all() {
    run([this](const SceneRun&) { events.insert(events.end(), report.events.begin(), report.events.end()); });
  }
  /// A step to an instant.
  void go_to(double t) {
    ASSERT_EQ(built.stepper->step(state, t - state.t, t, report), Status::ok) << report.message;
    events.insert(events.end(), report.events.begin(), report.events.end());
  }
  /// Of one kind, in order. [s]
  std::vector<double> times(EventKind what) const {
    std::vector<double> found;
    for (const StepEvent& event : events) {
      if (event.what == what) found.push_back(event.t);
    }
    return found;
  }

  std::vector<StepEvent> events;
};

inline constexpr const char* kEventFloor = R"(
gravity = [0, -10]
[bodies.floor]
type = "fixed"
shapes.top = {type = "half-space", normal = [0, 1], offset = 0}
)";

}  // namespace stickslip::test
