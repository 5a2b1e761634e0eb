// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/geometry/triangle_mesh.h"
#include "stickslip/robots/robot_model.h"

namespace stickslip {

/// Mass properties at unit density of what a closed surface holds (a surface that is turned inside out has the same).
/// mass: the volume [m^3].
RobotMass calc_volume(const Triangles& triangles);

}  // namespace stickslip
