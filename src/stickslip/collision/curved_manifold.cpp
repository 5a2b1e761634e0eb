// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/curved_manifold.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/collision/curved_points.h"
#include "stickslip/collision/cylinder_manifold.h"
#include "stickslip/collision/gap.h"

namespace stickslip {
namespace {

/// A cylinder on a half-space.
void add_rims(const Solid& cylinder, const Placement& cylinder_at, const Solid& plane, const Placement& plane_at,
              bool plane_is_second, double within, std::vector<ManifoldPoint>& points) {
  const SurfaceFeature surface = surface_of(plane);
  const FeatureId face = make_feature(FeatureKind::face, 0);
  const Placement& first = plane_is_second ? cylinder_at : plane_at;
  const Placement& second = plane_is_second ? plane_at : cylinder_at;
  const Vector3 up = cylinder_at.R.transpose() * (plane_at.R * surface.axis);
  for (int end = 0; end < 2; ++end) {
    for_rim_points(
        cylinder, end, up, [](const Vector3&) { return true; },
        [&](const BallFeature& ball, FeatureId of_ball, const Vector3&) {
          add_curved_point({surface, ball, face, of_ball}, plane_is_second, first, second, within, points);
        });
  }
}

/// What of a polytope or a segment is nearest to an ellipsoid, or parts the two with the least translation.
FeatureId find_feature_at(const Solid& solid, const Solid& ellipsoid, const Placement& at) {
  const double tie = 4e-14 * std::max(solid.size, ellipsoid.size);
  const Vector3 c = at.apply(ellipsoid.center);
  const Matrix3 B = at.R * ellipsoid.axes * ellipsoid.half.asDiagonal();
  double best = -std::numeric_limits<double>::infinity();
  FeatureId feature = 0;
  const auto offer = [&](double gap, FeatureKind kind, int index) {
    if (!(gap > best + tie) && best > -std::numeric_limits<double>::infinity()) return;
    best = gap;
    feature = make_feature(kind, index);
  };
  const auto lowest = [&](const Vector3& n) {
    const Vector3 along = B.transpose() * n;
    return Vector3(c - B * along / along.norm());
  };
  for (int f = 0; f < static_cast<int>(solid.faces.size()); ++f) {
    const Solid::Face& face = solid.faces[f];
    offer(face.normal.dot(c) - face.offset - (B.transpose() * face.normal).norm(), FeatureKind::face, f);
  }
  for (int e = 0; e < static_cast<int>(solid.edges.size()); ++e) {
    const Solid::Edge& edge = solid.edges[e];
    const Vector3& tail = solid.vertices[edge.tail];
    const bool is_free = edge.left < 0;
    const Vector3 left = is_free ? Vector3(Vector3::Zero()) : solid.faces[edge.left].normal;
    const Vector3 right = is_free ? Vector3(Vector3::Zero()) : solid.faces[edge.right].normal;
    // Between the normals of its faces the separation has a maximum where it grows from both of them inwards.
    if (!is_free && (!(edge.direction.cross(left).dot(lowest(left) - tail) > 0.0) ||
                     !(right.cross(edge.direction).dot(lowest(right) - tail) > 0.0))) {
      continue;
    }
    const Vector3 n = find_normal_of_line(edge.direction, B, c - tail);
    if (!is_free && (left.cross(n).dot(edge.direction) < 0.0 || n.cross(right).dot(edge.direction) < 0.0)) continue;
    offer(n.dot(c - tail) - (B.transpose() * n).norm(), FeatureKind::edge, e);
  }
  // No vertex is nearer than the solid; one whose distance is larger than that of another for certain is not nearest.
  const double widest = ellipsoid.half.maxCoeff();
  double nearest = std::numeric_limits<double>::infinity();
  for (const Vector3& v : solid.vertices) nearest = std::min(nearest, (v - c).norm());
  for (int v = 0; v < static_cast<int>(solid.vertices.size()); ++v) {
    const Vector3 d = solid.vertices[v] - c;
    if (d.norm() - widest > nearest) continue;
    const Gap<double> gap = calc_ellipsoid_gap<double>(B, Matrix3::Identity(), d, 0.0);
    bool holds = true;
    for (const int e : solid.edges_of(v)) {
      const Solid::Edge& edge = solid.edges[e];
      const double sign = edge.tail == v ? 1.0 : -1.0;
      holds &= sign * -gap.normal.dot(edge.direction) <= 1e-14;
    }
    if (holds) offer(gap.gap, FeatureKind::vertex, v);
  }
  return feature;
}

/// An ellipsoid and a polytope or a segment touch in one point.
void add_ellipsoid_on(const Solid& solid, const Placement& solid_at, const Solid& ellipsoid,
                      const Placement& ellipsoid_at, bool ellipsoid_first, double within,
                      std::vector<ManifoldPoint>& points) {
  const FeatureId feature = find_feature_at(solid, ellipsoid, solid_at.relative(ellipsoid_at));
  const FeatureId whole = make_feature(FeatureKind::face, 0);
  const int index = feature_index(feature);
  const Placement& first = ellipsoid_first ? ellipsoid_at : solid_at;
  const Placement& second = ellipsoid_first ? solid_at : ellipsoid_at;
  if (feature_kind(feature) == FeatureKind::vertex) {
    BallFeature ball;
    ball.center = solid.vertices[index];
    ball.radius = solid.radius;
    return add_curved_point({surface_of(ellipsoid), ball, whole, feature}, !ellipsoid_first, first, second, within,
                            points);
  }
  SurfaceFeature surface;
  if (feature_kind(feature) == FeatureKind::face) {
    surface.center = solid.vertices[solid.sides_of(index).front().vertex];
    surface.axis = solid.faces[index].normal;
  } else {
    surface = {SurfaceKind::line, solid.vertices[solid.edges[index].tail], solid.edges[index].direction, solid.radius};
  }
  add_curved_point({surface, ellipsoid_ball(ellipsoid), feature, whole}, ellipsoid_first, first, second, within,
                   points);
}

}  // namespace

void calc_curved_manifold(const Solid& first, const Placement& first_at, const Solid& second,
                          const Placement& second_at, double within, std::vector<ManifoldPoint>& points) {
  if (second.kind == Solid::Kind::half_space) return add_rims(first, first_at, second, second_at, true, within, points);
  if (first.kind == Solid::Kind::half_space) return add_rims(second, second_at, first, first_at, false, within, points);
  const auto has_search = [](const Solid& solid, const Solid& other) {
    return solid.kind == Solid::Kind::cylinder && other.kind != Solid::Kind::ball;
  };
  if (has_search(first, second) || has_search(second, first)) {
    return CylinderManifold(first, first_at, second, second_at, within, points).calc();
  }
  const bool on_second = !is_curved(first.kind);
  const Solid& curved = on_second ? second : first;
  const Solid& other = on_second ? first : second;
  const FeatureId whole = make_feature(FeatureKind::face, 0);
  if (other.kind == Solid::Kind::ellipsoid) {
    return add_curved_point({surface_of(curved), ellipsoid_ball(other), whole, whole}, on_second, first_at, second_at,
                            within, points);
  }
  if (other.kind != Solid::Kind::ball) {
    return add_ellipsoid_on(other, on_second ? first_at : second_at, curved, on_second ? second_at : first_at,
                            !on_second, within, points);
  }
  BallFeature ball;
  ball.center = other.vertices[0];
  ball.radius = other.radius;
  const SurfaceFeature surface = surface_of(curved);
  const FeatureId side = make_feature(FeatureKind::face, static_cast<int>(curved.faces.size()) - 1);
  add_curved_point({surface, ball, side, make_feature(FeatureKind::vertex, 0)}, on_second, first_at, second_at, within,
                   points);
}

}  // namespace stickslip
