// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/base/stop_token.h"
#include "stickslip/model/state.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// Moves the bodies of a state, by as little as it takes (sum of v^T M v), to where all holonomic joints hold to
/// round-off: Newton's method on g(t, q) = 0, each step the one of least norm, from conjugate gradients on
/// J M^-1 J^T l = g, which redundant rows do not disturb. For poses with the round-off of decimal numbers: it stops
/// when the violation no longer falls.
void project_start(const System& system, State& state, const StopToken& stop = {});

}  // namespace stickslip
