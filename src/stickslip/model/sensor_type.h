// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace stickslip {

enum class SensorType : int { pose, velocity, imu, joint, contact, range, wrench };

/// The names in scene files, in the order of SensorType.
inline constexpr std::array<std::string_view, 7> kSensorTypes = {"pose",    "velocity", "imu",   "joint",
                                                                 "contact", "range",    "wrench"};

inline std::string_view sensor_type_name(SensorType type) {
  return kSensorTypes[static_cast<std::size_t>(type)];
}

}  // namespace stickslip
