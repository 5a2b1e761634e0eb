// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>

namespace stickslip {

/// The time of a clock of the system, such as CLOCK_PROCESS_CPUTIME_ID: processor time of all threads. [s]
inline double read_clock(clockid_t clock) {
  timespec t = {};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace stickslip
