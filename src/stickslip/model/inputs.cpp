// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/model/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stickslip/base/input_error.h"
#include "stickslip/model/system.h"

namespace stickslip {
namespace {

bool before(const BodyInput& a, const BodyInput& b) {
  return a.body < b.body;
}
bool before(const JointInput& a, const JointInput& b) {
  return a.joint < b.joint;
}

bool is_same_place(const BodyInput& a, const BodyInput& b) {
  return a.body == b.body && a.at == b.at && a.parameter == b.parameter && a.body_frame == b.body_frame;
}

void check_input(const System& system, const BodyInput& input) {
  const int n = static_cast<int>(system.bodies().size());
  if (input.body < 0 || input.body >= n) {
    throw InputError(fmt::format("an input on body {}: there are bodies 0 to {}", input.body, n - 1));
  }
  const Body& body = system.bodies()[input.body];
  const auto refuse = [&body](const char* why) {
    throw InputError(fmt::format("an input on body '{}': {}", body.name, why));
  };
  if (body.n_u == 0) refuse("it cannot move");
  if (!(input.parameter >= 0.0 && input.parameter <= 1.0)) refuse("the parameter on a beam must be in [0, 1]");
  if (!input.at.array().isFinite().all()) refuse("its point must be finite");
  if (body.type == BodyType::point && (input.torque != Vector3::Zero() || input.at != Vector3::Zero())) {
    refuse("a point has no orientation: forces act at its origin, torques do not");
  }
  if (system.planar() && (input.force.z() != 0.0 || input.torque.head<2>() != Eigen::Vector2d::Zero())) {
    refuse("in a planar system forces are in the plane, torques about z");
  }
}

void check_input(const System& system, const JointInput& input) {
  const int n = static_cast<int>(system.joints().size());
  if (input.joint < 0 || input.joint >= n) {
    throw InputError(fmt::format("an input in joint {}: there are {} joints, counted from 0", input.joint, n));
  }
  const Joint& joint = system.joints()[input.joint];
  const auto refuse = [&joint](const char* why) {
    throw InputError(fmt::format("an input in joint '{}': {}", joint.options.name, why));
  };
  if (!joint.has_single_coordinate()) refuse("only a joint with one coordinate has a free direction");
  for (const Side side : {Side::first, Side::second}) {
    if (joint.turns() && system.bodies()[joint.side(side).body].type == BodyType::point) {
      refuse("a point has no orientation");
    }
  }
}

bool before(const NamedValue& a, const NamedValue& b) {
  return a.input < b.input;
}

void check_input(const System& system, const NamedValue& value) {
  const int n = static_cast<int>(system.inputs().size());
  if (value.input < 0 || value.input >= n) {
    throw InputError(fmt::format("an input by name {}: there are {}, counted from 0", value.input, n));
  }
}

}  // namespace

void Inputs::set_force(const System& system, int body, const Vector3& force, const Vector3& torque) {
  set(system, {body, force, torque});
}

void Inputs::set(const System& system, const BodyInput& input) {
  check_input(system, input);
  const auto [first, last] = std::equal_range(bodies_.begin(), bodies_.end(), input,
                                              [](const BodyInput& a, const BodyInput& b) { return before(a, b); });
  const auto known = std::find_if(first, last, [&](const BodyInput& other) { return is_same_place(other, input); });
  if (known != last) {
    *known = input;
  } else {
    bodies_.insert(last, input);
  }
}

void Inputs::set_effort(const System& system, int joint, double effort) {
  const JointInput input{joint, effort};
  check_input(system, input);
  const auto place = std::lower_bound(joints_.begin(), joints_.end(), input,
                                      [](const JointInput& a, const JointInput& b) { return before(a, b); });
  if (place != joints_.end() && place->joint == joint) {
    place->effort = effort;
  } else {
    joints_.insert(place, input);
  }
}

void Inputs::set_named(const System& system, int input, double value) {
  const NamedValue given{input, value};
  check_input(system, given);
  const auto place = std::lower_bound(named_.begin(), named_.end(), given,
                                      [](const NamedValue& a, const NamedValue& b) { return before(a, b); });
  const bool is_known = place != named_.end() && place->input == input;
  if (std::isnan(value)) {
    if (is_known) named_.erase(place);
  } else if (is_known) {
    place->value = value;
  } else {
    named_.insert(place, given);
  }
}

double Inputs::named(const System& system, int input, double t, const Vector& q, const Vector& u) const {
  const NamedInput& of_scene = system.inputs()[input];
  const auto given = std::ranges::find(named_, input, &NamedValue::input);
  const double value = given != named_.end() ? given->value : of_scene.value.value(system, t, q, u);
  return std::clamp(value, of_scene.low, of_scene.high);
}

void Inputs::clear() {
  named_.clear();
  bodies_.clear();
  joints_.clear();
}

bool Inputs::assign(std::vector<BodyInput> bodies, std::vector<JointInput> joints, std::vector<NamedValue> named) {
  const auto not_ascending = [](const auto& a, const auto& b) { return before(b, a); };
  const auto not_apart = [](const JointInput& a, const JointInput& b) { return !before(a, b); };
  if (std::adjacent_find(bodies.begin(), bodies.end(), not_ascending) != bodies.end()) return false;
  if (std::adjacent_find(joints.begin(), joints.end(), not_apart) != joints.end()) return false;
  const auto not_rising = [](const NamedValue& a, const NamedValue& b) { return !before(a, b); };
  if (std::adjacent_find(named.begin(), named.end(), not_rising) != named.end()) return false;
  named_ = std::move(named);
  bodies_ = std::move(bodies);
  joints_ = std::move(joints);
  return true;
}

void Inputs::check(const System& system) const {
  for (const BodyInput& input : bodies_) check_input(system, input);
  for (const JointInput& input : joints_) check_input(system, input);
  for (const NamedValue& value : named_) check_input(system, value);
}

}  // namespace stickslip
