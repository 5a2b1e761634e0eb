// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "stickslip/robots/robot_model.h"
#include "stickslip/robots/xml_tree.h"

namespace stickslip {

/// Whether an element of <sensor> has a counterpart.
bool is_mjcf_sensor(std::string_view name);

/// Parts of an MJCF model by their names: the index of a body, that of the body that a joint holds, of a site.
struct MjcfNames {
  const std::map<std::string, int>& bodies;
  const std::map<std::string, int>& joints;
  const std::map<std::string, int>& sites;
};

/// Adds what the sections <sensor> of a model say to `model`, which has its bodies and sites. Throws InputError.
void read_mjcf_sensors(const XmlElement& root, const MjcfNames& names, RobotModel& model, RobotWarnings& warnings);

}  // namespace stickslip
