// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "stickslip/cone/cone_problem.h"
#include "stickslip/model/values_by_id.h"

namespace stickslip {

// What cones carried in a step, kept by the ids of what they belong to, to start the next step's solve from. ids
// (cones), ascending.

/// p of the last step where a cone was there with as many rows, else zero; u zero.
void load_warm(const ValuesById& warm, const ConeProblem& problem, std::span<const ElementId> ids,
               ConeSolution& solution);
/// p of every cone.
void save_warm(const ConeProblem& problem, std::span<const ElementId> ids, const ConeSolution& solution,
               ValuesById& warm);

}  // namespace stickslip
