// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/collision/features.h"

#include <cmath>
#include <variant>

#include "stickslip/geometry/convex_hull.h"

namespace stickslip {
namespace {

struct BallsOf {
  bool planar;

  std::vector<BallFeature> operator()(const Sphere& s) const {
    if (s.inside) return {};
    return {{Vector3::Zero(), s.radius}};
  }
  std::vector<BallFeature> operator()(const PointShape& p) const { return {{Vector3::Zero(), 0.0, p.at}}; }
  std::vector<BallFeature> operator()(const HalfSpace&) const { return {}; }
  std::vector<BallFeature> operator()(const Box& b) const {
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
    return {{Vector3(0.0, 0.0, -0.5 * c.length), c.radius}, {Vector3(0.0, 0.0, 0.5 * c.length), c.radius}};
  }
  std::vector<BallFeature> operator()(const Cylinder&) const { return {}; }
  std::vector<BallFeature> operator()(const Mesh&) const { return {}; }
  std::vector<BallFeature> operator()(const Polyline&) const { return {}; }
  std::vector<BallFeature> operator()(const Convex& c) const {
    std::vector<BallFeature> corners;
    for (const int k : make_convex_hull(c.points, planar).vertices) corners.push_back({c.points[k], 0.0});
    return corners;
  }
  std::vector<BallFeature> operator()(const Ellipsoid& e) const {
    BallFeature ball;
    ball.is_ellipsoid = true;
    ball.half_axes = e.radii.asDiagonal();
    return {ball};
  }
};

struct IsRound {
  bool operator()(const Sphere& s) const { return !s.inside; }
  bool operator()(const PointShape&) const { return true; }
  bool operator()(const HalfSpace&) const { return false; }
  bool operator()(const Box&) const { return false; }
  bool operator()(const Capsule&) const { return false; }
  bool operator()(const Cylinder&) const { return false; }
  bool operator()(const Convex&) const { return false; }
  bool operator()(const Ellipsoid&) const { return false; }
  bool operator()(const Mesh&) const { return false; }
  bool operator()(const Polyline&) const { return false; }
};

struct SurfaceOf {
  const Shape& shape;

  using Surface = std::optional<SurfaceFeature>;
  Surface operator()(const HalfSpace& plane) const {
    const Vector3 normal = shape.rotation * plane.normal;
    return SurfaceFeature{SurfaceKind::half_space, shape.position + plane.offset * normal, normal, 0.0};
  }
  Surface operator()(const Sphere& sphere) const {
    const SurfaceKind kind = sphere.inside ? SurfaceKind::container_sphere : SurfaceKind::sphere;
    return SurfaceFeature{kind, shape.position, Vector3::UnitZ(), sphere.radius};
  }
  Surface operator()(const Cylinder& tube) const {
    const SurfaceKind kind = tube.inside ? SurfaceKind::container_cylinder : SurfaceKind::cylinder;
    SurfaceFeature surface{kind, shape.position, shape.rotation.col(2), tube.radius};
    if (!tube.inside) surface.half_length = 0.5 * *tube.length;
    return surface;
  }
  Surface operator()(const PointShape&) const { return std::nullopt; }
  Surface operator()(const Box&) const { return std::nullopt; }
  Surface operator()(const Capsule&) const { return std::nullopt; }
  Surface operator()(const Convex&) const { return std::nullopt; }
  Surface operator()(const Mesh&) const { return std::nullopt; }
  Surface operator()(const Polyline&) const { return std::nullopt; }
  Surface operator()(const Ellipsoid& e) const {
    SurfaceFeature surface{SurfaceKind::ellipsoid, shape.position};
    surface.half_axes = shape.rotation * e.radii.asDiagonal();
    return surface;
  }
};

}  // namespace

bool is_bounded(SurfaceKind kind) {
  switch (kind) {
    case SurfaceKind::sphere:
    case SurfaceKind::line:
    case SurfaceKind::crossing:
    case SurfaceKind::cylinder:
    case SurfaceKind::ellipsoid:
      return true;
    case SurfaceKind::half_space:
    case SurfaceKind::container_sphere:
    case SurfaceKind::container_cylinder:
      return false;
  }
  return false;
}

std::optional<SurfaceFeature> surface_of(const Shape& shape) {
  return std::visit(SurfaceOf{shape}, shape.geometry);
}

std::vector<BallFeature> balls_of(const Shape& shape, bool planar) {
  std::vector<BallFeature> balls = std::visit(BallsOf{planar}, shape.geometry);
  for (BallFeature& ball : balls) {
    ball.center = shape.position + shape.rotation * ball.center;
    if (ball.is_ellipsoid) ball.half_axes = shape.rotation * ball.half_axes;
  }
  return balls;
}

double calc_extent(const SurfaceFeature& surface) {
  if (surface.kind == SurfaceKind::cylinder) return std::hypot(surface.radius, surface.half_length);
  return surface.kind == SurfaceKind::ellipsoid ? surface.half_axes.colwise().norm().maxCoeff() : 0.0;
}

double calc_extent(const BallFeature& ball) {
  return ball.is_ellipsoid ? ball.half_axes.colwise().norm().maxCoeff() : 0.0;
}

bool is_round(const Shape& shape) {
  return std::visit(IsRound{}, shape.geometry);
}

}  // namespace stickslip
