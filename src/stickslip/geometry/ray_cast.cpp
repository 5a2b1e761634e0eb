// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/ray_cast.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

#include "stickslip/geometry/convex_hull.h"
#include "stickslip/geometry/polyline.h"
#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {
namespace {

constexpr double kMissed = std::numeric_limits<double>::infinity();

/// The part of a line that is in a convex set: from s = `enter` to `leave` [m]; empty where enter > leave.
struct LinePart {
  double enter = -kMissed;
  double leave = kMissed;

  void keep(const LinePart& other) {
    enter = std::max(enter, other.enter);
    leave = std::min(leave, other.leave);
  }
  void add(const LinePart& other) {  // the two overlap or one is empty, as their union is convex
    if (other.is_empty()) return;
    if (is_empty()) {
      *this = other;
      return;
    }
    enter = std::min(enter, other.enter);
    leave = std::max(leave, other.leave);
  }
  bool is_empty() const { return enter > leave; }
};

constexpr LinePart kNothing = {kMissed, -kMissed};

/// Where normal . x <= offset.
LinePart below_plane(const Ray& ray, const Vector3& normal, double offset) {
  const double height = normal.dot(ray.origin) - offset;
  const double rate = normal.dot(ray.direction);
  if (rate == 0.0) return height <= 0.0 ? LinePart() : kNothing;
  const double s = -height / rate;
  return rate > 0.0 ? LinePart{-kMissed, s} : LinePart{s, kMissed};
}

/// Where |p + s d| <= radius. By the distance of the line from the centre, which does not cancel for what is far away.
template <class V>
LinePart within(const V& p, const V& d, double radius) {
  const double square = d.squaredNorm();
  if (square == 0.0) return p.norm() <= radius ? LinePart() : kNothing;  // along a cylinder
  const double nearest = -p.dot(d) / square;
  const double off = (p + nearest * d).norm();
  if (off > radius) return kNothing;
  const double half = std::sqrt((radius - off) * (radius + off) / square);
  return {nearest - half, nearest + half};
}

LinePart in_ball(const Ray& ray, const Vector3& centre, double radius) {
  return within<Vector3>(ray.origin - centre, ray.direction, radius);
}

/// The endless cylinder about z.
LinePart in_tube(const Ray& ray, double radius) {
  return within<Eigen::Vector2d>(ray.origin.head<2>(), ray.direction.head<2>(), radius);
}

LinePart between_planes(const Ray& ray, double half_height) {
  LinePart s = below_plane(ray, Vector3::UnitZ(), half_height);
  s.keep(below_plane(ray, -Vector3::UnitZ(), half_height));
  return s;
}

/// How far the ray is first in the set.
double first_in(const LinePart& s) {
  if (s.is_empty() || s.leave < 0.0) return kMissed;
  return std::max(s.enter, 0.0);
}

/// How far the ray is first out of the set `inside`, within `bounds`.
double first_out(const LinePart& inside, const LinePart& bounds) {
  if (inside.is_empty()) return first_in(bounds);
  LinePart before = {-kMissed, inside.enter}, after = {inside.leave, kMissed};
  before.keep(bounds);
  after.keep(bounds);
  return std::min(first_in(before), first_in(after));
}

/// How far the first triangle is [Moller1997]; 0 where the ray meets it from behind, as it begins in the solid.
double first_in_triangles(const Ray& ray, const TriangleMesh& mesh) {
  double first = kMissed;
  bool is_inside = false;
  for (const std::array<int, 3>& t : mesh.triangles) {
    const Vector3& a = mesh.vertices[t[0]];
    const Vector3 ab = mesh.vertices[t[1]] - a;
    const Vector3 ac = mesh.vertices[t[2]] - a;
    const Vector3 across = ray.direction.cross(ac);
    const double determinant = ab.dot(across);  // > 0: from the front
    if (determinant == 0.0) continue;
    const Vector3 d = ray.origin - a;
    const double u = d.dot(across) / determinant;
    const Vector3 turned = d.cross(ab);
    const double v = ray.direction.dot(turned) / determinant;
    if (u < 0.0 || v < 0.0 || u + v > 1.0) continue;
    const double s = ac.dot(turned) / determinant;
    if (s < 0.0 || s >= first) continue;
    first = s;
    is_inside = determinant < 0.0;
  }
  return is_inside ? 0.0 : first;
}

/// How far the first segment is; 0 where the ray meets it from behind. What passes a corner where two meet is in front
/// of it.
double first_in_segments(const Ray& ray, const Polyline& line) {
  constexpr double kOnePlace = 1e-12;  // [-] of the distance
  double first = kMissed;
  bool is_inside = false;
  const std::vector<Vector3>& points = *line.points;
  for (std::size_t k = 0; k < count_segments(line); ++k) {
    const Vector3 along = points[(k + 1) % points.size()] - points[k];
    const double towards = ray.direction(0) * along(1) - ray.direction(1) * along(0);  // > 0: from the front
    if (towards == 0.0) continue;
    const Vector3 d = points[k] - ray.origin;
    const double u = (d(0) * ray.direction(1) - d(1) * ray.direction(0)) / towards;
    const double s = (d(0) * along(1) - d(1) * along(0)) / towards;
    const double slack = kOnePlace * s;
    if (!(u >= 0.0 && u <= 1.0) || s < 0.0 || s > first + slack) continue;
    const bool is_other = s < first - slack;
    is_inside = (is_other || is_inside) && towards < 0.0;
    first = std::min(first, s);
  }
  return is_inside ? 0.0 : first;
}

std::vector<std::pair<Vector3, double>> sides_of(const Convex& hull, bool planar) {
  std::vector<std::pair<Vector3, double>> sides;
  Vector3 middle = Vector3::Zero();
  for (const Vector3& p : hull.points) middle += p / static_cast<double>(hull.points.size());
  for (const std::array<int, 3>& facet : make_convex_hull(hull.points, planar).facets) {
    const Vector3& a = hull.points[facet[0]];
    const Vector3 ab = hull.points[facet[1]] - a;
    Vector3 normal = planar ? Vector3(ab.y(), -ab.x(), 0.0) : ab.cross(hull.points[facet[2]] - a);
    if (normal.squaredNorm() == 0.0) continue;
    normal.normalize();
    if (normal.dot(middle - a) > 0.0) normal = -normal;
    double offset = normal.dot(a);
    for (const Vector3& p : hull.points) offset = std::max(offset, normal.dot(p));  // a sliver's normal is not exact
    sides.emplace_back(normal, offset);
  }
  return sides;
}

}  // namespace

RayTarget::RayTarget(const ShapeGeometry& geometry, bool planar) : geometry_(geometry) {
  if (const Convex* hull = std::get_if<Convex>(&geometry)) {
    sides_ = sides_of(*hull, planar);
  } else if (const Box* box = std::get_if<Box>(&geometry)) {
    for (int axis = 0; axis < (planar ? 2 : 3); ++axis) {
      for (const double sign : {-1.0, 1.0}) sides_.emplace_back(sign * Vector3::Unit(axis), 0.5 * box->size[axis]);
    }
  }
}

double RayTarget::calc_distance(const Ray& ray) const {
  return std::visit(
      [&](const auto& shape) {
        using T = std::decay_t<decltype(shape)>;
        if constexpr (std::is_same_v<T, Sphere>) {
          const LinePart inside = in_ball(ray, Vector3::Zero(), shape.radius);
          return shape.inside ? first_out(inside, LinePart()) : first_in(inside);
        } else if constexpr (std::is_same_v<T, PointShape>) {
          return kMissed;
        } else if constexpr (std::is_same_v<T, HalfSpace>) {
          return first_in(below_plane(ray, shape.normal, shape.offset));
        } else if constexpr (std::is_same_v<T, Capsule>) {
          LinePart s = in_tube(ray, shape.radius);
          s.keep(between_planes(ray, 0.5 * shape.length));
          s.add(in_ball(ray, Vector3(0.0, 0.0, 0.5 * shape.length), shape.radius));
          s.add(in_ball(ray, Vector3(0.0, 0.0, -0.5 * shape.length), shape.radius));
          return first_in(s);
        } else if constexpr (std::is_same_v<T, Cylinder>) {
          const LinePart ends = shape.length ? between_planes(ray, 0.5 * *shape.length) : LinePart();
          LinePart s = in_tube(ray, shape.radius);
          if (shape.inside) return first_out(s, ends);  // beyond its ends a tube has no wall
          s.keep(ends);
          return first_in(s);
        } else if constexpr (std::is_same_v<T, Ellipsoid>) {
          const Vector3 scale = shape.radii.cwiseInverse();
          return first_in(within<Vector3>(ray.origin.cwiseProduct(scale), ray.direction.cwiseProduct(scale), 1.0));
        } else if constexpr (std::is_same_v<T, Mesh>) {
          return first_in_triangles(ray, *shape.surface);
        } else if constexpr (std::is_same_v<T, Polyline>) {
          return first_in_segments(ray, shape);
        } else {
          static_assert(std::is_same_v<T, Box> || std::is_same_v<T, Convex>);
          LinePart s;
          for (const auto& [normal, offset] : sides_) s.keep(below_plane(ray, normal, offset));
          return first_in(s);
        }
      },
      geometry_);
}

}  // namespace stickslip
