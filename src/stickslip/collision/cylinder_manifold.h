// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/collision/curved_points.h"
#include "stickslip/collision/cylinder_normal.h"

namespace stickslip {

/// NarrowPhase::calc_manifold() of a solid cylinder with a polytope, a segment, an ellipsoid or another cylinder.
///
/// The pair's gap and normal are those of CylinderNormalSearch. What lies along the normal, up to the sine kCapLies, is
/// in contact as a whole: of a cap, a side, a face or an edge of both the points are those of the border of what they
/// share. A cap offers its rim (for_rim_points), and where the rim passes the border of the other face a point of it; a
/// side offers its lowest line, whose ends are lowest points of the rims, or what of it passes the border.
class CylinderManifold {
 public:
  /// Points are added to `points`, which is empty.
  CylinderManifold(const Solid& first, const Placement& first_at, const Solid& second, const Placement& second_at,
                   double within, std::vector<ManifoldPoint>& points);

  void calc();

 private:
  /// The solid that offers a feature.
  enum class Owner { cylinder, other };
  /// A face or a cap that something lies on.
  struct Plane {
    Owner owner = Owner::cylinder;
    int face = 0;
    Vector3 normal, center;  // (3) [-], [m] in the cylinder's frame; of a cap its centre
    double radius = 0.0;     // [m] of a cap; a polygon has none
  };
  /// What is straight: an edge, a segment or the axis of a cylinder with the radius of its side.
  struct Line {
    Owner owner = Owner::cylinder;
    int edge = -1;        // of a polytope or segment
    Vector3 tail, head;   // (3) [m] in the cylinder's frame
    double radius = 0.0;  // [m]
    FeatureId id = 0;
  };
  /// Where a line is over a plane: shares of its length, and what borders on it there; no id at an end of the line.
  struct Stretch {
    double from = 0.0, to = 1.0;
    FeatureId from_border = 0, to_border = 0;
    bool from_end = true, to_end = true;
  };

  void add(Owner surface_owner, const SurfaceFeature& surface, const BallFeature& ball, FeatureId of_surface,
           FeatureId of_ball);
  void add_neighbours(const CylinderNormal& nearest);
  void add_exact(const CylinderNormal& nearest);
  bool add_features(const CylinderNormal& nearest);
  void add_supporting_plane(const CylinderNormal& nearest);
  bool settle(const CylinderNormal& nearest);
  Vector3 way_of(const Vector3& m) const;
  void add_line_on_plane(const Line& line, const Plane& plane);
  bool find_stretch(const Plane& plane, const Vector3& tail, const Vector3& head, Stretch& stretch) const;
  void add_lines(const Line& own, const Line& others, const Vector3& m);
  bool add_rim(Owner owner, int end, const Plane& plane);
  void add_crossings(const Plane& cap, const Plane& polygon);
  void add_circles(const Plane& own, const Plane& others);
  void add_rim_point(const Plane& cap, const Vector3& x, const Plane& plane, FeatureId of_plane, FeatureId of_cap);
  bool is_over(const Plane& plane, const Vector3& x, double slack) const;

  const Solid& solid_of(Owner owner) const;
  Plane cap_of(Owner owner, int end) const;
  Plane face_of(int face) const;
  Line axis_of(Owner owner) const;
  Line edge_of(int edge) const;
  SurfaceFeature surface_of_plane(const Plane& plane) const;
  SurfaceFeature surface_of_line(const Line& line) const;
  BallFeature ball_at(Owner owner, const Vector3& x, double radius) const;
  BallFeature ball_of_end(const Line& line, int end, FeatureId& id) const;
  Vector3 in_body(Owner owner, const Vector3& x) const;
  Vector3 turn_to_body(Owner owner, const Vector3& x) const;

  bool cylinder_second_;
  CylinderPair pair_;
  const Placement& first_at_;
  const Placement& second_at_;
  double within_;             // [m]
  double nearby_;             // [m] points that are nearer are the same
  double round_off_;          // [m] by so much gaps are off
  bool in_any_case_ = false;  // a point is added whatever it is near to
  std::vector<ManifoldPoint>& points_;
};

}  // namespace stickslip
