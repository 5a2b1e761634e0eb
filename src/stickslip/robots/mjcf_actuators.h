// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/robots/mjcf_settings.h"

namespace stickslip {

/// Whether an element of <actuator> has a counterpart.
bool is_mjcf_actuator(std::string_view name);

/// Adds what the sections <actuator> of a model say to its joints and inputs. Of `joints` each has the body that it
/// holds. Returns for each actuator, in the order of the file, the index of its input; -1: it is left out, which is
/// warned of. Throws InputError.
///
/// MuJoCo has the force f = gain ctrl + b0 + b1 l + b2 l' of the length l = gear q of a joint, with ctrl and f within
/// their ranges, and gear f on the joint: the servo
///
///   effort = k (target - q) + d (rate - q'),   k = -gear^2 b1,   d = -gear^2 b2,   k target = gear (gain ctrl + b0)
///
/// (of velocity with d rate on the right where k = 0), or a force where d = 0, too.
std::vector<int> read_mjcf_actuators(const XmlElement& root, const MjcfDefaults& defaults, const MjcfCompiler& compiler,
                                     const std::map<std::string, int>& joints, RobotModel& model,
                                     RobotWarnings& warnings);

}  // namespace stickslip
