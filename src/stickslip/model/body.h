// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/aside.h"
#include "stickslip/geometry/shape.h"
#include "stickslip/math/expression.h"
#include "stickslip/math/types.h"
#include "stickslip/model/beam.h"

namespace stickslip {

enum class BodyType { rigid, planar, point, beam, fixed, moving };

/// "rigid", "planar", ...: the name in scene files.
inline std::string_view body_type_name(BodyType type) {
  constexpr std::array<std::string_view, 6> kNames = {"rigid", "planar", "point", "beam", "fixed", "moving"};
  return kNames[static_cast<std::size_t>(type)];
}

/// Where a body is: x_W = p_WB + R_WB x_B.
struct Pose {
  Vector3 p_WB = Vector3::Zero();      // (3) [m]
  Matrix3 R_WB = Matrix3::Identity();  // (3, 3) [-]
};

/// How a body moves, in the world frame.
struct Twist {
  Vector3 v_WB = Vector3::Zero();  // (3) [m/s] of the body's origin
  Vector3 w_WB = Vector3::Zero();  // (3) [rad/s]
};

/// A prescribed motion: position and rotation about a fixed axis as expressions of t.
struct Motion {
  std::array<Expression, 3> position;       // [m] world
  Vector3 axis = Vector3::UnitZ();          // (3) [-] unit, world
  Expression angle;                         // [rad]
  Matrix3 rotation0 = Matrix3::Identity();  // (3, 3) [-] orientation where angle is 0
  // Exact first and second time derivatives, set by SystemBuilder.
  std::array<Expression, 3> velocity, acceleration;  // [m/s], [m/s^2]
  Expression angle_rate, angle_acceleration;         // [rad/s], [rad/s^2]
};

/// How the surface of a shape moves over the shape, as a belt does: its velocity at a point x of the body's frame is
/// velocity + rate axis x (x - at), of which the part along the normal of a contact does not count.
struct SurfaceVelocity {
  int shape = 0;                       // index into Body::shapes
  std::array<Expression, 3> velocity;  // [m/s] of t, body frame
  Vector3 axis = Vector3::UnitZ();     // (3) [-] unit, body frame
  Expression rate;                     // [rad/s] of t
  Vector3 at = Vector3::Zero();        // (3) [m] body frame
  // Exact time derivatives, set by SystemBuilder.
  std::array<Expression, 3> acceleration;  // [m/s^2]
  Expression rate_dot;                     // [rad/s^2]
};

/// What a body is made of. Coordinates q and velocities u by type:
///   rigid   q = (position of the centre of mass (3), quaternion w, x, y, z (4)),
///           u = (velocity in the world frame (3), angular velocity in the body frame (3))
///   planar  q = (x, y, phi), u = (vx, vy, omega)
///   point   q = position, u = velocity; 3 of each, 2 in a planar system
///   beam    q = (x, y) of each control point in order, u = their rates; see Beam
///   fixed, moving  none
struct Body {
  std::string name;
  BodyType type = BodyType::rigid;
  double mass = 0.0;                  // [kg] > 0 where it can move
  Matrix3 inertia = Matrix3::Zero();  // (3, 3) [kg m^2] about the centre of mass, body frame; planar: (2, 2) only
  bool gyroscopic = true;             // rigid: keep the term omega x J omega
  bool is_rotor = false;              // a point that moves as a joint with armature does: without weight, not shown
  bool is_massless = false;           // its mass is lent, so that schemes have one: without weight
  Pose pose;                          // fixed only
  Aside<Motion> motion;               // moving only
  Aside<Beam> beam;                   // beam only, which sets the mass
  std::vector<Shape> shapes;          // in the body frame, whose origin is the centre of mass
  std::vector<SurfaceVelocity> surface_velocities;  // of some of the shapes
  Vector3 drawing_origin = Vector3::Zero();  // (3) [m] where the frame the user drew in has its origin, body frame

  int n_q = 0, q_offset = 0;  // set by SystemBuilder
  int n_u = 0, u_offset = 0;

  bool has_weight() const { return !is_rotor && !is_massless; }
};

/// Whether a body's last four coordinates are a quaternion; all others have its velocities for their rates.
inline bool has_quaternion(BodyType type) {
  switch (type) {
    case BodyType::rigid:
      return true;
    case BodyType::planar:
    case BodyType::point:
    case BodyType::beam:
    case BodyType::fixed:
    case BodyType::moving:
      return false;
  }
  return false;
}

/// The leading coordinates whose rates are the velocities.
inline int n_straight(const Body& body) {
  return has_quaternion(body.type) ? body.n_q - 4 : body.n_q;
}

/// The leading coordinates and velocities that are lengths [m], [m/s]; the others are of rotations.
inline int n_lengths(const Body& body) {
  switch (body.type) {
    case BodyType::rigid:
      return 3;
    case BodyType::planar:
      return 2;
    case BodyType::point:
    case BodyType::beam:
    case BodyType::fixed:
    case BodyType::moving:
      break;
  }
  return body.n_u;
}

}  // namespace stickslip
