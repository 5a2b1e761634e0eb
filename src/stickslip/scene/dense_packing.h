// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "stickslip/math/types.h"
#include "stickslip/scene/draws.h"

namespace stickslip {

/// Places balls of these radii [m] in the box from `low` to `high` [m] at random, so that none overlaps another or a
/// side of the box: they start anywhere, and pairs that overlap are moved apart, again and again, until no pair is
/// left. Spheres of one size come to a solid fraction of 0.55, discs (`dim` = 2; z is not touched) to 0.78, in boxes of
/// ten diameters and more. Nothing where the sweeps do not suffice: the balls may not fit.
/// Each radius is > 0 and at most half the shortest side of the box.
std::optional<std::vector<Vector3>> pack_balls(const std::vector<double>& radii, const Vector3& low,
                                               const Vector3& high, int dim, Draws& draws);

}  // namespace stickslip
