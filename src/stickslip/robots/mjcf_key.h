// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "stickslip/robots/robot_model.h"

namespace stickslip {

/// Starts a model from the keyframe of that name: qpos and qvel, in the order of its bodies and joints. Throws
/// InputError.
void read_mjcf_key(const XmlElement& root, const std::string& name, RobotModel& model);

}  // namespace stickslip
