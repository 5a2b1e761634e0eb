// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "stickslip/collision/manifold.h"
#include "stickslip/math/rotation.h"
#include "tests/support/convex_distance.h"

namespace stickslip::test {

// Shapes at random, and what is known of their solids without the narrow phase.

enum class Form { sphere, point, capsule, box, convex };

inline std::string name_of(Form form) {
  switch (form) {
    case Form::sphere:
      return "sphere";
    case Form::point:
      return "point";
    case Form::capsule:
      return "capsule";
    case Form::box:
      return "box";
    case Form::convex:
      return "convex";
  }
  return {};
}

class DrawSolids {
 public:
  explicit DrawSolids(unsigned seed, bool planar = false) : random_(seed), planar_(planar) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int index(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  Vector3 normal() {
    std::normal_distribution<double> normal;
    const double x = normal(random_);
    const double y = normal(random_);
    return {x, y, planar_ ? 0.0 : normal(random_)};
  }
  Vector3 axis() { return planar_ ? Vector3(Vector3::UnitZ()) : Vector3(normal().normalized()); }
  Matrix3 rotation() { return axis_angle_matrix(axis(), uniform(0.0, 6.0)); }

  Shape shape(Form form, double size) {
    Shape shape;
    switch (form) {
      case Form::sphere:
        shape.geometry = Sphere{0.5 * size, false};
        break;
      case Form::point:
        shape.geometry = PointShape{};
        break;
      case Form::capsule:
        shape.geometry = Capsule{size * uniform(0.05, 0.4), size * uniform(0.1, 1.0)};
        break;
      case Form::box:
        shape.geometry = Box{size * Vector3(uniform(0.1, 1.0), uniform(0.1, 1.0), uniform(0.1, 1.0))};
        break;
      case Form::convex: {
        Convex convex;
        switch (index(4)) {
          case 0:  // a wedge with one square face and rectangles
            convex.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
            break;
          case 1:  // an octahedron
            convex.points = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
            break;
          case 2:  // a hexagonal prism
            for (int k = 0; k < 6; ++k) {
              for (const double z : {-0.4, 0.3}) {
                convex.points.emplace_back(std::cos(k * M_PI / 3.0), std::sin(k * M_PI / 3.0), z);
              }
            }
            break;
          default:
            for (int k = 0; k < 9; ++k) convex.points.push_back(normal().normalized());
        }
        for (Vector3& point : convex.points) point *= 0.5 * size;
        shape.geometry = convex;
        break;
      }
    }
    if (index(2) == 0) {
      shape.position = 0.3 * size * normal();
      shape.rotation = rotation();
    }
    return shape;
  }

 private:
  std::mt19937 random_;
  bool planar_;
};

/// The core of a solid in the world. A planar one becomes a prism of such a height that nothing is nearer along it.
inline BruteHull brute_core(const Solid& solid, const Placement& at) {
  std::vector<Long3> points;
  const bool prism = solid.planar && solid.kind == Solid::Kind::polytope;
  for (const Vector3& v : solid.vertices) {
    const Long3 x = at.p.cast<Long>() + at.R.cast<Long>() * v.cast<Long>();
    if (!prism) {
      points.push_back(x);
      continue;
    }
    for (const double side : {-1.0, 1.0}) points.push_back(x + Long3(0.0L, 0.0L, side * solid.size));
  }
  return test::make_brute_hull(points);
}

inline const ManifoldPoint& nearest_point(const std::vector<ManifoldPoint>& points) {
  return *std::min_element(points.begin(), points.end(),
                           [](const ManifoldPoint& a, const ManifoldPoint& b) { return a.gap < b.gap; });
}

}  // namespace stickslip::test
