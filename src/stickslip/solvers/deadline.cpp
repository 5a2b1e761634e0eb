// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/solvers/deadline.h"

#include "stickslip/base/thread_team.h"

namespace stickslip {

double thread_cpu_seconds() {
  return ThreadTeam::calc_current_cpu_seconds();
}

}  // namespace stickslip
