// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "stickslip/collision/solid.h"

namespace stickslip {

// Which features of two solids' cores are nearest to each other, and how far apart: what the narrow phase starts from.

enum class FeatureKind : std::uint32_t { vertex = 0, edge = 1, face = 2 };

/// A feature of a solid as one number: its kind in the upper two bits, its index in the others.
using FeatureId = std::uint32_t;
constexpr FeatureId make_feature(FeatureKind kind, int index) {
  return static_cast<FeatureId>(kind) << 30U | static_cast<FeatureId>(index);
}
constexpr FeatureKind feature_kind(FeatureId id) {
  return static_cast<FeatureKind>(id >> 30U);
}
constexpr int feature_index(FeatureId id) {
  return static_cast<int>(id & ((1U << 30U) - 1U));
}

/// The nearest points of two cores, or those that a least translation brings out of each other; all in the first
/// solid's frame. Never a face with more than a vertex.
struct Nearest {
  double gap = 0.0;                     // [m] between the cores, < 0 in overlap
  Vector3 normal = Vector3::Zero();     // (3) [-] from first to second
  FeatureId first = 0, second = 0;      // of each
  Vector3 on_first = Vector3::Zero();   // (3) [m]
  Vector3 on_second = Vector3::Zero();  // (3) [m]

  /// The same with the solids exchanged; `second` in the first's frame.
  Nearest exchanged(const Placement& second) const;
};

/// [-] Of the larger size: how far outside a feature's border a foot still is on the feature. A foot that is outside
/// by x turns the normal by x / gap, which is to stay within 1e-15 size / gap.
inline constexpr double kOnFeature = 1e-15;

/// Between two segments, between a segment and a ball, between balls.
Nearest find_nearest_of_simple(const Solid& first, const Solid& second, const Placement& second_in_first);

/// Between a polytope or polygon and the point x (3) [m] in its frame, which is the vertex 0 of the second; inside, the
/// face that is nearest.
Nearest find_nearest_to_point(const Solid& polytope, const Vector3& x);

/// Between a polytope and a segment, or two polytopes or two polygons, that are apart and whose nearest features are
/// vertices and edges: `direction` (3) [-] points from first to second, somehow.
Nearest find_nearest_of_separated(const Solid& first, const Solid& second, const Placement& second_in_first,
                                  const Vector3& direction);

/// Where two lines are nearest to each other: through a (3) [m] along d (3) [-] and through b along e.
struct LineCrossing {
  double on_first = 0.0, on_second = 0.0;  // [m] along each
  double sine = 0.0;                       // [-] of the angle between them; where they are parallel, 0 and all is 0
};
LineCrossing cross_lines(const Vector3& a, const Vector3& d, const Vector3& b, const Vector3& e);

/// [-] Sine of an angle below which lines are parallel: their directions are known to some 1e-16.
inline constexpr double kParallelLines = 1e-14;

}  // namespace stickslip
