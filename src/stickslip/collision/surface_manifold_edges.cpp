// SPDX-License-Identifier: BSD-3-Clause
// Convex edges of surfaces of triangles, and borders, with vertices and edges of polytopes, segments and balls.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>

#include "stickslip/base/make_room.h"
#include "stickslip/collision/closest_features.h"
#include "stickslip/collision/surface_manifold.h"

namespace stickslip {
namespace {

/// [-] Sine below which the direction across two edges turns too fast to be a smooth function of the poses.
constexpr double kAcross = 1e-6;
/// [-] Of round-off: how deep edges must pass each other that the points where they pass faces are known.
constexpr double kPassing = 100.0;

}  // namespace

void SurfaceManifold::add_edge(const Pair& pair, const Edge& edge) {
  if (pair.core.kind == Solid::Kind::ellipsoid) return add_ellipsoid_on_edge(pair, edge);
  if (pair.core.kind == Solid::Kind::cylinder) return add_cylinder_on_edge(pair, edge);
  for (int v = 0; v < static_cast<int>(vertices_.size()); ++v) {
    const double along = edge.direction.dot(vertices_[v] - edge.tail);
    if (along < -pair.tie || along > edge.length + pair.tie) continue;
    const Vector3 foot = edge.tail + along * edge.direction;
    const double distance = (vertices_[v] - foot).norm();
    if (distance - pair.core.radius > pair.within || !(distance > pair.tie)) continue;
    const Vector3 n = (vertices_[v] - foot) / distance;
    if (!allows(edge, n, pair.tie / distance) || !core_allows(pair, v, n, kLies)) continue;
    Found found;
    found.of_surface = make_feature(FeatureKind::edge, edge.index);
    found.of_core = make_feature(FeatureKind::vertex, v);
    found.surface = {SurfaceKind::line, edge.tail, edge.direction};
    found.ball.center = pair.core.vertices[v];
    found.ball.radius = pair.core.radius;
    found.gap = distance - pair.core.radius;
    found.normal = n;
    found.on_surface = foot;
    add(pair, found);
  }
  for (int e = 0; e < static_cast<int>(core_edges_.size()); ++e) add_crossing(pair, edge, e);
}

/// Where an edge of the core crosses an edge of the surface. Edges that lie on a face, of either, touch in its plane;
/// in overlap they do so, too, where this parts the two by a shorter way than across both edges.
void SurfaceManifold::add_crossing(const Pair& pair, const Edge& edge, int core_edge) {
  const CoreEdge& other = core_edges_[core_edge];
  const LineCrossing lines = cross_lines(edge.tail, edge.direction, other.tail, other.direction);
  if (lines.sine < kAcross || lines.on_first < -pair.tie || lines.on_first > edge.length + pair.tie ||
      lines.on_second < -pair.tie || lines.on_second > other.length + pair.tie) {
    return;
  }
  Crossing crossing;
  crossing.core_edge = core_edge;
  crossing.normal = edge.direction.cross(other.direction) / lines.sine;
  crossing.sense = crossing.normal.dot(edge.normal) < 0.0 ? -1.0 : 1.0;
  crossing.normal *= crossing.sense;
  crossing.on_edge = edge.tail + lines.on_first * edge.direction;
  crossing.on_core = other.tail + lines.on_second * other.direction;
  const Vector3& n = crossing.normal;
  const double gap = n.dot(crossing.on_core - crossing.on_edge);
  if (gap - pair.core.radius > pair.within) return;
  const bool is_nearest = allows(edge, n, kOutside) && core_allows(other, n, kOutside) &&
                          (edge.n_faces == 2 || n.dot(edge.normals[0]) >= 0.0);
  if (is_nearest && gap > 0.0) return add_across(pair, edge, crossing);
  const Solid::Edge& of_core = pair.core.edges[core_edge];
  // What is behind the planes of both faces may be in front of others.
  if (gap < -kPassing * pair.tie && !passes_through(pair, edge, other)) return;
  const FaceWay shorter = gap < 0.0 ? find_shorter_way(pair, edge, n, gap) : FaceWay{};
  const int nearer = edge.n_faces == 2 && n.dot(edge.normals[1]) > n.dot(edge.normals[0]) ? 1 : 0;
  if (n.dot(edge.normals[nearer]) >= kLiesCosine) {
    if (shorter.is_one() || !core_allows(other, edge.normals[nearer], kLies)) return;
    return add_core_edge_on_face(pair, edge, crossing, nearer);
  }
  for (const int face : {of_core.left, of_core.right}) {
    if (face < 0 || -n.dot(core_normals_[face]) < kLiesCosine) continue;
    if (shorter.is_one() || !allows(edge, -core_normals_[face], kLies)) return;
    return add_edge_on_core_face(pair, edge, crossing, face);
  }
  if (!is_nearest || shorter.separation > 0.0) return;
  if (shorter.mesh_face >= 0) return add_core_edge_on_face(pair, edge, crossing, shorter.mesh_face);
  if (shorter.core_face < 0) return add_across(pair, edge, crossing);
  if (shorter.core_face == of_core.left || shorter.core_face == of_core.right) {
    add_edge_on_core_face(pair, edge, crossing, shorter.core_face);
  }
}

/// Whether an edge of the core passes through a face at the edge or at its ends.
bool SurfaceManifold::passes_through(const Pair& pair, const Edge& edge, const CoreEdge& core_edge) const {
  const Vector3 head = core_edge.tail + core_edge.length * core_edge.direction;
  const TriangleSurface::Edge ends = pair.surface.edge(edge.index);
  for (const Face& face : faces_) {
    const std::array<int, 3> corners = pair.surface.corners_of(face.index);
    if (std::ranges::none_of(corners, [&](int v) { return v == ends.tail || v == ends.head; })) continue;
    const double from = face.normal.dot(core_edge.tail - face.corners[0]);
    const double to = face.normal.dot(head - face.corners[0]);
    if (from * to > 0.0 || from == to) continue;
    const Vector3 x = core_edge.tail + from / (from - to) * (head - core_edge.tail);
    bool is_within = true;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3 outward = (face.corners[(i + 1) % 3] - face.corners[i]).cross(face.normal).normalized();
      is_within &= outward.dot(x - face.corners[i]) <= pair.tie;
    }
    if (is_within) return true;
  }
  return false;
}

/// The face, of the core or beside the edge and not across n, that parts the core and the faces of the edge by a
/// shorter way than -gap along n, and by the shortest.
SurfaceManifold::FaceWay SurfaceManifold::find_shorter_way(const Pair& pair, const Edge& edge, const Vector3& n,
                                                           double gap) const {
  FaceWay shortest;
  shortest.separation = gap + pair.tie;
  for (int f = 0; f < edge.n_faces; ++f) {
    if (edge.normals[f].dot(n) >= kLiesCosine) continue;
    double separation = kNone;
    for (const Vector3& x : vertices_) separation = std::min(separation, edge.normals[f].dot(x - edge.tail));
    if (separation > shortest.separation) shortest = {separation, f, -1};
  }
  for (int k = 0; k < static_cast<int>(core_normals_.size()); ++k) {
    if (-core_normals_[k].dot(n) >= kLiesCosine) continue;
    double separation = kNone;
    for (int f = 0; f < edge.n_faces; ++f) {
      for (const int v : pair.surface.corners_of(edge.faces[f])) {
        separation = std::min(separation, core_normals_[k].dot(pair.surface.vertex(v)) - core_offsets_[k]);
      }
    }
    if (separation > shortest.separation) shortest = {separation, -1, k};
  }
  return shortest;
}

SurfaceManifold::Found SurfaceManifold::make_crossing(const Edge& edge, const Crossing& crossing) {
  Found found;
  found.of_surface = make_feature(FeatureKind::edge, edge.index);
  found.of_core = make_feature(FeatureKind::edge, crossing.core_edge);
  found.on_surface = crossing.on_edge;
  found.may_be_void = true;
  return found;
}

void SurfaceManifold::add_across(const Pair& pair, const Edge& edge, const Crossing& crossing) {
  const Solid::Edge& of_core = pair.core.edges[crossing.core_edge];
  Found found = make_crossing(edge, crossing);
  found.surface = {SurfaceKind::crossing, edge.tail, edge.direction};
  found.ball.center = pair.core.vertices[of_core.tail];
  found.ball.radius = pair.core.radius;
  found.ball.axis = crossing.sense * of_core.direction;
  found.normal = crossing.normal;
  found.gap = crossing.normal.dot(crossing.on_core - crossing.on_edge) - pair.core.radius;
  add(pair, found);
}

void SurfaceManifold::add_core_edge_on_face(const Pair& pair, const Edge& edge, const Crossing& crossing, int face) {
  const Vector3& normal = edge.normals[face];
  Found found = make_crossing(edge, crossing);
  found.surface.center = edge.tail;
  found.surface.axis = normal;
  found.ball.center = pair.at.apply_inverse(crossing.on_core);
  found.ball.radius = pair.core.radius;
  const double height = normal.dot(crossing.on_core - edge.tail);
  found.on_surface = crossing.on_core - height * normal;
  found.gap = height - pair.core.radius;
  found.normal = normal;
  found.stands_for_edge = true;
  add(pair, found);
}

void SurfaceManifold::add_edge_on_core_face(const Pair& pair, const Edge& edge, const Crossing& crossing, int face) {
  Found found = make_crossing(edge, crossing);
  found.surface_on_core = true;
  found.surface.center = pair.core.vertices[pair.core.edges[crossing.core_edge].tail];
  found.surface.axis = pair.core.faces[face].normal;
  found.ball.center = crossing.on_edge;
  found.gap = core_normals_[face].dot(crossing.on_edge) - core_offsets_[face];
  found.normal = -core_normals_[face];
  found.stands_for_edge = true;
  add(pair, found);
}

}  // namespace stickslip
