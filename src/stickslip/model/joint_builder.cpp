// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

/// Rows of a joint without its motion, the angle rows among them, what it leaves free, and what it needs.
struct JointKind {
  int dim = 0;
  int n_angle_rows = 0;
  int n_free = 0;            // free directions that have rows, lengths first
  int n_free_lengths = 0;    // of them
  bool needs_angle = false;  // without a motion
  int n_nonholonomic = 0;    // rows, the last ones
};

/// None where there is no such joint.
std::optional<JointKind> planar_kind_of(const JointOptions& o) {
  switch (o.type) {
    case JointType::revolute:
      return JointKind{2, 0, 1, 0, false};
    case JointType::prismatic:
      return JointKind{2, 1, 1, 1, true};
    case JointType::weld:
      return JointKind{3, 1, 0, 0, true};
    case JointType::distance:
      return o.limits ? JointKind{0, 0, 1, 1, false} : JointKind{1, 0, 0, 0, false};
    case JointType::knife_edge:
      return JointKind{1, 0, 0, 0, true, 1};
    case JointType::spherical:
    case JointType::cylindrical:
    case JointType::universal:
    case JointType::planar:
    case JointType::screw:
    case JointType::rolling:
    case JointType::gear:
    case JointType::coupling:  // add_coupling()
      break;
  }
  return {};
}

std::optional<JointKind> spatial_kind_of(const JointOptions& o) {
  switch (o.type) {
    case JointType::revolute:
      return JointKind{5, 2, 1, 0, true};
    case JointType::prismatic:
      return JointKind{5, 3, 1, 1, true};
    case JointType::spherical:
      return JointKind{3, 0, 3, 0, false};
    case JointType::cylindrical:
      return JointKind{4, 2, 2, 1, true};
    case JointType::universal:
      return JointKind{4, 1, 2, 0, true};
    case JointType::planar:
      return JointKind{3, 2, 3, 2, true};
    case JointType::weld:
      return JointKind{6, 3, 0, 0, true};
    case JointType::distance:
    case JointType::knife_edge:
      return planar_kind_of(o);
    case JointType::screw:
      return JointKind{5, 2, 1, 0, true};
    case JointType::rolling:
      return JointKind{3, 0, 0, 0, true, 2};
    case JointType::gear:
    case JointType::coupling:
      break;
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

int SystemBuilder::add_coupling(std::string name, JointType type, std::vector<JointTerm> terms) {
  const auto refuse = [&name](const std::string& why) { throw InputError(fmt::format("joint '{}': {}", name, why)); };
  if (terms.empty()) refuse("it needs joints to couple");
  Joint joint;
  joint.options.name = name;
  joint.options.type = type;
  std::unordered_set<int> found;
  for (const JointTerm& term : terms) {
    if (term.joint < 0 || term.joint >= static_cast<int>(system_.joints_.size()))
      refuse("it needs joints that there are");
    if (!std::isfinite(term.coefficient) || term.coefficient == 0.0) {
      refuse(type == JointType::gear ? "the ratio must be finite and not 0" : "coefficients must be finite and not 0");
    }
    const Joint& of_term = system_.joints_[term.joint];
    if (!of_term.has_single_coordinate()) {
      refuse(
          fmt::format("joint '{}' has not one coordinate: couple revolute, prismatic and screw joints and distances "
                      "with limits",
                      of_term.options.name));
    }
    if (!found.insert(term.joint).second)
      refuse(fmt::format("it needs different joints: '{}' is there twice", of_term.options.name));
    for (const Attachment* side : {&of_term.first, &of_term.second}) {
      if (side->n_control > 0) refuse("a beam does not count its turns: couple joints of rigid bodies");
      const auto same = [&](const Attachment& at) { return at.body == side->body; };
      if (std::ranges::none_of(joint.coupled, same)) joint.coupled.push_back(*side);
    }
  }
  if (!joint_names_.insert(name).second) refuse("the name is taken");
  std::stable_partition(joint.coupled.begin(), joint.coupled.end(), [](const Attachment& at) { return at.n_u > 0; });
  const Joint& last = system_.joints_[terms.back().joint];
  joint.options.first = last.options.first;
  joint.options.second = last.options.second;
  joint.options.on_first = last.options.on_first;
  joint.options.on_second = last.options.on_second;
  joint.options.terms = std::move(terms);
  joint.first = last.first;
  joint.second = last.second;
  joint.dim = joint.n_position_rows = 1;
  // Of a coupling units may be mixed.
  joint.n_angle_rows = type == JointType::gear && last.turns() ? 1 : 0;
  joint.spatial = !system_.planar_;
  system_.joints_.push_back(std::move(joint));
  return static_cast<int>(system_.joints_.size()) - 1;
}

int SystemBuilder::add_joint(const JointOptions& options) {
  const auto refuse = [&options](const std::string& why) {
    throw InputError(fmt::format("joint '{}': {}", options.name, why));
  };
  const std::optional<JointKind> found = system_.planar_ ? planar_kind_of(options) : spatial_kind_of(options);
  if (!found) {
    refuse(fmt::format("{} is available in {} systems only", joint_type_name(options.type),
                       system_.planar_ ? "spatial" : "planar"));
  }
  const JointKind kind = *found;
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
  for (const JointFrame* frame : {&options.on_first, &options.on_second}) {
    if (!frame->at.allFinite() || !is_rotation(frame->axes)) refuse("its frame must be finite, its axes orthonormal");
  }
  if (options.type == JointType::distance && !options.limits &&
      (!std::isfinite(options.length) || !(options.length > 0.0))) {
    refuse("the distance must be positive");
  }
  if (options.type == JointType::screw && (!std::isfinite(options.pitch) || options.pitch == 0.0)) {
    refuse("the pitch must be finite and not 0");
  }
  if (options.type == JointType::rolling && (!std::isfinite(options.radius) || !(options.radius > 0.0))) {
    refuse("the radius must be positive");
  }
  for (const int body : {options.first, options.second}) {
    if ((kind.needs_angle || options.motion) && system_.bodies_[body].type == BodyType::point)
      refuse("a point has no orientation");
  }
  joint.dim = kind.dim;
  joint.n_angle_rows = kind.n_angle_rows;
  joint.spatial = !system_.planar_;
  joint.n_free = kind.n_free;
  joint.n_free_lengths = kind.n_free_lengths;
  joint.n_coordinates = options.type == JointType::spherical ? 0 : kind.n_free;
  if (options.motion) {
    if (!joint.has_single_coordinate() || options.type == JointType::distance) {
      refuse("only a revolute, prismatic or screw joint takes a motion");
    }
    ++joint.dim;
    joint.n_angle_rows += joint.turns() ? 1 : 0;
    joint.motion_rate = options.motion->derivative();
    joint.motion_acceleration = joint.motion_rate.derivative();
  }
  const auto is_finite_and_not_negative = [](double x) { return std::isfinite(x) && x >= 0.0; };
  const bool has_friction =
      options.friction != 0.0 || options.friction_torque != 0.0 || options.friction_of_load != 0.0;
  const bool is_ball = options.type == JointType::spherical;
  if ((options.spring || options.force || options.limits) && !joint.has_single_coordinate() &&
      (!is_ball || options.force || options.limits)) {
    refuse(
        "only a joint with one coordinate (revolute, prismatic, screw, distance with limits) takes a spring, a force "
        "or limits");
  }
  if (has_friction && joint.n_free == 0) refuse("the joint has no free direction for friction");
  const bool has_armature = options.armature != 0.0;
  if (!is_finite_and_not_negative(options.armature)) refuse("armature must not be negative");
  if (has_armature && !joint.has_single_coordinate() && !is_ball) {
    refuse("only a spherical joint and one with one coordinate take armature");
  }
  if (options.spring || options.force || has_friction || options.limits || has_armature) {
    for (const int body : {options.first, options.second}) {
      if (joint.n_free > joint.n_free_lengths && system_.bodies_[body].type == BodyType::point) {
        refuse("a point has no orientation");
      }
    }
  }
  if (!is_finite_and_not_negative(options.friction) || !is_finite_and_not_negative(options.friction_torque)) {
    refuse("friction must not be negative");
  }
  if (!is_finite_and_not_negative(options.friction_of_load)) refuse("friction must not be negative");
  if (options.friction_of_load > 0.0 && options.type != JointType::revolute && options.type != JointType::prismatic) {
    refuse("only a revolute or prismatic joint has friction by its load");
  }
  if (options.friction_torque > 0.0 && (joint.n_free_lengths == 0 || joint.n_free_lengths == joint.n_free)) {
    refuse("one bound of friction: forces and torques are not both free");
  }
  if (options.spring) {
    const JointSpring& s = *options.spring;
    if (!is_finite_and_not_negative(s.stiffness) || !is_finite_and_not_negative(s.damping) || !std::isfinite(s.rest)) {
      refuse("stiffness and damping of the spring must not be negative");
    }
    if (is_ball && s.stiffness != 0.0) refuse("a spherical joint has a damper, but no spring");
  }
  if (options.limits) {
    const JointLimits& l = *options.limits;
    if (!(l.low < l.high) || !std::isfinite(l.low) || !std::isfinite(l.high)) refuse("limits are [low, high]");
    if (!(l.restitution >= 0.0 && l.restitution <= 1.0)) refuse("restitution must be in [0, 1]");
    if (options.motion) refuse("a motion prescribes the coordinate: limits have nothing to limit");
    if (options.type == JointType::distance && !(l.low >= 0.0)) refuse("limits of a distance must not be negative");
  }
  joint.n_position_rows = joint.dim - kind.n_nonholonomic;
  joint.options.relative_angle = relative_angle(options);
  joint_names_.insert(options.name);
  system_.joints_.push_back(std::move(joint));
  const int index = static_cast<int>(system_.joints_.size()) - 1;
  if (system_.joints_[index].is_driven()) system_.driven_joints_.push_back(index);
  add_joint_friction(index);
  if (options.limits) add_limits(index);
  return index;
}

int SystemBuilder::add_named_input(NamedInput input) {
  if (!(input.low < input.high)) throw InputError("input '" + input.name + "': its range is [low, high], low < high");
  system_.inputs_.push_back(std::move(input));
  return static_cast<int>(system_.inputs_.size()) - 1;
}

void SystemBuilder::set_joint_servos(int index, std::vector<JointServo> servos, std::vector<Signal> forces,
                                     std::optional<EffortLimit> limit) {
  Joint& joint = system_.joints_[index];
  const auto refuse = [&joint](const std::string& why) {
    throw InputError("joint '" + joint.options.name + "': " + why);
  };
  if (!joint.has_single_coordinate()) {
    refuse("only a joint with one coordinate (revolute, prismatic, screw, distance with limits) takes a servo");
  }
  for (const int body : {joint.options.first, joint.options.second}) {
    if (joint.turns() && system_.bodies_[body].type == BodyType::point) refuse("a point has no orientation");
  }
  const auto is_gain = [](double x) { return std::isfinite(x) && x >= 0.0; };
  for (const JointServo& servo : servos) {
    if (!is_gain(servo.stiffness) || !is_gain(servo.damping)) refuse("gains of a servo must not be negative");
    if (!(servo.low <= servo.high)) refuse("the limit of a servo is [low, high]");
  }
  if (limit && !(limit->low <= limit->high)) refuse("the limit of the effort is [low, high]");
  joint.options.servos = std::move(servos);
  joint.options.forces = std::move(forces);
  joint.options.effort_limit = limit;
}

/// The rotor of a joint and what ties it: rows of rates alone, as where it is does not matter.
void SystemBuilder::add_rotor(int index) {
  const Joint source = system_.joints_[index];
  Body rotor;
  rotor.name = source.options.name + "~armature";
  rotor.type = BodyType::point;
  rotor.mass = source.options.armature;
  rotor.is_rotor = true;
  Joint joint;
  joint.options.name = rotor.name;
  joint.options.type = JointType::coupling;
  joint.options.first = source.options.first;
  joint.options.second = source.options.second;
  joint.options.terms = {{.joint = index, .coefficient = 1.0}};
  joint.first = source.first;
  joint.second = source.second;
  joint.rotor = add_body(std::move(rotor));
  joint.coupled = {source.first, source.second};
  std::stable_partition(joint.coupled.begin(), joint.coupled.end(), [](const Attachment& at) { return at.n_u > 0; });
  joint.coupled.insert(joint.coupled.begin() + 1, system_.origins_[joint.rotor]);
  joint.dim = source.options.type == JointType::spherical ? 3 : 1;
  joint.spatial = source.spatial;
  system_.joints_.push_back(std::move(joint));
  ++system_.n_rotors_;
}

void SystemBuilder::add_joint_friction(int index) {
  const Joint& joint = system_.joints_[index];
  const int n_lengths = joint.n_free_lengths;
  const int n_angles = joint.n_free - n_lengths;
  const double torque = n_lengths > 0 ? joint.options.friction_torque : joint.options.friction;
  if (n_lengths > 0) add_joint_friction(index, 0, n_lengths, joint.options.friction);
  if (joint.options.type == JointType::universal) {
    for (int axis = 0; axis < n_angles; ++axis) add_joint_friction(index, axis, 1, torque);
  } else if (n_angles > 0) {
    add_joint_friction(index, n_lengths, n_angles, torque);
  }
}

void SystemBuilder::add_joint_friction(int index, int first_free, int dim, double bound) {
  const Joint& joint = system_.joints_[index];
  const double of_load = joint.options.friction_of_load;
  if (!(bound > 0.0 || of_load > 0.0)) return;
  const bool turns = first_free >= joint.n_free_lengths;
  system_.dry_frictions_.push_back({-1, index, dim, turns, bound, of_load, joint.first, joint.second, first_free});
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
