// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/cylinder_manifold.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/base/make_room.h"
#include "stickslip/collision/nearest_search.h"

namespace stickslip {
namespace {

/// [-] Of the smaller and the larger size, as of polytopes (manifold.cpp): points that are nearer are one.
constexpr double kOneSpot = 1e-10;
constexpr double kOneSpotOfLarger = 1e-14;
/// [-] Angle up to which two normals are the same, as of polytopes.
constexpr double kSameWay = 5e-10;
/// A point has the pair's gap where it is off by no more than so many ties.
constexpr double kManyTies = 4.0;
/// [-] Of the smaller size: a pair of features whose gap differs by more does not have the pair's normal.
constexpr double kOtherGap = 1e-10;
/// [-] The same of its normal: what is known of the way from a point to another that it touches is round-off / gap.
constexpr double kOtherNormal = 1e-7;
/// Whether the pair is seen from the second: the one with rims, of two the one with the smaller radius, from whose rims
/// the distance of the other's changes slowly.
bool goes_second(const Solid& first, const Solid& second) {
  if (first.kind != Solid::Kind::cylinder) return true;
  return second.kind == Solid::Kind::cylinder && second.half(0) < first.half(0);
}

}  // namespace

const Solid& CylinderManifold::solid_of(Owner owner) const {
  return owner == Owner::cylinder ? pair_.cylinder : pair_.other;
}

Vector3 CylinderManifold::in_body(Owner owner, const Vector3& x) const {
  return owner == Owner::cylinder ? pair_.in_cylinder(x) : pair_.in_other(x);
}

Vector3 CylinderManifold::turn_to_body(Owner owner, const Vector3& x) const {
  return owner == Owner::cylinder ? Vector3(pair_.cylinder.axes * x) : Vector3(pair_.Q.transpose() * x);
}

CylinderManifold::Line CylinderManifold::axis_of(Owner owner) const {
  Line line;
  line.owner = owner;
  line.id = face_id(kSideFace);
  const Solid& solid = solid_of(owner);
  line.radius = solid.half(0);
  const bool own = owner == Owner::cylinder;
  const Vector3 center = own ? Vector3(Vector3::Zero()) : Vector3(pair_.Q * solid.center + pair_.q);
  const Vector3 axis = own ? Vector3(Vector3::UnitZ()) : Vector3(pair_.Q * solid.axes.col(2));
  line.tail = center - solid.half(2) * axis;
  line.head = center + solid.half(2) * axis;
  return line;
}

CylinderManifold::Line CylinderManifold::edge_of(int edge) const {
  const Solid& solid = pair_.other;
  Line line;
  line.owner = Owner::other;
  line.edge = edge;
  line.tail = pair_.Q * solid.vertices[solid.edges[edge].tail] + pair_.q;
  line.head = pair_.Q * solid.vertices[solid.edges[edge].head] + pair_.q;
  line.radius = solid.radius;
  line.id = edge_id(edge);
  return line;
}

CylinderManifold::Plane CylinderManifold::cap_of(Owner owner, int end) const {
  const Line axis = axis_of(owner);
  Plane plane;
  plane.owner = owner;
  plane.face = end;
  plane.normal = (end == 0 ? axis.tail - axis.head : axis.head - axis.tail).normalized();
  plane.center = end == 0 ? axis.tail : axis.head;
  plane.radius = axis.radius;
  return plane;
}

CylinderManifold::Plane CylinderManifold::face_of(int face) const {
  const Solid& solid = pair_.other;
  Plane plane;
  plane.owner = Owner::other;
  plane.face = face;
  plane.normal = pair_.Q * solid.faces[face].normal;
  plane.center = pair_.Q * solid.vertices[solid.sides_of(face).front().vertex] + pair_.q;
  return plane;
}

SurfaceFeature CylinderManifold::surface_of_plane(const Plane& plane) const {
  SurfaceFeature surface;
  const Solid& solid = solid_of(plane.owner);
  if (solid.kind == Solid::Kind::cylinder) {
    surface.axis = (plane.face == 0 ? -1.0 : 1.0) * solid.axes.col(2);
    surface.center = solid.center + solid.half(2) * surface.axis;
  } else {
    surface.axis = solid.faces[plane.face].normal;
    surface.center = solid.vertices[solid.sides_of(plane.face).front().vertex];
  }
  return surface;
}

SurfaceFeature CylinderManifold::surface_of_line(const Line& line) const {
  const Solid& solid = solid_of(line.owner);
  if (line.edge < 0) return {SurfaceKind::line, solid.center, solid.axes.col(2), line.radius};
  const Solid::Edge& edge = solid.edges[line.edge];
  return {SurfaceKind::line, solid.vertices[edge.tail], edge.direction, line.radius};
}

BallFeature CylinderManifold::ball_at(Owner owner, const Vector3& x, double radius) const {
  BallFeature ball;
  ball.center = in_body(owner, x);
  ball.radius = radius;
  return ball;
}

BallFeature CylinderManifold::ball_of_end(const Line& line, int end, FeatureId& id) const {
  const Solid& solid = solid_of(line.owner);
  if (line.edge < 0) {
    id = edge_id(end);
    return rim_of(solid, end);
  }
  const int vertex = end == 0 ? solid.edges[line.edge].tail : solid.edges[line.edge].head;
  id = vertex_id(vertex);
  BallFeature ball;
  ball.center = solid.vertices[vertex];
  ball.radius = solid.radius;
  return ball;
}

void CylinderManifold::add(Owner surface_owner, const SurfaceFeature& surface, const BallFeature& ball,
                           FeatureId of_surface, FeatureId of_ball) {
  const std::size_t before = points_.size();
  const bool on_second = (surface_owner == Owner::cylinder) == cylinder_second_;
  add_curved_point({surface, ball, of_surface, of_ball}, on_second, first_at_, second_at_, within_, points_);
  if (points_.size() == before || in_any_case_) return;
  const ManifoldPoint& added = points_.back();
  for (std::size_t i = 0; i < before; ++i) {
    const ManifoldPoint& point = (points_)[i];
    const bool same = point.feature_first == added.feature_first && point.feature_second == added.feature_second;
    if (same || (point.on_first - added.on_first).squaredNorm() <= nearby_ * nearby_) return points_.pop_back();
  }
}

/// The nearest features with the gap between them. False where it is no smooth function of the poses.
bool CylinderManifold::add_features(const CylinderNormal& nearest) {
  const Vector3& m = nearest.m;
  const Solid& cylinder = pair_.cylinder;
  const Solid& other = pair_.other;
  const FeatureId own = nearest.of_cylinder;
  const FeatureId others = nearest.of_other;
  const int end = feature_index(own);
  const int index = feature_index(others);
  const bool on_rim = feature_kind(own) == FeatureKind::edge;
  const bool on_cap = !on_rim && end != kSideFace;
  // Near the cap's normal what of the rim is nearest turns too fast.
  const bool rim_turns = on_rim && std::hypot(m(0), m(1)) < kLowestTurns;
  if (other.kind == Solid::Kind::ellipsoid) {
    if (rim_turns) return false;
    if (on_rim) {
      add(Owner::other, surface_of(other), rim_of(cylinder, end), others, own);
    } else {
      const SurfaceFeature surface =
          on_cap ? surface_of_plane(cap_of(Owner::cylinder, end)) : surface_of_line(axis_of(Owner::cylinder));
      add(Owner::cylinder, surface, ellipsoid_ball(other), own, others);
    }
    return true;
  }
  const bool is_cylinder = other.kind == Solid::Kind::cylinder;
  const FeatureKind kind = feature_kind(others);
  const bool other_rim = is_cylinder && kind == FeatureKind::edge;
  const bool other_line = is_cylinder ? kind == FeatureKind::face && index == kSideFace : kind == FeatureKind::edge;
  if (!is_cylinder && kind == FeatureKind::vertex) {
    BallFeature ball;
    ball.center = other.vertices[index];
    ball.radius = other.radius;
    const SurfaceFeature surface = on_cap   ? surface_of_plane(cap_of(Owner::cylinder, end))
                                   : on_rim ? surface_of(cylinder)
                                            : surface_of_line(axis_of(Owner::cylinder));
    add(Owner::cylinder, surface, ball, own, others);
    return true;
  }
  if (other_line) {
    const Line line = is_cylinder ? axis_of(Owner::other) : edge_of(index);
    const Vector3 along = (line.head - line.tail).normalized();
    if (on_rim) {
      // Along the rim's tangent the two would touch in a line.
      const Vector3 tangent = Vector3(-m(1), m(0), 0.0).normalized();
      if (rim_turns || along.cross(tangent).norm() < kLowestTurns) return false;
      add(Owner::other, surface_of_line(line), rim_of(cylinder, end), others, own);
      return true;
    }
    Vector3 sense = Vector3::UnitZ().cross(along);
    if (on_cap || sense.norm() < kLowestTurns) return false;
    SurfaceFeature surface = surface_of_line(axis_of(Owner::cylinder));
    surface.kind = SurfaceKind::crossing;
    BallFeature ball = ball_at(Owner::other, line.tail, line.radius);
    ball.axis = turn_to_body(Owner::other, sense.dot(m) < 0.0 ? Vector3(-along) : along);
    add(Owner::cylinder, surface, ball, own, others);
    return true;
  }
  if (other_rim) {
    const Vector3 axis = pair_.Q * other.axes.col(2);
    const Vector3 tangent = axis.cross(m);
    if (tangent.norm() < kLowestTurns) return false;
    if (on_rim) {
      const Vector3 own_tangent(-m(1), m(0), 0.0);
      if (rim_turns) return false;
      if (tangent.normalized().cross(own_tangent.normalized()).norm() < kLowestTurns) return false;
      SurfaceFeature surface = surface_of(cylinder);
      surface.kind = SurfaceKind::ellipsoid;
      surface.center = rim_of(cylinder, end).center;
      surface.half_axes = rim_of(cylinder, end).half_axes;
      add(Owner::cylinder, surface, rim_of(other, index), own, others);
      return true;
    }
    const SurfaceFeature surface =
        on_cap ? surface_of_plane(cap_of(Owner::cylinder, end)) : surface_of_line(axis_of(Owner::cylinder));
    add(Owner::cylinder, surface, rim_of(other, index), own, others);
    return true;
  }
  // A face or cap of the other.
  if (!on_rim || rim_turns) return false;
  add(Owner::other, surface_of_plane(is_cylinder ? cap_of(Owner::other, index) : face_of(index)), rim_of(cylinder, end),
      others, own);
  return true;
}

/// A plane of the cylinder along the normal, and the point of the other on it.
void CylinderManifold::add_supporting_plane(const CylinderNormal& nearest) {
  const Vector3& m = nearest.m;
  const Solid& other = pair_.other;
  const FeatureKind kind = feature_kind(nearest.of_other);
  const int index = feature_index(nearest.of_other);
  const double norm = std::hypot(m(0), m(1));
  Vector3 on_own(0.0, 0.0, std::copysign(pair_.half, m(2)));
  if (norm > 0.0) on_own.head<2>() = pair_.radius / norm * m.head<2>();
  Vector3 x = on_own + nearest.gap * m;
  const auto on_line = [&](const Line& line) {
    const Vector3 along = line.head - line.tail;
    const LineCrossing lines = cross_lines(line.tail, along.normalized(), Vector3::Zero(), Vector3::UnitZ());
    return Vector3(line.tail + std::clamp(lines.on_first / along.norm(), 0.0, 1.0) * along);
  };
  double radius = 0.0;
  BallFeature ball;
  if (other.kind == Solid::Kind::ellipsoid) {
    ball = ellipsoid_ball(other);
    x = pair_.Q * find_farthest(other, pair_.Q.transpose() * -m) + pair_.q;
  } else {
    const bool own_side = feature_kind(nearest.of_cylinder) == FeatureKind::face;
    if (other.kind == Solid::Kind::cylinder) {
      if (own_side && kind == FeatureKind::face && index == kSideFace) {
        const Line line = axis_of(Owner::other);
        const Vector3 axis = (line.head - line.tail).normalized();
        x = on_line(line) - line.radius * part_across(m, axis).normalized();
      } else if (own_side || kind == FeatureKind::edge) {
        x = pair_.Q * find_farthest(other, pair_.Q.transpose() * -m) + pair_.q;
      }
    } else {
      radius = other.radius;
      if (kind == FeatureKind::vertex) x = pair_.Q * other.vertices[index] + pair_.q;
      if (kind == FeatureKind::edge && own_side) x = on_line(edge_of(index));
    }
    ball = ball_at(Owner::other, x, radius);
  }
  SurfaceFeature surface;
  surface.center = pair_.in_cylinder(x - nearest.gap * m);
  surface.axis = turn_to_body(Owner::cylinder, m);
  add(Owner::cylinder, surface, ball, nearest.of_cylinder, nearest.of_other);
}

/// Leaves out what is nearer than the pair is: what the least translation parts another way. Whether one of the rest
/// has the pair's gap and normal.
bool CylinderManifold::settle(const CylinderNormal& nearest) {
  const Vector3 normal = way_of(nearest.m);
  const double gap = nearest.gap - pair_.other.radius;
  std::erase_if(points_, [&](const ManifoldPoint& point) { return point.gap < gap - round_off_; });
  return std::ranges::any_of(points_, [&](const ManifoldPoint& point) {
    return point.gap <= gap + round_off_ && (point.normal - normal).squaredNorm() <= kSameWay * kSameWay;
  });
}

/// The pair's normal in the world, from the first to the second.
Vector3 CylinderManifold::way_of(const Vector3& m) const {
  const Placement& at = cylinder_second_ ? second_at_ : first_at_;
  return (cylinder_second_ ? -1.0 : 1.0) * (at.R * (pair_.cylinder.axes * m));
}

void CylinderManifold::add_exact(const CylinderNormal& nearest) {
  const double gap = nearest.gap - pair_.other.radius;
  const double off = kOtherGap * std::min(pair_.cylinder.size, pair_.other.size) + round_off_;
  const Vector3 normal = way_of(nearest.m);
  in_any_case_ = true;
  within_ = std::numeric_limits<double>::infinity();
  bool fits = add_features(nearest);
  if (fits) {
    // What is not a number does not fit.
    const ManifoldPoint& point = points_.back();
    fits = std::abs(point.gap - gap) <= off && (point.normal - normal).norm() <= kOtherNormal;
    if (!fits) points_.pop_back();
  }
  if (!fits) add_supporting_plane(nearest);
  const ManifoldPoint exact = points_.back();
  points_.pop_back();
  std::erase_if(points_, [&](const ManifoldPoint& point) {
    const bool same = point.feature_first == exact.feature_first && point.feature_second == exact.feature_second;
    const bool there = (point.on_first - exact.on_first).squaredNorm() <= nearby_ * nearby_;
    return same || (there && point.gap <= exact.gap + nearby_);
  });
  append(points_, exact);
}

CylinderManifold::CylinderManifold(const Solid& first, const Placement& first_at, const Solid& second,
                                   const Placement& second_at, double within, std::vector<ManifoldPoint>& points)
    : cylinder_second_(goes_second(first, second)),
      pair_(cylinder_second_ ? CylinderPair(second, second_at, first, first_at)
                             : CylinderPair(first, first_at, second, second_at)),
      first_at_(first_at),
      second_at_(second_at),
      within_(within),
      nearby_(
          std::max(kOneSpot * std::min(first.size, second.size), kOneSpotOfLarger * std::max(first.size, second.size))),
      round_off_(kManyTies * pair_.tie + kOnFeature * (first_at.p.norm() + second_at.p.norm())),
      points_(points) {
}

void CylinderManifold::calc() {
  const double reach = 0.5 * (pair_.cylinder.size + pair_.other.size);
  if (pair_.place(pair_.other.center).norm() - reach > within_) return;
  const CylinderNormal nearest = CylinderNormalSearch().find(pair_);
  if (!(nearest.gap - pair_.other.radius <= within_)) return;
  add_neighbours(nearest);
  if (!settle(nearest)) add_exact(nearest);
}

}  // namespace stickslip
