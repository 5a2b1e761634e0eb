// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/nearest_search.h"

#include <algorithm>

namespace stickslip {
namespace {

/// [-] Steps from feature to feature; one or two are usual.
constexpr int kMostSteps = 12;

/// Sets on_first, gap and normal of a feature of a solid and the point on_second.
void measure_to_point(const Solid& solid, Nearest& nearest) {
  const int i = feature_index(nearest.first);
  const Vector3& x = nearest.on_second;
  switch (feature_kind(nearest.first)) {
    case FeatureKind::face:
      nearest.normal = solid.faces[i].normal;
      nearest.gap = nearest.normal.dot(x - solid.vertices[solid.sides_of(i).front().vertex]);
      nearest.on_first = x - nearest.gap * nearest.normal;
      return;
    case FeatureKind::edge: {
      const Segment a = segment_of(solid, i, {});
      nearest.on_first = a.tail + a.direction * a.direction.dot(x - a.tail);
      break;
    }
    case FeatureKind::vertex:
      nearest.on_first = solid.vertices[i];
      break;
  }
  const Vector3 d = x - nearest.on_first;
  nearest.gap = d.norm();
  if (nearest.gap > 0.0) nearest.normal = d / nearest.gap;
}

/// Sets points, gap and normal of two features, which are not both faces, nor a face and an edge.
void measure(const Solid& first, const Solid& second, const Placement& at, Nearest& nearest) {
  const int i = feature_index(nearest.first);
  const int j = feature_index(nearest.second);
  if (feature_kind(nearest.second) == FeatureKind::vertex) {
    nearest.on_second = at.apply(second.vertices[j]);
    measure_to_point(first, nearest);
  } else if (feature_kind(nearest.first) == FeatureKind::vertex) {
    const Placement back = at.relative({});
    Nearest turned = nearest.exchanged(at);
    turned.on_second = back.apply(first.vertices[i]);
    measure_to_point(second, turned);
    nearest = turned.exchanged(back);
    nearest.on_first = first.vertices[i];
  } else {
    const Segment a = segment_of(first, i, {});
    const Segment b = segment_of(second, j, at);
    const LineCrossing lines = cross_lines(a.tail, a.direction, b.tail, b.direction);
    nearest.on_first = a.tail + lines.on_first * a.direction;
    nearest.on_second = b.tail + lines.on_second * b.direction;
    const Vector3 d = nearest.on_second - nearest.on_first;
    nearest.gap = d.norm();
    if (nearest.gap > 0.0) nearest.normal = d / nearest.gap;
  }
}

}  // namespace

Segment segment_of(const Solid& solid, int edge, const Placement& at) {
  const Solid::Edge& e = solid.edges[edge];
  return {at.apply(solid.vertices[e.tail]), at.R * e.direction, e.length};
}

FeatureId step_towards(const Solid& solid, FeatureId feature, const Vector3& x) {
  const int index = feature_index(feature);
  switch (feature_kind(feature)) {
    case FeatureKind::vertex: {
      FeatureId next = feature;
      double most = 0.0;
      for (const int e : solid.edges_of(index)) {
        const Solid::Edge& edge = solid.edges[e];
        const double along = (edge.tail == index ? 1.0 : -1.0) * edge.direction.dot(x - solid.vertices[index]);
        if (along <= most) continue;
        most = along;
        next = edge_id(e);
      }
      return next;
    }
    case FeatureKind::edge: {
      const Solid::Edge& edge = solid.edges[index];
      const Vector3 d = x - solid.vertices[edge.tail];
      const double along = edge.direction.dot(d);
      if (along <= 0.0) return vertex_id(edge.tail);
      if (along >= edge.length) return vertex_id(edge.head);
      for (const int f : {edge.left, edge.right}) {
        if (f < 0 || solid.faces[f].normal.dot(d) <= 0.0) continue;
        for (const Solid::Side& side : solid.sides_of(f)) {
          if (side.edge == index && side.outward.dot(d) < 0.0) return face_id(f);
        }
      }
      return feature;
    }
    case FeatureKind::face: {
      FeatureId next = feature;
      double most = kOnFeature * solid.size;
      for (const Solid::Side& side : solid.sides_of(index)) {
        const double beyond = side.outward.dot(x - solid.vertices[side.vertex]);
        if (beyond <= most) continue;
        most = beyond;
        next = edge_id(side.edge);
      }
      return next;
    }
  }
  return feature;
}

bool walk_to_point(const Solid& solid, Nearest& nearest) {
  Nearest at = nearest;
  for (int step = 0; step < kMostSteps; ++step) {
    const FeatureId next = step_towards(solid, at.first, at.on_second);
    if (next == at.first) {
      nearest = at;
      return true;
    }
    at.first = next;
    measure_to_point(solid, at);
  }
  return false;
}

Nearest walk(const Solid& first, const Solid& second, const Placement& at, const Nearest& start) {
  Nearest nearest = start;
  const auto is_face = [](FeatureId id) { return feature_kind(id) == FeatureKind::face; };
  if (is_face(start.first) || is_face(start.second)) measure(first, second, at, nearest);
  const auto both = [](FeatureId a, FeatureId b) {
    return (feature_kind(a) == FeatureKind::face && feature_kind(b) != FeatureKind::vertex) ||
           (feature_kind(b) == FeatureKind::face && feature_kind(a) != FeatureKind::vertex);
  };
  for (int step = 0; step < kMostSteps; ++step) {
    const FeatureId of_first = step_towards(first, nearest.first, nearest.on_second);
    const FeatureId of_second = step_towards(second, nearest.second, at.apply_inverse(nearest.on_first));
    if (of_first != nearest.first && !both(of_first, nearest.second)) {
      nearest.first = of_first;
    } else if (of_second != nearest.second && !both(nearest.first, of_second)) {
      nearest.second = of_second;
    } else {
      return nearest;
    }
    measure(first, second, at, nearest);
    if (nearest.gap > start.gap + kNearestRoundOff * std::max(first.size, second.size)) break;
  }
  return start;
}

void NearestSearch::offer(FeatureId first, const Vector3& on_first, FeatureId second, const Vector3& on_second) {
  const double candidate = (on_second - on_first).squaredNorm();
  if (candidate >= distance2) return;
  distance2 = candidate;
  nearest.first = first;
  nearest.second = second;
  nearest.on_first = on_first;
  nearest.on_second = on_second;
}

void NearestSearch::offer_edge_of_first(int edge, const Segment& s, int vertex, const Vector3& point) {
  const double along = s.direction.dot(point - s.tail);
  if (along <= 0.0 || along >= s.length) return;
  offer(edge_id(edge), s.tail + along * s.direction, vertex_id(vertex), point);
}
void NearestSearch::offer_edge_of_second(int vertex, const Vector3& point, int edge, const Segment& s) {
  const double along = s.direction.dot(point - s.tail);
  if (along <= 0.0 || along >= s.length) return;
  offer(vertex_id(vertex), point, edge_id(edge), s.tail + along * s.direction);
}

void NearestSearch::offer_edges(int edge, const Segment& a, int other, const Segment& b) {
  const LineCrossing lines = cross_lines(a.tail, a.direction, b.tail, b.direction);
  if (lines.on_first <= 0.0 || lines.on_first >= a.length || lines.on_second <= 0.0 || lines.on_second >= b.length) {
    return;
  }
  offer(edge_id(edge), a.tail + lines.on_first * a.direction, edge_id(other), b.tail + lines.on_second * b.direction);
}

void NearestSearch::offer_face_of_first(const Solid& solid, int face, int vertex, const Vector3& point) {
  if (step_towards(solid, face_id(face), point) != face_id(face)) return;
  const Vector3& normal = solid.faces[face].normal;
  const double beyond = normal.dot(point - solid.vertices[solid.sides_of(face).front().vertex]);
  if (beyond > 0.0) offer(face_id(face), point - beyond * normal, vertex_id(vertex), point);
}
void NearestSearch::offer_face_of_second(int vertex, const Vector3& point, const Solid& solid, int face,
                                         const Placement& at) {
  NearestSearch other;
  other.offer_face_of_first(solid, face, vertex, at.apply_inverse(point));
  if (other.distance2 < std::numeric_limits<double>::infinity()) {
    offer(vertex_id(vertex), point, face_id(face), at.apply(other.nearest.on_first));
  }
}

Nearest NearestSearch::finish(const Vector3& fallback, double size) {
  const Vector3 d = nearest.on_second - nearest.on_first;
  nearest.gap = d.norm();
  nearest.normal = nearest.gap > kOnFeature * size ? Vector3(d / nearest.gap) : fallback;
  return nearest;
}

}  // namespace stickslip
