// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/math/types.h"
#include "stickslip/scene/scene.h"
#include "stickslip/sim/simulation.h"

namespace stickslip {

/// Runs to be made side by side.
struct RolloutOptions {
  std::vector<std::shared_ptr<const Scene>> scenes;  // (N), or one for all
  std::vector<bool> endless;                         // (scenes)
  std::vector<std::optional<SavedState>>
      states;                           // (N), or one for all, where each run starts; none: at its scene's start
  int n_runs = 0;                       // N
  std::optional<std::int64_t> n_steps;  // [-] of each run; none: to its end
  /// Efforts [N, N m] of the joints before each step: control (n_runs or 1, n_controls, joints), rows one by one.
  std::vector<double> controls;
  bool shares_controls = false;     // one control for all runs
  std::int64_t n_controls = 0;      // [-] steps that have them
  std::vector<std::string> joints;  // by name
  int n_threads = 0;                // [-] at most; 0: one for each processor
};

/// What one run did, a row for each of its steps.
struct RolloutRun {
  std::vector<double> time;  // (steps) [s]
  std::vector<int> status;   // (steps) [-] Status
  std::vector<double> q, u;  // (steps, n_body_q), (steps, n_u), row after row; none of a failed step
  int n_q = 0, n_u = 0;
};

/// Makes the runs on threads; each has the bits that it has alone. Throws InputError where a scene, a state or a joint
/// is wrong, that of the first such run, and Interrupted where `stop` is raised.
std::vector<RolloutRun> roll_out(const RolloutOptions& options, std::atomic<bool>& stop);

}  // namespace stickslip
