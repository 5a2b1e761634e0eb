// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "stickslip/geometry/shape.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// A half line in the frame of a shape: origin + s direction, s >= 0.
struct Ray {
  Vector3 origin = Vector3::Zero();      // (3) [m]
  Vector3 direction = Vector3::UnitZ();  // (3) [-] unit
};

/// A shape as rays see it.
class RayTarget {
 public:
  /// Throws InputError where a hull has no volume (no area when `planar`).
  RayTarget(const ShapeGeometry& geometry, bool planar);

  /// How far from its origin the ray is first in the solid: 0 where it begins there, infinity where it misses. [m] A
  /// container is solid outside its surface. Rays pass points, which have no size. In a planar scene the ray is in the
  /// plane, and of boxes and hulls the first two coordinates count.
  double calc_distance(const Ray& ray) const;

 private:
  ShapeGeometry geometry_;
  std::vector<std::pair<Vector3, double>> sides_;  // of a box or a hull: outward unit normal, and its offset [m]
};

}  // namespace stickslip
