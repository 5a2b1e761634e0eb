// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/output_columns.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// Writes the constant parts of a result: the names of bodies, pairs, contact points and joints, and the shapes, so
/// that the file alone can be drawn. Makes their groups.
void write_layout(Hdf5File& file, const System& system, const OutputChoice& choice);

}  // namespace stickslip
