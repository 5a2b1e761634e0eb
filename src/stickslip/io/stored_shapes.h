// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "stickslip/geometry/stored_shapes.h"
#include "stickslip/io/hdf5_file.h"

namespace stickslip {

/// The meshes and polylines in /shapes of a result (LoadOptions::stored_shapes); they are read when it is first called.
/// The file must outlive it.
std::function<const StoredShapes&()> find_stored_shapes(const Hdf5File& file);

}  // namespace stickslip
