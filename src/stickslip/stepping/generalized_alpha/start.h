// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/constraints/instant.h"
#include "stickslip/model/state.h"
#include "stickslip/stepping/generalized_alpha/step.h"

/// What a run starts from: accelerations, forces and index sets of an instant.
namespace stickslip::generalized_alpha {

/// a and lambda at the instant of a state, in x, and which contacts are closed and stick or slide there. False where
/// none were found: Painleve's paradox can leave an instant without accelerations; the contacts then act from the first
/// step on, by percussions, and the start says nothing of their forces.
bool solve_start(Step& step, const State& state, Instant& instant);

/// The same, but contacts that slide stick if their friction as remembered stops them within a step of length h; false
/// where there are none, or no solution. Such forces do not last: taken as the memory of the step they would move
/// bodies by dt^2 a, far beyond the dt u by which friction can move them.
bool settle_start(Step& step, const State& state, double h, Instant& instant);

/// Bodies with springs and dampers that a step of length h does not resolve, h c/m or h^2 k/m above one: what these
/// give a body at the start lasts for a part of the step alone, and taken as the memory of the step would move it by
/// dt^2 a.
std::vector<int> find_unresolved(const Step& step, const State& state, double h);

/// The rows of joints alone at the instant of a state.
void set_joints(Step& step, const State& state);

}  // namespace stickslip::generalized_alpha
