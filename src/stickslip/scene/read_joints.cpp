// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>

#include "stickslip/scene/read_scene.h"

namespace stickslip {
namespace {

constexpr const char* kBodies = "[\"body\", \"body\"]";

void read_place(const TableReader& reader, SceneJoint& joint) {
  if (reader.has("at")) joint.at = reader.vector("at", "m");
  joint.at_parameter = reader.parameters_on_beams();
}

void read_motion(const TableReader& reader, std::string_view unit, SceneJoint& joint) {
  if (reader.has("motion")) joint.motion = reader.time_function("motion", unit);
  joint.absolute = reader.boolean_or("absolute", false);
}

/// What acts in the free direction of a joint; `length` is the unit of its coordinate, `force` of what acts on it.
void read_drive(const TableReader& reader, std::string_view length, std::string_view force, SceneJoint& joint) {
  if (const TomlValue* value = reader.find("spring")) {
    const TableReader spring(reader.context(), *value, reader.path_of("spring"));
    spring.allow({"stiffness", "damping", "rest"});
    joint.spring.emplace();
    joint.spring->stiffness = spring.number_or("stiffness", kNotNegative, fmt::format("{}/{}", force, length), 0.0);
    joint.spring->damping = spring.number_or("damping", kNotNegative, fmt::format("{} s/{}", force, length), 0.0);
    joint.spring->rest = spring.number_or("rest", kAnyNumber, length, 0.0);
  }
  joint.friction = reader.number_or("friction", kNotNegative, force, 0.0);
  if (reader.has("force")) joint.force = reader.time_function("force", force);
  if (reader.has("limits")) {
    const auto [low, high] = reader.pair_of_numbers("limits", kAnyNumber, length);
    if (!(low < high)) reader.fail("limits", "[low, high], low < high");
    if (joint.motion) reader.fail("limits", "no limits: the motion prescribes the coordinate");
    joint.limits = {low, high, reader.number_or("restitution", kUnitInterval, "", 0.0)};
  } else if (reader.has("restitution")) {
    reader.fail("restitution", "limits: it is theirs");
  }
}

void read_revolute(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "at", "at_parameter", "motion", "absolute", "spring", "friction", "force", "limits",
                "restitution"},
               {"axis"});
  read_place(reader, joint);
  if (!joint.at && joint.at_parameter.empty()) reader.require("at", "a point [m] of the world, or at_parameter");
  read_motion(reader, "rad", joint);
  read_drive(reader, "rad", "N m", joint);
}

void read_prismatic(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "at", "at_parameter", "axis", "motion", "absolute", "spring", "friction", "force",
                "limits", "restitution"});
  read_place(reader, joint);
  joint.axis = reader.direction("axis");
  read_motion(reader, "m", joint);
  read_drive(reader, "m", "N", joint);
}

void read_weld(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "at", "at_parameter"});
  read_place(reader, joint);
}

void read_distance(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "at_a", "at_b", "at_parameter", "length"}, {"limits"});
  joint.at_a = reader.vector_or("at_a", "m", Vector3::Zero());
  joint.at_b = reader.vector_or("at_b", "m", Vector3::Zero());
  joint.at_parameter = reader.parameters_on_beams();
  joint.length = reader.optional_number("length", kPositive, "m");
}

void read_knife_edge(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "at", "at_parameter", "direction"});
  read_place(reader, joint);
  joint.axis = reader.direction("direction");
}

struct JointReader {
  JointType type;
  void (*read)(const TableReader&, SceneJoint&);
};

constexpr std::array kJoints = {
    JointReader{JointType::revolute, read_revolute}, JointReader{JointType::prismatic, read_prismatic},
    JointReader{JointType::weld, read_weld}, JointReader{JointType::distance, read_distance},
    JointReader{JointType::knife_edge, read_knife_edge}};
constexpr std::array<std::string_view, 5> kLaterJoints = {"spherical", "cylindrical", "universal", "planar", "gear"};

SceneJoint read_joint(const TableReader& reader, const std::string& name) {
  std::vector<std::string_view> types;
  types.reserve(kJoints.size());
  for (const JointReader& each : kJoints) types.push_back(joint_type_name(each.type));
  const std::string type = reader.choice("type", types, kLaterJoints);
  SceneJoint joint;
  joint.name = name;
  joint.between = reader.pair_of_names("between", kBodies);
  for (const JointReader& each : kJoints) {
    if (joint_type_name(each.type) != type) continue;
    joint.type = each.type;
    if (each.type != JointType::distance && !reader.context().scene.planar) {
      reader.fail("type", "distance: in this version a spatial scene has no other joints");
    }
    each.read(reader, joint);
  }
  return joint;
}

}  // namespace

void read_joints(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("joints");
  if (value == nullptr) return;
  const TableReader joints(context, *value, "joints");
  for (const TomlEntry& entry : joints.entries()) {
    check_name(entry.key, context.document.place(entry.mark), "joints");
    const TableReader joint(context, entry.value, joints.path_of(entry.key));
    context.scene.joints.push_back(read_joint(joint, entry.key));
  }
}

}  // namespace stickslip
