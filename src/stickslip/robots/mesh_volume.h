// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/robots/robot_model.h"

namespace stickslip {

/// The triangles of a file's surface. [m]
using Triangles = std::vector<std::array<Vector3, 3>>;

/// Of STL (text or binary) and OBJ with faces (fans from their first corner); `name` says which, and stands in
/// messages. Throws InputError with the line of a mistake.
Triangles read_triangles(std::string_view bytes, const std::string& name);

/// Mass properties at unit density of what a closed surface holds, exact: signed tetrahedra from the mean of all
/// corners (a surface that is turned inside out has the same). mass: the volume [m^3].
RobotMass calc_volume(const Triangles& triangles);

}  // namespace stickslip
