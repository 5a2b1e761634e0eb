// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/collision/closest_features.h"

namespace stickslip {

/// A corner of what a face and a face or edge of another solid have in common, seen along the first face's normal.
struct ClipCorner {
  Vector3 on_face;            // (3) [m] of the face's solid: the corner, on the other solid
  Vector3 on_incident;        // (3) [m] the same in the frame of the other solid
  FeatureId of_face = 0;      // feature of the face's solid: the face, or an edge or vertex of it
  FeatureId of_incident = 0;  // of the other: a vertex, or the edge or face with the corner
  double outside = 0.0;       // [m] how far outside the face it is; 0 within
  // While a face is cut:
  int along = -1;     // the side of the other's face to the next corner, or -2 - (side of the face)
  bool made = false;  // a crossing of what of_incident and of_face then number, `along` and a side
};

/// Cuts a face of one solid out of the prism on a face of another, side after side [Ericson2005, 8.3.4], and knows each
/// corner by its features: a vertex of one on the other's face, or where two edges cross. What is outside by at most
/// `tolerance` [m] is inside, and corners that are nearer to each other than that become one: vertices of `incident`
/// before those of `solid` before crossings, or the other way round where `solid_first` is false.
class FaceClipper {
 public:
  /// Sets the corners: none where the two have nothing in common. `incident_in_solid` is where the other solid is.
  void clip_face(const Solid& solid, int face, const Solid& incident, int incident_face,
                 const Placement& incident_in_solid, double tolerance, bool solid_first);
  /// The same of an edge: one or two corners.
  void clip_edge(const Solid& solid, int face, const Solid& incident, int edge, const Placement& incident_in_solid,
                 double tolerance);
  /// The same of polygons, whose faces are edges.
  void clip_polygon(const Solid& solid, int face, const Solid& incident, int incident_face,
                    const Placement& incident_in_solid, double tolerance);

  const std::vector<ClipCorner>& corners() const { return corners_; }

 private:
  void cut(const Solid& solid, int side, double tolerance);
  void merge(double tolerance, bool solid_first);

  std::vector<ClipCorner> corners_, next_;
  std::vector<Vector3> incident_;  // (3) [m] corners of the other's face
  std::vector<double> beyond_;     // [m] of each corner, of a side
  std::vector<bool> dropped_;
};

}  // namespace stickslip
