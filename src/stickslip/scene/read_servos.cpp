// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/read_servos.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stickslip/base/nearest.h"
#include "stickslip/scene/read_scene.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

constexpr std::array<std::string_view, 2> kServoTypes = {"position", "velocity"};

/// {input, gain, offset}
SceneSignal read_input_signal(const TableReader& table) {
  table.allow({"input", "gain", "offset"});
  SceneSignal signal;
  signal.input = table.string("input", "the name of an input of the scene");
  const std::vector<SceneInput>& inputs = table.context().scene.inputs;
  if (std::ranges::find(inputs, signal.input, &SceneInput::name) == inputs.end()) {
    std::vector<std::string_view> names;
    names.reserve(inputs.size());
    for (const SceneInput& input : inputs) names.push_back(input.name);
    const std::string nearest = nearest_name(signal.input, names);
    table.fail("input", "an input of the scene" + (nearest.empty() ? "" : ": did you mean '" + nearest + "'?"));
  }
  signal.gain = table.number_or("gain", kAnyNumber, "", 1.0);
  signal.offset = table.number_or("offset", kAnyNumber, "", 0.0);
  return signal;
}

SceneSignal read_signal(const TableReader& reader, const TomlValue& value, const std::string& path,
                        std::string_view unit) {
  if (value.table() != nullptr) return read_input_signal(TableReader(reader.context(), value, path));
  SceneSignal signal;
  signal.value = reader.state_function_from(value, path, unit);
  return signal;
}

/// A number L >= 0, which stands for [-L, L], or [low, high].
std::optional<std::array<double, 2>> read_bounds(const TableReader& reader, std::string_view key,
                                                 std::string_view unit) {
  const TomlValue* value = reader.find(key);
  if (value == nullptr) return {};
  if (value->array() == nullptr) {
    const double most = reader.number(key, kNotNegative, unit);
    return std::array{-most, most};
  }
  const std::array<double, 2> bounds = reader.pair_of_numbers(key, kAnyNumber, unit);
  if (!(bounds[0] <= bounds[1])) reader.fail(key, "[low, high], low <= high");
  return bounds;
}

SceneServo read_servo(const TableReader& reader, std::string_view length, std::string_view force) {
  SceneServo servo;
  const std::string per_length = fmt::format("{}/{}", force, length);
  const std::string per_speed = fmt::format("{} s/{}", force, length);
  const std::string speed = fmt::format("{}/s", length);
  servo.of_velocity = reader.choice("type", kServoTypes, {}) == "velocity";
  if (servo.of_velocity) {
    reader.allow({"type", "damping", "target", "limit"});
    servo.damping = reader.number("damping", kNotNegative, per_speed);
  } else {
    reader.allow({"type", "stiffness", "damping", "target", "rate", "limit"});
    servo.stiffness = reader.number("stiffness", kNotNegative, per_length);
    servo.damping = reader.number_or("damping", kNotNegative, per_speed, 0.0);
  }
  const std::string_view unit = servo.of_velocity ? std::string_view(speed) : length;
  const TomlValue& target = reader.require("target", "a number, an expression or {input}");
  servo.target = read_signal(reader, target, reader.path_of("target"), unit);
  if (const TomlValue* rate = reader.find("rate")) {
    servo.rate = read_signal(reader, *rate, reader.path_of("rate"), speed);
  }
  servo.limit = read_bounds(reader, "limit", force);
  return servo;
}

/// Calls read(value, path) for a value, or for each element of an array.
template <class Read>
void for_each_element(const TableReader& reader, std::string_view key, Read&& read) {
  const TomlValue* value = reader.find(key);
  if (value == nullptr) return;
  if (value->array() == nullptr) return read(*value, reader.path_of(key));
  const std::size_t n = value->array()->size();
  for (std::size_t i = 0; i < n; ++i) {
    read((*value->array())[i], n == 1 ? reader.path_of(key) : fmt::format("{}[{}]", reader.path_of(key), i));
  }
}

}  // namespace

void read_inputs(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("inputs");
  if (value == nullptr) return;
  const TableReader inputs(context, *value, "inputs");
  for (const TomlEntry& entry : inputs.entries()) {
    check_name(entry.key, context.document.place(entry.mark), "inputs");
    const TableReader reader(context, entry.value, inputs.path_of(entry.key));
    reader.allow({"value", "range"});
    SceneInput input;
    input.name = entry.key;
    if (reader.has("value")) input.value = reader.state_function("value", "");
    if (reader.has("range")) {
      input.range = reader.pair_of_numbers("range", kAnyNumber, "");
      if (!((*input.range)[0] < (*input.range)[1])) reader.fail("range", "[low, high], low < high");
    }
    context.scene.inputs.push_back(std::move(input));
  }
}

void read_efforts(const TableReader& reader, std::string_view length, std::string_view force, SceneJoint& joint) {
  joint.effort_limit = read_bounds(reader, "effort_limit", force);
  const TomlValue* forces = reader.find("force");
  if (forces != nullptr && forces->array() == nullptr && forces->table() == nullptr) {
    joint.force = reader.state_function("force", force);
  } else {
    for_each_element(reader, "force", [&](const TomlValue& value, const std::string& path) {
      joint.forces.push_back(read_signal(reader, value, path, force));
    });
  }
  for_each_element(reader, "servo", [&](const TomlValue& value, const std::string& path) {
    joint.servos.push_back(read_servo(TableReader(reader.context(), value, path), length, force));
  });
}

}  // namespace stickslip
