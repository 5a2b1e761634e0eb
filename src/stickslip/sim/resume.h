// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "stickslip/io/checkpoint.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/scene/scene.h"
#include "stickslip/sim/step_sequence.h"

namespace stickslip {

/// The scene that a result is of. It may be longer than a scene file: files that the scene named are within.
Scene scene_of(const Trajectory& result);

/// Throws InputError, which names the file, where a state of the result's scene `before` is not one of `scene`: it may
/// differ in how it moves on (time, scheme, solver, limits) and in output, not in what moves.
void check_state_of(const std::string& file, const Scene& scene, const Scene& before);

/// Where the run of a scene, whose initial state is given, goes on from an earlier result. Throws InputError where it
/// cannot: another run still writes it, the scene is another (in more than its end and output), it has passed the end
/// already.
Checkpoint find_checkpoint(const Trajectory& result, const Scene& scene, const State& initial,
                           const StepSequence& steps);

}  // namespace stickslip
