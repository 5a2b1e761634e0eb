// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

/// Of STL (text or binary) and OBJ with faces (fans from their first corner); `name` says which, and stands in
/// messages. Throws InputError with the line of a mistake.
Triangles read_triangles(std::string_view bytes, const std::string& name);

/// Multiplies the coordinates of all corners by `scale` (3) [-]. Where that mirrors, two corners of each triangle
/// change places: it still runs counterclockwise seen from outside.
void scale_triangles(const Vector3& scale, Triangles& triangles);

}  // namespace stickslip
