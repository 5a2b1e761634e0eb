// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "stickslip/collision/closest_features.h"
#include "stickslip/collision/solid.h"

namespace stickslip {

/// A solid cylinder and another solid in the cylinder's frame: its centre is the origin, its axis z.
struct CylinderPair {
  const Solid& cylinder;
  const Solid& other;
  Matrix3 Q;         // (3, 3) [-] x = Q x_other + q, x_other in the frame of the other's body
  Vector3 q;         // (3) [m]
  double radius;     // [m] of the cylinder
  double half;       // [m] of its length
  double tie;        // [m] separations that differ by less are the same
  double round_off;  // [m] by so much a foot may be outside the border of its feature

  CylinderPair(const Solid& first, const Placement& first_at, const Solid& second, const Placement& second_at);

  Vector3 place(const Vector3& x_other) const { return Q * x_other + q; }
  Vector3 in_other(const Vector3& x) const { return Q.transpose() * (x - q); }
  Vector3 in_cylinder(const Vector3& x) const { return cylinder.center + cylinder.axes * x; }
  /// How far the cylinder reaches along m (3) [-]. [m]
  double support(const Vector3& m) const;
};

/// A direction that may part the two the most.
struct CylinderNormal {
  double gap = -std::numeric_limits<double>::infinity();  // [m] the separation along m, of the other's core
  Vector3 m = Vector3::UnitZ();                           // (3) [-] from the cylinder to the other
  FeatureId of_cylinder = 0, of_other = 0;                // what is nearest
  bool holds = false;                                     // the nearest points are on these features
};

/// The unit vector m that parts a solid cylinder the most from another solid: the largest separation
///   m . x - h(m), over all x of the other the least,   h(m) = radius |m across the axis| + half |m along it|.
/// Where the two are apart it is their distance, else minus the least translation that parts them.
///
/// A maximum is the normal of a face or a cap, or lies across an edge and the cylinder's axis, an edge and a rim, two
/// rims, or from the axis or a rim to a vertex. Each of these is a closed form, but for two rims (two_rims.h) and a rim
/// on an ellipsoid: a rim is the envelope of its tangents, of each of which the normal is known as that of an edge, and
/// of them the one counts on which the nearest point is the rim's. The separation along each direction is then measured
/// to all of both solids, so that it is never too large, and the largest is exact. Of directions that part the two
/// equally, to round-off, one counts whose nearest points are on the features that it belongs to: the sign of a length
/// tells that, when the separation does not.
class CylinderNormalSearch {
 public:
  CylinderNormal find(const CylinderPair& pair);

 private:
  void offer(const CylinderNormal& candidate);
  void offer_polytope(const CylinderPair& pair);
  void offer_faces(const CylinderPair& pair);
  void offer_edge(const CylinderPair& pair, int edge);
  void offer_vertex(const CylinderPair& pair, int vertex);
  void offer_cylinder(const CylinderPair& pair);
  void offer_ellipsoid(const CylinderPair& pair);
  void offer_rims(const CylinderPair& pair);
  void offer_along(const CylinderPair& pair, const Vector3& m, FeatureId of_cylinder, FeatureId of_other, bool holds);

  CylinderNormal best_;
  double tie_ = 0.0;  // [m]
};

/// Of a rim with the radius r and the axis `axis` (3) [-], the normal that parts it the most from a line along `along`
/// (3) [-] that goes through y (3) [m], seen from the rim's centre; among those on the side of `sign` axis. Whether
/// there is one. m (3) [-] points from the rim to the line.
bool find_normal_of_rim(const Vector3& along, const Vector3& axis, double sign, double r, const Vector3& y, Vector3& m);

}  // namespace stickslip
