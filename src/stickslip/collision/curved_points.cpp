// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/curved_points.h"

#include "stickslip/base/make_room.h"
#include "stickslip/collision/gap.h"

namespace stickslip {

void add_curved_point(const CurvedFeatures& features, bool surface_on_second, const Placement& first,
                      const Placement& second, double within, std::vector<ManifoldPoint>& points) {
  const Placement& on = surface_on_second ? second : first;
  const Placement& of = surface_on_second ? first : second;
  Vector3 center;
  const Gap<double> gap = calc_gap<double>(features.surface, on.p, on.R, features.ball, of.p, of.R, center);
  if (gap.gap > within) return;
  make_room(points, points.size() + 1);
  ManifoldPoint& point = points.emplace_back();
  point.surface = features.surface;
  point.ball = features.ball;
  point.flipped = surface_on_second;
  point.feature_first = surface_on_second ? features.of_ball : features.of_surface;
  point.feature_second = surface_on_second ? features.of_surface : features.of_ball;
  point.gap = gap.gap;
  const Vector3 on_ball = center - features.ball.radius * gap.normal;
  const Vector3 on_surface = on_ball - gap.gap * gap.normal;
  point.normal = surface_on_second ? Vector3(-gap.normal) : gap.normal;
  point.on_first = surface_on_second ? on_ball : on_surface;
  point.on_second = surface_on_second ? on_surface : on_ball;
}

BallFeature rim_of(const Solid& cylinder, int end) {
  BallFeature rim;
  rim.center = cylinder.center + (end == 0 ? -1.0 : 1.0) * cylinder.half(2) * cylinder.axes.col(2);
  rim.is_ellipsoid = true;
  rim.half_axes.leftCols<2>() = cylinder.half(0) * cylinder.axes.leftCols<2>();
  return rim;
}

BallFeature ellipsoid_ball(const Solid& ellipsoid) {
  BallFeature ball;
  ball.center = ellipsoid.center;
  ball.is_ellipsoid = true;
  ball.half_axes = ellipsoid.axes * ellipsoid.half.asDiagonal();
  return ball;
}

}  // namespace stickslip
