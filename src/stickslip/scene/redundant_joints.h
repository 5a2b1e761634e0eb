// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/model/system.h"

namespace stickslip {

/// The number of rows of each joint that earlier joints imply at a state: motion is determined, single reactions are
/// not. (n joints) [-]
///
/// Which joints can have any is seen from the graph of bodies, all that do not move being one: a joint that makes the
/// first connection between two parts of which one floats free implies nothing. Where joints close loops, their rows
/// and those of all joints connected to them, each scaled by M^-1/2, are eliminated one by one, in their order, keeping
/// pivots where they were found; a row of which less than 1e-9 is left is implied. What is left is at least the
/// distance to the rows before, so that no row is blamed that is further. Rows are sparse and so is their elimination
/// as long as loops are local; joints after a bound on the work are not judged.
std::vector<int> count_redundant_rows(const System& system, const State& state);

}  // namespace stickslip
