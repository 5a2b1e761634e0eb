// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "stickslip/sweep/sweep.h"
#include "stickslip/sweep/sweep_table.h"

namespace stickslip {

struct SweepOptions {
  int jobs = 0;                             // [-] threads; 0: one for each processor
  const std::atomic<bool>* stop = nullptr;  // raised by someone else: drop the rows under way and end
  std::function<void(std::int64_t done, std::int64_t all)> progress =
      {};  // called when a row is written, by one thread at a time
};

/// Runs the rows of a sweep that its table lacks. False where `stop` was raised before all were done. Throws
/// WriteError.
bool run_sweep(const ParameterSweep& sweep, SweepTable& table, const SweepOptions& options);

}  // namespace stickslip
