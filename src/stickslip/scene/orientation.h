// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/math/types.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// The rotation of an orientation of a scene.
Matrix3 rotation_of(const Orientation& orientation);    // (3, 3) [-]
Vector4 quaternion_of(const Orientation& orientation);  // (4) [-] w, x, y, z, of length one

/// The inertia matrix of an inertia of a scene. (3, 3) [kg m^2]
Matrix3 inertia_of(const SceneInertia& inertia);

}  // namespace stickslip
