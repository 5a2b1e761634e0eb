// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/joint.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "stickslip/model/gear_rows.h"
#include "stickslip/model/joint_kinematics.h"
#include "stickslip/model/pair_kinematics.h"
#include "stickslip/model/pair_rows.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

/// The angle of a body of a planar system, whole turns counted where it has a coordinate for it.
double planar_angle(const Body& body, const Frame<double>& frame, double t, const Vector& q) {
  if (body.type == BodyType::planar) return q(body.q_offset + 2);
  const auto angle_of_matrix = [](const Matrix3& R) { return std::atan2(R(1, 0), R(0, 0)); };
  if (body.type != BodyType::moving) return angle_of_matrix(frame.R);
  return body.motion->angle.value(t) * body.motion->axis.z() + angle_of_matrix(body.motion->rotation0);
}

/// The coordinate that a motion asks for, relative to where the frames coincide; 0 without a motion.
double driven_angle(const Joint& joint, double t) {
  return joint.options.motion ? joint.options.motion->value(t) - joint.options.coordinate_origin : 0.0;
}

/// Calls f with the rows of a joint.
template <class F>
auto with_constraint(const Joint& joint, F&& f) {
  return joint.options.gear ? f(GearRows(joint)) : f(PairRows::constraint(joint));
}

/// `angle`, moved by whole turns as near to `near` as it gets: a beam's tangent does not count its turns.
double wrap_to(double near, double angle) {
  return near + std::remainder(angle - near, 2.0 * std::numbers::pi);
}

}  // namespace

std::string_view joint_type_name(JointType type) {
  switch (type) {
    case JointType::revolute:
      return "revolute";
    case JointType::prismatic:
      return "prismatic";
    case JointType::spherical:
      return "spherical";
    case JointType::cylindrical:
      return "cylindrical";
    case JointType::universal:
      return "universal";
    case JointType::planar:
      return "planar";
    case JointType::weld:
      return "weld";
    case JointType::distance:
      return "distance";
    case JointType::knife_edge:
      return "knife-edge";
    case JointType::gear:
      return "gear";
  }
  return "";
}

void System::calc_joint_position(int j, double t, const Vector& q, JointVector& g) const {
  with_constraint(joints_[j], [&](const auto& rows) { rows.calc_position(*this, t, q, g); });
}

void System::calc_joint_velocity(int j, double t, const Vector& q, const Vector& u, JointVector& gamma) const {
  with_constraint(joints_[j], [&](const auto& rows) { rows.calc_velocity(*this, t, q, &u, gamma); });
}

void System::calc_joint_jacobian(int j, double t, const Vector& q, Side side, Eigen::Ref<RowMatrix> J) const {
  with_constraint(joints_[j], [&](const auto& rows) { rows.calc_jacobian(*this, t, q, side, J); });
}

void System::calc_joint_geometry(int j, double t, const Vector& q, const Vector* u, PairGeometry& geometry) const {
  with_constraint(joints_[j], [&](const auto& rows) { rows.calc_geometry(*this, t, q, u, geometry); });
}

void System::calc_joint_acceleration_bias(int j, double t, const Vector& q, const Vector& u, JointVector& zeta) const {
  with_constraint(joints_[j], [&](const auto& rows) { rows.calc_acceleration_bias(*this, t, q, u, zeta); });
}

void System::calc_joint_derivatives(int j, double t, const Vector& q, const Vector& u, const Vector& a,
                                    const JointVector& lambda, JointDerivatives& derivatives) const {
  with_constraint(joints_[j],
                  [&](const auto& rows) { rows.calc_derivatives(*this, t, q, u, &a, lambda, derivatives); });
}

JointReaction System::calc_joint_reaction(int j, double t, const Vector& q, const JointVector& lambda) const {
  return with_constraint(joints_[j], [&](const auto& rows) { return rows.calc_reaction(*this, t, q, lambda); });
}

JointReaction System::calc_joint_free_reaction(int j, double t, const Vector& q, double force) const {
  return PairRows::free_direction(joints_[j]).calc_reaction(*this, t, q, JointVector::Constant(1, force));
}

JointReaction System::calc_dry_friction_reaction(int k, double t, const Vector& q, const JointVector& lambda) const {
  return dry_friction_rows(k).calc_reaction(*this, t, q, lambda);
}

bool System::joint_has_prescribed_motion(int j) const {
  const Joint& joint = joints_[j];
  const auto on_moving = [this](const Joint& at) {
    return bodies_[at.first.body].type == BodyType::moving || bodies_[at.second.body].type == BodyType::moving;
  };
  if (joint.options.gear)
    return std::ranges::any_of(joint.options.gear->joints, [&](int i) { return on_moving(joints_[i]); });
  return joint.options.motion.has_value() || on_moving(joint);
}

double System::calc_joint_coordinate(int j, int c, double t, const Vector& q) const {
  const Joint& joint = joints_[j];
  const JointOptions& o = joint.options;
  if (c >= joint.n_coordinates) return std::numeric_limits<double>::quiet_NaN();
  const double origin = c == 0 ? o.coordinate_origin : 0.0;
  const Pair pair(*this, joint.first, joint.second);
  const PairCoordinates local(pair, q, nullptr, nullptr);
  const PairFrames<double> frames = pair_frames<double>(pair, t, local.q, local.u);
  if (joint.spatial || c < joint.n_free_lengths) {
    const double g = free_row(joint, c, frames.first, frames.second).g;
    if (c < joint.n_free_lengths) return g + origin;
    // A motion says how often its joint has turned, in however few steps.
    const double near = o.motion ? driven_angle(joint, t) : q(joint.turns_offset + c - joint.n_free_lengths);
    return wrap_to(near, g) + origin;
  }
  double turned = planar_angle(pair.second_body, frames.second, t, q) -
                  planar_angle(pair.first_body, frames.first, t, q) - o.relative_angle;
  if (pair.first.n_control > 0 || pair.second.n_control > 0) turned = wrap_to(driven_angle(joint, t), turned);
  return turned + origin;
}

double System::calc_joint_rate(int j, int c, double t, const Vector& q, const Vector& u) const {
  if (c >= joints_[j].n_coordinates) return std::numeric_limits<double>::quiet_NaN();
  JointVector rate;
  PairRows::free_directions(joints_[j], c, 1).calc_velocity(*this, t, q, &u, rate);
  return rate(0);
}

JointCoordinate System::calc_joint_coordinate(int j, int c, double t, const Vector& q, const Vector& u) const {
  return {calc_joint_coordinate(j, c, t, q), calc_joint_rate(j, c, t, q, u)};
}

void System::count_turns(double t, Vector& q) const {
  for (std::size_t i = 0; n_turns_ > 0 && i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    if (joint.turns_offset < 0) continue;
    const auto j = static_cast<int>(i);
    for (int c = joint.n_free_lengths; c < joint.n_coordinates; ++c) {
      const double origin = c == 0 ? joint.options.coordinate_origin : 0.0;
      q(joint.turns_offset + c - joint.n_free_lengths) = calc_joint_coordinate(j, c, t, q) - origin;
    }
  }
}

double System::calc_joint_drive(int j, double t, const Vector& q, const Vector& u) const {
  const JointOptions& o = joints_[j].options;
  double force = o.force ? o.force->value(t) : 0.0;
  if (o.spring) force -= o.spring->stiffness * (calc_joint_coordinate(j, t, q) - o.spring->rest);
  return force + calc_joint_damping(j, t, q, u);
}

double System::calc_joint_damping(int j, double t, const Vector& q, const Vector& u) const {
  const JointOptions& o = joints_[j].options;
  return o.spring && o.spring->damping > 0.0 ? -o.spring->damping * calc_joint_rate(j, 0, t, q, u) : 0.0;
}

}  // namespace stickslip
