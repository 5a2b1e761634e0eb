// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "stickslip/geometry/triangle_mesh.h"
#include "stickslip/io/hdf5_file.h"

namespace stickslip {

/// The meshes in /shapes of a result by the checksums that its scene has of them (LoadOptions::stored_meshes); they are
/// read when the first is asked for. The file must outlive it.
std::function<std::shared_ptr<const TriangleMesh>(const std::string&)> find_stored_meshes(const Hdf5File& file);

}  // namespace stickslip
