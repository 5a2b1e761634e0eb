// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "stickslip/scene/build.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// What a result of this size costs a user is a moment's thought: without output.every rows are thinned to fit. [bytes]
inline constexpr double kDefaultResultBytes = 256e6;

/// What a run will write.
struct OutputPlan {
  SceneOutput output;       // the scene's, with `every` chosen where the scene does not say and each step would be much
  bool is_chosen = false;   // `every` was chosen here
  std::int64_t rows = 0;    // [-] the initial state included; 0: not known, steps are automatic
  double bytes = 0.0;       // of the result, with as many contacts as at the start
  double most_bytes = 0.0;  // of the result, with as many as a heap of the bodies has, at least `bytes`
};

/// Without output.every each step is a row as long as the rows take kDefaultResultBytes at most, with as many contacts
/// as a heap has; else every 2nd, 5th,
/// 10th, 20th, ... step that does. Of automatic steps 1e4 are taken into account; where those would be too much, as
/// many rows as fit. Throws InputError where steps cannot be counted.
OutputPlan plan_output(const Scene& scene, const BuiltScene& built);

/// "every 0.01 s, 101 rows, about 1.2 MB": for people.
std::string describe(const OutputPlan& plan);

}  // namespace stickslip
