// SPDX-License-Identifier: BSD-3-Clause
// Modes as they begin, and as numbers of State::memory.
#include <algorithm>

#include "stickslip/stepping/event_driven/smooth_motion.h"

namespace stickslip::event_driven {

Modes make_open_modes(const System& system) {
  Modes modes;
  modes.contacts.resize(system.contact_points().size());
  modes.dry_frictions.resize(system.dry_frictions().size());
  for (Mode& mode : modes.dry_frictions) mode.closed = true;
  return modes;
}

bool is_driven(const System& system) {
  return std::ranges::any_of(system.bodies(), [](const Body& body) { return body.type == BodyType::moving; }) ||
         system.has_surface_velocities() ||
         std::ranges::any_of(system.joints(), [](const Joint& joint) { return joint.options.motion.has_value(); });
}

void write_modes(const Modes& modes, Vector& memory) {
  constexpr std::size_t kNumbers = 3 + kMaxFrictionDim;  // of a mode
  memory.resize(static_cast<Eigen::Index>(1 + kNumbers * (modes.contacts.size() + modes.dry_frictions.size())));
  memory(0) = 1.0;
  Eigen::Index next = 1;
  for (const std::vector<Mode>* each : {&modes.contacts, &modes.dry_frictions}) {
    for (const Mode& mode : *each) {
      memory(next++) = mode.closed ? 1.0 : 0.0;
      memory(next++) = mode.sticks ? 1.0 : 0.0;
      for (const double x : mode.direction) memory(next++) = x;
      memory(next++) = mode.load;
    }
  }
}

bool read_modes(const Vector& memory, Modes& modes) {
  if (memory(0) == 0.0) return false;
  Eigen::Index next = 1;
  for (std::vector<Mode>* each : {&modes.contacts, &modes.dry_frictions}) {
    for (Mode& mode : *each) {
      mode.closed = memory(next++) != 0.0;
      mode.sticks = memory(next++) != 0.0;
      for (double& x : mode.direction) x = memory(next++);
      mode.load = memory(next++);
    }
  }
  return true;
}

}  // namespace stickslip::event_driven
