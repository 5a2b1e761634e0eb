// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/joint_motion.h"

#include <Eigen/Geometry>
#include <numbers>

#include "stickslip/math/rotation.h"

namespace stickslip {
namespace {

Matrix3 turn_z(double angle) {
  return axis_angle_matrix(Vector3::UnitZ(), angle);
}

}  // namespace

OriginTwist turn_about(const Vector3& axis, const Vector3& p) {
  return {axis, p.cross(axis)};
}

OriginTwist slide_along(const Vector3& axis) {
  return {Vector3::Zero(), axis};
}

Pose compose(const Pose& a, const Pose& b) {
  return {a.p_WB + a.R_WB * b.p_WB, a.R_WB * b.R_WB};
}

Pose invert(const Pose& a) {
  return {-(a.R_WB.transpose() * a.p_WB), a.R_WB.transpose()};
}

Pose calc_displacement(const Joint& joint, const std::array<double, 3>& x) {
  Pose d;
  switch (joint.options.type) {
    case JointType::revolute:
      d.R_WB = turn_z(x[0]);
      break;
    case JointType::prismatic:
      d.p_WB = x[0] * (!joint.spatial ? Vector3::UnitX() : Vector3::UnitZ());
      break;
    case JointType::screw:
      d.p_WB = x[0] * joint.options.pitch / (2.0 * std::numbers::pi) * Vector3::UnitZ();
      d.R_WB = turn_z(x[0]);
      break;
    case JointType::cylindrical:
      d.p_WB = x[0] * Vector3::UnitZ();
      d.R_WB = turn_z(x[1]);
      break;
    case JointType::universal: {
      Matrix3 exchange;
      exchange << 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0;
      d.R_WB = turn_z(x[0]) * exchange * turn_z(x[1]);
      break;
    }
    case JointType::planar:
      d.p_WB = Vector3(x[0], x[1], 0.0);
      d.R_WB = turn_z(x[2]);
      break;
    case JointType::spherical:
    case JointType::weld:
    case JointType::distance:
    case JointType::knife_edge:
    case JointType::rolling:
    case JointType::gear:
    case JointType::coupling:
      break;
  }
  return d;
}

OriginTwist calc_unit_twist(const Joint& joint, const Pose& first, const Pose& second, int direction) {
  const JointOptions& o = joint.options;
  const Matrix3 A = first.R_WB * o.on_first.axes;
  const Vector3 p = second.p_WB + second.R_WB * o.on_second.at;
  OriginTwist twist;
  switch (o.type) {
    case JointType::revolute:
      twist = turn_about(A.col(2), p);
      break;
    case JointType::prismatic:
      twist = slide_along(A.col(!joint.spatial ? 0 : 2));
      break;
    case JointType::screw:
      twist = turn_about(A.col(2), p) + slide_along(A.col(2)) * (o.pitch / (2.0 * std::numbers::pi));
      break;
    case JointType::cylindrical:
      twist = direction == 0 ? slide_along(A.col(2)) : turn_about(A.col(2), p);
      break;
    case JointType::universal:
      twist = turn_about(direction == 0 ? Vector3(A.col(2)) : Vector3(second.R_WB * o.on_second.axes.col(2)), p);
      break;
    case JointType::planar:
      twist = direction < 2 ? slide_along(A.col(direction)) : turn_about(A.col(2), p);
      break;
    case JointType::spherical:
      twist = turn_about(second.R_WB.col(direction), p);
      break;
    case JointType::weld:
    case JointType::distance:
    case JointType::knife_edge:
    case JointType::rolling:
    case JointType::gear:
    case JointType::coupling:
      break;
  }
  return twist;
}

}  // namespace stickslip
