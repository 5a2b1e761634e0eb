// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/io/sensors.h"
#include "stickslip/model/system.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// The sensors of a scene, on the system that was built from it.
std::vector<SensorOptions> make_sensors(const Scene& scene, const System& system);

}  // namespace stickslip
