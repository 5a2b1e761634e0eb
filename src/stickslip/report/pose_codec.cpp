// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/report/pose_codec.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip {
namespace {

constexpr double kMost16 = 65535.0;  // [-] largest number of 16 bits
constexpr double kMost15 = 32767.0;  // [-] of 15

std::uint16_t to_steps(double share, double most) {
  return static_cast<std::uint16_t>(std::lround(std::clamp(share, 0.0, 1.0) * most));
}

}  // namespace

PackedPose pack_pose(const PoseRange& range, const Vector3& position, const Vector4& orientation) {
  if (!position.allFinite() || !orientation.allFinite()) return kNoPose;
  PackedPose pose{};
  for (int i = 0; i < 3; ++i) {
    const double share = range.size(i) > 0.0 ? (position(i) - range.low(i)) / range.size(i) : 0.0;
    pose[static_cast<std::size_t>(i)] = to_steps(share, kMost16);
  }
  const Vector4& e = orientation;
  int largest = 0;
  e.cwiseAbs().maxCoeff(&largest);
  const double sign = e(largest) < 0.0 ? -1.0 : 1.0;  // q and -q are one rotation
  std::size_t at = 3;
  for (int i = 0; i < 4; ++i) {
    if (i != largest) pose[at++] = to_steps(0.5 + sign * e(i) / std::numbers::sqrt2, kMost15);
  }
  if ((largest & 1) != 0) pose[3] |= 0x8000U;
  if ((largest & 2) != 0) pose[4] |= 0x8000U;
  return pose;
}

}  // namespace stickslip
