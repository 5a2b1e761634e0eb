// SPDX-License-Identifier: BSD-3-Clause
#if defined(__AVX2__)
#define STICKSLIP_VECTOR 4
#define STICKSLIP_KERNELS pack_kernels_avx2
#include "stickslip/solvers/pack_kernels.inc"
#else  // another kind of machine: nobody chooses it
#include "stickslip/solvers/contact_pack.h"
namespace stickslip {
const PackKernels& pack_kernels_avx2() {
  return pack_kernels_sse2();
}
}  // namespace stickslip
#endif
