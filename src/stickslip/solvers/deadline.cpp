// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/deadline.h"

#include <ctime>

namespace stickslip {

double thread_cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace stickslip
