// SPDX-License-Identifier: BSD-3-Clause
// Solid cylinders and ellipsoids on surfaces of triangles.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/base/make_room.h"
#include "stickslip/collision/closest_features.h"
#include "stickslip/collision/curved_points.h"
#include "stickslip/collision/gap.h"
#include "stickslip/collision/surface_manifold.h"

namespace stickslip {
namespace {

/// [-] How far a normal may be outside those of an edge or a corner: round-off.
constexpr double kNormalRoundOff = 1e-9;

}  // namespace

/// Of faces that the solid's centre is in front of, else of those that the centre comes out of first: f(face,
/// is_inside).
template <class F>
void SurfaceManifold::for_faces_before(const Pair& pair, const F& f) {
  const Vector3 middle = pair.at.apply(pair.core.center);
  const std::size_t before = found_.size();
  for (const Face& face : faces_) {
    if (face.normal.dot(middle - face.corners[0]) > 0.0) f(face, false);
  }
  if (found_.size() != before) return;
  for (const int t : find_faces_over(pair, middle, -1)) {
    f(make_face(pair.surface, t), true);
  }
}

void SurfaceManifold::add_on_faces(const Pair& pair, const Face& face, bool is_inside, const BallFeature& ball,
                                   FeatureId feature, const Vector3& point) {
  const Vector3 x = pair.at.apply(point);
  const double height = face.normal.dot(x - face.corners[0]);
  if (height > pair.within || (!is_inside && !is_on_face(pair, face, x, height))) return;
  Found found;
  found.of_surface = make_feature(FeatureKind::face, pair.surface.patch_of(face.index));
  found.of_core = feature;
  found.surface.center = face.corners[0];
  found.surface.axis = face.normal;
  found.ball = ball;
  found.gap = height;
  found.normal = face.normal;
  found.on_surface = x - height * face.normal;
  add(pair, found);
}

void SurfaceManifold::add_ellipsoid_on_faces(const Pair& pair) {
  for_faces_before(pair, [&](const Face& face, bool is_inside) {
    const Vector3 lowest = find_farthest(pair.core, pair.at.R.transpose() * -face.normal);
    add_on_faces(pair, face, is_inside, ellipsoid_ball(pair.core), make_feature(FeatureKind::face, 0), lowest);
  });
}

/// Whether a point x (3) [m] of a cylinder's rim that is so deep behind a feature with these patches comes out of
/// another face, on which it can lie, in a tenth of that way, within the cylinder's box: what is at the border of a
/// face may be deep behind those across it.
bool SurfaceManifold::has_shorter_way(const Pair& pair, int end, const Vector3& x, double depth,
                                      const std::array<int, 2>& patches) const {
  if (depth < pair.tie) return false;
  const Vector3 axis = pair.at.R * pair.core.axes.col(2);
  const Vector3 radial = part_across(x - pair.at.apply(pair.core.center), axis).normalized();
  const Vector3 tangent = axis.cross(radial);
  return std::ranges::any_of(faces_, [&](const Face& face) {
    const Vector3& n = face.normal;
    const double height = n.dot(x - face.corners[0]);
    const int patch = pair.surface.patch_of(face.index);
    if (height < -kLies * depth || height > pair.tie || patch == patches[0] || patch == patches[1]) return false;
    if (std::abs(n.dot(tangent)) > kLies || n.dot(radial) > kLies || (end == 0 ? -1.0 : 1.0) * n.dot(axis) > kLies) {
      return false;
    }
    const Vector3 foot = find_foot(x, face.corners[0], face.corners[1], face.corners[2]).foot;
    return (x - foot).norm() < kLies * depth && pair.box.overlaps({foot, foot});
  });
}

void SurfaceManifold::add_cylinder_on_faces(const Pair& pair) {
  bool is_buried = false;
  for_faces_before(pair, [&](const Face& face, bool is_inside) {
    for (int end = 0; end < 2; ++end) {
      for_rim_points(
          pair.core, end, pair.at.R.transpose() * face.normal, [](const Vector3&) { return true; },
          [&](const BallFeature& ball, FeatureId feature, const Vector3& point) {
            is_buried |= is_inside;
            add_on_faces(pair, face, is_inside, ball, feature, point);
          });
    }
  });
  if (is_buried) return;
  std::erase_if(found_, [&](const Found& found) {
    const int index = feature_index(found.of_core);
    const int end = feature_kind(found.of_core) == FeatureKind::edge ? index : index / kRimPoints;
    const int patch = feature_index(found.of_surface);
    const Vector3 x = found.on_surface + found.gap * found.normal;
    return has_shorter_way(pair, end, x, -found.gap, {patch, patch});
  });
}

/// An ellipsoid, or a rim of a cylinder with its disc, on an edge. Whether its nearest point is there.
bool SurfaceManifold::make_point_on_edge(const Pair& pair, const Edge& edge, const BallFeature& ball, Found& found) {
  const Matrix3 B = pair.at.R * ball.half_axes;
  const Vector3 d = pair.at.apply(ball.center) - edge.tail;
  const Vector3 n = find_normal_of_line(edge.direction, B, d);
  const Vector3 along = B.transpose() * n;
  if (!(along.squaredNorm() > 0.0)) return false;
  const Vector3 lowest = d - B * along / along.norm();
  const double on_edge = edge.direction.dot(lowest);
  if (on_edge < -pair.tie || on_edge > edge.length + pair.tie || !allows(edge, n, kNormalRoundOff)) return false;
  found.of_surface = make_feature(FeatureKind::edge, edge.index);
  found.surface = {SurfaceKind::line, edge.tail, edge.direction};
  found.ball = ball;
  found.gap = n.dot(d) - along.norm();
  found.normal = n;
  found.on_surface = edge.tail + on_edge * edge.direction;
  return true;
}

void SurfaceManifold::add_ellipsoid_on_edge(const Pair& pair, const Edge& edge) {
  Found found;
  found.of_core = make_feature(FeatureKind::face, 0);
  if (make_point_on_edge(pair, edge, ellipsoid_ball(pair.core), found)) add(pair, found);
}

/// The side where its axis crosses the edge; a rim; and where a cap lies on the edge, the points where the edge passes
/// its rim.
void SurfaceManifold::add_cylinder_on_edge(const Pair& pair, const Edge& edge) {
  const Solid& cylinder = pair.core;
  const Vector3 axis = pair.at.R * cylinder.axes.col(2);
  const Vector3 middle = pair.at.apply(cylinder.center);
  const double radius = cylinder.half(0);
  const double half = cylinder.half(2);
  // In overlap a normal across the edge may lead far sideways, as past a cap that is just below the face on which it
  // lies: where the normal of a face beside the edge is a shorter way out, the points of that face count alone.
  double of_faces = -kNone;
  for (int f = 0; f < edge.n_faces; ++f) {
    const Vector3& n = edge.normals[f];
    const double reach = half * std::abs(axis.dot(n)) + radius * axis.cross(n).norm();
    of_faces = std::max(of_faces, (middle - edge.tail).dot(n) - reach);
  }
  const auto is_deeper = [&](double gap) { return gap < 0.0 && gap < of_faces - pair.tie; };
  const LineCrossing lines = cross_lines(edge.tail, edge.direction, middle, axis);
  if (lines.sine > kLowestTurns && std::abs(lines.on_second) <= half && lines.on_first >= -pair.tie &&
      lines.on_first <= edge.length + pair.tie) {
    Vector3 n = edge.direction.cross(axis) / lines.sine;
    const double sense = n.dot(edge.normal) < 0.0 ? -1.0 : 1.0;
    n *= sense;
    if (allows(edge, n, kNormalRoundOff)) {
      Found found;
      found.of_surface = make_feature(FeatureKind::edge, edge.index);
      found.of_core = make_feature(FeatureKind::face, kSideFace);
      found.surface = {SurfaceKind::crossing, edge.tail, edge.direction};
      found.ball.center = cylinder.center;
      found.ball.radius = radius;
      found.ball.axis = sense * cylinder.axes.col(2);
      found.on_surface = edge.tail + lines.on_first * edge.direction;
      found.normal = n;
      found.gap = n.dot(middle + lines.on_second * axis - found.on_surface) - radius;
      if (!is_deeper(found.gap)) add(pair, found);
    }
  }
  const int patch = pair.surface.patch_of(edge.faces[0]);
  const std::array<int, 2> patches = {patch, edge.n_faces == 2 ? pair.surface.patch_of(edge.faces[1]) : patch};
  for (int end = 0; end < 2; ++end) {
    const Vector3 outward = end == 0 ? Vector3(-axis) : axis;
    const BallFeature rim = rim_of(cylinder, end);
    const Vector3 center = pair.at.apply(rim.center);
    const bool lies = std::abs(edge.direction.dot(axis)) <= kCapLies && allows(edge, -outward, kCapLies);
    Found on_rim;
    on_rim.of_core = lies ? make_feature(FeatureKind::vertex, 2 * kRimPoints + end)  // the others are of crossings
                          : make_feature(FeatureKind::edge, end);
    if (make_point_on_edge(pair, edge, rim, on_rim) && -on_rim.normal.dot(outward) >= -kNormalRoundOff &&
        (!lies || (on_rim.gap > 0.0 && on_rim.normal.cross(axis).norm() > kLowestTurns)) && !is_deeper(on_rim.gap) &&
        !has_shorter_way(pair, end, on_rim.on_surface + on_rim.gap * on_rim.normal, -on_rim.gap, patches)) {
      add(pair, on_rim);
    }
    if (!lies) continue;
    // Where the edge, seen along the axis, passes the circle: |d + s e|^2 = R^2.
    const Vector3 e = edge.direction - edge.direction.dot(axis) * axis;
    Vector3 d = edge.tail - center;
    d -= d.dot(axis) * axis;
    const double a = e.squaredNorm();
    const double b = e.dot(d);
    const double root2 = b * b - a * (d.squaredNorm() - radius * radius);
    if (!(root2 > 0.0)) continue;
    // So deep the edge is behind the side, which may be a shorter way out.
    const double behind_side = radius - (d + std::clamp(-b / a, 0.0, edge.length) * e).norm();
    for (const double sign : {-1.0, 1.0}) {
      const double s = (-b + sign * std::sqrt(root2)) / a;
      if (s < 0.0 || s > edge.length) continue;
      Found found;
      found.of_surface = make_feature(FeatureKind::edge, edge.index);
      found.of_core = make_feature(sign < 0.0 ? FeatureKind::edge : FeatureKind::face, end);
      found.on_surface = edge.tail + s * edge.direction;
      found.surface_on_core = true;
      found.surface.center = rim.center;
      found.surface.axis = (end == 0 ? -1.0 : 1.0) * cylinder.axes.col(2);
      found.ball.center = found.on_surface;
      found.normal = -outward;
      found.gap = outward.dot(found.on_surface - center);
      if (found.gap > -half && found.gap >= -behind_side - pair.tie) add(pair, found);
    }
  }
}

void SurfaceManifold::add_corner_on_curved(const Pair& pair) {
  Found found;
  found.of_surface = make_feature(FeatureKind::vertex, corner_.index);
  found.of_core = make_feature(FeatureKind::face, static_cast<int>(pair.core.faces.size()) - 1);
  found.on_surface = corner_.x;
  found.surface_on_core = true;
  found.surface = surface_of(pair.core);
  found.ball.center = corner_.x;
  const Gap<double> gap = calc_gap<double>(found.surface, pair.at.p, pair.at.R, corner_.x, 0.0);
  found.gap = gap.gap;
  found.normal = -gap.normal;
  const bool on_cap = pair.core.kind == Solid::Kind::cylinder &&
                      std::abs(gap.normal.dot(pair.at.R * pair.core.axes.col(2))) >= 1.0 - kNormalRoundOff;
  if (!corner_allows(found.normal, on_cap ? kCapLies : kNormalRoundOff)) return;
  if (corner_.has_border && gap.gap < 0.0 && !(found.normal.dot(corner_.normal) > 0.0)) return;
  add(pair, found);
}

}  // namespace stickslip
