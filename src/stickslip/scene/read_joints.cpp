// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "stickslip/scene/read_scene.h"

namespace stickslip {
namespace {

constexpr const char* kBodies = "[\"body\", \"body\"]";

/// Where on a beam: one number, or one for each body where both are beams.
std::vector<double> read_parameters_on_beams(const TableReader& reader) {
  if (!reader.has("at_parameter")) return {};
  if (reader.find("at_parameter")->array() == nullptr) return {reader.number("at_parameter", kUnitInterval, "-")};
  const std::array<double, 2> pair = reader.pair_of_numbers("at_parameter", kUnitInterval, "-");
  return {pair[0], pair[1]};
}

void read_place(const TableReader& reader, SceneJoint& joint) {
  if (reader.has("at")) joint.at = reader.vector("at", "m");
  joint.at_parameter = read_parameters_on_beams(reader);
}

void read_motion(const TableReader& reader, std::string_view unit, SceneJoint& joint) {
  if (reader.has("motion")) joint.motion = reader.time_function("motion", unit);
  joint.absolute = reader.boolean_or("absolute", false);
}

void read_revolute(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "at", "at_parameter", "motion", "absolute"},
               {"axis", "friction", "force", "limits", "spring"});
  read_place(reader, joint);
  if (!joint.at && joint.at_parameter.empty()) reader.require("at", "a point [m] of the world, or at_parameter");
  read_motion(reader, "rad", joint);
}

void read_prismatic(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "at", "at_parameter", "axis", "motion", "absolute"},
               {"friction", "force", "limits", "spring"});
  read_place(reader, joint);
  joint.axis = reader.direction("axis");
  read_motion(reader, "m", joint);
}

void read_weld(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "at", "at_parameter"});
  read_place(reader, joint);
}

void read_distance(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "at_a", "at_b", "at_parameter", "length"}, {"limits"});
  joint.at_a = reader.vector_or("at_a", "m", Vector3::Zero());
  joint.at_b = reader.vector_or("at_b", "m", Vector3::Zero());
  joint.at_parameter = read_parameters_on_beams(reader);
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
