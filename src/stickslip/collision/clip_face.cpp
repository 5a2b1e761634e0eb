// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/clip_face.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "stickslip/base/make_room.h"

namespace stickslip {
namespace {

/// ClipCorner::along of a side, and back.
int along_side(int side) {
  return -2 - side;
}

/// How far x is beyond a side of a face.
double beyond_side(const Solid& solid, int side, const Vector3& x) {
  return solid.sides[side].outward.dot(x - solid.vertices[solid.sides[side].vertex]);
}

/// Which of the corners in one place stays: the higher.
int rank(const ClipCorner& corner, bool solid_first) {
  if (feature_kind(corner.of_incident) == FeatureKind::vertex) return solid_first ? 2 : 1;
  return feature_kind(corner.of_face) == FeatureKind::vertex ? (solid_first ? 1 : 2) : 0;
}

}  // namespace

void FaceClipper::cut(const Solid& solid, int side, double tolerance) {
  const std::size_t n = corners_.size();
  beyond_.resize(n);
  bool all_in = true;
  for (std::size_t i = 0; i < n; ++i) {
    beyond_[i] = beyond_side(solid, side, corners_[i].on_face);
    corners_[i].outside = std::max(corners_[i].outside, beyond_[i]);
    all_in &= beyond_[i] <= tolerance;
  }
  if (all_in) return;
  next_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = i + 1 < n ? i + 1 : 0;
    const ClipCorner& from = corners_[i];
    const bool in = beyond_[i] <= tolerance;
    const bool next_in = beyond_[j] <= tolerance;
    if (in) next_.push_back(from);
    if (in == next_in) continue;
    // A corner on the side itself is where the polygon leaves, or enters again.
    if (in && beyond_[i] >= -tolerance) {
      next_.back().along = along_side(side);
      continue;
    }
    if (next_in && beyond_[j] >= -tolerance) continue;
    ClipCorner cut;
    const double fraction = beyond_[i] / (beyond_[i] - beyond_[j]);
    cut.on_face = from.on_face + fraction * (corners_[j].on_face - from.on_face);
    cut.of_face = static_cast<FeatureId>(side);
    cut.of_incident = static_cast<FeatureId>(from.along);
    cut.along = in ? along_side(side) : from.along;
    cut.made = true;
    next_.push_back(cut);
  }
  corners_.swap(next_);
}

void FaceClipper::clip_face(const Solid& solid, int face, const Solid& incident, int incident_face, const Placement& at,
                            double tolerance, bool solid_first) {
  corners_.clear();
  // Each side adds at most one corner; the two lists are exchanged, so that both have room for all.
  const std::size_t most = incident.sides_of(incident_face).size() + solid.sides_of(face).size();
  make_room(corners_, most);
  make_room(next_, most);
  incident_.clear();
  for (const Solid::Side& side : incident.sides_of(incident_face)) {
    ClipCorner& corner = corners_.emplace_back();
    corner.on_incident = incident.vertices[side.vertex];
    corner.on_face = at.apply(corner.on_incident);
    corner.of_face = make_feature(FeatureKind::face, face);
    corner.of_incident = make_feature(FeatureKind::vertex, side.vertex);
    corner.along = static_cast<int>(incident_.size());
    append(incident_, corner.on_face);
  }
  const Solid::Face& reference = solid.faces[face];
  for (int side = reference.begin; side < reference.end && !corners_.empty(); ++side) cut(solid, side, tolerance);

  const Vector3 normal = at.R * incident.faces[incident_face].normal;
  const double slope = normal.dot(reference.normal);
  const Vector3& origin = incident_.front();
  for (ClipCorner& corner : corners_) {
    if (!corner.made) continue;
    const int side = static_cast<int>(corner.of_face);
    const int along = static_cast<int>(corner.of_incident);
    if (along >= 0) {
      // Of an edge of the other with a side.
      const auto sides = incident.sides_of(incident_face);
      const std::size_t from = static_cast<std::size_t>(along);
      const std::size_t to = from + 1 < sides.size() ? from + 1 : 0;
      const double at_from = beyond_side(solid, side, incident_[from]);
      const double at_to = beyond_side(solid, side, incident_[to]);
      const double fraction = at_from != at_to ? std::clamp(at_from / (at_from - at_to), 0.0, 1.0) : 0.0;
      const Vector3& vertex = incident.vertices[sides[from].vertex];
      corner.on_incident = vertex + fraction * (incident.vertices[sides[to].vertex] - vertex);
      corner.on_face = incident_[from] + fraction * (incident_[to] - incident_[from]);
      corner.of_face = make_feature(FeatureKind::edge, solid.sides[side].edge);
      corner.of_incident = make_feature(FeatureKind::edge, sides[from].edge);
      continue;
    }
    // Of two sides: the vertex between them, carried along the normal to the other's face.
    const int other = -2 - along;
    const int after = other + 1 < reference.end ? other + 1 : reference.begin;
    const int corner_side = after == side ? side : other;
    const int vertex = solid.sides[corner_side].vertex;
    const Vector3& a = solid.vertices[vertex];
    corner.on_face = a + reference.normal * (normal.dot(origin - a) / slope);
    corner.on_incident = at.apply_inverse(corner.on_face);
    corner.of_face = make_feature(FeatureKind::vertex, vertex);
    corner.of_incident = make_feature(FeatureKind::face, incident_face);
  }
  merge(tolerance, solid_first);
}

void FaceClipper::merge(double tolerance, bool solid_first) {
  const std::size_t n = corners_.size();
  dropped_.assign(n, false);
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n && !dropped_[i]; ++j) {
      if (dropped_[j]) continue;
      if ((corners_[i].on_face - corners_[j].on_face).squaredNorm() > tolerance * tolerance) continue;
      dropped_[rank(corners_[j], solid_first) > rank(corners_[i], solid_first) ? i : j] = true;
      any = true;
    }
  }
  if (!any) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (dropped_[i]) continue;
    if (kept != i) corners_[kept] = corners_[i];
    ++kept;
  }
  corners_.resize(kept);
}

void FaceClipper::clip_edge(const Solid& solid, int face, const Solid& incident, int edge, const Placement& at,
                            double tolerance) {
  corners_.clear();
  const Solid::Edge& e = incident.edges[edge];
  const Vector3 tail = at.apply(incident.vertices[e.tail]);
  const Vector3 head = at.apply(incident.vertices[e.head]);
  double from = 0.0;
  double to = 1.0;
  int from_side = -1;
  int to_side = -1;
  double tail_outside = 0.0;
  double head_outside = 0.0;
  for (int side = solid.faces[face].begin; side < solid.faces[face].end; ++side) {
    const double at_tail = beyond_side(solid, side, tail);
    const double at_head = beyond_side(solid, side, head);
    tail_outside = std::max(tail_outside, at_tail);
    head_outside = std::max(head_outside, at_head);
    if (at_tail > tolerance && at_head > tolerance) return;
    const double fraction = at_tail != at_head ? at_tail / (at_tail - at_head) : 0.0;
    if (at_tail > tolerance && fraction > from) {
      from = std::min(fraction, 1.0);
      from_side = side;
    }
    if (at_head > tolerance && fraction < to) {
      to = std::max(fraction, 0.0);
      to_side = side;
    }
  }
  if ((to - from) * e.length < -tolerance) return;
  const auto add = [&](double fraction, int side, int vertex, double outside) {
    ClipCorner corner;
    const bool is_vertex = side < 0;
    corner.on_incident =
        is_vertex
            ? incident.vertices[vertex]
            : Vector3(incident.vertices[e.tail] + fraction * (incident.vertices[e.head] - incident.vertices[e.tail]));
    corner.on_face = at.apply(corner.on_incident);
    corner.of_face =
        is_vertex ? make_feature(FeatureKind::face, face) : make_feature(FeatureKind::edge, solid.sides[side].edge);
    corner.of_incident = is_vertex ? make_feature(FeatureKind::vertex, vertex) : make_feature(FeatureKind::edge, edge);
    corner.outside = is_vertex ? outside : 0.0;
    corners_.push_back(corner);
  };
  add(from, from_side, e.tail, tail_outside);
  add(to, to_side, e.head, head_outside);
  merge(tolerance, true);
}

void FaceClipper::clip_polygon(const Solid& solid, int face, const Solid& incident, int incident_face,
                               const Placement& at, double tolerance) {
  corners_.clear();
  const int n = static_cast<int>(solid.vertices.size());
  const int m = static_cast<int>(incident.vertices.size());
  const int ends[] = {face, (face + 1) % n};
  const int other_ends[] = {incident_face, (incident_face + 1) % m};
  const Vector3 along = (solid.vertices[ends[1]] - solid.vertices[ends[0]]).normalized();
  const double length = along.dot(solid.vertices[ends[1]] - solid.vertices[ends[0]]);
  const auto place = [&](const Vector3& x) { return along.dot(x - solid.vertices[ends[0]]); };
  for (const int k : other_ends) {
    ClipCorner corner;
    corner.on_incident = incident.vertices[k];
    corner.on_face = at.apply(corner.on_incident);
    corner.outside = std::max({0.0, -place(corner.on_face), place(corner.on_face) - length});
    if (corner.outside > tolerance) continue;
    corner.of_face = make_feature(FeatureKind::face, face);
    corner.of_incident = make_feature(FeatureKind::vertex, k);
    corners_.push_back(corner);
  }
  const Vector3 normal = at.R * incident.faces[incident_face].normal;
  const Vector3 tail = at.apply(incident.vertices[other_ends[0]]);
  const double from = place(tail);
  const double to = place(at.apply(incident.vertices[other_ends[1]]));
  for (const int end : {0, 1}) {
    const double x = end == 0 ? 0.0 : length;
    if (std::min(from, to) >= x - tolerance || std::max(from, to) <= x + tolerance) continue;
    ClipCorner corner;
    const Vector3& a = solid.vertices[ends[end]];
    const Vector3& up = solid.faces[face].normal;
    corner.on_face = a + up * (normal.dot(tail - a) / normal.dot(up));
    corner.on_incident = at.apply_inverse(corner.on_face);
    corner.of_face = make_feature(FeatureKind::vertex, ends[end]);
    corner.of_incident = make_feature(FeatureKind::face, incident_face);
    corners_.push_back(corner);
  }
  merge(tolerance, true);
}

}  // namespace stickslip
