// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/model/state.h"
#include "stickslip/model/system.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// The state that a scene states at its start: pose and velocity of every body of the system that was built from
/// it. `centers` are the bodies' centres of mass in the world, (3) [m] each, in the order of the scene's bodies.
State make_start_state(const Scene& scene, const System& system, const std::vector<Vector3>& centers);

}  // namespace stickslip
