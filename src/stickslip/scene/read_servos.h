// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "stickslip/scene/table_reader.h"

namespace stickslip {

/// `inputs`: by name, what servos and forces of joints may follow.
void read_inputs(ReadContext& context, const TableReader& scene);

/// `force`, `servo` and `effort_limit` of a joint with one coordinate, whose units are given.
void read_efforts(const TableReader& reader, std::string_view length, std::string_view force, SceneJoint& joint);

}  // namespace stickslip
