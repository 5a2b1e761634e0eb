// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>

#include "stickslip/scene/read_scene.h"

namespace stickslip {
namespace {

SceneSpring read_spring(const TableReader& reader) {
  reader.allow({"type", "between", "at_a", "at_b", "stiffness", "damping", "rest", "at_parameter"});
  SceneSpring spring;
  spring.between = reader.pair_of_names("between", "[\"body\", \"body\"]");
  spring.at_a = reader.vector_or("at_a", "m", Vector3::Zero());
  spring.at_b = reader.vector_or("at_b", "m", Vector3::Zero());
  spring.at_parameter = reader.parameters_on_beams();
  spring.stiffness = reader.number_or("stiffness", kNotNegative, "N/m", 0.0);
  spring.damping = reader.number_or("damping", kNotNegative, "N s/m", 0.0);
  spring.rest = reader.number_or("rest", kNotNegative, "m", 0.0);
  return spring;
}

SceneDryFriction read_dry_friction(const TableReader& reader) {
  reader.allow({"type", "between", "at", "bound", "axis", "at_parameter"});
  SceneDryFriction friction;
  friction.between = reader.pair_of_names("between", "[\"body\", \"body\"]");
  if (reader.has("at")) friction.at = reader.vector("at", "m");
  friction.at_parameter = reader.parameters_on_beams();
  friction.bound = reader.number("bound", kNotNegative, "N");
  if (reader.has("axis")) friction.axis = reader.direction("axis");
  return friction;
}

SceneLoad read_load(const TableReader& reader) {
  reader.allow({"type", "body", "at", "force", "torque", "frame", "at_parameter"});
  SceneLoad load;
  load.body = reader.string("body", "the name of a body");
  load.at = reader.vector_or("at", "m", Vector3::Zero());
  load.at_parameter = reader.optional_number("at_parameter", kUnitInterval, "-");
  if (!reader.has("force") && !reader.has("torque")) reader.require("force", "force [N] or torque [N m]");
  if (reader.has("force")) load.force = reader.state_functions("force", "N");
  if (reader.has("torque")) {
    if (reader.context().scene.planar) {
      load.torque[2] = reader.state_function("torque", "N m");
    } else {
      load.torque = reader.state_functions("torque", "N m");
    }
  }
  if (reader.has("frame")) {
    constexpr std::array<std::string_view, 2> kFrames = {"world", "body"};
    load.body_frame = reader.choice("frame", kFrames, {}) == "body";
  }
  return load;
}

SceneForce read_force(const TableReader& reader, const std::string& name) {
  constexpr std::array<std::string_view, 3> kTypes = {"spring", "dry-friction", "load"};
  const std::string type = reader.choice("type", kTypes, {});
  SceneForce force;
  force.name = name;
  if (type == "spring") {
    force.law = read_spring(reader);
  } else if (type == "dry-friction") {
    force.law = read_dry_friction(reader);
  } else {
    force.law = read_load(reader);
  }
  return force;
}

}  // namespace

void read_forces(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("forces");
  if (value == nullptr) return;
  const TableReader forces(context, *value, "forces");
  for (const TomlEntry& entry : forces.entries()) {
    check_name(entry.key, context.document.place(entry.mark), "forces");
    const TableReader force(context, entry.value, forces.path_of(entry.key));
    context.scene.forces.push_back(read_force(force, entry.key));
  }
}

}  // namespace stickslip
