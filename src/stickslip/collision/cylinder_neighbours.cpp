// SPDX-License-Identifier: BSD-3-Clause
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "stickslip/collision/cylinder_manifold.h"
#include "stickslip/collision/nearest_search.h"

// What of a cylinder and another solid lies along their normal.

namespace stickslip {
namespace {

/// [-] Cosine of the angle up to which a face lies along the normal; of its sine kCapLies, rounded up.
constexpr double kLiesCosine = 0.995;
/// [-] Of the radius: so far outside another cap a point of a rim still is on it, so that caps of one size on each
/// other keep the points of one of them.
constexpr double kBesideCap = 1e-3;
/// Points that carry a cap.
constexpr std::size_t kFewestOnCap = 3;

/// The edge at a feature of a polytope or segment that is most nearly across n (3) [-], body frame; -1: none.
int find_edge_along(const Solid& solid, FeatureId feature, const Vector3& n) {
  const int index = feature_index(feature);
  if (feature_kind(feature) == FeatureKind::face) return -1;
  double least = kCapLies;
  if (feature_kind(feature) == FeatureKind::edge) {
    return std::abs(solid.edges[index].direction.dot(n)) <= least ? index : -1;
  }
  int best = -1;
  for (const int e : solid.edges_of(index)) {
    const double along = std::abs(solid.edges[e].direction.dot(n));
    if (along > least || (along == least && best >= 0)) continue;
    least = along;
    best = e;
  }
  return best;
}

/// The face of a polytope that lies across n (3) [-], body frame and outward; -1: none.
int find_face_along(const Solid& solid, const Vector3& n) {
  int best = -1;
  double most = kLiesCosine;
  for (int f = 0; f < static_cast<int>(solid.faces.size()); ++f) {
    const double along = solid.faces[f].normal.dot(n);
    if (along < most || (along == most && best >= 0)) continue;
    most = along;
    best = f;
  }
  return best;
}

/// Where a line d + s e passes a circle of this radius round the origin, d and e in its plane: 0 or 2 shares.
std::optional<std::array<double, 2>> cross_circle(const Vector3& d, const Vector3& e, double radius) {
  const double a = e.squaredNorm();
  const double b = e.dot(d);
  const double root2 = b * b - a * (d.squaredNorm() - radius * radius);
  if (!(root2 > 0.0) || !(a > 0.0)) return std::nullopt;
  const double root = std::sqrt(root2);
  return std::array{(-b - root) / a, (-b + root) / a};
}

}  // namespace

bool CylinderManifold::is_over(const Plane& plane, const Vector3& x, double slack) const {
  if (plane.radius > 0.0) return part_across(x - plane.center, plane.normal).norm() <= plane.radius + slack;
  const Solid& solid = pair_.other;
  const Vector3 local = pair_.in_other(x);
  return std::ranges::all_of(solid.sides_of(plane.face), [&](const Solid::Side& side) {
    return side.outward.dot(local - solid.vertices[side.vertex]) <= slack;
  });
}

bool CylinderManifold::find_stretch(const Plane& plane, const Vector3& tail, const Vector3& head,
                                    Stretch& stretch) const {
  const auto begin_at = [&](double share, FeatureId border) {
    if (share <= stretch.from) return;
    stretch.from = share;
    stretch.from_border = border;
    stretch.from_end = false;
  };
  const auto end_at = [&](double share, FeatureId border) {
    if (share >= stretch.to) return;
    stretch.to = share;
    stretch.to_border = border;
    stretch.to_end = false;
  };
  if (plane.radius > 0.0) {
    const Vector3 d = part_across(tail - plane.center, plane.normal);
    const Vector3 e = part_across(head - tail, plane.normal);
    const auto shares = cross_circle(d, e, plane.radius);
    if (!shares) return false;
    if (d.norm() > plane.radius + nearby_) begin_at((*shares)[0], edge_id(plane.face));
    if ((d + e).norm() > plane.radius + nearby_) end_at((*shares)[1], face_id(plane.face));
  } else {
    const Solid& solid = pair_.other;
    const Vector3 local_tail = pair_.in_other(tail);
    const Vector3 local_head = pair_.in_other(head);
    for (const Solid::Side& side : solid.sides_of(plane.face)) {
      const double at_tail = side.outward.dot(local_tail - solid.vertices[side.vertex]);
      const double at_head = side.outward.dot(local_head - solid.vertices[side.vertex]);
      if (at_tail > nearby_ && at_head > nearby_) return false;
      if (at_tail > nearby_) begin_at(at_tail / (at_tail - at_head), edge_id(side.edge));
      if (at_head > nearby_) end_at(at_tail / (at_tail - at_head), edge_id(side.edge));
    }
  }
  return (stretch.to - stretch.from) * (head - tail).norm() >= -nearby_;
}

void CylinderManifold::add_line_on_plane(const Line& line, const Plane& plane) {
  const Vector3 along = (line.head - line.tail).normalized();
  const Vector3 out = part_across(plane.normal, along);
  const bool is_side = line.edge < 0;
  // Of a side its lowest line.
  const Vector3 shift = is_side ? Vector3(-line.radius * out.normalized()) : Vector3(Vector3::Zero());
  Stretch stretch;
  if (!find_stretch(plane, line.tail + shift, line.head + shift, stretch)) return;
  const SurfaceFeature surface = surface_of_plane(plane);
  // A ball on the axis that reaches as deep as the lowest line does, and does not turn with the body.
  const double radius = is_side ? line.radius * out.norm() : line.radius;
  for (const int end : {0, 1}) {
    if (end == 0 ? stretch.from_end : stretch.to_end) {
      FeatureId id = 0;
      const BallFeature ball = ball_of_end(line, end, id);
      add(plane.owner, surface, ball, face_id(plane.face), id);
    } else {
      const Vector3 x = line.tail + (end == 0 ? stretch.from : stretch.to) * (line.head - line.tail);
      add(plane.owner, surface, ball_at(line.owner, x, radius), end == 0 ? stretch.from_border : stretch.to_border,
          line.id);
    }
  }
}

/// Two lines that are nearly parallel: the ends of what they have in common.
void CylinderManifold::add_lines(const Line& own, const Line& others, const Vector3& m) {
  const Vector3 along = (own.head - own.tail).normalized();
  const Vector3 other_along = (others.head - others.tail).normalized();
  if (along.cross(other_along).norm() > kCapLies) return;
  struct End {
    double along;  // [m] on the first
    const Line* line;
    int end;
  };
  std::array<End, 4> ends;
  int n_ends = 0;
  const auto collect = [&](const Line& line, const Line& on, const Vector3& on_along) {
    const double length = (on.head - on.tail).norm();
    for (const int end : {0, 1}) {
      const Vector3& x = end == 0 ? line.tail : line.head;
      const double share = on_along.dot(x - on.tail);
      if (share < -nearby_ || share > length + nearby_) continue;
      ends[n_ends++] = {along.dot(x - own.tail), &line, end};
    }
  };
  collect(own, others, other_along);
  collect(others, own, along);
  if (n_ends < 2) return;
  int low = 0;
  int high = 0;
  for (int k = 1; k < n_ends; ++k) {
    if (ends[k].along < ends[low].along - nearby_) low = k;
    if (ends[k].along > ends[high].along + nearby_) high = k;
  }
  if (low == high) return;
  for (const int k : {low, high}) {
    const Line& line = *ends[k].line;
    const Line& on = &line == &own ? others : own;
    FeatureId id = 0;
    const BallFeature ball = ball_of_end(line, ends[k].end, id);
    const std::size_t before = points_.size();
    add(on.owner, surface_of_line(on), ball, on.id, id);
    if (points_.size() == before) continue;
    // Not one that lies elsewhere round the line.
    if (points_.back().normal.dot(way_of(m)) < kLiesCosine) points_.pop_back();
  }
}

/// What of a rim is over a plane. Whether all of its points are.
bool CylinderManifold::add_rim(Owner owner, int end, const Plane& plane) {
  const SurfaceFeature surface = surface_of_plane(plane);
  const Solid& solid = solid_of(owner);
  const double slack = plane.radius > 0.0 ? kBesideCap * plane.radius : nearby_;
  bool all = true;
  const auto is_on = [&](const Vector3& x) {
    const Vector3 seen = owner == Owner::cylinder ? Vector3(solid.axes.transpose() * (x - solid.center))
                                                  : Vector3(pair_.Q * x + pair_.q);
    const bool over = is_over(plane, seen, slack);
    all = all && over;
    return over;
  };
  for_rim_points(solid, end, turn_to_body(owner, plane.normal), is_on,
                 [&](const BallFeature& ball, FeatureId id, const Vector3&) {
                   add(plane.owner, surface, ball, face_id(plane.face), id);
                 });
  return all;
}

/// A point x (3) [m] of a cap's rim that stays where it is on the body, on a plane.
void CylinderManifold::add_rim_point(const Plane& cap, const Vector3& x, const Plane& plane, FeatureId of_plane,
                                     FeatureId of_cap) {
  add(plane.owner, surface_of_plane(plane), ball_at(cap.owner, x, 0.0), of_plane, of_cap);
}

/// Where the border of a face passes the rim of a cap, and its corners above the cap.
void CylinderManifold::add_crossings(const Plane& cap, const Plane& polygon) {
  const Solid& solid = pair_.other;
  const SurfaceFeature surface = surface_of_plane(cap);
  for (const Solid::Side& side : solid.sides_of(polygon.face)) {
    const Vector3 x = pair_.Q * solid.vertices[side.vertex] + pair_.q;
    if (!is_over(cap, x, nearby_)) continue;
    add(cap.owner, surface, ball_at(Owner::other, x, 0.0), face_id(cap.face), vertex_id(side.vertex));
  }
  for (const Solid::Side& side : solid.sides_of(polygon.face)) {
    const Line line = edge_of(side.edge);
    const Vector3 e = line.head - line.tail;
    const auto shares =
        cross_circle(part_across(line.tail - cap.center, cap.normal), part_across(e, cap.normal), cap.radius);
    if (!shares) continue;
    bool all = true;
    for (const int k : {0, 1}) {
      const double share = (*shares)[k];
      all &= share >= 0.0 && share <= 1.0;
      if (share < 0.0 || share > 1.0) continue;
      add(cap.owner, surface, ball_at(Owner::other, line.tail + share * e, 0.0),
          k == 0 ? edge_id(cap.face) : face_id(cap.face), line.id);
    }
    if (!all || points_.size() >= kFewestOnCap) continue;
    // The face has a segment of the cap only: the middle of its arc.
    const Vector3 in = -part_across(pair_.Q * side.outward, cap.normal).normalized();
    const Vector3 x = cap.center + cap.radius * in;
    if (is_over(polygon, x, 0.0)) add_rim_point(cap, x, polygon, face_id(polygon.face), edge_id(cap.face));
  }
}

/// Two caps on each other: the rim of one that is inside the other; else what both rims have inside, where they cross,
/// and the middles of both arcs.
void CylinderManifold::add_circles(const Plane& own, const Plane& others) {
  if (add_rim(own.owner, own.face, others)) return;
  if (add_rim(others.owner, others.face, own)) return;
  Vector3 d = part_across(others.center - own.center, own.normal);
  const double distance = d.norm();
  if (!(distance > 0.0)) return;
  d /= distance;
  const double along = 0.5 * (distance + (own.radius - others.radius) * (own.radius + others.radius) / distance);
  const double beside2 = own.radius * own.radius - along * along;
  if (!(beside2 > 0.0)) return;
  const Vector3 side = std::sqrt(beside2) * own.normal.cross(d);
  for (const double sign : {-1.0, 1.0}) {
    const Vector3 x = own.center + along * d + sign * side;
    add_rim_point(own, x, others, sign < 0.0 ? edge_id(others.face) : face_id(others.face),
                  sign < 0.0 ? face_id(own.face) : vertex_id(2 * kRimPoints));
  }
  add_rim_point(own, own.center + own.radius * d, others, face_id(others.face), edge_id(own.face));
  const Vector3 back = part_across(-d, others.normal).normalized();
  add_rim_point(others, others.center + others.radius * back, own, face_id(own.face), edge_id(others.face));
}

void CylinderManifold::add_neighbours(const CylinderNormal& nearest) {
  const Vector3& m = nearest.m;
  const Solid& other = pair_.other;
  const bool cap_lies = std::hypot(m(0), m(1)) <= kCapLies;
  const bool side_lies = std::abs(m(2)) <= kCapLies;
  if (other.kind == Solid::Kind::ellipsoid || (!cap_lies && !side_lies)) return;
  const Plane cap = cap_of(Owner::cylinder, end_along(m(2)));
  if (other.kind == Solid::Kind::cylinder) {
    const double along = m.dot(pair_.Q * other.axes.col(2));
    const bool other_cap_lies = std::sqrt(std::max(0.0, 1.0 - along * along)) <= kCapLies;
    const Plane other_cap = cap_of(Owner::other, end_along(-along));
    if (cap_lies && other_cap_lies) {
      add_circles(cap, other_cap);
    } else if (std::abs(along) <= kCapLies) {
      if (cap_lies) {
        add_line_on_plane(axis_of(Owner::other), cap);
      } else {
        add_lines(axis_of(Owner::cylinder), axis_of(Owner::other), m);
      }
    } else if (other_cap_lies) {
      add_line_on_plane(axis_of(Owner::cylinder), other_cap);
    }
    return;
  }
  const Vector3 n = pair_.Q.transpose() * -m;
  const bool on_face = feature_kind(nearest.of_other) == FeatureKind::face;
  const int face = on_face ? feature_index(nearest.of_other) : find_face_along(other, n);
  if (face >= 0) {
    const Plane polygon = face_of(face);
    if (cap_lies) {
      add_rim(Owner::cylinder, cap.face, polygon);
      add_crossings(cap, polygon);
    } else {
      add_line_on_plane(axis_of(Owner::cylinder), polygon);
    }
    if (!points_.empty()) return;
  }
  const int edge = find_edge_along(other, nearest.of_other, n);
  if (edge < 0) return;
  if (cap_lies) {
    add_line_on_plane(edge_of(edge), cap);
  } else {
    add_lines(axis_of(Owner::cylinder), edge_of(edge), m);
  }
}

}  // namespace stickslip
