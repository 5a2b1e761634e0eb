// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/base/ranks.h"
#include "stickslip/sim/run.h"

namespace stickslip {

/// Makes the options those of a run that ranks do together: the first one alone writes and heeds stop_requested within
/// a step; all begin to write together and agree before each step on whether to go on. run() then throws where their
/// states are not the same.
void share_run(Ranks& ranks, RunOptions& options);

}  // namespace stickslip
