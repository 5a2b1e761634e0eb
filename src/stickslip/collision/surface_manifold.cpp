// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/surface_manifold.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/make_room.h"
#include "stickslip/collision/closest_features.h"
#include "stickslip/collision/ellipsoid_gap.h"

namespace stickslip {
namespace {

/// [-] Of the sizes and places of a pair: round-off of lengths.
constexpr double kLengthRoundOff = 1e-14;
/// [-] Of the smaller size: points that are nearer to each other, with the same normal, are one.
constexpr double kSamePlace = 1e-10;
constexpr double kSameDirection = 1e-6;

/// [-] Of its depth: how near to a point of an edge or a corner another parts the same overlap. Faces across each other
/// have points at 1.4 of the depth.
constexpr double kNearDeep = 2.0;

}  // namespace

void SurfaceManifold::calc(const Solid& first, const Placement& first_at, const Solid& second,
                           const Placement& second_at, double within, std::vector<ManifoldPoint>& points) {
  points.clear();
  const bool mesh_is_second = first.surface == nullptr;
  const Solid& mesh = mesh_is_second ? second : first;
  const Solid& core = mesh_is_second ? first : second;
  const Placement& mesh_at = mesh_is_second ? second_at : first_at;
  const Placement& core_at = mesh_is_second ? first_at : second_at;
  Pair pair{mesh, core, *mesh.surface, mesh_at.relative(core_at), mesh_at, mesh_is_second, within, 0.0, {}};
  const Vector3 middle = pair.at.apply(core.center);
  pair.tie = kLengthRoundOff * (core.size + pair.surface.center().norm() + pair.surface.radius() +
                                (middle - pair.surface.center()).norm());
  found_.clear();
  if (core.kind == Solid::Kind::half_space) {
    add_on_plane(pair);
  } else {
    pair.box = calc_bounding_box(core, pair.at);
    pair.box.lower.array() -= pair.tie;
    pair.box.upper.array() += pair.tie;
    if (pair.within == kNone) pair.within = pair.surface.find_distance(middle) + pair.tie;
    collect(pair);
  }
  for (const Found& found : found_) append(points, to_manifold_point(found, mesh_at, mesh_is_second));
}

double SurfaceManifold::calc_reach(const Solid& mesh, const Placement& mesh_at, const Solid& core,
                                   const Placement& core_at, FeatureId feature) {
  if (core.kind == Solid::Kind::half_space) return kNone;
  const TriangleSurface& surface = *mesh.surface;
  const Vector3 middle = mesh_at.relative(core_at).apply(core.center);
  int vertex = feature_index(feature);
  if (feature_kind(feature) == FeatureKind::face) {
    return calc_reach_over_patch(surface.normal_of(vertex), surface.vertex(surface.corners_of(vertex)[0]), core,
                                 middle);
  }
  if (feature_kind(feature) == FeatureKind::edge) vertex = surface.edge(vertex).tail;
  return (middle - surface.vertex(vertex)).norm();
}

void SurfaceManifold::collect(const Pair& pair) {
  const TriangleSurface& surface = pair.surface;
  BoundingBox box = pair.box;
  box.lower.array() -= std::max(pair.within, 0.0);
  box.upper.array() += std::max(pair.within, 0.0);
  surface.find(box, triangles_);
  bool is_buried = false;
  if (triangles_.empty()) {
    // All of it is on one side.
    const Vector3 middle = pair.at.apply(pair.core.center);
    const bool is_far = (middle - surface.center()).norm() > surface.radius() + pair.core.size;
    if ((is_far && !surface.is_endless()) || !surface.holds(middle)) return;
    const double reach = surface.find_distance(middle) + pair.tie;
    surface.find({middle.array() - reach, middle.array() + reach}, triangles_);
    is_buried = true;
  }
  faces_.clear();
  edge_indices_.clear();
  corner_indices_.clear();
  for (const int t : triangles_) {
    const std::array<int, 3> corners = surface.corners_of(t);
    append(faces_, make_face(surface, t));
    if (is_buried) continue;
    for (const int v : corners) append(corner_indices_, v);
    for (const int e : surface.edges_of(t)) append(edge_indices_, e);
  }
  place_core(pair);
  if (pair.core.kind == Solid::Kind::ellipsoid)
    add_ellipsoid_on_faces(pair);
  else if (pair.core.kind == Solid::Kind::cylinder)
    add_cylinder_on_faces(pair);
  else
    add_faces(pair);
  const auto keep_one_of_each = [](std::vector<int>& indices) {
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  };
  keep_one_of_each(edge_indices_);
  keep_one_of_each(corner_indices_);
  for (const int e : edge_indices_) {
    const EdgeKind kind = surface.kind_of(e);
    if (kind == EdgeKind::convex || kind == EdgeKind::border) add_edge(pair, make_edge(surface, e));
  }
  for (const int v : corner_indices_) {
    const Vector3 x = surface.vertex(v);
    if (!box.overlaps({x, x}) || !make_corner(surface, v)) continue;
    add_corner(pair);
  }
  merge(pair);
}

SurfaceManifold::Face SurfaceManifold::make_face(const TriangleSurface& surface, int triangle) {
  const auto [a, b, c] = surface.corners_of(triangle);
  return {triangle, {surface.vertex(a), surface.vertex(b), surface.vertex(c)}, surface.normal_of(triangle)};
}

/// Sets vertices, edges and faces of the core in the frame of the surface.
void SurfaceManifold::place_core(const Pair& pair) {
  vertices_.clear();
  core_edges_.clear();
  core_normals_.clear();
  core_offsets_.clear();
  if (is_curved(pair.core.kind)) return;
  for (const Vector3& x : pair.core.vertices) append(vertices_, pair.at.apply(x));
  for (const Solid::Face& face : pair.core.faces) {
    append(core_normals_, Vector3(pair.at.R * face.normal));
    append(core_offsets_, face.offset + core_normals_.back().dot(pair.at.p));
  }
  for (const Solid::Edge& edge : pair.core.edges) {
    CoreEdge placed;
    placed.tail = vertices_[edge.tail];
    placed.direction = pair.at.R * edge.direction;
    placed.length = edge.length;
    for (Vector3& outward : placed.outward) outward.setZero();
    if (edge.left >= 0) {
      placed.outward[0] = core_normals_[edge.left].cross(placed.direction);
      placed.outward[1] = placed.direction.cross(core_normals_[edge.right]);
    }
    append(core_edges_, placed);
  }
}

SurfaceManifold::Edge SurfaceManifold::make_edge(const TriangleSurface& surface, int index) {
  const TriangleSurface::Edge of = surface.edge(index);
  Edge edge;
  edge.index = index;
  edge.faces = {of.left, of.right};
  edge.tail = surface.vertex(of.tail);
  const Vector3 along = surface.vertex(of.head) - edge.tail;
  edge.length = along.norm();
  edge.direction = along / edge.length;
  edge.n_faces = of.right >= 0 ? 2 : 1;
  edge.normal.setZero();
  for (int f = 0; f < edge.n_faces; ++f) {
    edge.normals[f] = surface.normal_of(edge.faces[f]);
    edge.inward[f] = edge.normals[f].cross(f == 0 ? edge.direction : Vector3(-edge.direction));
    edge.normal += edge.normals[f] - edge.inward[f];
  }
  return edge;
}

/// Of a vertex with edges that have points, unless these are two in a line: sets corner_. False: it has none.
bool SurfaceManifold::make_corner(const TriangleSurface& surface, int vertex) {
  surface.find_edges_at(vertex, around_);
  corner_.index = vertex;
  corner_.x = surface.vertex(vertex);
  corner_.normal.setZero();
  corner_.has_border = false;
  directions_.clear();
  int n_sharp = 0;
  Vector3 sum = Vector3::Zero();
  for (const int e : around_) {
    const TriangleSurface::Edge edge = surface.edge(e);
    const Vector3 along = (surface.vertex(edge.tail == vertex ? edge.head : edge.tail) - corner_.x).normalized();
    append(directions_, along);
    corner_.normal += surface.normal_of(edge.left);
    if (edge.right >= 0) corner_.normal += surface.normal_of(edge.right);
    const EdgeKind kind = surface.kind_of(e);
    if (kind == EdgeKind::border) corner_.has_border = true;
    if (kind != EdgeKind::border && kind != EdgeKind::convex) continue;
    ++n_sharp;
    sum += along;
  }
  return n_sharp > 2 || n_sharp == 1 || (n_sharp == 2 && sum.norm() > kFlatAngle);
}

bool SurfaceManifold::allows(const Edge& edge, const Vector3& n, double slack) {
  for (int f = 0; f < edge.n_faces; ++f) {
    if (edge.inward[f].dot(n) > slack) return false;
  }
  return true;
}

bool SurfaceManifold::corner_allows(const Vector3& n, double slack) const {
  return std::ranges::none_of(directions_, [&](const Vector3& along) { return along.dot(n) > slack; });
}

/// Whether a vertex of the core is the lowest along n, up to `slack`.
bool SurfaceManifold::core_allows(const Pair& pair, int vertex, const Vector3& n, double slack) const {
  if (pair.core.kind == Solid::Kind::ball) return true;
  for (const int e : pair.core.edges_of(vertex)) {
    const double along = core_edges_[e].direction.dot(n);
    if ((pair.core.edges[e].tail == vertex ? along : -along) < -slack) return false;
  }
  return true;
}

bool SurfaceManifold::core_allows(const CoreEdge& edge, const Vector3& n, double slack) {
  return -n.dot(edge.outward[0]) <= slack && -n.dot(edge.outward[1]) <= slack;
}

/// Whether the foot of x is on a face; what is on a flat edge is on both faces.
bool SurfaceManifold::is_on_face(const Pair& pair, const Face& face, const Vector3& x, double height) {
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3& corner = face.corners[i];
    const Vector3 outward = (face.corners[(i + 1) % 3] - corner).cross(face.normal).normalized();
    const double beyond = outward.dot(x - corner);
    if (beyond <= pair.tie) continue;
    const int e = pair.surface.edges_of(face.index)[i];
    if (pair.surface.kind_of(e) != EdgeKind::flat) return false;
    const TriangleSurface::Edge edge = pair.surface.edge(e);
    const double turn = (pair.surface.normal_of(edge.left) - pair.surface.normal_of(edge.right)).norm();
    if (beyond > pair.tie + 2.0 * turn * std::abs(height)) return false;
  }
  return true;
}

void SurfaceManifold::add(const Pair& pair, const Found& found) {
  if (found.gap <= pair.within) append(found_, found);
}

void SurfaceManifold::add_vertex_on_face(const Pair& pair, const Face& face, int vertex, double height) {
  Found found;
  found.of_surface = make_feature(FeatureKind::face, pair.surface.patch_of(face.index));
  found.of_core = make_feature(FeatureKind::vertex, vertex);
  found.surface.center = face.corners[0];
  found.surface.axis = face.normal;
  found.ball.center = pair.core.vertices[vertex];
  found.ball.radius = pair.core.radius;
  found.gap = height - pair.core.radius;
  found.normal = face.normal;
  found.on_surface = vertices_[vertex] - height * face.normal;
  found.may_be_void = height < 0.0 && !over_is_nearest_;
  add(pair, found);
}

/// Of each vertex of the core the faces in front of which it is; behind them, those that it comes out of first.
void SurfaceManifold::add_faces(const Pair& pair) {
  for (int v = 0; v < static_cast<int>(vertices_.size()); ++v) {
    const Vector3& x = vertices_[v];
    bool may_be_inside = false;
    for (const Face& face : faces_) {
      const double height = face.normal.dot(x - face.corners[0]);
      if (height - pair.core.radius > pair.within || !core_allows(pair, v, face.normal, kLies)) continue;
      if (height < 0.0) {
        may_be_inside = true;
      } else if (is_on_face(pair, face, x, height)) {
        add_vertex_on_face(pair, face, v, height);
      }
    }
    if (!may_be_inside) continue;
    for (const int t : find_faces_over(pair, x, v)) {
      const Face face = make_face(pair.surface, t);
      add_vertex_on_face(pair, face, v, face.normal.dot(x - face.corners[0]));
    }
  }
}

/// Of a point inside the faces through which the way out is shortest, of those on which a vertex of the core can lie
/// (-1: of all): one, or several where a concave edge or corner is nearest. None of a point outside.
const std::vector<int>& SurfaceManifold::find_faces_over(const Pair& pair, const Vector3& x, int vertex) {
  const auto allows_normal = [&](const Vector3& n) { return vertex < 0 || core_allows(pair, vertex, n, kLies); };
  const TriangleSurface& surface = pair.surface;
  over_.clear();
  double nearest = kNone;
  double allowed = kNone;
  int of_nearest = -1;
  int of_allowed = -1;
  TriangleFoot foot, allowed_foot;
  for (const Face& face : faces_) {
    const TriangleFoot at = find_foot(x, face.corners[0], face.corners[1], face.corners[2]);
    const double distance = (x - at.foot).norm();
    if (distance < nearest) {
      nearest = distance;
      foot = at;
      of_nearest = face.index;
    }
    if (distance < allowed && face.normal.dot(x - face.corners[0]) < 0.0 && allows_normal(face.normal)) {
      allowed = distance;
      allowed_foot = at;
      of_allowed = face.index;
    }
  }
  over_is_nearest_ = allowed <= nearest + pair.tie;
  if (of_allowed < 0) return over_;
  const bool is_inside = surface.is_endless() ? surface.holds(x) : is_behind(surface, of_nearest, foot, x, around_);
  if (!is_inside) return over_;
  append(over_, of_allowed);
  const auto add_beside = [&](int e) {
    if (surface.kind_of(e) != EdgeKind::concave) return;
    const TriangleSurface::Edge edge = surface.edge(e);
    for (const int t : {edge.left, edge.right}) {
      const Vector3 n = surface.normal_of(t);
      if (n.dot(x - surface.vertex(edge.tail)) >= 0.0 || !allows_normal(n)) continue;
      if (std::ranges::find(over_, t) == over_.end()) append(over_, t);
    }
  };
  if (allowed_foot.feature >= 4) {
    surface.find_edges_at(surface.corners_of(of_allowed)[allowed_foot.feature - 4], around_);
    for (const int e : around_) add_beside(e);
  } else if (allowed_foot.feature > 0) {
    add_beside(surface.edges_of(of_allowed)[allowed_foot.feature - 1]);
  }
  return over_;
}

void SurfaceManifold::add_corner(const Pair& pair) {
  if (is_curved(pair.core.kind)) return add_corner_on_curved(pair);
  const Vector3& w = corner_.x;
  Found found;
  found.of_surface = make_feature(FeatureKind::vertex, corner_.index);
  found.on_surface = w;
  found.ball.center = w;
  found.surface_on_core = true;
  found.may_be_void = true;
  add_corner_on_faces(pair, found);
  for (int e = 0; e < static_cast<int>(core_edges_.size()); ++e) {
    const CoreEdge& edge = core_edges_[e];
    const double along = edge.direction.dot(w - edge.tail);
    if (along < 0.0 || along > edge.length) continue;
    const Vector3 d = edge.tail + along * edge.direction - w;
    const double distance = d.norm();
    if (distance - pair.core.radius > pair.within || !(distance > pair.tie)) continue;
    const Vector3 n = d / distance;
    if (!corner_allows(n, pair.tie / distance) || !core_allows(edge, n, kOutside)) continue;
    const Solid::Edge& of_core = pair.core.edges[e];
    found.of_core = make_feature(FeatureKind::edge, e);
    found.surface = {SurfaceKind::line, pair.core.vertices[of_core.tail], of_core.direction, pair.core.radius};
    found.gap = distance - pair.core.radius;
    found.normal = n;
    add(pair, found);
  }
  for (int v = 0; v < static_cast<int>(vertices_.size()); ++v) {
    const Vector3 d = vertices_[v] - w;
    const double distance = d.norm();
    if (distance - pair.core.radius > pair.within || !(distance > pair.tie)) continue;
    const Vector3 n = d / distance;
    if (!corner_allows(n, pair.tie / distance) || !core_allows(pair, v, n, kOutside)) continue;
    found.of_core = make_feature(FeatureKind::vertex, v);
    found.surface = {SurfaceKind::sphere, pair.core.vertices[v]};
    found.surface.radius = pair.core.radius;
    found.gap = distance - pair.core.radius;
    found.normal = n;
    add(pair, found);
  }
}

/// In front of a face of the core, or inside behind the one that it comes out of first.
void SurfaceManifold::add_corner_on_faces(const Pair& pair, Found found) {
  const Vector3& w = corner_.x;
  int best = -1;
  double most = -kNone;
  for (int f = 0; f < static_cast<int>(core_normals_.size()); ++f) {
    const double height = core_normals_[f].dot(w) - core_offsets_[f];
    if (height <= most) continue;
    most = height;
    best = f;
  }
  if (best < 0 || most > pair.within) return;
  const Vector3 n = -core_normals_[best];
  if (most >= 0.0 && !corner_allows(n, kLies)) return;
  if (corner_.has_border && !(n.dot(corner_.normal) > 0.0)) return;
  const Vector3 local = pair.at.apply_inverse(w);
  for (const Solid::Side& side : pair.core.sides_of(best)) {
    if (side.outward.dot(local) - side.offset > pair.tie) return;
  }
  found.of_core = make_feature(FeatureKind::face, best);
  found.surface.center = pair.core.vertices[pair.core.sides_of(best).front().vertex];
  found.surface.axis = pair.core.faces[best].normal;
  found.gap = most;
  found.normal = n;
  add(pair, found);
}

/// The corners of a mesh on a half-space.
void SurfaceManifold::add_on_plane(const Pair& pair) {
  const TriangleSurface& surface = pair.surface;
  const Solid::Face& face = pair.core.faces.front();
  const Vector3 n = pair.at.R * face.normal;
  const double offset = n.dot(pair.at.apply(pair.core.center));
  double within = pair.within;
  if (within == kNone) {
    for (int v = 0; v < surface.n_vertices(); ++v) within = std::min(within, n.dot(surface.vertex(v)) - offset);
    within += pair.tie;
  }
  for (int v = 0; v < surface.n_vertices(); ++v) {
    const double height = n.dot(surface.vertex(v)) - offset;
    if (height > within || !make_corner(surface, v)) continue;
    Found found;
    found.of_surface = make_feature(FeatureKind::vertex, v);
    found.of_core = make_feature(FeatureKind::face, 0);
    found.surface = surface_of(pair.core);
    found.ball.center = corner_.x;
    found.surface_on_core = true;
    found.gap = height;
    found.normal = -n;
    found.on_surface = corner_.x;
    append(found_, found);
  }
}

/// Of points in one place with one normal the first: where the border of one feature is, others begin; likewise of a
/// vertex on flat edges, which is on the faces beside them.
void SurfaceManifold::merge(const Pair& pair) {
  const double place =
      kSamePlace * std::min(pair.core.size > 0.0 ? pair.core.size : kNone, 2.0 * pair.surface.radius());
  const double nearby = std::max(place, 4.0 * pair.tie);
  // An overlap that another point parts by a shorter way has none of a corner or an edge.
  for (Found& found : found_) {
    if (found.gap >= 0.0 || !found.may_be_void) continue;
    found.is_void = std::ranges::any_of(found_, [&](const Found& other) {
      return other.gap > found.gap && other.gap < 0.0 &&
             (other.on_surface - found.on_surface).norm() < kNearDeep * -found.gap;
    });
  }
  std::erase_if(found_, [](const Found& found) { return found.is_void; });
  // No point has less than the pair's gap: a face that stands for an edge has a little less where the two are apart.
  double least = kNone;
  for (const Found& found : found_) {
    if (!found.stands_for_edge) least = std::min(least, found.gap);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const Found& found = found_[i];
    bool is_known = found.stands_for_edge && found.gap > 0.0 && found.gap < least;
    for (std::size_t k = 0; k < kept && !is_known; ++k) {
      is_known = (found_[k].of_surface == found.of_surface && found_[k].of_core == found.of_core) ||
                 ((found_[k].normal - found.normal).norm() <= kSameDirection &&
                  (found_[k].on_surface - found.on_surface).norm() <= nearby);
    }
    if (is_known) continue;
    if (kept != i) found_[kept] = found_[i];
    ++kept;
  }
  found_.resize(kept);
}

}  // namespace stickslip
