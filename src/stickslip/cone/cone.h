// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace stickslip {

/// Rows of one cone at most. A contact that slides, rolls and spins has 6, a weld of two bodies has 6.
inline constexpr int kMaxConeDim = 8;

enum class ConeKind : std::uint8_t {
  contact,  // p_N >= 0, p_b in p_N D_b for each block b; no block: a half line
  ball,     // |p| <= radius, the shift is zero: dry friction of constant bound; D a ball in `dim` dimensions
  free,     // p unrestricted, u = 0: a bilateral constraint
};

/// 24 bytes: sweeps over many contacts read them all.
struct Cone {
  ConeKind kind = ConeKind::contact;
  int dim : 8 = 0;       // number of rows; a contact's first row is the normal, then its blocks in order
  int n_blocks : 8 = 0;  // contact: how many blocks
  int first_block = 0;   // contact: index into ConeProblem::blocks
  int offset = 0;        // first row in p, u, b
  double radius = 0.0;   // [N s] ball: its radius
};
static_assert(sizeof(Cone) == 24);

}  // namespace stickslip
