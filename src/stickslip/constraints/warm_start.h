// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/cone/cone_problem.h"
#include "stickslip/model/values_by_id.h"

namespace stickslip {

// What cones carried in a step, kept by their ids to start the next step's solve from. The cones of a problem stand in
// the order of their ids.

/// p of the last step where a cone was there with as many rows, else zero; u zero.
void load_warm(const ValuesById& warm, const ConeProblem& problem, ConeSolution& solution);
/// p of every cone.
void save_warm(const ConeProblem& problem, const ConeSolution& solution, ValuesById& warm);

}  // namespace stickslip
