// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stickslip/collision/broad_phase.h"
#include "stickslip/collision/features.h"
#include "stickslip/geometry/shape.h"

namespace stickslip {

class BoxTree;
class TriangleSurface;

/// Where a body is: x_W = p + R x.
struct Placement {
  Vector3 p = Vector3::Zero();      // (3) [m]
  Matrix3 R = Matrix3::Identity();  // (3, 3) [-]

  // Written out: the narrow phase does little else, and Eigen's sum with a product takes three times as long.
  Vector3 apply(const Vector3& x) const {
    return {p(0) + (R(0, 0) * x(0) + R(0, 1) * x(1) + R(0, 2) * x(2)),
            p(1) + (R(1, 0) * x(0) + R(1, 1) * x(1) + R(1, 2) * x(2)),
            p(2) + (R(2, 0) * x(0) + R(2, 1) * x(1) + R(2, 2) * x(2))};
  }
  Vector3 apply_inverse(const Vector3& x) const {
    const double d0 = x(0) - p(0);
    const double d1 = x(1) - p(1);
    const double d2 = x(2) - p(2);
    return {R(0, 0) * d0 + R(1, 0) * d1 + R(2, 0) * d2, R(0, 1) * d0 + R(1, 1) * d1 + R(2, 1) * d2,
            R(0, 2) * d0 + R(1, 2) * d1 + R(2, 2) * d2};
  }
  /// The placement of `other` in this frame.
  Placement relative(const Placement& other) const { return {R.transpose() * (other.p - p), R.transpose() * other.R}; }
};

/// A convex shape as the narrow phase sees it: a core of vertices, edges and faces in the frame of its body, and a
/// rounding radius all around the core. Balls and points have a core of one vertex, capsules of one edge; polytopes
/// (boxes, hulls) have a radius of 0, and so have solid cylinders and ellipsoids. Of a cylinder the vertices are points
/// on its rims, kRimPoints on the lower one before as many on the upper one; edges are its rims, faces its caps and its
/// side, by their numbers alone. A half-space is its face. A surface of triangles, which is not convex, is apart. A
/// planar solid is a ball or a polygon whose faces are its edges: face k goes from vertex k to the next,
/// counterclockwise, and there are no edges beside. A polyline is like a polygon, but not convex, with its faces on the
/// left; one that is open has one face less than vertices.
struct Solid {
  enum class Kind { ball, segment, polytope, cylinder, ellipsoid, half_space, surface, polyline };

  /// From vertex `tail` to vertex `head`, with (left normal) x (right normal) along the direction.
  struct Edge {
    int tail = 0, head = 0;
    int left = -1, right = -1;            // faces; -1 of a segment
    Vector3 direction = Vector3::Zero();  // (3) [-] unit
    double length = 0.0;                  // [m]
    double spread = 1.0;                  // [-] 1 / cos of half the angle between the normals of its faces
  };
  /// {x : normal . x <= offset}
  struct Face {
    Vector3 normal = Vector3::Zero();  // (3) [-] unit, outward
    double offset = 0.0;               // [m]
    int begin = 0, end = 0;            // its sides
  };
  /// One side of a face, counterclockwise from outside: from `vertex` to that of the next side.
  struct Side {
    int vertex = 0;
    int edge = 0;
    Vector3 outward = Vector3::Zero();  // (3) [-] unit, in the face's plane, away from the face
    double offset = 0.0;                // [m] outward . x of the side
  };

  Kind kind = Kind::ball;
  bool planar = false;
  bool is_box = false;                 // vertices, edges and faces in the order of make_solid's boxes
  double radius = 0.0;                 // [m] round the core
  double size = 0.0;                   // [m] diameter of the core's ball round `center`, and the rounding
  Vector3 center = Vector3::Zero();    // (3) [m] body frame, inside
  double inradius = 0.0;               // [m] of a ball round `center` inside the core
  Matrix3 axes = Matrix3::Identity();  // (3, 3) [-] of a box, cylinder or ellipsoid: its axes, columns, body frame
  Vector3 half = Vector3::Zero();      // (3) [m] of these: half the sizes along its axes

  std::shared_ptr<const TriangleSurface> surface;  // of a mesh or height-field, which has nothing of the following
  std::shared_ptr<const BoxTree> tree;             // of a polyline: over its faces
  std::vector<int> patches;                        // of its faces: the first of those in a line with each

  std::vector<Vector3> vertices;  // (3) [m] each
  std::vector<Edge> edges;
  std::vector<Face> faces;
  std::vector<Side> sides;           // those of face f: [begin, end)
  std::vector<int> first_edge;       // (vertices + 1) where the edges of each vertex begin in vertex_edges
  std::vector<int> vertex_edges;     // edges at each vertex
  std::vector<int> first_neighbour;  // of large hulls: where the neighbours of each vertex begin; else empty
  std::vector<int> neighbours;       // vertices that share an edge

  std::span<const Side> sides_of(int face) const {
    return {sides.data() + faces[face].begin, static_cast<std::size_t>(faces[face].end - faces[face].begin)};
  }
  std::span<const int> edges_of(int vertex) const {
    return {vertex_edges.data() + first_edge[vertex],
            static_cast<std::size_t>(first_edge[vertex + 1] - first_edge[vertex])};
  }
};

/// Points of a rim that are fixed in the body, at equal angles. Their polygon is .9 % narrower than the cap, and a
/// cylinder rests on slopes up to that part of what tips it over; with fewer, piles take less time.
inline constexpr int kRimPoints = 24;

/// A solid that need not be convex: it touches convex ones alone.
inline bool is_surface(Solid::Kind kind) {
  return kind == Solid::Kind::surface || kind == Solid::Kind::polyline;
}

/// Such a solid with rims, or an ellipsoid.
inline bool is_curved(Solid::Kind kind) {
  return kind == Solid::Kind::cylinder || kind == Solid::Kind::ellipsoid;
}

/// The solid of a shape in its body's frame. Throws InputError for points that span no volume (no area when planar);
/// containers have none (STICKSLIP_ASSERT).
Solid make_solid(const Shape& shape, bool planar);

/// Whether it has bounds and make_solid takes it.
bool has_solid(const Shape& shape, bool planar);

/// The surface of a solid cylinder or an ellipsoid; a half-space's.
SurfaceFeature surface_of(const Solid& solid);

/// The point of a cylinder or an ellipsoid that is farthest along `direction` (3) [-], body frame; of several one.
Vector3 find_farthest(const Solid& solid, const Vector3& direction);

/// The vertex that is farthest along `direction` (3) [-], body frame. Large hulls are climbed from neighbour to
/// neighbour, from `start` on.
int find_support(const Solid& solid, const Vector3& direction, int start = 0);

/// The least box along the axes of the world round a solid; of a surface or a polyline that of its box in its body.
BoundingBox calc_bounding_box(const Solid& solid, const Placement& placement);

}  // namespace stickslip
