// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "stickslip/collision/features.h"
#include "stickslip/collision/manifold.h"
#include "stickslip/collision/solid.h"

namespace stickslip {

/// One shape of a pair: its solid, or the surface of a half-space or of a container. Exactly one is set, and both
/// shapes of a pair must be of one dimension. A capsule in a plane touches walls alone: its spatial solid serves.
struct GapSide {
  const Solid* solid = nullptr;          // make_solid()
  const SurfaceFeature* wall = nullptr;  // surface_of() where it is not is_bounded()
};

/// How far two shapes are apart, and where.
struct TrueGap {
  double gap = 0.0;                     // [m] > 0 apart; < 0: minus the least translation that parts them
  Vector3 normal = Vector3::Zero();     // (3) [-] world, from first to second
  Vector3 on_first = Vector3::Zero();   // (3) [m] world
  Vector3 on_second = Vector3::Zero();  // (3) [m] world: on_first + gap normal
};

/// The gap of any two shapes from nothing but the shapes and where they are: no rows, features or ids of a scheme.
/// Solids against each other are the narrow phase's (collision/manifold.h); a wall is everywhere, so a solid's gap to
/// it is the least of those of its corners, each less the rounding radius. Workspace: answers do not depend on what was
/// asked before, and nothing allocates after the first few.
class TrueGapFinder {
 public:
  /// Nothing where the gap is larger than `within` [m], or where the pair has none: of two walls, of curved solids
  /// that NarrowPhase::has_manifold() does not know, of curved solids and surfaces of
  /// triangles in containers, of polylines and walls.
  std::optional<TrueGap> find(const GapSide& first, const Placement& first_at, const GapSide& second,
                              const Placement& second_at, double within = std::numeric_limits<double>::infinity());

 private:
  NarrowPhase narrow_;
  std::vector<ManifoldPoint> points_;
};

}  // namespace stickslip
