// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <vector>

#include "stickslip/collision/solid.h"

namespace stickslip {

/// How far apart two polytopes, two polygons, or a polytope and a segment are along the directions that can tell them
/// apart: the normals of their faces and what is across an edge of each [Gottschalk1996]. The largest of these
/// separations is how deep they overlap, and a lower bound of their distance where they are apart.
///
/// Boxes have 15 such directions. Of other polytopes the directions across edges are those of the faces of their
/// Minkowski difference, where the arcs of the edges cross on the sphere of normals [Gregorius2013]. Faces and edges
/// that cannot beat the best so far, by the ball inside the other solid, are passed over, so that of a large hull
/// those that look at the other are left. What is across two edges that are nearly parallel is made exactly
/// perpendicular to the first, and measured to the farthest vertices of both: a direction that round-off has turned
/// makes a separation too small, never too large.
class SeparatingAxis {
 public:
  struct FaceAxis {
    double separation = -std::numeric_limits<double>::infinity();  // [m]
    int face = -1;
    int vertex = -1;  // of the other solid, the farthest against the face
  };
  struct EdgeAxis {
    double separation = -std::numeric_limits<double>::infinity();  // [m]
    int first = -1, second = -1;
    Vector3 normal = Vector3::Zero();  // (3) [-] in the first's frame, from first to second
  };

  /// Looks at all directions, until one separates by more than `limit` [m]: false then. Directions across edges count
  /// where they are better than those of faces by more than `tie` [m] in overlap, and where they are worse by no more
  /// than that for solids that are apart.
  bool find(const Solid& first, const Solid& second, const Placement& second_in_first, double limit, double tie);

  const FaceAxis& of_first() const { return of_first_; }
  const FaceAxis& of_second() const { return of_second_; }
  const EdgeAxis& of_edges() const { return of_edges_; }

 private:
  struct EdgeInFirst {
    int edge;
    Vector3 tail, direction, left, right;  // (3) in the first's frame
  };

  /// What a direction across edges is to separate by. [m]
  double enough(double tie) const;
  bool find_boxes(const Solid& first, const Solid& second, const Placement& at, double limit, double tie);
  void try_edges(const Solid& first, const Solid& second, const Placement& at, double tie);
  void try_pair(const Solid& first, const Solid& second, const Placement& at, int i, const EdgeInFirst& b,
                double enough);

  FaceAxis of_first_, of_second_;
  EdgeAxis of_edges_;
  std::vector<EdgeInFirst> others_;
};

}  // namespace stickslip
