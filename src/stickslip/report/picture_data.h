// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "stickslip/io/result_reader.h"
#include "stickslip/report/page_data.h"

namespace stickslip {

/// Adds what draws the bodies: their names, their shapes, their poses packed (pose_codec.h) and beams as curves, in at
/// most `bytes` bytes of numbers: with fewer rows than the result has where it has too many, which `notes` then says.
/// Throws InputError.
void add_picture(const Trajectory& result, double bytes, PageData& data, std::vector<std::string>& notes);

/// Adds the contact points, their forces and the joints' points, likewise.
void add_contacts(const Trajectory& result, double bytes, PageData& data, std::vector<std::string>& notes);

}  // namespace stickslip
