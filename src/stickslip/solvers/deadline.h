// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "stickslip/base/stop_token.h"

namespace stickslip {

/// CPU time that this thread and its current ThreadTeam have used. [s]
double thread_cpu_seconds();

/// What a report says of a solve that ended for lack of time.
inline constexpr const char* kTimeIsUp = "the time was up";

/// When a solve has used up its time, or is to end. Asks the clock only where there is a limit.
class Deadline {
 public:
  /// `seconds` of CPU time of these threads from now on; infinite: never.
  explicit Deadline(double seconds, StopToken stop = {})
      : end_(std::isfinite(seconds) ? thread_cpu_seconds() + seconds : HUGE_VAL), stop_(stop) {}
  /// What is left of it; infinite without a limit. [s]
  double calc_remaining() const { return std::isfinite(end_) ? std::max(0.0, end_ - thread_cpu_seconds()) : HUGE_VAL; }
  /// Whether the time is up. Throws Interrupted where the work is to end.
  bool passed() const {
    stop_.check();
    return is_time_up();
  }
  /// The same without asking whether to end: for what a report says.
  bool is_time_up() const { return std::isfinite(end_) && thread_cpu_seconds() >= end_; }
  const StopToken& stop() const { return stop_; }

 private:
  double end_;  // [s]
  StopToken stop_;
};

}  // namespace stickslip
