// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "stickslip/math/types.h"
#include "stickslip/model/frame.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// A frame on a body.
struct Site {
  std::string name;
  int body = 0;                           // not a beam
  Vector3 position = Vector3::Zero();     // (3) [m] in the body's frame, whose origin is the centre of mass
  Vector4 quaternion = Vector4::UnitX();  // (4) [-] w, x, y, z, of length one: site to body
};

/// How a site accelerates, world frame.
struct SiteAcceleration {
  Vector3 linear = Vector3::Zero();   // (3) [m/s^2] of its origin
  Vector3 angular = Vector3::Zero();  // (3) [rad/s^2]
};

/// Orientation R_WB of a body with `pose` at (t, q) as a quaternion (w, x, y, z).
Vector4 calc_body_orientation(const Body& body, const Pose& pose, const Vector& q);

/// Where the site is and how it moves.
BodyMotion calc_site_motion(const System& system, const Site& site, double t, const Vector& q, const Vector& u);

/// Orientation of a site, site to world, as a quaternion (w, x, y, z). Continuous in time on bodies whose coordinates
/// contain their orientation; on fixed and moving bodies that of the body has w >= 0. (4) [-]
Vector4 calc_site_quaternion(const System& system, const Site& site, double t, const Vector& q);

/// a (n_u): the accelerations u'.
SiteAcceleration calc_site_acceleration(const System& system, const Site& site, double t, const Vector& q,
                                        const Vector& u, const Vector& a);

/// J (6, n_u): the velocity of its origin and its angular velocity, world frame, are J u where nothing that has a
/// motion carries it.
Matrix calc_site_jacobian(const System& system, const Site& site, double t, const Vector& q);

}  // namespace stickslip
