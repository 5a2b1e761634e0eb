// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

namespace stickslip {

/// CPU time that this thread has used. [s]
double thread_cpu_seconds();

/// What a report says of a solve that ended for lack of time.
inline constexpr const char* kTimeIsUp = "the time was up";

/// When a solve has used up its time. Asks the clock only where there is a limit.
class Deadline {
 public:
  /// `seconds` of CPU time of this thread from now on; infinite: never.
  explicit Deadline(double seconds) : end_(std::isfinite(seconds) ? thread_cpu_seconds() + seconds : HUGE_VAL) {}
  /// What is left of it; infinite without a limit. [s]
  double calc_remaining() const { return std::isfinite(end_) ? std::max(0.0, end_ - thread_cpu_seconds()) : HUGE_VAL; }
  bool passed() const { return std::isfinite(end_) && thread_cpu_seconds() >= end_; }

 private:
  double end_;  // [s]
};

}  // namespace stickslip
