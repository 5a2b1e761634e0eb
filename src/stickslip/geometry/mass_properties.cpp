// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/geometry/mass_properties.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <numbers>
#include <vector>

#include "stickslip/base/assert.h"
#include "stickslip/geometry/convex_hull.h"
#include "stickslip/geometry/polyline.h"
#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {
namespace {

constexpr double kPi = std::numbers::pi;

/// Volume (area when planar), centroid and second moments about the centroid of one shape in its
/// own frame; `second` = integral of x x^T dV, from which inertia = (tr S) I - S.
struct Moments {
  double volume = 0.0;                 // [m^3], planar [m^2]
  Vector3 centroid = Vector3::Zero();  // (3) [m]
  Matrix3 second = Matrix3::Zero();    // (3, 3) [m^5], planar [m^4]
};

Moments diagonal_moments(double volume, double xx, double yy, double zz) {
  Moments m;
  m.volume = volume;
  m.second.diagonal() << xx, yy, zz;
  return m;
}

/// A solid cylinder of radius r and length l along z.
Moments cylinder_moments(double r, double l) {
  const double volume = kPi * r * r * l;
  return diagonal_moments(volume, volume * r * r / 4.0, volume * r * r / 4.0, volume * l * l / 12.0);
}

struct SolidMoments {
  bool planar;

  Moments operator()(const Sphere& s) const {
    if (s.inside) return {};
    const double r = s.radius;
    if (planar) {
      const double area = kPi * r * r;
      return diagonal_moments(area, area * r * r / 4.0, area * r * r / 4.0, 0.0);
    }
    const double volume = 4.0 / 3.0 * kPi * r * r * r;
    const double xx = volume * r * r / 5.0;
    return diagonal_moments(volume, xx, xx, xx);
  }

  Moments operator()(const PointShape&) const { return {}; }
  Moments operator()(const HalfSpace&) const { return {}; }

  Moments operator()(const Box& b) const {
    const Vector3 l2 = b.size.cwiseProduct(b.size) / 12.0;
    if (planar) {
      const double area = b.size(0) * b.size(1);
      return diagonal_moments(area, area * l2(0), area * l2(1), 0.0);
    }
    const double volume = b.size.prod();
    return diagonal_moments(volume, volume * l2(0), volume * l2(1), volume * l2(2));
  }

  Moments operator()(const Capsule& c) const {
    STICKSLIP_ASSERT(!planar);  // planar systems have no capsules: SystemBuilder refuses them
    Moments m = cylinder_moments(c.radius, c.length);
    // The two half balls: a ball's own moments, and the shift of each half along z. The centroid
    // of a half ball lies 3 r / 8 from its flat face, so the integral of z over a half is its
    // volume times that, and z^2 about the capsule's middle picks up the mixed term.
    const double r = c.radius;
    const double half = c.length / 2.0;
    const Moments ball = SolidMoments{false}(Sphere{r, false});
    m.volume += ball.volume;
    m.second(0, 0) += ball.second(0, 0);
    m.second(1, 1) += ball.second(1, 1);
    m.second(2, 2) += ball.second(2, 2) + ball.volume * (half * half + 2.0 * half * 3.0 * r / 8.0);
    return m;
  }

  Moments operator()(const Cylinder& c) const {
    if (c.inside || !c.length) return {};
    STICKSLIP_ASSERT(!planar);
    return cylinder_moments(c.radius, *c.length);
  }

  Moments operator()(const Convex& c) const { return hull_moments(c.points); }

  Moments operator()(const Ellipsoid& e) const {
    STICKSLIP_ASSERT(!planar);
    const double volume = 4.0 / 3.0 * kPi * e.radii.prod();
    const Vector3 second = volume / 5.0 * e.radii.cwiseProduct(e.radii);
    return diagonal_moments(volume, second(0), second(1), second(2));
  }

  /// An open one holds nothing.
  Moments operator()(const Mesh& mesh) const {
    STICKSLIP_ASSERT(!planar);
    if (!mesh.surface->is_closed()) return {};
    const SurfaceMoments moments = calc_surface_moments(corners_of(*mesh.surface));
    return {moments.volume, moments.centroid, moments.second};
  }

  /// An open one holds nothing; one that runs counter-clockwise is a container.
  Moments operator()(const Polyline& line) const {
    STICKSLIP_ASSERT(planar);
    const std::vector<Vector3>& points = *line.points;
    if (!line.closed || !(calc_clockwise_area(points) > 0.0)) return {};
    // Signed triangles from the mean of the points.
    Vector3 middle = Vector3::Zero();
    for (const Vector3& x : points) middle += x / static_cast<double>(points.size());
    Moments m;
    Vector3 first = Vector3::Zero();
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Vector3 a = points[k] - middle;
      const Vector3 b = points[(k + 1) % points.size()] - middle;
      const double area = 0.5 * (a(1) * b(0) - a(0) * b(1));
      const Vector3 sum = a + b;
      m.volume += area;
      first += area / 3.0 * sum;
      m.second += area / 12.0 * (a * a.transpose() + b * b.transpose() + sum * sum.transpose());
    }
    const Vector3 shift = first / m.volume;
    m.centroid = middle + shift;
    m.second -= m.volume * shift * shift.transpose();
    return m;
  }

  /// Sums the simplices spanned by an inner point and the hull's facets. For a simplex with
  /// corners v_k in n dimensions, integral of x x^T = V / ((n+1)(n+2)) (sum v v^T + s s^T), s = sum v.
  Moments hull_moments(const std::vector<Vector3>& points) const {
    const ConvexHull hull = make_convex_hull(points, planar);
    const int n = planar ? 2 : 3;
    Vector3 inner = Vector3::Zero();
    for (const int k : hull.vertices) inner += points[k];
    inner /= static_cast<double>(hull.vertices.size());
    double volume = 0.0;
    Vector3 first = Vector3::Zero();
    Matrix3 second = Matrix3::Zero();
    for (const auto& facet : hull.facets) {
      Matrix3 corner = Matrix3::Identity();  // columns: the facet's corners relative to `inner`
      for (int j = 0; j < n; ++j) corner.col(j) = points[facet[j]] - inner;
      if (planar) corner.col(2) = Vector3::UnitZ();
      const double simplex = std::abs(corner.determinant()) / (planar ? 2.0 : 6.0);
      if (planar) corner.col(2).setZero();
      const Vector3 sum = corner.rowwise().sum();
      volume += simplex;
      first += simplex / (n + 1.0) * sum;
      second += simplex / ((n + 1.0) * (n + 2.0)) * (corner * corner.transpose() + sum * sum.transpose());
    }
    Moments m;
    if (volume <= 0.0) return m;
    const Vector3 shift = first / volume;
    m.volume = volume;
    m.centroid = inner + shift;
    m.second = second - volume * shift * shift.transpose();
    return m;
  }
};

}  // namespace

MassProperties calc_mass_properties(std::span<const Shape> shapes, double density, bool planar) {
  return calc_mass_properties(shapes, std::vector<double>(shapes.size(), density), planar);
}

MassProperties calc_mass_properties(std::span<const Shape> shapes, std::span<const double> densities, bool planar) {
  std::vector<Moments> moments;
  moments.reserve(shapes.size());
  MassProperties total;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    moments.push_back(shape.contact.visual ? Moments{} : std::visit(SolidMoments{planar}, shape.geometry));
    total.mass += densities[i] * moments.back().volume;
  }
  if (!(total.mass > 0.0)) return total;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const double share = densities[i] * moments[i].volume / total.mass;
    total.center += share * (shapes[i].position + shapes[i].rotation * moments[i].centroid);
  }
  // About the centre from the start: moments about an origin far off would differ from these by m d^2, which takes
  // their digits.
  Matrix3 second = Matrix3::Zero();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Moments& m = moments[i];
    const Vector3 arm = shapes[i].position + shapes[i].rotation * m.centroid - total.center;
    second += densities[i] * (shapes[i].rotation * m.second * shapes[i].rotation.transpose());
    second += densities[i] * m.volume * arm * arm.transpose();
  }
  total.inertia = second.trace() * Matrix3::Identity() - second;
  if (planar) {
    const double polar = total.inertia(2, 2);
    total.inertia.setZero();
    total.inertia(2, 2) = polar;
  }
  return total;
}

std::string inertia_defect(const Matrix3& inertia) {
  // Entries come from files with some 15 digits: what differs by less is the same number.
  constexpr double kRelative = 1e-9;  // [-]
  const double scale = inertia.cwiseAbs().maxCoeff();
  if (!inertia.allFinite()) return "must be finite";
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > kRelative * scale) return "must be symmetric";
  const Vector3 principal = Eigen::SelfAdjointEigenSolver<Matrix3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  const auto numbers =
      fmt::format("principal moments {:.12g}, {:.12g}, {:.12g}", principal(0), principal(1), principal(2));
  if (!(principal(0) > 0.0)) return "must be positive definite (" + numbers + ")";
  if (principal(2) > (principal(0) + principal(1)) * (1.0 + kRelative)) {
    return "must obey the triangle inequality: no principal moment above the sum of the others (" + numbers + ")";
  }
  return {};
}

}  // namespace stickslip
