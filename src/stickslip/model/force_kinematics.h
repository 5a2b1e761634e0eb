// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stickslip/model/force.h"
#include "stickslip/model/inputs.h"
#include "stickslip/model/kinematics.h"

namespace stickslip {

// Springs and loads, written once over the scalar S like kinematics.h. Included by the .cpp files of model/ only.

/// The line of a spring: its points, the unit vector from first to second, and the length.
template <class S>
struct SpringLine {
  Vec3<S> first, second;  // (3) [m] world
  Vec3<S> direction;      // (3) [-]; zero where the points coincide
  S length;               // [m]
};

template <class S>
SpringLine<S> spring_line(const Spring& spring, const Frame<S>& first, const Frame<S>& second) {
  SpringLine<S> line;
  line.first = first.p + first.R * constant_vector<S>(spring.at_first);
  line.second = second.p + second.R * constant_vector<S>(spring.at_second);
  line.direction = line.second - line.first;
  line.length = normalize_or<S>(line.direction, constant_vector<S>(Vector3::Zero()));
  return line;
}

enum class SpringPart { all, elastic, damping };

/// A spring at one instant, with the force it puts on its first body (the second gets the opposite).
template <class S>
struct SpringAction {
  SpringLine<S> line;
  Vec3<S> on_first;  // (3) [N] world
};

template <class S>
SpringAction<S> spring_action(const Spring& spring, SpringPart part, const Frame<S>& first, const Frame<S>& second) {
  SpringAction<S> s;
  s.line = spring_line(spring, first, second);
  const Vec3<S> v_second = second.v + second.w.cross(Vec3<S>(s.line.second - second.p));
  const Vec3<S> v_first = first.v + first.w.cross(Vec3<S>(s.line.first - first.p));
  S tension = S(0.0);
  if (part != SpringPart::elastic) tension = s.line.direction.dot(Vec3<S>(v_second - v_first)) * S(spring.damping);
  if (part != SpringPart::damping) tension += (s.line.length - S(spring.rest)) * S(spring.stiffness);
  s.on_first = s.line.direction * tension;
  return s;
}

/// A load without its numbers.
inline BodyInput place_of(const Load& load) {
  BodyInput input;
  input.body = load.body;
  input.at = load.at;
  input.parameter = load.parameter;
  input.body_frame = load.body_frame;
  return input;
}

/// A load of one component.
inline BodyInput component_of(const Load& load, int component, double value) {
  BodyInput input = place_of(load);
  (component < 3 ? input.force(component) : input.torque(component - 3)) = value;
  return input;
}

/// An input, or a load at one instant, in the world frame.
template <class S>
struct InputAction {
  Vec3<S> at;      // (3) [m]
  Vec3<S> force;   // (3) [N]
  Vec3<S> torque;  // (3) [N m]
};

template <class S>
InputAction<S> input_action(const BodyInput& input, const Frame<S>& frame) {
  InputAction<S> a;
  a.force = constant_vector<S>(input.force);
  a.torque = constant_vector<S>(input.torque);
  if (input.body_frame) {
    a.force = Vec3<S>(frame.R * a.force);
    a.torque = Vec3<S>(frame.R * a.torque);
  }
  a.at = frame.p + frame.R * constant_vector<S>(input.at);
  return a;
}

}  // namespace stickslip
