// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "stickslip/robots/robot_model.h"

namespace stickslip {

/// Starts a model from the keyframe of that name: qpos and qvel, in the order of its bodies and joints, and ctrl.
/// `inputs`: for each actuator the index of its input, -1: none. Throws InputError.
void read_mjcf_key(const XmlElement& root, const std::string& name, const std::vector<int>& inputs, RobotModel& model);

}  // namespace stickslip
