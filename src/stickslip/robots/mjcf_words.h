// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/robots/robot_model.h"

namespace stickslip {

/// Warns of all elements and attributes of an MJCF file that have no counterpart in a scene, or are not known; of what
/// has none that matters (pictures, settings of a solver) it is silent. What can be told only where values are known,
/// the reader tells.
void warn_of_mjcf_words(const XmlElement& root, bool uses_key, RobotWarnings& warnings);

}  // namespace stickslip
