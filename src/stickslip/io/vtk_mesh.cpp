// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/vtk_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <variant>

#include "stickslip/geometry/convex_hull.h"
#include "stickslip/stepping/body_sizes.h"

namespace stickslip {
namespace {

/// Points of round shapes that a frame should have at most: its size then is a few megabytes. [-]
constexpr std::size_t kMostRoundPoints = 60'000;
constexpr int kFewestCorners = 6;  // [-] of a circle
constexpr int kContainerCorners = 48;
constexpr int kContainerRings = 5;  // of a tube

/// The part of the world where the bodies are that move.
struct Region {
  Vector3 middle = Vector3::Zero();
  double extent = 1.0;  // [m] a power of two: the last bits of positions do not change what is drawn
};

Region find_region(const System& system, const State& state) {
  const BodySizes sizes(system);
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::max()), high = -low;
  const auto reach = [&low, &high](const Vector3& x, double radius) {
    low = low.cwiseMin(Vector3(x.array() - radius));
    high = high.cwiseMax(Vector3(x.array() + radius));
  };
  for (std::size_t b = 0; b < system.bodies().size(); ++b) {
    const Body& body = system.bodies()[b];
    if (body.type == BodyType::fixed) continue;
    const int index = static_cast<int>(b);
    reach(system.calc_pose(index, state.t, state.q).p_WB, 0.5 * sizes.size(index));
    if (body.beam) reach(system.calc_pose(system.attach(index, 1.0), state.t, state.q).p_WB, 0.0);
  }
  Region region;
  if (low(0) > high(0)) return region;
  region.middle = 0.5 * (low + high);
  const double width = (high - low).norm();
  constexpr double kMargin = 2.0;  // [-] the scene's size on each side of it
  if (width > 0.0 && std::isfinite(width)) region.extent = std::exp2(std::ceil(std::log2((1.0 + kMargin) * width)));
  return region;
}

bool is_round(const ShapeGeometry& geometry) {
  struct IsRound {
    bool operator()(const Sphere& s) const { return !s.inside; }
    bool operator()(const PointShape&) const { return false; }
    bool operator()(const HalfSpace&) const { return false; }
    bool operator()(const Box&) const { return false; }
    bool operator()(const Capsule&) const { return true; }
    bool operator()(const Cylinder& s) const { return !s.inside; }
    bool operator()(const Convex&) const { return false; }
  };
  return std::visit(IsRound{}, geometry);
}

/// Adds the shapes of one body.
class ShapeDrawer {
 public:
  ShapeDrawer(const System& system, const Region& region, int corners, VtkMesh& mesh)
      : planar_(system.planar()), region_(region), corners_(corners), mesh_(mesh) {}

  void draw(int body, const Shape& shape, const Pose& pose) {
    body_ = body;
    shape_ = &shape;
    pose_ = pose;
    std::visit(*this, shape.geometry);
  }

  void operator()(const Sphere& s) {
    if (s.inside) {
      circle(s.radius, Vector3::UnitX(), Vector3::UnitY(), 0.0);
      if (planar_) return;
      circle(s.radius, Vector3::UnitY(), Vector3::UnitZ(), 0.0);
      circle(s.radius, Vector3::UnitZ(), Vector3::UnitX(), 0.0);
      return;
    }
    if (planar_) return disc(s.radius);
    std::vector<Eigen::Vector2d> profile;
    for (int k = 0; k <= corners_ / 2; ++k) profile.push_back(on_circle(s.radius, k));
    revolve(profile);
  }
  void operator()(const PointShape&) {
    const std::int32_t at = point(Vector3::Zero());
    mesh_.vertices.add(std::span(&at, 1), body_);
  }
  /// As it is seen from the middle of the scene.
  void operator()(const HalfSpace& s) {
    const Vector3 here =
        shape_->rotation.transpose() * (pose_.R_WB.transpose() * (region_.middle - pose_.p_WB) - shape_->position);
    const Vector3 middle = here - (s.normal.dot(here) - s.offset) * s.normal;
    const double half = 0.5 * region_.extent;
    if (planar_) {
      const Vector3 along(-s.normal(1), s.normal(0), 0.0);
      const std::array ends = {point(middle - half * along), point(middle + half * along)};
      mesh_.lines.add(ends, body_);
      return;
    }
    const Vector3 a = half * s.normal.unitOrthogonal();
    const Vector3 b = s.normal.cross(a);
    const std::array square = {point(middle - a - b), point(middle + a - b), point(middle + a + b),
                               point(middle - a + b)};
    mesh_.polygons.add(square, body_);
  }
  void operator()(const Box& s) {
    const Vector3 h = 0.5 * s.size;
    if (planar_) {
      const std::array rectangle = {point({-h(0), -h(1), 0.0}), point({h(0), -h(1), 0.0}), point({h(0), h(1), 0.0}),
                                    point({-h(0), h(1), 0.0})};
      mesh_.polygons.add(rectangle, body_);
      return;
    }
    std::array<std::int32_t, 8> corner = {};
    for (std::size_t k = 0; k < 8; ++k) {
      corner[k] = point({(k & 1U) != 0 ? h(0) : -h(0), (k & 2U) != 0 ? h(1) : -h(1), (k & 4U) != 0 ? h(2) : -h(2)});
    }
    constexpr std::array<std::array<std::size_t, 4>, 6> kFaces = {
        {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
    for (const auto& f : kFaces) {
      mesh_.polygons.add(std::array{corner[f[0]], corner[f[1]], corner[f[2]], corner[f[3]]}, body_);
    }
  }
  void operator()(const Capsule& s) {
    std::vector<Eigen::Vector2d> profile;
    const Eigen::Vector2d half(0.0, 0.5 * s.length);
    const int quarter = corners_ / 4;
    for (int k = 0; k <= quarter; ++k) profile.emplace_back(on_circle(s.radius, k, 4 * quarter) + half);
    for (int k = quarter; k <= 2 * quarter; ++k) profile.emplace_back(on_circle(s.radius, k, 4 * quarter) - half);
    revolve(profile);
  }
  void operator()(const Cylinder& s) {
    const double half = 0.5 * s.length.value_or(region_.extent);
    if (!s.inside) {
      const double r = s.radius;
      revolve({{0.0, half}, {r, half}, {r, -half}, {0.0, -half}});
    } else if (planar_) {
      circle(s.radius, Vector3::UnitX(), Vector3::UnitY(), 0.0);
    } else {
      for (int k = 0; k < kContainerRings; ++k) {
        circle(s.radius, Vector3::UnitX(), Vector3::UnitY(), half * (2.0 * k / (kContainerRings - 1) - 1.0));
      }
      for (int k = 0; k < 4; ++k) {
        const double phi = 0.5 * std::numbers::pi * k;
        const Vector3 on_rim(s.radius * std::cos(phi), s.radius * std::sin(phi), half);
        const std::array ends = {point(on_rim), point(on_rim - Vector3(0.0, 0.0, 2.0 * half))};
        mesh_.lines.add(ends, body_);
      }
    }
  }
  void operator()(const Convex& s) { planar_ ? flat_hull(s) : hull(s); }

 private:
  std::int32_t point(const Vector3& in_shape) {
    mesh_.points.push_back(shape_->position + shape_->rotation * in_shape);
    return static_cast<std::int32_t>(mesh_.points.size()) - 1;
  }
  /// Distance from the axis and height on a circle about the origin, k of n corners down from its top.
  Eigen::Vector2d on_circle(double radius, int k, int n) const {
    if (k == 0 || 2 * k == n) return {0.0, k == 0 ? radius : -radius};
    const double phi = 2.0 * std::numbers::pi * k / n;
    return {radius * std::sin(phi), radius * std::cos(phi)};
  }
  Eigen::Vector2d on_circle(double radius, int k) const { return on_circle(radius, k, corners_); }

  void disc(double radius) {
    std::vector<std::int32_t> rim;
    for (int k = 0; k < corners_; ++k) {
      const double phi = 2.0 * std::numbers::pi * k / corners_;
      rim.push_back(point({radius * std::cos(phi), radius * std::sin(phi), 0.0}));
    }
    mesh_.polygons.add(rim, body_);
  }
  void circle(double radius, const Vector3& a, const Vector3& b, double height) {
    std::vector<std::int32_t> rim;
    for (int k = 0; k < kContainerCorners; ++k) {
      const double phi = 2.0 * std::numbers::pi * k / kContainerCorners;
      rim.push_back(point(radius * (std::cos(phi) * a + std::sin(phi) * b) + height * a.cross(b)));
    }
    rim.push_back(rim.front());
    mesh_.lines.add(rim, body_);
  }
  /// A surface of revolution about z, profile (distance from the axis, height) from the top down; it ends on the axis.
  void revolve(const std::vector<Eigen::Vector2d>& profile) {
    const int n = corners_;
    std::vector<std::int32_t> above, ring;
    for (const Eigen::Vector2d& at : profile) {
      ring.clear();
      if (at(0) <= 0.0) {
        ring.assign(static_cast<std::size_t>(n) + 1, point({0.0, 0.0, at(1)}));
      } else {
        for (int k = 0; k < n; ++k) {
          const double phi = 2.0 * std::numbers::pi * k / n;
          ring.push_back(point({at(0) * std::cos(phi), at(0) * std::sin(phi), at(1)}));
        }
        ring.push_back(ring.front());
      }
      for (std::size_t k = 0; !above.empty() && k + 1 < ring.size(); ++k) {
        const std::array around = {above[k], ring[k], ring[k + 1], above[k + 1]};
        std::vector<std::int32_t> face;  // a triangle at the axis
        for (const std::int32_t corner : around) {
          if (std::ranges::find(face, corner) == face.end()) face.push_back(corner);
        }
        if (face.size() > 2) mesh_.polygons.add(face, body_);
      }
      above = ring;
    }
  }
  void hull(const Convex& s) {
    const ConvexHull hull = make_convex_hull(s.points, false);
    Vector3 middle = Vector3::Zero();
    std::vector<std::int32_t> number(s.points.size(), -1);
    for (const int v : hull.vertices) {
      number[v] = point(s.points[v]);
      middle += s.points[v] / static_cast<double>(hull.vertices.size());
    }
    for (const auto& f : hull.facets) {
      const Vector3 &a = s.points[f[0]], &b = s.points[f[1]], &c = s.points[f[2]];
      const bool outward = (b - a).cross(c - a).dot(a - middle) >= 0.0;
      const std::array face = {number[f[0]], number[f[outward ? 1 : 2]], number[f[outward ? 2 : 1]]};
      mesh_.polygons.add(face, body_);
    }
  }
  void flat_hull(const Convex& s) {
    std::vector<int> corners = make_convex_hull(s.points, true).vertices;
    Vector3 middle = Vector3::Zero();
    for (const int v : corners) middle += s.points[v] / static_cast<double>(corners.size());
    const auto angle = [&](int v) { return std::atan2(s.points[v](1) - middle(1), s.points[v](0) - middle(0)); };
    std::ranges::sort(corners, {}, angle);
    std::vector<std::int32_t> polygon;
    polygon.reserve(corners.size());
    for (const int v : corners) polygon.push_back(point({s.points[v](0), s.points[v](1), 0.0}));
    mesh_.polygons.add(polygon, body_);
  }

  bool planar_;
  const Region& region_;
  int corners_;
  VtkMesh& mesh_;
  int body_ = 0;
  const Shape* shape_ = nullptr;
  Pose pose_;
};

/// The curve and the points on it.
void draw_beam(const System& system, int b, VtkMesh& mesh) {
  const Body& body = system.bodies()[b];
  const auto place = [&](double xi) {
    mesh.on_beams.push_back(system.attach(b, xi));
    mesh.points.push_back(Vector3::Zero());
    return static_cast<std::int32_t>(mesh.points.size()) - 1;
  };
  std::vector<std::int32_t> curve;
  const int n = kBeamPoints * body.beam->n_elements();
  for (int k = 0; k <= n; ++k) curve.push_back(place(static_cast<double>(k) / n));
  mesh.lines.add(curve, b);
  for (const Shape& shape : body.shapes) {
    const std::int32_t at = place(std::get<PointShape>(shape.geometry).at);
    mesh.vertices.add(std::span(&at, 1), b);
  }
}

}  // namespace

int choose_circle_corners(std::size_t round_shapes) {
  for (const int n : {32, 24, 16, 12, 8}) {
    if (round_shapes * static_cast<std::size_t>(n * n / 2) <= kMostRoundPoints) return n;
  }
  return kFewestCorners;
}

VtkMesh make_vtk_mesh(const System& system, const State& state) {
  const Region region = find_region(system, state);
  std::size_t n_round = 0;
  for (const Body& body : system.bodies()) {
    n_round += static_cast<std::size_t>(
        std::ranges::count_if(body.shapes, [](const Shape& shape) { return is_round(shape.geometry); }));
  }
  VtkMesh mesh;
  ShapeDrawer drawer(system, region, choose_circle_corners(system.planar() ? n_round / 16 : n_round), mesh);
  for (std::size_t b = 0; b < system.bodies().size(); ++b) {
    const Body& body = system.bodies()[b];
    const int index = static_cast<int>(b);
    mesh.begin.push_back(mesh.points.size());
    if (body.beam) {
      draw_beam(system, index, mesh);
    } else if (body.shapes.empty()) {
      const Shape origin{.name = "", .geometry = PointShape{}};
      drawer.draw(index, origin, {});
    } else {
      const Pose pose = system.calc_pose(index, state.t, state.q);
      for (const Shape& shape : body.shapes) drawer.draw(index, shape, pose);
    }
  }
  mesh.begin.push_back(mesh.points.size());
  return mesh;
}

}  // namespace stickslip
