// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "stickslip/math/types.h"
#include "stickslip/model/body.h"
#include "stickslip/model/joint.h"

namespace stickslip {

/// A velocity of a rigid body by that of its material point at the origin of the world.
struct OriginTwist {
  Vector3 w = Vector3::Zero();    // (3) [rad/s]
  Vector3 v_O = Vector3::Zero();  // (3) [m/s]
  Vector3 at(const Vector3& p) const { return v_O + w.cross(p); }
  OriginTwist operator+(const OriginTwist& other) const { return {w + other.w, v_O + other.v_O}; }
  OriginTwist operator*(double factor) const { return {factor * w, factor * v_O}; }
};

OriginTwist turn_about(const Vector3& axis, const Vector3& p);
OriginTwist slide_along(const Vector3& axis);

Pose compose(const Pose& a, const Pose& b);
Pose invert(const Pose& a);

/// Second's joint frame in first's, at coordinates x from where they coincide; not of spherical joints.
Pose calc_displacement(const Joint& joint, const std::array<double, 3>& x);

/// What a unit rate of a coordinate does to second, first at rest; of a spherical joint the coordinates are rotations
/// about second's own axes.
OriginTwist calc_unit_twist(const Joint& joint, const Pose& first, const Pose& second, int direction);

}  // namespace stickslip
