// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "stickslip/math/types.h"

namespace stickslip {

/// Poses for a picture: 12 bytes each, six numbers of 16 bits. Three are the position over the body's own range, so
/// that a body that flies off costs the others nothing: an error of at most range / 131070 along each axis. Three hold
/// the quaternion's components but the largest, 15 bits each over [-1/sqrt(2), 1/sqrt(2)], and in the highest bit of
/// the first two which one was left out: at most 2.2e-5 each, 1.5e-4 rad together.
using PackedPose = std::array<std::uint16_t, 6>;

/// No rotation has three such components.
inline constexpr PackedPose kNoPose = {0, 0, 0, 0x7FFF, 0x7FFF, 0x7FFF};

/// Where a body goes: what its positions are packed over.
struct PoseRange {
  Vector3 low = Vector3::Zero();   // (3) [m]
  Vector3 size = Vector3::Zero();  // (3) [m] >= 0
};

/// position (3) [m] within the range; orientation (4) a unit quaternion w, x, y, z. kNoPose where
/// one is not finite: the body takes no part.
PackedPose pack_pose(const PoseRange& range, const Vector3& position, const Vector4& orientation);

}  // namespace stickslip
