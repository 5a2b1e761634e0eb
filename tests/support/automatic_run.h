// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "stickslip/stepping/automatic_steps.h"
#include "tests/support/scene_run.h"

namespace stickslip::test {

/// What a run with automatic steps took.
struct AutomaticRun {
  int steps = 0;
  int rejected = 0;
  double shortest = 1e300, longest = 0.0;  // [s] after the first steps, which begin carefully
};

constexpr int kFirstSteps = 10;  // [-]

/// Steps to the scene's end and calls on_step(run) after each; throws when a step is not ok.
template <class OnStep>
AutomaticRun run_automatic(SceneRun& run, OnStep&& on_step) {
  AutomaticRun taken;
  AutomaticSteps steps(run.scene.time.control, *run.built.stepper);
  steps.begin(run.state);
  while (run.state.t < run.scene.time.end) {
    if (steps.advance(run.state, run.scene.time.end, run.report) != Status::ok) {
      throw std::runtime_error(run.scene.name + ": the step to t = " + std::to_string(run.state.t) +
                               " is not ok: " + run.report.message);
    }
    ++taken.steps;
    taken.rejected += run.report.rejected;
    if (taken.steps > kFirstSteps) taken.shortest = std::min(taken.shortest, run.report.step);
    taken.longest = std::max(taken.longest, run.report.step);
    on_step(run);
  }
  return taken;
}

inline AutomaticRun run_automatic(SceneRun& run) {
  return run_automatic(run, [](const SceneRun&) {});
}

}  // namespace stickslip::test
