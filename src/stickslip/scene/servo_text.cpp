// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/servo_text.h"

#include <fmt/format.h>

#include <variant>

#include "stickslip/scene/toml_text.h"

namespace stickslip {

std::string text_of(const TimeFunction& value) {
  if (const auto* constant = std::get_if<double>(&value)) return write_toml_number(*constant);
  return quote_toml(std::get<std::string>(value));
}

std::string text_of(const std::array<double, 2>& bounds) {
  return fmt::format("[{}, {}]", write_toml_number(bounds[0]), write_toml_number(bounds[1]));
}

std::string text_of(const SceneSignal& signal) {
  if (signal.input.empty()) return text_of(signal.value);
  return fmt::format("{{input = {}, gain = {}, offset = {}}}", quote_toml(signal.input), write_toml_number(signal.gain),
                     write_toml_number(signal.offset));
}

std::string text_of(const SceneServo& servo) {
  std::string text = servo.of_velocity ? "type = \"velocity\"" : "type = \"position\", stiffness = ";
  if (!servo.of_velocity) text += write_toml_number(servo.stiffness);
  text += fmt::format(", damping = {}, target = {}", write_toml_number(servo.damping), text_of(servo.target));
  if (!servo.of_velocity) text += ", rate = " + text_of(servo.rate);
  if (servo.limit) text += ", limit = " + text_of(*servo.limit);
  return "{" + text + "}";
}

}  // namespace stickslip
