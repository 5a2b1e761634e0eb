// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stickslip/geometry/shape.h"

namespace stickslip {

/// The segments of a polyline. [-]
inline std::size_t count_segments(const Polyline& line) {
  return line.points->size() - (line.closed ? 0 : 1);
}

/// Points that are where the one before them is, to round-off, are left out; so is the last of a closed line where it
/// repeats the first. Throws InputError where fewer than two are left (three of a closed one), or where a coordinate is
/// too large.
Polyline make_polyline(const std::vector<Vector3>& points, bool closed);

/// What a closed line goes round: > 0 clockwise, which is solid, < 0 counter-clockwise. [m^2]
double calc_clockwise_area(const std::vector<Vector3>& points);

/// A number that differs where points do: a 64-bit FNV-1a checksum.
std::uint64_t calc_checksum(const std::vector<Vector3>& points);

}  // namespace stickslip
