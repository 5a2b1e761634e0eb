// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "stickslip/collision/features.h"
#include "stickslip/collision/solid.h"
#include "stickslip/collision/surface_point.h"
#include "stickslip/collision/triangle_surface.h"

namespace stickslip {

/// The points in which a convex solid and a surface of triangles touch: each pair of a feature of the one and of the
/// other that are nearest to each other as far as their neighbours go. Flat and concave edges of the surface have no
/// points. An object of this class is workspace.
class SurfaceManifold {
 public:
  /// Of a half-space with the corners of a mesh, too. Points as NarrowPhase::calc_manifold() gives them; where `within`
  /// is infinite, those near the nearest.
  void calc(const Solid& first, const Placement& first_at, const Solid& second, const Placement& second_at,
            double within, std::vector<ManifoldPoint>& points);
  /// How far calc() is to look to find the point of a feature of the surface. [m]
  static double calc_reach(const Solid& surface, const Placement& surface_at, const Solid& solid,
                           const Placement& solid_at, FeatureId feature);

 private:
  using EdgeKind = TriangleSurface::EdgeKind;

  /// [-] Sine of the angle up to which faces, edges and corners lie on a face, and its cosine: as of other solids
  /// (manifold.cpp).
  static constexpr double kLies = 0.1;
  static constexpr double kLiesCosine = 0.995;
  /// [-] How far a normal may be outside those that a feature has: round-off of unit vectors, with a margin.
  static constexpr double kOutside = 1e-12;
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  /// The pair, all in the frame of the surface's body.
  struct Pair {
    const Solid& mesh;
    const Solid& core;
    const TriangleSurface& surface;
    Placement at;         // the core in the surface's frame
    Placement mesh_at;    // the surface in the world
    bool mesh_is_second;  // of the pair as asked for
    double within;        // [m]
    double tie;           // [m] round-off of lengths
    BoundingBox box;      // round the core, larger by tie
  };
  struct Face {
    int index = 0;
    std::array<Vector3, 3> corners;
    Vector3 normal;
  };
  struct Edge {
    int index = 0;
    int n_faces = 0;
    std::array<int, 2> faces = {};
    Vector3 tail, direction;
    double length = 0.0;
    std::array<Vector3, 2> normals, inward;  // of its faces; in their planes, away from the edge
    Vector3 normal;                          // outward, between those of its faces
  };
  /// One with points: not within a face or an edge.
  struct Corner {
    int index = 0;
    Vector3 x, normal;  // normal: somehow outward
    bool has_border = false;
  };
  struct CoreEdge {
    Vector3 tail, direction;
    double length = 0.0;
    std::array<Vector3, 2> outward;  // a normal of the edge, outward, is along neither; 0 of a segment
  };
  /// From the mesh to the core, in the frame of the surface; features in those of their bodies.
  struct Found : SurfacePoint {
    bool stands_for_edge = false;  // the surface is a face, where edges cross
  };

  /// The points of an edge and an edge of the core that are nearest to each other, as lines.
  struct Crossing {
    int core_edge = 0;
    double sense = 1.0;  // normal = sense direction x direction of the core's edge
    Vector3 normal, on_edge, on_core;
  };

  /// A face that parts what overlaps.
  struct FaceWay {
    double separation = 0.0;  // [m]
    int mesh_face = -1, core_face = -1;
    bool is_one() const { return mesh_face >= 0 || core_face >= 0; }
  };

  void collect(const Pair& pair);
  void place_core(const Pair& pair);
  static Face make_face(const TriangleSurface& surface, int triangle);
  static Edge make_edge(const TriangleSurface& surface, int index);
  bool make_corner(const TriangleSurface& surface, int vertex);
  static bool allows(const Edge& edge, const Vector3& n, double slack);
  bool corner_allows(const Vector3& n, double slack) const;
  bool core_allows(const Pair& pair, int vertex, const Vector3& n, double slack) const;
  static bool core_allows(const CoreEdge& edge, const Vector3& n, double slack);
  static bool is_on_face(const Pair& pair, const Face& face, const Vector3& x, double height);
  void add(const Pair& pair, const Found& found);
  void add_vertex_on_face(const Pair& pair, const Face& face, int vertex, double height);
  void add_faces(const Pair& pair);
  const std::vector<int>& find_faces_over(const Pair& pair, const Vector3& x, int vertex);
  void add_edge(const Pair& pair, const Edge& edge);
  void add_crossing(const Pair& pair, const Edge& edge, int core_edge);
  bool passes_through(const Pair& pair, const Edge& edge, const CoreEdge& core_edge) const;
  FaceWay find_shorter_way(const Pair& pair, const Edge& edge, const Vector3& n, double gap) const;
  static Found make_crossing(const Edge& edge, const Crossing& crossing);
  void add_across(const Pair& pair, const Edge& edge, const Crossing& crossing);
  void add_core_edge_on_face(const Pair& pair, const Edge& edge, const Crossing& crossing, int face);
  void add_edge_on_core_face(const Pair& pair, const Edge& edge, const Crossing& crossing, int face);
  void add_corner(const Pair& pair);
  void add_corner_on_faces(const Pair& pair, Found found);
  void add_on_plane(const Pair& pair);
  void merge(const Pair& pair);
  // Of cylinders and ellipsoids (surface_manifold_curved.cpp).
  template <class F>
  void for_faces_before(const Pair& pair, const F& f);
  void add_on_faces(const Pair& pair, const Face& face, bool is_inside, const BallFeature& ball, FeatureId feature,
                    const Vector3& point);
  static bool make_point_on_edge(const Pair& pair, const Edge& edge, const BallFeature& ball, Found& found);
  void add_ellipsoid_on_faces(const Pair& pair);
  bool has_shorter_way(const Pair& pair, int end, const Vector3& x, double depth,
                       const std::array<int, 2>& patches) const;
  void add_cylinder_on_faces(const Pair& pair);
  void add_ellipsoid_on_edge(const Pair& pair, const Edge& edge);
  void add_cylinder_on_edge(const Pair& pair, const Edge& edge);
  void add_corner_on_curved(const Pair& pair);

  std::vector<int> triangles_, edge_indices_, corner_indices_, around_, over_;
  bool over_is_nearest_ = true;  // whether over_ are the nearest of all faces
  std::vector<Face> faces_;
  Corner corner_;
  std::vector<Vector3> directions_;  // of the edges at corner_
  std::vector<Vector3> vertices_;    // of the core
  std::vector<CoreEdge> core_edges_;
  std::vector<Vector3> core_normals_;
  std::vector<double> core_offsets_;
  std::vector<Found> found_;
};

}  // namespace stickslip
