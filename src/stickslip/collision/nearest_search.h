// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "stickslip/collision/closest_features.h"

namespace stickslip {

// What the searches for nearest features share: not for others.

/// [-] Of the size: what points and distances are off by, at most.
inline constexpr double kNearestRoundOff = 1e-14;

constexpr FeatureId vertex_id(int index) {
  return make_feature(FeatureKind::vertex, index);
}
constexpr FeatureId edge_id(int index) {
  return make_feature(FeatureKind::edge, index);
}
constexpr FeatureId face_id(int index) {
  return make_feature(FeatureKind::face, index);
}

/// A segment in any frame.
struct Segment {
  Vector3 tail, direction;  // (3) [m], (3) [-]
  double length;            // [m]
};

Segment segment_of(const Solid& solid, int edge, const Placement& at);

/// The feature next to this one whose region of space x (3) [m], in the solid's frame, is in rather than in this one's;
/// the same where there is none. Signs of lengths decide, not lengths of nearly the same size: the direction to x is
/// known to round-off / distance then, and not to its root [Lin1991].
FeatureId step_towards(const Solid& solid, FeatureId feature, const Vector3& x);

/// Goes on from a feature of a solid and the point on_second to the feature in whose region the point is; false, and
/// nothing is changed, where round-off leads round in circles or the way is long.
bool walk_to_point(const Solid& solid, Nearest& nearest);
/// From features that are nearest to within round-off to those in whose regions the nearest points lie.
Nearest walk(const Solid& first, const Solid& second, const Placement& at, const Nearest& start);

/// How far apart two solids are along n (3) [-].
double calc_reach(const Solid& first, const Solid& second, const Placement& at, const Vector3& n);

/// The features of two solids that are apart between which their nearest points are, to within round-off. `start` (3)
/// [-] points from first to second, somehow.
Nearest find_nearest_hulls(const Solid& first, const Solid& second, const Placement& at, const Vector3& start);

/// Keeps the nearest pair of points that it was offered; among equal ones the first.
struct NearestSearch {
  Nearest nearest;
  double distance2 = std::numeric_limits<double>::infinity();  // [m^2]

  void offer(FeatureId first, const Vector3& on_first, FeatureId second, const Vector3& on_second);
  /// The vertex `point` of the second and an edge of the first, interior only; its ends are vertices of their own.
  void offer_edge_of_first(int edge, const Segment& s, int vertex, const Vector3& point);
  void offer_edge_of_second(int vertex, const Vector3& point, int edge, const Segment& s);
  /// Two edges where they cross.
  void offer_edges(int edge, const Segment& a, int other, const Segment& b);
  /// The vertex `point` of the second and the inside of a face of the first, and the other way round.
  void offer_face_of_first(const Solid& solid, int face, int vertex, const Vector3& point);
  void offer_face_of_second(int vertex, const Vector3& point, const Solid& solid, int face, const Placement& at);
  /// Sets gap and normal; where the points coincide to round-off of solids of `size` [m] the normal is `fallback`.
  Nearest finish(const Vector3& fallback, double size);
};

}  // namespace stickslip
