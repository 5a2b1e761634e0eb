// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/closest_approach.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/math/rotation.h"

namespace stickslip {
namespace {

/// Gaps looked at on one way. A way without turns takes some ten, as Newton's method on a convex function. [-]
constexpr int kMaxLooks = 64;

/// Whether the gap along one normal bounds that of later positions: not inside a container, whose normal turns towards
/// the ball.
bool is_convex(SurfaceKind kind) {
  switch (kind) {
    case SurfaceKind::half_space:
    case SurfaceKind::sphere:
    case SurfaceKind::line:
    case SurfaceKind::crossing:
    case SurfaceKind::cylinder:
    case SurfaceKind::ellipsoid:
      return true;
    case SurfaceKind::container_sphere:
    case SurfaceKind::container_cylinder:
      return false;
  }
  return false;
}

BodyMotion at_share(const Vector3& start, const Vector3& step, const Matrix3& R, const Vector3& axis, double angle,
                    double share) {
  BodyMotion motion;
  motion.p = start + share * step;
  motion.R = angle > 0.0 ? Matrix3(R * axis_angle_matrix(axis, share * angle)) : R;
  motion.v.setZero();
  motion.w.setZero();
  return motion;
}

}  // namespace

ClosestApproach::ClosestApproach(const System& system) : system_(system) {
  for (const ShapeFeatures& shape : system.shapes()) {
    const bool has_solid = shape.solid >= 0;
    radius_.push_back(has_solid ? system.solids()[shape.solid].center.norm() + 0.5 * system.solids()[shape.solid].size
                                : 0.0);
  }
}

bool ClosestApproach::stays_apart(const BodySnapshot& from, const BodySnapshot& to, const ContactPoint& point,
                                  double distance) {
  const Way first = make_way(from, to, point, Side::first);
  const Way second = make_way(from, to, point, Side::second);
  const Vector3 step = second.step - first.step;
  const ShapeSurface& surface = system_.surface(point);
  double turn = first.angle * first.arm + second.angle * second.arm;
  // What a surface without bounds does at the ball, as far as that is from its body's origin on the way.
  const Way& of_surface = point.flipped ? second : first;
  if (point.frozen == nullptr && of_surface.angle > 0.0 && !is_bounded(surface.kind)) {
    turn += of_surface.angle * ((second.start - first.start).norm() + step.norm() + first.arm + second.arm);
  }
  const bool along_normal = point.frozen != nullptr ? !is_on_surface(point) : is_convex(surface.kind);
  double share = 0.0;
  for (int i = 0; i < kMaxLooks; ++i) {
    const BodyMotion a = at_share(first.start, first.step, first.R, first.axis, first.angle, share);
    const BodyMotion b = at_share(second.start, second.step, second.R, second.axis, second.angle, share);
    const Look now = look(point, a, b);
    if (!(now.gap > distance)) return false;
    const double falls = turn + (along_normal ? std::max(-now.normal.dot(step), 0.0) : step.norm());
    if (!(falls * (1.0 - share) > now.gap - 0.5 * distance)) return true;
    share += (now.gap - 0.5 * distance) / falls;
  }
  return false;
}

double ClosestApproach::calc_gap(const BodySnapshot& at, const ContactPoint& point) {
  BodyMotion first, second;
  return look(point, at.at(system_.place_number(point, Side::first), first),
              at.at(system_.place_number(point, Side::second), second))
      .gap;
}

ClosestApproach::Way ClosestApproach::make_way(const BodySnapshot& from, const BodySnapshot& to,
                                               const ContactPoint& point, Side side) const {
  const int place = system_.place_number(point, side);
  BodyMotion scratch_from, scratch_to;
  const BodyMotion& start = from.at(place, scratch_from);
  const BodyMotion& end = to.at(place, scratch_to);
  Way way;
  way.start = start.p;
  way.step = end.p - start.p;
  way.R = start.R;
  const Eigen::AngleAxisd turn(Matrix3(start.R.transpose() * end.R));
  way.axis = turn.axis();
  way.angle = start.R == end.R ? 0.0 : std::abs(turn.angle());
  if (turn.angle() < 0.0) way.axis = -way.axis;
  way.arm = calc_arm(point, side);
  return way;
}

/// Of a surface without bounds only what is at its centre.
double ClosestApproach::calc_arm(const ContactPoint& point, Side side) const {
  const bool has_ball = (side == Side::second) != point.flipped;
  if (point.frozen != nullptr) return radius_[has_ball ? point.frozen->ball.shape : point.frozen->surface.shape];
  const auto arm = [](const auto& feature) { return feature.center.norm() + calc_extent(feature); };
  return has_ball ? arm(system_.ball(point)) : arm(system_.surface(point));
}

/// Of triangles or a polyline, which are not convex.
bool ClosestApproach::is_on_surface(const ContactPoint& point) const {
  return is_surface(system_.solid(point.frozen->surface.shape).kind) ||
         is_surface(system_.solid(point.frozen->ball.shape).kind);
}

ClosestApproach::Look ClosestApproach::look(const ContactPoint& point, const BodyMotion& first,
                                            const BodyMotion& second) {
  if (point.frozen == nullptr) {
    ContactGeometry geometry;
    system_.calc_contact(point, first, second, geometry);
    return {geometry.gap, geometry.normal};
  }
  const int on_first = point.flipped ? point.frozen->ball.shape : point.frozen->surface.shape;
  const int on_second = point.flipped ? point.frozen->surface.shape : point.frozen->ball.shape;
  narrow_.calc_manifold(system_.solid(on_first), {first.p, first.R}, system_.solid(on_second), {second.p, second.R},
                        std::numeric_limits<double>::infinity(), manifold_);
  if (manifold_.empty()) return {std::numeric_limits<double>::infinity(), Vector3::UnitX()};
  const auto nearest = std::ranges::min_element(manifold_, {}, &ManifoldPoint::gap);
  return {nearest->gap, nearest->normal};
}

}  // namespace stickslip
