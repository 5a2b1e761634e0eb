// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stickslip/collision/features.h"
#include "stickslip/collision/solid.h"
#include "stickslip/collision/surface_point.h"

namespace stickslip {

/// Contact points of a polyline with a ball or a polygon: pairs of features that are nearest to each other as far as
/// their neighbours go, as on surfaces of triangles (SurfaceManifold). Flat and concave corners of the polyline have no
/// points. An object of this class is workspace.
class LineManifold {
 public:
  /// Points as NarrowPhase::calc_manifold() gives them; where `within` is infinite, those near the nearest.
  void calc(const Solid& first, const Placement& first_at, const Solid& second, const Placement& second_at,
            double within, std::vector<ManifoldPoint>& points);
  /// How far calc() is to look to find the point of a feature of the polyline. [m]
  static double calc_reach(const Solid& line, const Placement& line_at, const Solid& solid, const Placement& solid_at,
                           FeatureId feature);

  /// For each face of a line the first face of its patch: faces in one line, joined by flat corners.
  static std::vector<int> find_patches(const Solid& line);

 private:
  /// The angle at a corner, seen from the free side. A border has one face.
  enum class Corner { flat, concave, convex, border };

  /// The pair, all in the frame of the polyline's body.
  struct Pair {
    const Solid& line;
    const Solid& core;
    Placement at;         // the core in the polyline's frame
    bool line_is_second;  // of the pair as asked for
    double within;        // [m]
    double tie;           // [m] round-off of lengths
  };
  /// Where a point is nearest to a face: corner -1 within it, else the corner's index.
  struct Foot {
    Vector3 at = Vector3::Zero();  // (3) [m]
    int corner = -1;
  };
  /// From the polyline to the core.
  struct Found : SurfacePoint {
    double way_out = 0.0;  // [m] of a vertex of the core inside: to the face
  };

  static int n_vertices(const Solid& line) { return static_cast<int>(line.vertices.size()); }
  static bool is_closed(const Solid& line) { return line.faces.size() == line.vertices.size(); }
  /// The faces beside a corner; -1: none.
  static int face_before(const Solid& line, int corner);
  static int face_behind(const Solid& line, int corner);
  static Corner kind_of(const Solid& line, int corner);
  static double turn_at(const Solid& line, int corner);
  static bool has_normal(const Solid& line, int corner, const Vector3& n, double slack);
  static Foot find_foot(const Solid& line, int face, const Vector3& x);
  static double height_over(const Pair& pair, int face, const Vector3& x);
  static bool is_on_face(const Pair& pair, int face, const Vector3& x, double height);
  static int find_nearest(const Solid& line, const Vector3& x, double& distance);
  static bool is_inside(const Solid& line, const Vector3& x, int nearest);

  void collect(const Pair& pair);
  void place_core(const Pair& pair);
  bool core_allows(const Pair& pair, int vertex, const Vector3& n, double slack) const;
  void add(const Pair& pair, const Found& found);
  void add_vertex_on_face(const Pair& pair, int face, int vertex, double way_out, bool may_be_void);
  void add_vertex_inside(const Pair& pair, int vertex);
  bool reaches_in(const Pair& pair, int face, double slack) const;
  bool may_be_inside(const Pair& pair) const;
  void add_vertices(const Pair& pair);
  int find_lowest(const Pair& pair, int face) const;
  void add_crossed(const Pair& pair, int face);
  void add_corner(const Pair& pair, int corner);
  void add_corner_on_faces(const Pair& pair, int corner);
  Found make_corner_on_face(const Pair& pair, int corner, int core_face, double gap) const;
  void merge(const Pair& pair);

  std::vector<int> near_, corners_;
  std::vector<Vector3> vertices_;      // of the core
  std::vector<Vector3> core_normals_;  // of its faces
  std::vector<double> core_offsets_;
  std::vector<Found> found_;
};

}  // namespace stickslip
