// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "stickslip/base/input_error.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

/// Rows of a joint without its motion, the angle rows among them, and what it needs.
struct JointKind {
  int dim;
  int n_angle_rows;
  bool holonomic;
  bool planar_only;
  bool takes_motion;
  bool needs_angle;  // without a motion
};

JointKind kind_of(JointType type) {
  switch (type) {
    case JointType::revolute:
      return {2, 0, true, true, true, false};
    case JointType::prismatic:
      return {2, 1, true, true, true, true};
    case JointType::weld:
      return {3, 1, true, true, false, true};
    case JointType::distance:
      return {1, 0, true, false, false, false};
    case JointType::knife_edge:
      return {1, 0, false, true, false, true};
  }
  return {};
}

bool is_rotation(const Matrix3& R) {
  constexpr double kRoundOff = 1e-9;  // [-] what composing and transposing rotations may lose
  return (R.transpose() * R - Matrix3::Identity()).cwiseAbs().maxCoeff() < kRoundOff && R.determinant() > 0.0;
}

/// The angle nearest to `wish` by which second's body frame is turned against first's where the frames coincide.
double relative_angle(const JointOptions& o) {
  const Matrix3 R = o.on_first.axes * o.on_second.axes.transpose();
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const double wrapped = std::atan2(R(1, 0), R(0, 0));
  return wrapped + kTurn * std::round((o.relative_angle - wrapped) / kTurn);
}

}  // namespace

int SystemBuilder::add_joint(const JointOptions& options) {
  const auto refuse = [&options](const std::string& why) {
    throw InputError(fmt::format("joint '{}': {}", options.name, why));
  };
  const JointKind kind = kind_of(options.type);
  if (joint_names_.contains(options.name)) refuse("the name is taken");
  Joint joint;
  joint.options = options;
  joint.first = system_.attach(options.first, options.on_first.parameter);
  joint.second = system_.attach(options.second, options.on_second.parameter);
  for (const double xi : {options.on_first.parameter, options.on_second.parameter}) {
    if (!(xi >= 0.0 && xi <= 1.0)) refuse("the parameter on a beam must be in [0, 1]");
  }
  if (options.first == options.second) refuse("a body cannot be joined to itself");
  if (joint.first.n_u + joint.second.n_u == 0) refuse("neither body can move");
  if (kind.planar_only && !system_.planar_) {
    refuse(fmt::format("{} is available in planar systems only", joint_type_name(options.type)));
  }
  for (const JointFrame* frame : {&options.on_first, &options.on_second}) {
    if (!frame->at.allFinite() || !is_rotation(frame->axes)) refuse("its frame must be finite, its axes orthonormal");
  }
  if (options.type == JointType::distance && (!std::isfinite(options.length) || !(options.length > 0.0))) {
    refuse("the distance must be positive");
  }
  for (const int body : {options.first, options.second}) {
    if ((kind.needs_angle || options.motion) && system_.bodies_[body].type == BodyType::point)
      refuse("a point has no orientation");
  }
  joint.dim = kind.dim;
  joint.n_angle_rows = kind.n_angle_rows;
  joint.holonomic = kind.holonomic;
  if (options.motion) {
    if (!kind.takes_motion) refuse("only a revolute or prismatic joint takes a motion");
    ++joint.dim;
    joint.n_angle_rows += joint.turns() ? 1 : 0;
    joint.motion_rate = options.motion->derivative();
    joint.motion_acceleration = joint.motion_rate.derivative();
  }
  const auto is_finite_and_not_negative = [](double x) { return std::isfinite(x) && x >= 0.0; };
  if (options.spring || options.force || options.friction != 0.0 || options.limits) {
    if (!joint.has_coordinate()) refuse("only a revolute or prismatic joint has a free direction");
    for (const int body : {options.first, options.second}) {
      if (joint.turns() && system_.bodies_[body].type == BodyType::point) refuse("a point has no orientation");
    }
  }
  if (!is_finite_and_not_negative(options.friction)) refuse("friction must not be negative");
  if (options.spring) {
    const JointSpring& s = *options.spring;
    if (!is_finite_and_not_negative(s.stiffness) || !is_finite_and_not_negative(s.damping) || !std::isfinite(s.rest)) {
      refuse("stiffness and damping of the spring must not be negative");
    }
  }
  if (options.limits) {
    const JointLimits& l = *options.limits;
    if (!(l.low < l.high) || !std::isfinite(l.low) || !std::isfinite(l.high)) refuse("limits are [low, high]");
    if (!(l.restitution >= 0.0 && l.restitution <= 1.0)) refuse("restitution must be in [0, 1]");
    if (options.motion) refuse("a motion prescribes the coordinate: limits have nothing to limit");
  }
  joint.options.relative_angle = relative_angle(options);
  joint_names_.insert(options.name);
  system_.joints_.push_back(std::move(joint));
  const int index = static_cast<int>(system_.joints_.size()) - 1;
  if (system_.joints_[index].is_driven()) system_.driven_joints_.push_back(index);
  if (options.friction > 0.0) add_joint_friction(index);
  if (options.limits) add_limits(index);
  return index;
}

void SystemBuilder::add_joint_friction(int index) {
  const Joint& joint = system_.joints_[index];
  system_.dry_frictions_.push_back({-1, index, 1, joint.turns(), joint.options.friction, joint.first, joint.second});
}

void SystemBuilder::add_limits(int index) {
  const Joint& joint = system_.joints_[index];
  const JointLimits& limits = *joint.options.limits;
  ContactPair pair;
  pair.options.name = joint.options.name + "-limits";
  pair.options.first = joint.options.first;
  pair.options.second = joint.options.second;
  pair.options.law.restitution_normal = limits.restitution;
  pair.first_point = static_cast<int>(system_.points_.size());
  const int pair_index = static_cast<int>(system_.contacts_.size());
  if (!contact_names_.insert(pair.options.name).second) {
    throw InputError(
        fmt::format("joint '{}': contact '{}' has the name of its limits", joint.options.name, pair.options.name));
  }
  for (const bool is_high : {false, true}) {
    ContactPoint point;
    point.pair = pair_index;
    point.index = pair.n_points++;
    point.id = {static_cast<std::uint64_t>(pair_index), static_cast<std::uint64_t>(point.index)};
    point.joint = index;
    point.is_high = is_high;
    system_.points_.push_back(point);
  }
  system_.contacts_.push_back(std::move(pair));
}

}  // namespace stickslip
