// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/manifold.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/base/assert.h"
#include "stickslip/base/make_room.h"
#include "stickslip/collision/curved_manifold.h"
#include "stickslip/collision/line_manifold.h"
#include "stickslip/collision/surface_manifold.h"

namespace stickslip {
namespace {

/// [-] Of the larger size: separations that differ by less are the same, as each is a sum of some ten products.
constexpr double kTie = 4e-14;
/// A corner has the pair's gap where it is off by no more than so many ties: what the choice of the direction leaves
/// open, and the round-off of the corner.
constexpr double kKnownTies = 4.0;
/// [-] Of the smaller size: corners that are nearer to each other are one. What rests flush lies so within the
/// round-off of many steps; a force that is moved by this much turns no body that a solver's tolerance would not.
constexpr double kOnePlace = 1e-10;
/// [-] The same of the larger size: round-off of its corners.
constexpr double kOnePlaceOfLarger = 1e-14;
/// [-] Sine of the angle up to which two faces, a face and an edge, or two edges stand for one contact: 5.7 degrees.
/// The gap of a corner where an edge passes the border of a face is measured along the face's normal, so that it is
/// wrong by this part of what the bodies slip in a step; at wider angles what is not nearest to the other is as far
/// away as a tenth of the bodies' extent, farther than they come in a step.
constexpr double kSameContact = 0.1;
constexpr double kSameContactCosine = 0.995;  // sqrt(1 - kSameContact^2), rounded up
/// [-] Angle up to which two normals are the same: what a normal is promised to.
constexpr double kSameNormal = 5e-10;
/// [-] Sine of the angle below which the direction across two edges turns too fast to be a smooth function of the
/// poses: the first's supporting plane stands for its edge.
constexpr double kCrossing = 1e-6;

/// The face of a solid whose normal is nearest to n.
int find_face(const Solid& solid, const Vector3& n) {
  if (solid.is_box) {
    const Vector3 local = solid.axes.transpose() * n;
    Eigen::Index i = 0;
    local.cwiseAbs().maxCoeff(&i);
    return 2 * static_cast<int>(i) + static_cast<int>(local(i) < 0.0);
  }
  int best = -1;
  double most = -std::numeric_limits<double>::infinity();
  for (int f = 0; f < static_cast<int>(solid.faces.size()); ++f) {
    const double along = solid.faces[f].normal.dot(n);
    if (along <= most) continue;
    most = along;
    best = f;
  }
  return best;
}

/// The edge at a feature of a solid that is most nearly across n; -1 where it is a face or has none.
int find_edge_across(const Solid& solid, FeatureId feature, const Vector3& n) {
  const int index = feature_index(feature);
  if (feature_kind(feature) == FeatureKind::edge) return index;
  if (feature_kind(feature) == FeatureKind::face) return -1;
  int best = -1;
  double least = kSameContact;
  for (const int e : solid.edges_of(index)) {
    const double along = std::abs(solid.edges[e].direction.dot(n));
    if (along > least || (along == least && best >= 0)) continue;
    least = along;
    best = e;
  }
  return best;
}

Vector3 corner_of(const Solid& solid, int face) {
  return solid.planar ? solid.vertices[face] : solid.vertices[solid.sides_of(face).front().vertex];
}

/// Whether a face can stand for a side of the contact whose normal, outward, is n.
bool faces_along(const Solid& solid, int face, const Vector3& n) {
  return face >= 0 && solid.faces[face].normal.dot(n) >= kSameContactCosine;
}

bool is_vertex(FeatureId id) {
  return feature_kind(id) == FeatureKind::vertex;
}
bool is_edge(FeatureId id) {
  return feature_kind(id) == FeatureKind::edge;
}
bool is_face(FeatureId id) {
  return feature_kind(id) == FeatureKind::face;
}

}  // namespace

NarrowPhase::NarrowPhase() = default;
NarrowPhase::NarrowPhase(NarrowPhase&&) noexcept = default;
NarrowPhase& NarrowPhase::operator=(NarrowPhase&&) noexcept = default;
NarrowPhase::~NarrowPhase() = default;

NarrowPhase::Item NarrowPhase::make_item(const Pair& pair, const Nearest& nearest) {
  Item item;
  item.first = nearest.first;
  item.second = nearest.second;
  item.gap = nearest.gap;
  item.normal = nearest.normal;
  item.on_first = nearest.on_first;
  const int i = feature_index(nearest.first);
  const int j = feature_index(nearest.second);
  item.surface_center = nearest.on_first;
  item.ball_center = is_vertex(nearest.second) ? pair.second.vertices[j] : pair.at.apply_inverse(nearest.on_second);
  if (is_edge(nearest.first) && is_edge(nearest.second)) {
    const Vector3& along = pair.first.edges[i].direction;
    const Vector3& other = pair.second.edges[j].direction;
    const Vector3 across = along.cross(pair.at.R * other);
    if (across.norm() >= kCrossing) {
      item.kind = SurfaceKind::crossing;
      item.surface_axis = along;
      item.ball_axis = across.dot(nearest.normal) < 0.0 ? Vector3(-other) : other;
    } else {
      item.surface_axis = nearest.normal;
      item.surface_center += pair.first.radius * nearest.normal;
    }
    return item;
  }
  // The feature of higher dimension is the surface, the other is a vertex.
  item.surface_on_second = is_vertex(nearest.first) && !is_vertex(nearest.second);
  const FeatureId surface = item.surface_on_second ? nearest.second : nearest.first;
  const Solid& solid = item.surface_on_second ? pair.second : pair.first;
  if (item.surface_on_second) item.ball_center = pair.first.vertices[i];
  if (is_face(surface)) {
    item.surface_axis = solid.faces[feature_index(surface)].normal;
    item.surface_center = corner_of(solid, feature_index(surface));
  } else if (is_edge(surface)) {
    item.kind = SurfaceKind::line;
    item.surface_axis = solid.edges[feature_index(surface)].direction;
    item.surface_center = solid.vertices[solid.edges[feature_index(surface)].tail];
  } else {
    item.kind = SurfaceKind::sphere;
    item.surface_axis = Vector3::UnitZ();
    item.surface_center = solid.vertices[feature_index(surface)];
  }
  return item;
}

void NarrowPhase::add_corners(const Pair& pair, bool face_on_second, int face, double tilt) {
  const Solid& solid = face_on_second ? pair.second : pair.first;
  const Vector3 center = corner_of(solid, face);
  const Vector3& axis = solid.faces[face].normal;
  const Vector3 normal = face_on_second ? Vector3(pair.at.R * -axis) : axis;
  for (const ClipCorner& corner : clipper_.corners()) {
    make_room(items_, items_.size() + 1);
    Item& item = items_.emplace_back();
    item.surface_on_second = face_on_second;
    item.surface_center = center;
    item.surface_axis = axis;
    item.ball_center = corner.on_incident;
    item.first = face_on_second ? corner.of_incident : corner.of_face;
    item.second = face_on_second ? corner.of_face : corner.of_incident;
    item.gap = axis.dot(corner.on_face - center);
    item.normal = normal;
    item.on_first = face_on_second ? corner.on_incident : Vector3(corner.on_face - item.gap * axis);
    item.outside = corner.outside;
    item.tilt = tilt;
  }
}

bool NarrowPhase::add_face(const Pair& pair, bool face_on_second, int face, int incident_face) {
  const Solid& solid = face_on_second ? pair.second : pair.first;
  const Solid& incident = face_on_second ? pair.first : pair.second;
  const Placement at = face_on_second ? pair.at.relative({}) : pair.at;
  if (solid.planar) {
    clipper_.clip_polygon(solid, face, incident, incident_face, at, pair.nearby);
  } else {
    clipper_.clip_face(solid, face, incident, incident_face, at, pair.nearby, !face_on_second);
  }
  add_corners(pair, face_on_second, face,
              (solid.faces[face].normal + at.R * incident.faces[incident_face].normal).norm());
  return !clipper_.corners().empty();
}

bool NarrowPhase::add_edge(const Pair& pair, const Nearest& nearest, bool face_on_second, int face) {
  const Solid& solid = face_on_second ? pair.second : pair.first;
  const Solid& incident = face_on_second ? pair.first : pair.second;
  const Placement at = face_on_second ? pair.at.relative({}) : pair.at;
  const Vector3 normal = at.R.transpose() * solid.faces[face].normal;
  const int edge = find_edge_across(incident, face_on_second ? nearest.first : nearest.second, normal);
  if (edge < 0) return false;
  const double tilt = std::abs(incident.edges[edge].direction.dot(normal));
  if (tilt > kSameContact) return false;
  clipper_.clip_edge(solid, face, incident, edge, at, pair.nearby);
  add_corners(pair, face_on_second, face, tilt);
  return !clipper_.corners().empty();
}

void NarrowPhase::add_parallel_edges(const Pair& pair, const Nearest& nearest) {
  const Vector3& n = nearest.normal;
  const int i = find_edge_across(pair.first, nearest.first, n);
  const int j = find_edge_across(pair.second, nearest.second, pair.at.R.transpose() * n);
  if (i < 0 || j < 0) return;
  const Solid::Edge& a = pair.first.edges[i];
  const Solid::Edge& b = pair.second.edges[j];
  const Vector3 along_b = pair.at.R * b.direction;
  if (a.direction.cross(along_b).norm() > kSameContact) return;
  const Vector3 tail_a = pair.first.vertices[a.tail];
  const Vector3 tail_b = pair.at.apply(pair.second.vertices[b.tail]);
  // Ends of each on the other's line, of those the ends of what they have in common.
  struct End {
    double along;  // [m] on the first
    FeatureId first, second;
    Vector3 on_first, on_second;
  };
  std::array<End, 4> ends;
  int n_ends = 0;
  const auto within = [&](double along, double length) {
    return along >= -pair.nearby && along <= length + pair.nearby;
  };
  for (const int vertex : {b.tail, b.head}) {
    const Vector3 x = pair.at.apply(pair.second.vertices[vertex]);
    const double along = a.direction.dot(x - tail_a);
    if (!within(along, a.length)) continue;
    ends[n_ends++] = {along, make_feature(FeatureKind::edge, i), make_feature(FeatureKind::vertex, vertex),
                      tail_a + along * a.direction, x};
  }
  for (const int vertex : {a.tail, a.head}) {
    const Vector3& x = pair.first.vertices[vertex];
    const double along = along_b.dot(x - tail_b);
    if (!within(along, b.length)) continue;
    ends[n_ends++] = {vertex == a.tail ? 0.0 : a.length, make_feature(FeatureKind::vertex, vertex),
                      make_feature(FeatureKind::edge, j), x, tail_b + along * along_b};
  }
  if (n_ends < 2) return;
  int low = 0;
  int high = 0;
  for (int k = 1; k < n_ends; ++k) {
    if (ends[k].along < ends[low].along - pair.nearby) low = k;
    if (ends[k].along > ends[high].along + pair.nearby) high = k;
  }
  if (low == high) return;
  for (const int k : {low, high}) {
    const End& end = ends[k];
    Nearest at_end;
    at_end.first = end.first;
    at_end.second = end.second;
    at_end.on_first = end.on_first;
    at_end.on_second = end.on_second;
    const Vector3 d = end.on_second - end.on_first;
    at_end.gap = d.norm();
    const bool apart = nearest.gap > pair.tie;
    at_end.normal = apart && at_end.gap > 0.0 ? Vector3(d / at_end.gap) : n;
    if (at_end.normal.dot(n) < kSameContactCosine) continue;
    if (!apart) at_end.gap = n.dot(d);
    Item item = make_item(pair, at_end);
    if (!apart) {
      // Edges in overlap: the supporting plane of the pair stands for the edge.
      item.kind = SurfaceKind::half_space;
      const Solid& solid = item.surface_on_second ? pair.second : pair.first;
      item.surface_axis = item.surface_on_second ? Vector3(pair.at.R.transpose() * -n) : n;
      item.surface_center = item.surface_on_second ? pair.at.apply_inverse(end.on_second) : end.on_first;
      item.surface_center += solid.radius * item.surface_axis;
    }
    append(items_, item);
  }
}

void NarrowPhase::add_neighbours(const Pair& pair, const Nearest& nearest) {
  items_.clear();
  if (pair.first.kind == Solid::Kind::ball || pair.second.kind == Solid::Kind::ball) return;
  const Vector3 n_second = pair.at.R.transpose() * -nearest.normal;
  const int face = is_face(nearest.first) ? feature_index(nearest.first) : find_face(pair.first, nearest.normal);
  const int other = is_face(nearest.second) ? feature_index(nearest.second) : find_face(pair.second, n_second);
  const bool along = faces_along(pair.first, face, nearest.normal);
  const bool other_along = faces_along(pair.second, other, n_second);
  if (along && other_along) {
    const Vector3& normal = pair.first.faces[face].normal;
    const Vector3 other_normal = pair.at.R * -pair.second.faces[other].normal;
    // The face of the first where both are parallel to round-off, so that round-off does not choose.
    bool on_second = is_face(nearest.second) ||
                     (!is_face(nearest.first) && other_normal.dot(nearest.normal) > normal.dot(nearest.normal) + kTie);
    if ((normal - other_normal).squaredNorm() <= kSameNormal * kSameNormal) on_second = false;
    if (add_face(pair, on_second, on_second ? other : face, on_second ? face : other)) return;
  } else if (!pair.first.planar) {
    if (along && add_edge(pair, nearest, false, face)) return;
    if (other_along && add_edge(pair, nearest, true, other)) return;
  }
  if (!pair.first.planar) add_parallel_edges(pair, nearest);
}

bool NarrowPhase::holds(const Pair& pair, const Nearest& nearest) const {
  if (is_edge(nearest.first)) {
    const Solid::Edge& a = pair.first.edges[feature_index(nearest.first)];
    const Solid::Edge& b = pair.second.edges[feature_index(nearest.second)];
    const double along = a.direction.dot(nearest.on_first - pair.first.vertices[a.tail]);
    const double other = (pair.at.R * b.direction).dot(nearest.on_second - pair.at.apply(pair.second.vertices[b.tail]));
    const double slack = kOnFeature * pair.size;
    return along >= -slack && along <= a.length + slack && other >= -slack && other <= b.length + slack;
  }
  const bool on_second = is_face(nearest.second);
  const Solid& solid = on_second ? pair.second : pair.first;
  const Vector3 x = on_second ? pair.at.apply_inverse(nearest.on_first) : nearest.on_second;
  const int face = feature_index(on_second ? nearest.second : nearest.first);
  bool within = true;
  if (solid.planar) {
    const Vector3& tail = solid.vertices[face];
    const Vector3 along = solid.vertices[(face + 1) % static_cast<int>(solid.vertices.size())] - tail;
    const double fraction = along.dot(x - tail);
    const double slack = kOnFeature * pair.size * along.norm();
    within = fraction >= -slack && fraction <= along.squaredNorm() + slack;
  } else {
    for (const Solid::Side& side : solid.sides_of(face)) {
      within &= side.outward.dot(x - solid.vertices[side.vertex]) <= kOnFeature * pair.size;
    }
  }
  if (within) return true;
  // Or what is parallel to the face has a corner there.
  for (const Item& item : items_) {
    if (item.gap <= nearest.gap + pair.tie && item.tilt <= kSameNormal && item.outside <= kOnFeature * pair.size &&
        (item.normal - nearest.normal).squaredNorm() <= kSameNormal * kSameNormal) {
      return true;
    }
  }
  return false;
}

Nearest NarrowPhase::nearest_edges(const Pair& pair, const SeparatingAxis::EdgeAxis& axis) {
  const Solid::Edge& a = pair.first.edges[axis.first];
  const Solid::Edge& b = pair.second.edges[axis.second];
  const Vector3 tail_a = pair.first.vertices[a.tail];
  const Vector3 tail_b = pair.at.apply(pair.second.vertices[b.tail]);
  const Vector3 along_b = pair.at.R * b.direction;
  const LineCrossing lines = cross_lines(tail_a, a.direction, tail_b, along_b);
  Nearest nearest;
  nearest.gap = axis.separation;
  nearest.normal = axis.normal;
  nearest.first = make_feature(FeatureKind::edge, axis.first);
  nearest.second = make_feature(FeatureKind::edge, axis.second);
  nearest.on_first = tail_a + lines.on_first * a.direction;
  nearest.on_second = tail_b + lines.on_second * along_b;
  // What is across both is known to 1e-16 / sine, the difference of the points to 1e-16 size / gap.
  if (nearest.gap > lines.sine * pair.size) nearest.normal = (nearest.on_second - nearest.on_first).normalized();
  return nearest;
}

std::optional<Nearest> NarrowPhase::find_nearest(const Pair& pair, double limit) {
  const Solid& first = pair.first;
  const Solid& second = pair.second;
  if (first.kind != Solid::Kind::polytope) {
    const Nearest nearest = find_nearest_of_simple(first, second, pair.at);
    add_neighbours(pair, nearest);
    return nearest;
  }
  if (second.kind == Solid::Kind::ball) {
    items_.clear();
    return find_nearest_to_point(first, pair.at.apply(second.vertices[0]));
  }
  if (!axes_.find(first, second, pair.at, limit, pair.tie)) return std::nullopt;
  const SeparatingAxis::FaceAxis& of_first = axes_.of_first();
  const SeparatingAxis::FaceAxis& of_second = axes_.of_second();
  const SeparatingAxis::EdgeAxis& of_edges = axes_.of_edges();
  Nearest nearest;
  const double of_faces = std::max(of_first.separation, of_second.separation);
  if (of_edges.separation > of_faces + pair.tie) {
    nearest = nearest_edges(pair, of_edges);
  } else if (of_first.separation >= of_second.separation - pair.tie) {
    nearest.gap = of_first.separation;
    nearest.normal = first.faces[of_first.face].normal;
    nearest.first = make_feature(FeatureKind::face, of_first.face);
    nearest.second = make_feature(FeatureKind::vertex, of_first.vertex);
    nearest.on_second = pair.at.apply(second.vertices[of_first.vertex]);
    nearest.on_first = nearest.on_second - nearest.gap * nearest.normal;
  } else {
    nearest.gap = of_second.separation;
    nearest.normal = pair.at.R * -second.faces[of_second.face].normal;
    nearest.first = make_feature(FeatureKind::vertex, of_second.vertex);
    nearest.second = make_feature(FeatureKind::face, of_second.face);
    nearest.on_first = first.vertices[of_second.vertex];
    nearest.on_second = nearest.on_first + nearest.gap * nearest.normal;
  }
  add_neighbours(pair, nearest);
  if (nearest.gap <= pair.tie || holds(pair, nearest)) return nearest;
  if (is_face(nearest.first) || is_face(nearest.second)) {
    // As far apart to round-off, and yet in another direction.
    if (of_edges.first >= 0) {
      const Nearest edges = nearest_edges(pair, of_edges);
      items_.clear();
      if (holds(pair, edges)) {
        add_neighbours(pair, edges);
        return edges;
      }
    }
  }
  nearest = find_nearest_of_separated(first, second, pair.at, nearest.normal);
  add_neighbours(pair, nearest);
  return nearest;
}

void NarrowPhase::settle(const Pair& pair, const Nearest& nearest) {
  std::size_t kept = 0;
  bool known = false;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    // Less than the pair's gap: a corner that the least translation parts another way.
    if (item.gap < nearest.gap - kKnownTies * pair.tie) continue;
    known |= item.gap <= nearest.gap + kKnownTies * pair.tie &&
             (item.normal - nearest.normal).squaredNorm() <= kSameNormal * kSameNormal;
    if (kept != i) items_[kept] = items_[i];
    ++kept;
  }
  items_.resize(kept);
  if (known) return;
  // The nearest points in place of the corner that stood for them.
  Item exact = make_item(pair, nearest);
  kept = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (item.first == exact.first && item.second == exact.second) continue;
    if ((item.on_first - exact.on_first).squaredNorm() <= pair.nearby * pair.nearby &&
        item.gap <= nearest.gap + pair.nearby) {
      continue;
    }
    if (kept != i) items_[kept] = items_[i];
    ++kept;
  }
  items_.resize(kept);
  append(items_, exact);
}

bool NarrowPhase::has_manifold(Solid::Kind first, Solid::Kind second) {
  if (first == Solid::Kind::surface) return second != Solid::Kind::surface;
  if (second == Solid::Kind::surface) return true;
  const auto meets_line = [](Solid::Kind kind) { return kind == Solid::Kind::ball || kind == Solid::Kind::polytope; };
  if (first == Solid::Kind::polyline) return meets_line(second);
  if (second == Solid::Kind::polyline) return meets_line(first);
  if (first == Solid::Kind::half_space) return second == Solid::Kind::cylinder;
  if (second == Solid::Kind::half_space) return first == Solid::Kind::cylinder;
  return true;
}

void NarrowPhase::calc_manifold(const Solid& first, const Placement& first_at, const Solid& second,
                                const Placement& second_at, double within, std::vector<ManifoldPoint>& points) {
  points.clear();
  STICKSLIP_ASSERT(first.planar == second.planar);
  // Places that are not finite, or so far away that squares overflow, touch nothing; schemes name the body.
  const double size2 = first_at.p.squaredNorm() + second_at.p.squaredNorm() + first_at.R.sum() + second_at.R.sum();
  if (!std::isfinite(size2)) return;
  if (first.surface || second.surface) {
    if (!of_surface_) of_surface_ = std::make_unique<SurfaceManifold>();
    return of_surface_->calc(first, first_at, second, second_at, within, points);
  }
  if (first.kind == Solid::Kind::polyline || second.kind == Solid::Kind::polyline) {
    if (!of_line_) of_line_ = std::make_unique<LineManifold>();
    return of_line_->calc(first, first_at, second, second_at, within, points);
  }
  if (is_curved(first.kind) || is_curved(second.kind)) {
    return calc_curved_manifold(first, first_at, second, second_at, within, points);
  }
  const bool exchanged = first.kind < second.kind;
  const Solid& a = exchanged ? second : first;
  const Solid& b = exchanged ? first : second;
  const Placement& a_at = exchanged ? second_at : first_at;
  const Placement& b_at = exchanged ? first_at : second_at;
  const double larger = std::max(a.size, b.size);
  const double smaller = std::min(a.size, b.size);
  const Pair pair{
      a, b, a_at.relative(b_at), larger, kTie * larger, std::max(kOnePlace * smaller, kOnePlaceOfLarger * larger)};
  const double radii = a.radius + b.radius;
  const std::optional<Nearest> nearest = find_nearest(pair, within + radii);
  if (!nearest) return;
  settle(pair, *nearest);
  for (const Item& item : items_) {
    if (item.gap - radii > within) continue;
    make_room(points, points.size() + 1);
    ManifoldPoint& point = points.emplace_back();
    const bool on_b = item.surface_on_second;
    const Solid& owner = on_b ? b : a;
    const Solid& other = on_b ? a : b;
    point.surface.kind = item.kind;
    point.surface.center = item.surface_center;
    point.surface.axis = item.surface_axis;
    point.surface.radius = item.kind == SurfaceKind::half_space ? 0.0 : owner.radius;
    point.ball.center = item.ball_center;
    point.ball.radius = other.radius;
    if (item.kind == SurfaceKind::crossing) point.ball.axis = item.ball_axis;
    point.flipped = on_b != exchanged;
    point.feature_first = exchanged ? item.second : item.first;
    point.feature_second = exchanged ? item.first : item.second;
    point.gap = item.gap - radii;
    const Vector3 normal = a_at.R * item.normal;
    const Vector3 on_a = a_at.apply(item.on_first + a.radius * item.normal);
    point.normal = exchanged ? Vector3(-normal) : normal;
    point.on_first = exchanged ? Vector3(on_a + point.gap * normal) : on_a;
    point.on_second = exchanged ? on_a : Vector3(on_a + point.gap * normal);
  }
}

std::optional<ManifoldPoint> NarrowPhase::calc_point(const Solid& first, const Placement& first_at, const Solid& second,
                                                     const Placement& second_at, FeatureId feature_first,
                                                     FeatureId feature_second, bool as_before) {
  double within = std::numeric_limits<double>::infinity();
  if (first.surface) within = SurfaceManifold::calc_reach(first, first_at, second, second_at, feature_first);
  if (second.surface) within = SurfaceManifold::calc_reach(second, second_at, first, first_at, feature_second);
  const auto is_line = [](const Solid& solid) { return solid.kind == Solid::Kind::polyline; };
  if (is_line(first)) within = LineManifold::calc_reach(first, first_at, second, second_at, feature_first);
  if (is_line(second)) within = LineManifold::calc_reach(second, second_at, first, first_at, feature_second);
  if (!as_before || std::isfinite(within)) calc_manifold(first, first_at, second, second_at, within, all_);
  for (const ManifoldPoint& point : all_) {
    if (point.feature_first == feature_first && point.feature_second == feature_second) return point;
  }
  return std::nullopt;
}

}  // namespace stickslip
