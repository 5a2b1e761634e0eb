// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/collision/manifold_point.h"
#include "stickslip/collision/solid.h"

namespace stickslip {

/// NarrowPhase::calc_manifold() where one of the solids is a cylinder or an ellipsoid: on a ball, one point, and of
/// an ellipsoid with a polytope, a segment or another ellipsoid; a cylinder on a half-space, the lowest point of each
/// rim and, where a cap lies on it to kCapLies, fixed points of this cap's rim beside it; of a cylinder with others as
/// CylinderManifold says. Others are not known (NarrowPhase::has_manifold).
void calc_curved_manifold(const Solid& first, const Placement& first_at, const Solid& second,
                          const Placement& second_at, double within, std::vector<ManifoldPoint>& points);

}  // namespace stickslip
