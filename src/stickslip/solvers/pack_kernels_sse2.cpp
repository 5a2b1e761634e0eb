// SPDX-License-Identifier: BSD-3-Clause
// Also what other kinds of machines have: vectors of two numbers.
#define STICKSLIP_VECTOR 2
#define STICKSLIP_KERNELS pack_kernels_sse2
#include "stickslip/solvers/pack_kernels.inc"
