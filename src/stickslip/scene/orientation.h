// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/math/types.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// What an orientation of a scene means.
Matrix3 rotation_of(const Orientation& orientation);    // (3, 3) [-]
Vector4 quaternion_of(const Orientation& orientation);  // (4) [-] w, x, y, z, of length one

/// What an inertia of a scene means. (3, 3) [kg m^2]
Matrix3 inertia_of(const SceneInertia& inertia);

}  // namespace stickslip
