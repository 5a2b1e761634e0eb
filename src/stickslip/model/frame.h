// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/math/rotation.h"

namespace stickslip {

/// Where a body is and how it moves, world frame.
template <class S>
struct Frame {
  Vec3<S> p;  // (3) [m] origin
  Mat3<S> R;  // (3, 3) [-] body to world
  Vec3<S> v;  // (3) [m/s]
  Vec3<S> w;  // (3) [rad/s]
};

/// The same in numbers.
using BodyMotion = Frame<double>;

}  // namespace stickslip
