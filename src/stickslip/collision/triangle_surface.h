// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "stickslip/collision/broad_phase.h"
#include "stickslip/geometry/shape.h"
#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

/// The triangles of a mesh or a height-field in the frame of its body, with what the narrow phase asks of them: edges
/// and the faces beside them, which edges are flat, and which triangles are near a box.
class TriangleSurface {
 public:
  /// The angle between the faces of an edge, seen from outside. A border has one face.
  enum class EdgeKind { flat, concave, convex, border };
  /// From vertex `tail` to `head`, which run counterclockwise round the face `left`; right -1: a border.
  struct Edge {
    int tail = 0, head = 0;
    int left = -1, right = -1;
  };

  TriangleSurface() = default;
  TriangleSurface(const TriangleSurface&) = delete;
  TriangleSurface& operator=(const TriangleSurface&) = delete;
  virtual ~TriangleSurface() = default;

  virtual int n_vertices() const = 0;
  virtual int n_edges() const = 0;
  virtual int n_triangles() const = 0;

  virtual Vector3 vertex(int vertex) const = 0;  // (3) [m]
  virtual std::array<int, 3> corners_of(int triangle) const = 0;
  /// Edge i is between the corners i and i + 1.
  virtual std::array<int, 3> edges_of(int triangle) const = 0;
  virtual Vector3 normal_of(int triangle) const = 0;  // (3) [-] unit, outward
  virtual Edge edge(int edge) const = 0;
  virtual EdgeKind kind_of(int edge) const = 0;
  /// The first triangle of those in one plane that hang together by flat edges: a point that slides over them is the
  /// same contact.
  int patch_of(int triangle) const { return patches_[triangle]; }
  /// Replaces `edges` by those at a vertex.
  virtual void find_edges_at(int vertex, std::vector<int>& edges) const = 0;

  /// Replaces `triangles` by all whose boxes overlap `box`, and perhaps some more, in increasing order.
  virtual void find(const BoundingBox& box, std::vector<int>& triangles) const = 0;
  /// The distance of x (3) [m] from the surface, or a little more.
  virtual double find_distance(const Vector3& x) const = 0;
  /// Whether x (3) [m] is on the inner side of the surface.
  virtual bool holds(const Vector3& x) const = 0;
  /// Whether it is solid below without end, whatever of its border is nearest.
  virtual bool is_endless() const { return false; }

  /// Round all that may be touched, along the axes of the body; and a ball round the triangles.
  const BoundingBox& box() const { return box_; }
  const Vector3& center() const { return center_; }
  double radius() const { return radius_; }

 protected:
  void set_box(const BoundingBox& box) {
    box_ = box;
    center_ = 0.5 * (box.lower + box.upper);
    radius_ = 0.5 * (box.upper - box.lower).norm();
  }
  /// To be called when all else is known.
  void find_patches();
  /// After set_box(): of a solid that goes further than its triangles.
  void set_reach(const BoundingBox& box) { box_ = box; }

 private:
  std::vector<int> patches_;  // (n_triangles)
  BoundingBox box_;
  Vector3 center_ = Vector3::Zero();  // (3) [m]
  double radius_ = 0.0;               // [m]
};

/// Where a point is nearest to a triangle: inside it (feature 0), on its side i (1 + i) or at its corner i (4 + i).
struct TriangleFoot {
  Vector3 foot = Vector3::Zero();  // (3) [m]
  int feature = 0;
};
TriangleFoot find_foot(const Vector3& x, const Vector3& a, const Vector3& b, const Vector3& c);

/// Whether x, whose nearest point of the surface is `foot` of a triangle, is on the inner side: by the normal of the
/// nearest feature, of a vertex the sum of those of its faces by their angles there. Beside a border there is nothing.
/// edges: workspace.
bool is_behind(const TriangleSurface& surface, int triangle, const TriangleFoot& foot, const Vector3& x,
               std::vector<int>& edges);

/// The angle of an edge whose faces have the normals n and m; `opposite` (3) [m] is a point of the right face from a
/// point of the edge. flat_angle [rad]: up to which it is flat.
TriangleSurface::EdgeKind classify_edge(const Vector3& n, const Vector3& m, const Vector3& opposite, double flat_angle);

/// [rad] Up to which an edge is flat.
inline constexpr double kFlatAngle = 1e-6;
/// [rad] How far a face of a patch may turn from its first one: many flat edges may add up to a bend.
inline constexpr double kPatchAngle = 1e-3;
/// [-] Of the largest coordinate: how far a corner of a file of single precision is off, with some margin.
inline constexpr double kSinglePrecision = 2e-7;

/// The surface of a mesh; `position` (3) [m] and `rotation` (3, 3) place it in its body.
std::shared_ptr<const TriangleSurface> make_mesh_surface(const TriangleMesh& mesh, const Vector3& position,
                                                         const Matrix3& rotation);
/// The same of a height-field, whose mesh has the nodes as vertices, x before y, and two triangles a cell.
std::shared_ptr<const TriangleSurface> make_field_surface(std::shared_ptr<const TriangleMesh> mesh,
                                                          const HeightField& field, const Vector3& position,
                                                          const Matrix3& rotation);

}  // namespace stickslip
