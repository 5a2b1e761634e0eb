// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/model/system.h"

namespace stickslip {

/// Whether joints close loops that have as many rows as their bodies have velocities, or more: a door on two hinges, a
/// Bricard linkage, in space a four-bar linkage with parallel hinges. Such loops move only because their rows depend on
/// each other where the joints fit, and nowhere near by.
///
/// Loops are what is left of the graph of bodies and joints, all that do not move being one body, when bodies with one
/// joint are taken away, again and again. Loops that such joints connect are counted together: a free one may hide one
/// that is not.
bool has_overconstrained_loops(const System& system);

}  // namespace stickslip
