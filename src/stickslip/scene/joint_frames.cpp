// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/joint_frames.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/math/rotation.h"

namespace stickslip {
namespace {

/// Second's frame as first's sees it.
struct RelativeFrame {
  Vector3 p;  // (3) [m]
  Matrix3 R;  // (3, 3) [-]
};

RelativeFrame relative_frame(const Pose& first, const Pose& second, const JointOptions& joint) {
  const Vector3 a = first.p_WB + first.R_WB * joint.on_first.at;
  const Vector3 b = second.p_WB + second.R_WB * joint.on_second.at;
  const Matrix3 A = first.R_WB * joint.on_first.axes;
  return {A.transpose() * (b - a), A.transpose() * second.R_WB * joint.on_second.axes};
}

/// A frame whose z axis is `axis` and whose x axis is the projection of `x` across it.
Matrix3 frame_of(const Vector3& axis, const Vector3& x) {
  Matrix3 frame;
  frame.col(2) = axis.normalized();
  frame.col(0) = (x - frame.col(2) * frame.col(2).dot(x)).normalized();
  frame.col(1) = frame.col(2).cross(frame.col(0));
  return frame;
}

/// The first tangent of a normal, as docs/scene-format.md states it.
Vector3 tangent_of(const Vector3& axis) {
  constexpr double kSwitch = 0.9;  // [-] of the normal's x component
  return std::abs(axis.normalized().x()) > kSwitch ? Vector3::UnitY() : Vector3::UnitX();
}

/// The angle of a rotation. [rad] in [0, pi]
double angle_of(const Matrix3& R) {
  const Vector3 twice_sine(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  return std::atan2(twice_sine.norm(), R.trace() - 1.0);
}

/// The angle between two unit vectors. [rad] in [0, pi]
double angle_between(const Vector3& a, const Vector3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

double turn_of(const RelativeFrame& r) {
  return std::atan2(r.R(1, 0), r.R(0, 0));
}

}  // namespace

void place_joint(const Pose& first, const Pose& second, const Vector3& at, const Vector3& axis,
                 const std::optional<Vector3>& axis2, JointOptions& joint) {
  const Matrix3 A = frame_of(axis, axis2.value_or(tangent_of(axis)));
  joint.on_first = JointFrame::from_world(first, at, A);
  const Matrix3 B = axis2 ? frame_of(A.col(0), A.col(2)) : A;
  joint.on_second = JointFrame::from_world(second, at, B);
}

void place_knife_edge(const Pose& first, const Pose& second, const Vector3& at, const Vector3& direction,
                      const Vector3& normal, JointOptions& joint) {
  joint.on_first = JointFrame::from_world(first, at, frame_of(normal, direction));
  const Vector3 across = direction.cross(normal.cross(direction));
  joint.on_second = JointFrame::from_world(second, at, frame_of(across, direction));
}

void place_disc(const Pose& first, const Pose& second, const Vector3& at, const Vector3& axis, const Vector3& normal,
                JointOptions& joint) {
  const Vector3 axle = axis.normalized();
  const Matrix3 A = frame_of(normal, axle);
  const Vector3 up = (A.col(2) - axle * axle.dot(A.col(2))).normalized();
  joint.on_first = JointFrame::from_world(first, at - joint.radius * up, A);
  joint.on_second = JointFrame::from_world(second, at, frame_of(axle, tangent_of(axle)));
}

JointMisfit calc_misfit(const Pose& first, const Pose& second, const JointOptions& joint) {
  const RelativeFrame r = relative_frame(first, second, joint);
  const double tilt = angle_between(Vector3::UnitZ(), r.R.col(2));
  switch (joint.type) {
    case JointType::revolute:
      return {r.p.norm(), tilt};
    case JointType::screw: {
      const double turns = r.p(2) / joint.pitch - turn_of(r) / (2.0 * std::numbers::pi);
      return {std::hypot(r.p.head<2>().norm(), joint.pitch * (turns - std::round(turns))), tilt};
    }
    case JointType::prismatic:
      return {r.p.head<2>().norm(), angle_of(r.R)};
    case JointType::spherical:
      return {r.p.norm(), 0.0};
    case JointType::cylindrical:
      return {r.p.head<2>().norm(), tilt};
    case JointType::universal:
      return {r.p.norm(), std::abs(std::asin(std::clamp(r.R(2, 2), -1.0, 1.0)))};
    case JointType::planar:
      return {std::abs(r.p(2)), tilt};
    case JointType::weld:
      return {r.p.norm(), angle_of(r.R)};
    case JointType::distance:
    case JointType::knife_edge:
    case JointType::rolling:
    case JointType::gear:
    case JointType::coupling:
      break;
  }
  return {};
}

void reset_coordinates(const Pose& first, const Pose& second, JointOptions& joint) {
  const RelativeFrame r = relative_frame(first, second, joint);
  Matrix3& A = joint.on_first.axes;
  Matrix3& B = joint.on_second.axes;
  const auto move = [&](int axis) { joint.on_first.at += r.p(axis) * A.col(axis); };
  const auto turn_back = [&] { B *= axis_angle_matrix(Vector3::UnitZ(), -turn_of(r)); };
  switch (joint.type) {
    case JointType::revolute:
      turn_back();
      break;
    case JointType::prismatic:
      move(2);
      break;
    case JointType::cylindrical:
    case JointType::screw:
      move(2);
      turn_back();
      break;
    case JointType::universal: {
      // Each x axis to where the other's axis is.
      const Vector3 second_axis = A * r.R.col(2);
      const Vector3 first_axis = B * r.R.row(2).transpose();
      A = frame_of(A.col(2), second_axis);
      B = frame_of(B.col(2), first_axis);
      break;
    }
    case JointType::planar:
      move(0);
      move(1);
      turn_back();
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
}

double calc_start_coordinate(const Pose& first, const Pose& second, const JointOptions& joint) {
  const RelativeFrame r = relative_frame(first, second, joint);
  if (joint.type == JointType::prismatic) return r.p(2);
  if (joint.type != JointType::screw) return turn_of(r);
  constexpr double kTurn = 2.0 * std::numbers::pi;
  return turn_of(r) + kTurn * std::round(r.p(2) / joint.pitch - turn_of(r) / kTurn);
}

}  // namespace stickslip
