// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

namespace stickslip {

/// What output.fields can name: the groups and datasets that a result has at output instants, beside the time
/// (docs/results.md). A group stands for all of its datasets.
inline constexpr std::array<std::string_view, 37> kOutputFields = {
    "q",
    "u",
    "a",
    "bodies",
    "bodies/position",
    "bodies/orientation",
    "bodies/velocity",
    "bodies/angular_velocity",
    "contacts",
    "contacts/gap",
    "contacts/status",
    "contacts/point",
    "contacts/normal",
    "contacts/tangent",
    "contacts/normal_force",
    "contacts/friction_force",
    "contacts/force",
    "contacts/normal_impulse",
    "contacts/friction_impulse",
    "contacts/impulse",
    "contacts/normal_percussion",
    "contacts/friction_percussion",
    "contacts/percussion",
    "contact_sets",
    "joints",
    "joints/point",
    "joints/coordinate",
    "joints/rate",
    "joints/drift",
    "joints/drive",
    "joints/effort",
    "joints/power",
    "joints/friction",
    "joints/reaction_force",
    "joints/reaction_torque",
    "sensors",
    "measures",
};

}  // namespace stickslip
