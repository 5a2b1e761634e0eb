// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/small_lu.h"

namespace stickslip {

bool factorise_long_lu(int n, double* a, int* pivots, const StopToken& stop) {
  return factorise_sized_lu(n, a, pivots, stop);
}

}  // namespace stickslip
