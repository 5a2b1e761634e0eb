// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/math/types.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// What an orientation of a scene means.
Matrix3 rotation_of(const Orientation& orientation);    // (3, 3) [-]
Vector4 quaternion_of(const Orientation& orientation);  // (4) [-] w, x, y, z, of length one

}  // namespace stickslip
