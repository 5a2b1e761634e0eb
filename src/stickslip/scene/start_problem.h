// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "stickslip/scene/build.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// The contact problem of a run's first step, before it is solved.
struct StartProblem {
  int contacts = 0;        // [-] that take part
  double tolerance = 0.0;  // [-] to which it is to be solved
  double given = 0.0;      // [m/s] |b|, the velocities without percussions
};

/// Of fixed steps of a scheme on velocities and percussions, nothing of others. The built scene stays as it is;
/// its stepper may be gone.
std::optional<StartProblem> find_start_problem(const Scene& scene, const BuiltScene& built);

}  // namespace stickslip
