// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/contact_features.h"

#include <variant>

#include "stickslip/geometry/convex_hull.h"

namespace stickslip {
namespace {

struct BallsOf {
  bool planar;
  bool on_flat;

  std::vector<BallFeature> operator()(const Sphere& s) const {
    if (s.inside) return {};
    return {{Vector3::Zero(), s.radius}};
  }
  std::vector<BallFeature> operator()(const PointShape& p) const { return {{Vector3::Zero(), 0.0, p.at}}; }
  std::vector<BallFeature> operator()(const HalfSpace&) const { return {}; }
  std::vector<BallFeature> operator()(const Box& b) const {
    if (!on_flat) return {};
    std::vector<BallFeature> corners;
    const std::vector<double> levels = planar ? std::vector<double>{0.0} : std::vector<double>{-0.5, 0.5};
    for (const double z : levels) {  // the lower corners first
      for (const double x : {0.5, -0.5}) {
        for (const double y : {0.5, -0.5}) {
          corners.push_back({Vector3(x * b.size(0), y * b.size(1), z * b.size(2)), 0.0});
        }
      }
    }
    return corners;
  }
  std::vector<BallFeature> operator()(const Capsule& c) const {
    if (!on_flat) return {};
    return {{Vector3(0.0, 0.0, -0.5 * c.length), c.radius}, {Vector3(0.0, 0.0, 0.5 * c.length), c.radius}};
  }
  std::vector<BallFeature> operator()(const Cylinder&) const { return {}; }
  std::vector<BallFeature> operator()(const Convex& c) const {
    if (!on_flat) return {};
    std::vector<BallFeature> corners;
    for (const int k : make_convex_hull(c.points, planar).vertices) corners.push_back({c.points[k], 0.0});
    return corners;
  }
};

struct SurfaceOf {
  const Shape& shape;

  using Surface = std::optional<SurfaceFeature>;
  Surface operator()(const HalfSpace& plane) const {
    const Vector3 normal = shape.rotation * plane.normal;
    return SurfaceFeature{GapKind::half_space_ball, shape.position + plane.offset * normal, normal, 0.0};
  }
  Surface operator()(const Sphere& sphere) const {
    const GapKind kind = sphere.inside ? GapKind::container_sphere_ball : GapKind::ball_ball;
    return SurfaceFeature{kind, shape.position, Vector3::UnitZ(), sphere.radius};
  }
  Surface operator()(const Cylinder& tube) const {
    if (!tube.inside) return std::nullopt;
    return SurfaceFeature{GapKind::container_cylinder_ball, shape.position, shape.rotation.col(2), tube.radius};
  }
  Surface operator()(const PointShape&) const { return std::nullopt; }
  Surface operator()(const Box&) const { return std::nullopt; }
  Surface operator()(const Capsule&) const { return std::nullopt; }
  Surface operator()(const Convex&) const { return std::nullopt; }
};

}  // namespace

bool is_bounded(GapKind kind) {
  switch (kind) {
    case GapKind::ball_ball:
      return true;
    case GapKind::half_space_ball:
    case GapKind::container_sphere_ball:
    case GapKind::container_cylinder_ball:
    case GapKind::joint_limit:
      return false;
  }
  return false;
}

std::vector<BallFeature> balls_of(const Shape& shape, bool planar, bool on_flat) {
  std::vector<BallFeature> balls = std::visit(BallsOf{planar, on_flat}, shape.geometry);
  for (BallFeature& ball : balls) ball.center = shape.position + shape.rotation * ball.center;
  return balls;
}

std::optional<SurfaceFeature> surface_of(const Shape& shape) {
  return std::visit(SurfaceOf{shape}, shape.geometry);
}

std::vector<BallFeature> balls_on(const SurfaceFeature& surface, const Shape& shape, bool planar) {
  return balls_of(shape, planar, !is_bounded(surface.kind));
}

ContactPoint make_contact_point(const System& system, int surface_body, const SurfaceFeature& surface, int ball_body,
                                const BallFeature& ball, bool flipped) {
  ContactPoint point;
  const Attachment a = system.attach(surface_body);
  const Attachment b = system.attach(ball_body, ball.parameter);
  point.first = flipped ? b : a;
  point.second = flipped ? a : b;
  point.kind = surface.kind;
  point.flipped = flipped;
  point.body_a = surface_body;
  point.body_b = ball_body;
  point.center_a = surface.center;
  point.axis_a = surface.axis;
  point.radius_a = surface.radius;
  point.center_b = ball.center;
  point.radius_b = ball.radius;
  return point;
}

}  // namespace stickslip
