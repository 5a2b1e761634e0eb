// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/closest_features.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// [-] Of the size: what points and distances are off by, at most.
constexpr double kRoundOff = 1e-14;

FeatureId vertex_id(int index) {
  return make_feature(FeatureKind::vertex, index);
}
FeatureId edge_id(int index) {
  return make_feature(FeatureKind::edge, index);
}
FeatureId face_id(int index) {
  return make_feature(FeatureKind::face, index);
}

/// A segment in any frame.
struct Segment {
  Vector3 tail, direction;  // (3) [m], (3) [-]
  double length;            // [m]
};

Segment segment_of(const Solid& solid, int edge, const Placement& at) {
  const Solid::Edge& e = solid.edges[edge];
  return {at.apply(solid.vertices[e.tail]), at.R * e.direction, e.length};
}

/// The feature next to this one whose region of space x (3) [m], in the solid's frame, is in rather than in this one's;
/// the same where there is none. Signs of lengths decide, not lengths of nearly the same size: the direction to x is
/// known to round-off / distance then, and not to its root [Lin1991].
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

/// Keeps the nearest pair of points that it was offered; among equal ones the first.
struct Best {
  Nearest nearest;
  double distance2 = kInfinity;  // [m^2]

  void offer(FeatureId first, const Vector3& on_first, FeatureId second, const Vector3& on_second) {
    const double candidate = (on_second - on_first).squaredNorm();
    if (candidate >= distance2) return;
    distance2 = candidate;
    nearest.first = first;
    nearest.second = second;
    nearest.on_first = on_first;
    nearest.on_second = on_second;
  }

  /// The vertex `point` of the second and an edge of the first, interior only; its ends are vertices of their own.
  void offer_edge_of_first(int edge, const Segment& s, int vertex, const Vector3& point) {
    const double along = s.direction.dot(point - s.tail);
    if (along <= 0.0 || along >= s.length) return;
    offer(edge_id(edge), s.tail + along * s.direction, vertex_id(vertex), point);
  }
  void offer_edge_of_second(int vertex, const Vector3& point, int edge, const Segment& s) {
    const double along = s.direction.dot(point - s.tail);
    if (along <= 0.0 || along >= s.length) return;
    offer(vertex_id(vertex), point, edge_id(edge), s.tail + along * s.direction);
  }

  void offer_edges(int edge, const Segment& a, int other, const Segment& b) {
    const LineCrossing lines = cross_lines(a.tail, a.direction, b.tail, b.direction);
    if (lines.on_first <= 0.0 || lines.on_first >= a.length || lines.on_second <= 0.0 || lines.on_second >= b.length) {
      return;
    }
    offer(edge_id(edge), a.tail + lines.on_first * a.direction, edge_id(other), b.tail + lines.on_second * b.direction);
  }

  /// The vertex `point` of the second and the inside of a face of the first, and the other way round.
  void offer_face_of_first(const Solid& solid, int face, int vertex, const Vector3& point) {
    if (step_towards(solid, face_id(face), point) != face_id(face)) return;
    const Vector3& normal = solid.faces[face].normal;
    const double beyond = normal.dot(point - solid.vertices[solid.sides_of(face).front().vertex]);
    if (beyond > 0.0) offer(face_id(face), point - beyond * normal, vertex_id(vertex), point);
  }
  void offer_face_of_second(int vertex, const Vector3& point, const Solid& solid, int face, const Placement& at) {
    Best other;
    other.offer_face_of_first(solid, face, vertex, at.apply_inverse(point));
    if (other.distance2 < kInfinity) {
      offer(vertex_id(vertex), point, face_id(face), at.apply(other.nearest.on_first));
    }
  }

  /// Sets gap and normal; where the points coincide the normal is `fallback`.
  Nearest finish(const Vector3& fallback) {
    const Vector3 d = nearest.on_second - nearest.on_first;
    nearest.gap = d.norm();
    nearest.normal = nearest.gap > 0.0 ? Vector3(d / nearest.gap) : fallback;
    return nearest;
  }
};

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
  const double slack = kOnFeature * std::max(first.size, second.size);
  const Vector3 between = at.apply(second.center) - first.center;
  const LineCrossing lines = cross_lines(a.tail, a.direction, b.tail, b.direction);
  const auto on = [slack](double along, double length) { return along >= -slack && along <= length + slack; };
  Best best;
  if (lines.sine > 0.0 && on(lines.on_first, a.length) && on(lines.on_second, b.length)) {
    best.offer(edge_id(0), a.tail + lines.on_first * a.direction, edge_id(0), b.tail + lines.on_second * b.direction);
    Vector3 n = a.direction.cross(b.direction).normalized();
    if (n.dot(between) < 0.0) n = -n;
    Nearest nearest = best.finish(n);
    // What is across both is known to 1e-16 / sine, the difference of the points to 1e-16 of their distance.
    if (nearest.gap <= lines.sine * std::max(first.size, second.size) && nearest.gap > 0.0) {
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
  return best.finish(across(a.direction, between));
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
  Best best;
  for (int f = 0; f < n; ++f) {
    const Vector3& tail = polygon.vertices[f];
    const Vector3 along = polygon.vertices[(f + 1) % n] - tail;
    const double fraction = along.dot(x - tail);
    const double slack = kOnFeature * polygon.size * along.norm();
    if (f == face && fraction >= -slack && fraction <= along.squaredNorm() + slack) return nearest;
    best.offer(vertex_id(f), tail, vertex_id(0), x);
  }
  nearest = best.finish(normal);
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

/// [-] Steps from feature to feature; one or two are usual.
constexpr int kMostSteps = 12;

/// From features that are nearest to within round-off to those in whose regions the nearest points lie.
Nearest walk(const Solid& first, const Solid& second, const Placement& at, const Nearest& start) {
  Nearest nearest = start;
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
    if (nearest.gap > start.gap + kRoundOff * std::max(first.size, second.size)) break;
  }
  return start;
}

/// The vertices of a solid that reach within `slack` of the farthest along n.
template <class Visit>
void visit_top(const Solid& solid, const Vector3& n, double slack, const Visit& visit) {
  const double top = n.dot(solid.vertices[find_support(solid, n)]);
  for (int k = 0; k < static_cast<int>(solid.vertices.size()); ++k) {
    if (n.dot(solid.vertices[k]) >= top - slack) visit(k);
  }
}

/// The point of the hull of up to four points that is nearest to the origin, by the one of all its faces that is
/// nearest; keeps of the points those that carry it.
class Simplex {
 public:
  struct Corner {
    Vector3 w;  // (3) [m] second minus first
    int first, second;
  };

  int size() const { return n_; }
  bool has(int first, int second) const {
    for (int k = 0; k < n_; ++k) {
      if (corners_[k].first == first && corners_[k].second == second) return true;
    }
    return false;
  }
  void add(const Corner& corner) { corners_[n_++] = corner; }

  Vector3 reduce() {
    Vector3 nearest = corners_[0].w;
    unsigned carriers = 1;
    double least = kInfinity;
    for (unsigned choice = 1; choice < 1U << static_cast<unsigned>(n_); ++choice) {
      Vector3 point;
      if (!foot(choice, point)) continue;
      const double norm2 = point.squaredNorm();
      if (norm2 < least) {
        least = norm2;
        nearest = point;
        carriers = choice;
      }
    }
    int kept = 0;
    for (int k = 0; k < n_; ++k) {
      if ((carriers >> static_cast<unsigned>(k) & 1U) != 0) corners_[kept++] = corners_[k];
    }
    n_ = kept;
    return nearest;
  }

 private:
  /// The foot of the origin on what the chosen corners span, if it lies within them.
  bool foot(unsigned choice, Vector3& point) const {
    std::array<Vector3, 4> w;
    int n = 0;
    for (int k = 0; k < n_; ++k) {
      if ((choice >> static_cast<unsigned>(k) & 1U) != 0) w[n++] = corners_[k].w;
    }
    switch (n) {
      case 1:
        point = w[0];
        return true;
      case 2: {
        const Vector3 d = w[1] - w[0];
        const double fraction = -d.dot(w[0]);
        const double norm2 = d.squaredNorm();
        if (fraction <= 0.0 || fraction >= norm2) return false;
        point = w[0] + d * (fraction / norm2);
        return true;
      }
      case 3: {
        const Vector3 normal = (w[1] - w[0]).cross(w[2] - w[0]);
        const double norm2 = normal.squaredNorm();
        if (!(norm2 > 0.0)) return false;
        for (int k = 0; k < 3; ++k) {
          if (w[k].cross(w[(k + 1) % 3]).dot(normal) <= 0.0) return false;
        }
        point = normal * (normal.dot(w[0]) / norm2);
        return true;
      }
      default:
        return false;  // apart: the origin is outside
    }
  }

  std::array<Corner, 4> corners_;
  int n_ = 0;
};

/// The direction between two polytopes that are apart, by the algorithm of Gilbert, Johnson and Keerthi
/// [Gilbert1988], started along `v` (3) [-], and their distance [m], which is too large rather than too small.
double refine_direction(const Solid& first, const Solid& second, const Placement& at, Vector3& v) {
  constexpr int kMostSteps = 100;  // some ten are usual; where round-off goes round in circles, no more is to be had
  constexpr double kNoProgress = 1e-14;  // [-] of the square of the distance
  Simplex simplex;
  double least = kInfinity;
  int a = 0;
  int b = 0;
  Vector3 direction = v;
  for (int step = 0; step < kMostSteps; ++step) {
    a = find_support(first, direction, a);
    b = find_support(second, at.R.transpose() * -direction, b);
    const Vector3 w = at.apply(second.vertices[b]) - first.vertices[a];
    if (simplex.has(a, b) || simplex.size() == 4) break;
    if (step > 0 && least - direction.dot(w) <= kNoProgress * least) break;
    simplex.add({w, a, b});
    const Vector3 nearest = simplex.reduce();
    const double norm2 = nearest.squaredNorm();
    if (norm2 >= least || norm2 == 0.0) break;
    least = norm2;
    direction = nearest;
  }
  const double distance = std::sqrt(least);
  if (distance > 0.0 && std::isfinite(distance)) v = direction.normalized();
  return distance;
}

/// How far apart two solids are along n (3) [-].
double calc_reach(const Solid& first, const Solid& second, const Placement& at, const Vector3& n) {
  return n.dot(at.apply(second.vertices[find_support(second, at.R.transpose() * -n)])) -
         n.dot(first.vertices[find_support(first, n)]);
}

/// The features of two solids that are apart between which their nearest points are, to within round-off.
Nearest find_nearest_hulls(const Solid& first, const Solid& second, const Placement& at, const Vector3& start) {
  const double size = std::max(first.size, second.size);
  Vector3 n = start;
  const double distance = refine_direction(first, second, at, n);
  const double reach = calc_reach(first, second, at, n);
  // How far below the farthest vertices those of the nearest features may be: n is off by round-off / distance, and by
  // the root of kNoProgress.
  constexpr double kAlways = 1e-6;  // [-] of the size
  const double slack =
      4.0 * std::max(0.0, distance - reach) + size * (kAlways + kRoundOff * size / (distance + kRoundOff * size));
  Best best;
  visit_top(second, at.R.transpose() * -n, slack, [&](int k) {
    const Vector3 point = at.apply(second.vertices[k]);
    visit_top(first, n, slack, [&](int v) {
      best.offer(vertex_id(v), first.vertices[v], vertex_id(k), point);
      for (const int e : first.edges_of(v)) {
        best.offer_edge_of_first(e, segment_of(first, e, {}), k, point);
        for (const int f : {first.edges[e].left, first.edges[e].right}) {
          if (f >= 0) best.offer_face_of_first(first, f, k, point);
        }
      }
      for (const int e : second.edges_of(k)) {
        const Segment segment = segment_of(second, e, at);
        best.offer_edge_of_second(v, first.vertices[v], e, segment);
        for (const int f : {second.edges[e].left, second.edges[e].right}) {
          if (f >= 0) best.offer_face_of_second(v, first.vertices[v], second, f, at);
        }
        for (const int f : first.edges_of(v)) best.offer_edges(f, segment_of(first, f, {}), e, segment);
      }
    });
  });
  return best.finish(n);
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
  Best best;
  for (int k = 0; k < static_cast<int>(first.vertices.size()); ++k) {
    best.offer(vertex_id(k), first.vertices[k], vertex_id(0), x);
  }
  if (first.kind == Solid::Kind::segment) {
    best.offer_edge_of_first(0, segment_of(first, 0, {}), 0, x);
    return best.finish(first.edges[0].direction.unitOrthogonal());
  }
  return best.finish(Vector3::UnitY());
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
  bool within = true;
  for (const Solid::Side& side : polytope.sides_of(face)) {
    within &= side.outward.dot(x - polytope.vertices[side.vertex]) <= kOnFeature * polytope.size;
  }
  if (within) return nearest;
  // The nearest feature has a face that x is beyond.
  Best best;
  for (int e = 0; e < static_cast<int>(polytope.edges.size()); ++e) {
    const Solid::Edge& edge = polytope.edges[e];
    const auto beyond = [&](int f) { return polytope.faces[f].normal.dot(x) > polytope.faces[f].offset; };
    if (!beyond(edge.left) && !beyond(edge.right)) continue;
    best.offer(vertex_id(edge.tail), polytope.vertices[edge.tail], vertex_id(0), x);
    best.offer(vertex_id(edge.head), polytope.vertices[edge.head], vertex_id(0), x);
    best.offer_edge_of_first(e, segment_of(polytope, e, {}), 0, x);
  }
  nearest = best.finish(normal);
  for (int step = 0; step < kMostSteps; ++step) {  // as walk() does
    const FeatureId next = step_towards(polytope, nearest.first, x);
    if (next == nearest.first) break;
    nearest.first = next;
    measure_to_point(polytope, nearest);
  }
  return nearest;
}

Nearest find_nearest_of_separated(const Solid& first, const Solid& second, const Placement& at,
                                  const Vector3& direction) {
  const bool segment = second.kind == Solid::Kind::segment;
  const bool boxes = first.is_box && second.is_box;
  if (!first.planar && !segment && !boxes) {
    return walk(first, second, at, find_nearest_hulls(first, second, at, direction));
  }
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
    Best edge;
    const Segment axis = segment_of(second, 0, at);
    for (int k = 0; k < static_cast<int>(first.vertices.size()); ++k) {
      edge.offer_edge_of_second(k, first.vertices[k], 0, axis);
    }
    if (edge.distance2 < best.gap * best.gap) best = edge.finish(direction);
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
  const double size = std::max(first.size, second.size);
  const double slack = size * kRoundOff * (1.0 + size / std::max(best.gap, kRoundOff * size));
  if (best.gap - calc_reach(first, second, at, best.normal) <= slack) return best;
  return walk(first, second, at, find_nearest_hulls(first, second, at, best.normal));
}

}  // namespace stickslip
