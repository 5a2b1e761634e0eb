// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/closest_features.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/collision/nearest_search.h"

namespace stickslip {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Any unit vector across `axis`, rather along `wish`.
Vector3 across(const Vector3& axis, const Vector3& wish) {
  const Vector3 d = wish - axis * axis.dot(wish);
  const double norm = d.norm();
  constexpr double kAlong = 1e-9;  // [-] of its length: less is no direction
  return norm > kAlong * wish.norm() ? Vector3(d / norm) : axis.unitOrthogonal();
}

/// Two segments [Ericson2005, 5.1.9]: where their lines cross, if both feet are on them; else the nearest of the ends.
Nearest find_nearest_segments(const Solid& first, const Solid& second, const Placement& at) {
  const Segment a = segment_of(first, 0, {});
  const Segment b = segment_of(second, 0, at);
  const double size = std::max(first.size, second.size);
  const double slack = kOnFeature * size;
  const Vector3 between = at.apply(second.center) - first.center;
  const LineCrossing lines = cross_lines(a.tail, a.direction, b.tail, b.direction);
  const auto on = [slack](double along, double length) { return along >= -slack && along <= length + slack; };
  NearestSearch best;
  if (lines.sine > 0.0 && on(lines.on_first, a.length) && on(lines.on_second, b.length)) {
    best.offer(edge_id(0), a.tail + lines.on_first * a.direction, edge_id(0), b.tail + lines.on_second * b.direction);
    Vector3 n = a.direction.cross(b.direction).normalized();
    if (n.dot(between) < 0.0) n = -n;
    Nearest nearest = best.finish(n, size);
    // What is across both is known to 1e-16 / sine, the difference of the points to 1e-16 of their distance.
    if (nearest.gap <= lines.sine * size) {
      n -= a.direction * a.direction.dot(n);
      n.normalize();
      nearest.normal = n.dot(nearest.normal) < 0.0 ? Vector3(-n) : n;
    }
    return nearest;
  }
  for (const int end : {0, 1}) best.offer_edge_of_first(0, a, end, at.apply(second.vertices[end]));
  for (const int end : {0, 1}) best.offer_edge_of_second(end, first.vertices[end], 0, b);
  for (const int end : {0, 1}) {
    for (const int other : {0, 1}) {
      best.offer(vertex_id(end), first.vertices[end], vertex_id(other), at.apply(second.vertices[other]));
    }
  }
  return best.finish(across(a.direction, between), size);
}

/// A box by what coordinates of x are beyond it: one a face, two an edge, three a vertex.
Nearest find_nearest_on_box(const Solid& box, const Vector3& x) {
  const Vector3 local = box.axes.transpose() * (x - box.center);
  const Vector3 foot = local.cwiseMax(-box.half).cwiseMin(box.half);
  std::array<int, 3> out = {};
  int n_out = 0;
  for (int i = 0; i < 3; ++i) {
    if (foot(i) != local(i)) out[n_out++] = i;
  }
  Nearest nearest;
  nearest.second = vertex_id(0);
  nearest.on_second = x;
  const auto positive = [&local](int i) { return local(i) > 0.0; };
  if (n_out <= 1) {
    int i = out[0];
    if (n_out == 0) {
      const Vector3 depth = box.half - local.cwiseAbs();
      Eigen::Index least = 0;
      depth.minCoeff(&least);
      i = static_cast<int>(least);
    }
    const int face = 2 * i + static_cast<int>(local(i) < 0.0);
    nearest.first = face_id(face);
    nearest.normal = box.faces[face].normal;
    nearest.gap = std::abs(local(i)) - box.half(i);
    nearest.on_first = x - nearest.gap * nearest.normal;
    return nearest;
  }
  if (n_out == 2) {
    const int i = 3 - out[0] - out[1];
    nearest.first =
        edge_id(4 * i + 2 * static_cast<int>(positive((i + 1) % 3)) + static_cast<int>(positive((i + 2) % 3)));
  } else {
    nearest.first = vertex_id(4 * static_cast<int>(positive(2)) + 2 * static_cast<int>(!positive(0)) +
                              static_cast<int>(!positive(1)));
  }
  const Vector3 d = local - foot;
  nearest.gap = d.norm();
  nearest.normal = box.axes * (d / nearest.gap);
  nearest.on_first = box.center + box.axes * foot;
  return nearest;
}

/// A polygon: the side that x is farthest beyond, or its ends.
Nearest find_nearest_on_polygon(const Solid& polygon, const Vector3& x) {
  const int n = static_cast<int>(polygon.vertices.size());
  int face = 0;
  double gap = -kInfinity;
  for (int f = 0; f < n; ++f) {
    const double beyond = polygon.faces[f].normal.dot(x - polygon.vertices[f]);
    if (beyond > gap) {
      gap = beyond;
      face = f;
    }
  }
  const Vector3& normal = polygon.faces[face].normal;
  Nearest nearest{gap, normal, face_id(face), vertex_id(0), x - gap * normal, x};
  if (gap <= 0.0) return nearest;
  NearestSearch best;
  for (int f = 0; f < n; ++f) {
    const Vector3& tail = polygon.vertices[f];
    const Vector3 along = polygon.vertices[(f + 1) % n] - tail;
    const double fraction = along.dot(x - tail);
    const double slack = kOnFeature * polygon.size * along.norm();
    if (f == face && fraction >= -slack && fraction <= along.squaredNorm() + slack) return nearest;
    best.offer(vertex_id(f), tail, vertex_id(0), x);
  }
  nearest = best.finish(normal, polygon.size);
  // A side next to the vertex that x is beside after all.
  const int vertex = feature_index(nearest.first);
  for (const int f : {vertex, (vertex + n - 1) % n}) {
    const Vector3& other = polygon.vertices[f == vertex ? (vertex + 1) % n : f];
    if ((other - polygon.vertices[vertex]).dot(x - polygon.vertices[vertex]) <= 0.0) continue;
    const Vector3& beside = polygon.faces[f].normal;
    const double beyond = beside.dot(x - polygon.vertices[vertex]);
    if (beyond > 0.0) return {beyond, beside, face_id(f), vertex_id(0), x - beyond * beside, x};
  }
  return nearest;
}

}  // namespace

LineCrossing cross_lines(const Vector3& a, const Vector3& d, const Vector3& b, const Vector3& e) {
  const Vector3 c = d.cross(e);
  const double sine = c.norm();
  if (sine <= kParallelLines) return {};
  const Vector3 n = c / sine;
  const double along = (b - a).cross(e).dot(n) / sine;
  // The foot of the point on the first: where the lines are nearly parallel, round-off moves both along together.
  return {along, e.dot(a + along * d - b), sine};
}

Nearest Nearest::exchanged(const Placement& at) const {
  return {gap, at.R.transpose() * -normal, second, first, at.apply_inverse(on_second), at.apply_inverse(on_first)};
}

Nearest find_nearest_of_simple(const Solid& first, const Solid& second, const Placement& at) {
  if (second.kind == Solid::Kind::segment) return find_nearest_segments(first, second, at);
  const Vector3 x = at.apply(second.vertices[0]);
  const double size = std::max(first.size, second.size);
  NearestSearch best;
  for (int k = 0; k < static_cast<int>(first.vertices.size()); ++k) {
    best.offer(vertex_id(k), first.vertices[k], vertex_id(0), x);
  }
  if (first.kind == Solid::Kind::segment) {
    best.offer_edge_of_first(0, segment_of(first, 0, {}), 0, x);
    return best.finish(first.edges[0].direction.unitOrthogonal(), size);
  }
  return best.finish(Vector3::UnitY(), size);
}

Nearest find_nearest_to_point(const Solid& polytope, const Vector3& x) {
  if (polytope.is_box) return find_nearest_on_box(polytope, x);
  if (polytope.planar) return find_nearest_on_polygon(polytope, x);
  int face = 0;
  double gap = -kInfinity;
  for (int f = 0; f < static_cast<int>(polytope.faces.size()); ++f) {
    const double beyond = polytope.faces[f].normal.dot(x) - polytope.faces[f].offset;
    if (beyond > gap) {
      gap = beyond;
      face = f;
    }
  }
  const Vector3& normal = polytope.faces[face].normal;
  gap = normal.dot(x - polytope.vertices[polytope.sides_of(face).front().vertex]);
  Nearest nearest{gap, normal, face_id(face), vertex_id(0), x - gap * normal, x};
  if (gap <= 0.0) return nearest;
  // From the face that x is farthest beyond the nearest feature is not far, and often is this face.
  if (walk_to_point(polytope, nearest)) return nearest;
  // The nearest feature has a face that x is beyond.
  NearestSearch best;
  for (int e = 0; e < static_cast<int>(polytope.edges.size()); ++e) {
    const Solid::Edge& edge = polytope.edges[e];
    const auto beyond = [&](int f) { return polytope.faces[f].normal.dot(x) > polytope.faces[f].offset; };
    if (!beyond(edge.left) && !beyond(edge.right)) continue;
    best.offer(vertex_id(edge.tail), polytope.vertices[edge.tail], vertex_id(0), x);
    best.offer(vertex_id(edge.head), polytope.vertices[edge.head], vertex_id(0), x);
    best.offer_edge_of_first(e, segment_of(polytope, e, {}), 0, x);
  }
  nearest = best.finish(normal, polytope.size);
  walk_to_point(polytope, nearest);
  return nearest;
}

Nearest find_nearest_of_separated(const Solid& first, const Solid& second, const Placement& at,
                                  const Vector3& direction) {
  const bool segment = second.kind == Solid::Kind::segment;
  const bool boxes = first.is_box && second.is_box;
  if (!first.planar && !segment && !boxes) {
    return walk(first, second, at, find_nearest_hulls(first, second, at, direction));
  }
  const double size = std::max(first.size, second.size);
  // Vertices of each beside the other.
  Nearest best;
  best.gap = kInfinity;
  for (int k = 0; k < static_cast<int>(second.vertices.size()); ++k) {
    const Nearest nearest = find_nearest_to_point(first, at.apply(second.vertices[k]));
    if (nearest.gap >= best.gap) continue;
    best = nearest;
    best.second = vertex_id(k);
  }
  if (segment) {
    NearestSearch edge;
    const Segment axis = segment_of(second, 0, at);
    for (int k = 0; k < static_cast<int>(first.vertices.size()); ++k) {
      edge.offer_edge_of_second(k, first.vertices[k], 0, axis);
    }
    if (edge.distance2 < best.gap * best.gap) best = edge.finish(direction, size);
  } else {
    const Placement back = at.relative({});
    for (int k = 0; k < static_cast<int>(first.vertices.size()); ++k) {
      Nearest nearest = find_nearest_to_point(second, back.apply(first.vertices[k]));
      if (nearest.gap >= best.gap) continue;
      nearest.second = vertex_id(k);
      best = nearest.exchanged(back);
    }
  }
  if (first.planar) return best;
  best = walk(first, second, at, best);
  // Unless edges cross far from all vertices, nothing reaches farther along the normal than the nearest points.
  const double slack = size * kNearestRoundOff * (1.0 + size / std::max(best.gap, kNearestRoundOff * size));
  if (best.gap - calc_reach(first, second, at, best.normal) <= slack) return best;
  return walk(first, second, at, find_nearest_hulls(first, second, at, best.normal));
}

}  // namespace stickslip
