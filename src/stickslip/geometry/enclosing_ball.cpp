// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/enclosing_ball.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <variant>
#include <vector>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {
namespace {

/// A point outside by less than this does not count, relatively.
constexpr double kOutside = 1e-9;  // [-]
/// Round-off of distances from a centre, relatively.
constexpr double kRoundOff = 1e-12;  // [-]
/// Round shapes converge within some tens of balls; polytopes end by themselves.
constexpr int kMostBalls = 1000;

/// v scaled to length one; any direction of the plane where it is zero.
Vector3 direction_of(const Vector3& v) {
  const double length = v.norm();
  return length > 0.0 ? Vector3(v / length) : Vector3::UnitX();
}

/// The point p of an ellipsoid that is farthest from x: p_i = -r_i^2 x_i / (t + d_i), d_i = R^2 - r_i^2 with the
/// longest radius R, and the t >= 0 for which it is on the surface. t itself is the unknown, since it is tiny where x
/// is near the centre. From where one term of the sum of squares is 1, Newton's method on this sum less 1, which is
/// convex and falls, goes up to the root.
Vector3 farthest_of_ellipsoid(const Vector3& r, const Vector3& x) {
  Eigen::Index longest = 0;
  const double most = r.maxCoeff(&longest);
  const Vector3 d = (most - r.array()) * (most + r.array());
  double t = std::max((r.cwiseProduct(x.cwiseAbs()) - d).maxCoeff(), 0.0);
  Vector3 p = Vector3::Zero();
  const auto sum_at = [&](double at, double& slope) {
    double sum = -1.0;
    slope = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double part = x(i) == 0.0 ? 0.0 : r(i) * x(i) / (at + d(i));
      p(i) = -r(i) * part;
      sum += part * part;
      if (part != 0.0) slope -= 2.0 * part * part / (at + d(i));
    }
    return sum;
  };
  double slope = 0.0;
  double sum = sum_at(t, slope);
  if (t == 0.0 && sum < 0.0) {  // x has no part along the longest axis, along which p lacks one
    p(longest) = std::copysign(r(longest) * std::sqrt(-sum), -x(longest));
    return p;
  }
  constexpr int kMaxTurns = 100;
  for (int i = 0; i < kMaxTurns && sum > 0.0; ++i) {
    const double next = t - sum / slope;
    if (!(next > t)) break;
    t = next;
    sum = sum_at(t, slope);
  }
  return p;
}

/// The point of a shape that is farthest from x, both in the shape's frame.
struct FarthestFrom {
  Vector3 x;
  bool planar;

  Vector3 farthest_of(const std::vector<Vector3>& points) const {
    const Vector3* farthest = &points.front();
    for (const Vector3& point : points) {
      if ((point - x).squaredNorm() > (*farthest - x).squaredNorm()) farthest = &point;
    }
    return *farthest;
  }
  std::optional<Vector3> operator()(const Sphere& s) const {
    if (s.inside) return std::nullopt;
    return -s.radius * direction_of(x);
  }
  std::optional<Vector3> operator()(const PointShape&) const { return Vector3::Zero(); }
  std::optional<Vector3> operator()(const HalfSpace&) const { return std::nullopt; }
  std::optional<Vector3> operator()(const Box& b) const {
    Vector3 corner;
    for (int i = 0; i < 3; ++i) corner(i) = std::copysign(0.5 * b.size(i), -x(i));
    if (planar) corner(2) = 0.0;
    return corner;
  }
  std::optional<Vector3> operator()(const Capsule& c) const {
    const Vector3 end(0.0, 0.0, std::copysign(0.5 * c.length, -x(2)));
    return end + c.radius * direction_of(end - x);
  }
  std::optional<Vector3> operator()(const Cylinder& c) const {
    if (c.inside) return std::nullopt;
    const Vector3 out = -c.radius * direction_of(Vector3(x(0), x(1), 0.0));
    return Vector3(out(0), out(1), std::copysign(0.5 * *c.length, -x(2)));
  }
  std::optional<Vector3> operator()(const Convex& c) const { return farthest_of(c.points); }
  std::optional<Vector3> operator()(const Mesh& mesh) const { return farthest_of(mesh.surface->vertices); }
  std::optional<Vector3> operator()(const Polyline& line) const { return farthest_of(*line.points); }
  std::optional<Vector3> operator()(const Ellipsoid& e) const { return farthest_of_ellipsoid(e.radii, x); }
};

/// The point of all shapes that is farthest from x.
std::optional<Vector3> find_farthest(std::span<const Shape> shapes, bool planar, const Vector3& x) {
  std::optional<Vector3> farthest;
  for (const Shape& shape : shapes) {
    const FarthestFrom visitor{shape.rotation.transpose() * (x - shape.position), planar};
    const std::optional<Vector3> local = std::visit(visitor, shape.geometry);
    if (!local) continue;
    const Vector3 point = shape.position + shape.rotation * *local;
    if (!farthest || (point - x).squaredNorm() > (*farthest - x).squaredNorm()) farthest = point;
  }
  return farthest;
}

/// Four points carry a ball in space; with one that is outside, five are in play.
constexpr std::size_t kMostPoints = 5;

/// The ball with `points` on its surface and its centre among them: one more point after the other moves the centre
/// at right angles to what the points before span. Nothing where they do not span enough.
std::optional<EnclosingBall> ball_through(std::span<const Vector3> points) {
  std::array<Vector3, kMostPoints> span;  // orthonormal
  Vector3 center = points[0];
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Vector3 arm = points[i] - points[0];
    Vector3 across = arm;
    for (std::size_t j = 1; j < i; ++j) across -= span[j].dot(across) * span[j];
    const double length = across.norm();
    if (!(length > kRoundOff * arm.norm())) return std::nullopt;
    span[i] = across / length;
    const double excess = (center - points[i]).squaredNorm() - (center - points[0]).squaredNorm();
    center += excess / (2.0 * length) * span[i];
  }
  return EnclosingBall{center, (points[0] - center).norm()};
}

/// The least ball of up to five points, and those of them that carry it, which replace `points`.
EnclosingBall shrink_to_carriers(std::vector<Vector3>& points) {
  EnclosingBall least{Vector3::Zero(), std::numeric_limits<double>::infinity()};
  std::vector<Vector3> carriers;
  std::vector<Vector3> chosen;
  for (unsigned choice = 1; choice < 1U << points.size(); ++choice) {
    chosen.clear();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if ((choice >> i & 1U) != 0) chosen.push_back(points[i]);
    }
    if (chosen.size() == kMostPoints) continue;
    const std::optional<EnclosingBall> ball = ball_through(chosen);
    if (!ball || !(ball->radius < least.radius)) continue;
    bool holds = true;
    for (const Vector3& point : points) {
      holds &= (point - ball->center).norm() <= ball->radius * (1.0 + kRoundOff);
    }
    if (!holds) continue;
    least = *ball;
    carriers = chosen;
  }
  if (!carriers.empty()) points = carriers;
  return least;
}

}  // namespace

std::optional<EnclosingBall> calc_enclosing_ball(std::span<const Shape> shapes, bool planar) {
  const std::optional<Vector3> first = find_farthest(shapes, planar, Vector3::Zero());
  if (!first) return std::nullopt;
  EnclosingBall best{Vector3::Zero(), first->norm()};  // holds all
  std::vector<Vector3> points = {*first};
  EnclosingBall ball{*first, 0.0};
  for (int i = 0; i < kMostBalls; ++i) {
    const Vector3 farthest = *find_farthest(shapes, planar, ball.center);
    const double reach = (farthest - ball.center).norm();
    if (reach < best.radius) best = {ball.center, reach};
    if (reach <= ball.radius * (1.0 + kOutside)) break;
    points.push_back(farthest);
    const EnclosingBall next = shrink_to_carriers(points);
    if (!(next.radius > ball.radius) || points.size() >= kMostPoints) break;  // no more than round-off is to be gained
    ball = next;
  }
  return best;
}

}  // namespace stickslip
