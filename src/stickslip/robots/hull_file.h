// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "stickslip/math/types.h"

namespace stickslip {

/// The ending of a mesh's file in small letters, without the dot.
std::string hull_file_ending(std::string_view name);

/// Why no hull can be made of the points in a file, as scenes read it; empty where one can.
std::string check_hull_file(const std::filesystem::path& path, const Vector3& scale);

/// Whether scenes read the triangles in a file as a mesh of this scale.
bool is_mesh_file(const std::filesystem::path& path, const Vector3& scale);

}  // namespace stickslip
