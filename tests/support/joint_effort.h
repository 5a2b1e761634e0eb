// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>
#include <variant>

#include "stickslip/scene/scene.h"

namespace stickslip::test {

/// A scene's signal of numbers; `control`: the value of all inputs in the place of the scene's.
inline double calc_signal(const Scene& scene, const SceneSignal& signal, std::optional<double> control) {
  if (signal.input.empty()) return std::get<double>(signal.value);
  const SceneInput& input = *std::ranges::find(scene.inputs, signal.input, &SceneInput::name);
  double value = control ? *control : std::get<double>(input.value);
  if (input.range) value = std::clamp(value, (*input.range)[0], (*input.range)[1]);
  return signal.gain * value + signal.offset;
}

/// The effort of a joint by the scene's law, of numbers and inputs. [N, N m]
inline double calc_effort(const Scene& scene, const SceneJoint& joint, double q, double rate,
                          std::optional<double> control = {}) {
  double effort = joint.force ? std::get<double>(*joint.force) : 0.0;
  for (const SceneSignal& force : joint.forces) effort += calc_signal(scene, force, control);
  for (const SceneServo& servo : joint.servos) {
    const double target = calc_signal(scene, servo.target, control);
    double law = servo.of_velocity ? servo.damping * (target - rate)
                                   : servo.stiffness * (target - q) +
                                         servo.damping * (calc_signal(scene, servo.rate, control) - rate);
    if (servo.limit) law = std::clamp(law, (*servo.limit)[0], (*servo.limit)[1]);
    effort += law;
  }
  if (joint.effort_limit) effort = std::clamp(effort, (*joint.effort_limit)[0], (*joint.effort_limit)[1]);
  return effort;
}

}  // namespace stickslip::test
