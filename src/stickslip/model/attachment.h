// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/math/types.h"

namespace stickslip {

enum class Side { first = 0, second = 1 };

/// A contiguous range of the coordinates and velocities of one body.
struct DofRange {
  int body = 0;               // index into System::bodies()
  int q_offset = 0, n_q = 0;  // into State::q
  int u_offset = 0, n_u = 0;  // into State::u
};

/// The highest degree of a beam's B-splines: far beyond where more elements serve better.
inline constexpr int kMaxBeamDegree = 7;

/// Where something holds on to a body: a joint, a contact, a force. It depends on all coordinates of a rigid, planar
/// or point body, on none of a fixed or moving one, and on a beam on those of the control points around it. Jacobians
/// and derivatives of one side have its columns, from q_offset and u_offset on.
struct Attachment : DofRange {
  // On a beam: r(xi) = sum over i of shape[i] (control point i of the range), dr/dxi likewise by slope.
  int n_control = 0;                                  // degree + 1; 0: not a beam
  double parameter = 0.0;                             // [-] xi in [0, 1]
  std::array<double, kMaxBeamDegree + 1> shape = {};  // [-]
  std::array<double, kMaxBeamDegree + 1> slope = {};  // [-]
};

/// Most coordinates (and velocities) of one attachment and of the two sides of a contact or joint, for
/// fixed-capacity matrices.
inline constexpr int kMaxSideDofs = 2 * (kMaxBeamDegree + 1);
inline constexpr int kMaxPairQ = 2 * kMaxSideDofs;
inline constexpr int kMaxPairU = 2 * kMaxSideDofs;

}  // namespace stickslip
