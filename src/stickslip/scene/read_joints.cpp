// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "stickslip/scene/read_scene.h"
#include "stickslip/scene/read_servos.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

constexpr const char* kBodies = "[\"body\", \"body\"]";

void read_at(const TableReader& reader, SceneJoint& joint) {
  if (reader.has("at")) joint.at = reader.vector("at", "m");
  joint.at_parameter = reader.parameters_on_beams();
}

bool in_plane(const TableReader& reader) {
  return reader.context().scene.planar;
}

/// Coordinates at the start: a number, or as many as there are.
std::vector<double> read_coordinates(const TableReader& reader, std::string_view key, std::size_t n) {
  const TomlValue* value = reader.find(key);
  if (value == nullptr) return {};
  if (n == 1 && value->array() == nullptr) return {reader.number(key, kAnyNumber, "")};
  std::vector<double> numbers = reader.numbers(key, kAnyNumber, "");
  if (numbers.size() != n) reader.fail(key, n == 1 ? "a number" : fmt::format("an array of {} numbers", n));
  return numbers;
}

/// `start` and `start_rate` of a joint with so many coordinates, `reference` of one that has one.
void read_start(const TableReader& reader, std::size_t n_start, std::size_t n_rates, SceneJoint& joint) {
  joint.start = read_coordinates(reader, "start", n_start);
  joint.start_rate = read_coordinates(reader, "start_rate", n_rates);
  joint.reference = reader.optional_number("reference", kAnyNumber, "");
  if (joint.reference && joint.absolute) reader.fail("reference", "either reference or absolute");
  if (joint.motion && !joint.start_rate.empty()) reader.fail("start_rate", "no rate: the motion prescribes it");
  if (joint.limits && !joint.start.empty() &&
      !(joint.start[0] >= joint.limits->low && joint.start[0] <= joint.limits->high)) {
    reader.fail("start",
                fmt::format("a coordinate within the limits, {:.9g} to {:.9g}", joint.limits->low, joint.limits->high));
  }
}

SceneFrame read_frame(const TableReader& reader, std::string_view key) {
  const TableReader frame(reader.context(), reader.require(key, "{position, quaternion}: both frames or neither"),
                          reader.path_of(key));
  frame.allow({"position", "quaternion", "rotation"});
  return {frame.vector_or("position", "m", Vector3::Zero()), frame.orientation()};
}

/// Whether a place may be left out, and which axes a joint in space has.
struct Place {
  bool has_default = false;
  int n_axes = 1;
};

/// `at` and `axis`, or two frames.
void read_place(const TableReader& reader, const Place& place, SceneJoint& joint) {
  if (reader.has("frame_a") || reader.has("frame_b")) {
    if (in_plane(reader))
      reader.fail(reader.has("frame_a") ? "frame_a" : "frame_b", "at: frames are of spatial scenes");
    joint.frames = {read_frame(reader, "frame_a"), read_frame(reader, "frame_b")};
    for (const char* key : {"at", "axis", "axis2"}) {
      if (reader.has(key)) reader.fail(key, "no place or axis: frame_a and frame_b say both");
    }
    if (reader.has("local")) reader.fail("local", "at and axis: frame_a and frame_b are local");
    return;
  }
  read_at(reader, joint);
  joint.local = reader.boolean_or("local", false);
  if (joint.local && !joint.at_parameter.empty()) reader.fail("local", "no beam: at_parameter says where");
  if (joint.local && !joint.at) joint.at = Vector3::Zero();
  if (!joint.at && joint.at_parameter.empty() && !place.has_default) {
    reader.require("at", in_plane(reader) ? "a point [m] of the world, or at_parameter"
                                          : "a point [m] of the world, or frame_a and frame_b");
  }
  if (in_plane(reader)) return;
  if (place.n_axes > 0) joint.axis = reader.direction("axis");
  if (place.n_axes > 1) {
    joint.axis2 = reader.direction("axis2");
    constexpr double kPerpendicular = 1e-6;  // [-] cosine: how well directions typed as decimal numbers are
    if (!(std::abs(joint.axis->normalized().dot(joint.axis2->normalized())) <= kPerpendicular)) {
      reader.fail("axis2", "a direction perpendicular to axis, to 1e-6");
    }
  }
}

void read_absolute(const TableReader& reader, SceneJoint& joint) {
  joint.absolute = reader.boolean_or("absolute", false);
  if (joint.absolute && !in_plane(reader) && !joint.frames) {
    reader.fail("absolute", "false, or frame_a and frame_b: in space the angle and the offset of frames");
  }
}

void read_motion(const TableReader& reader, std::string_view unit, SceneJoint& joint) {
  if (reader.has("motion")) joint.motion = reader.time_function("motion", unit);
  read_absolute(reader, joint);
}

/// Units of a coordinate and of what acts along it.
struct Units {
  std::string_view length, force;
};
constexpr Units kLength = {"m", "N"};
constexpr Units kAngle = {"rad", "N m"};

/// The table of a friction whose bound follows the joint's load.
void read_load_friction(const TableReader& friction, SceneJoint& joint) {
  if (joint.type == JointType::revolute) {
    friction.allow({"coefficient", "radius"});
    joint.load_radius = friction.number("radius", kPositive, "m");
  } else {
    friction.allow({"coefficient"});
  }
  joint.load_friction = friction.number("coefficient", kNotNegative, "");
}

/// What acts in the free direction of a joint with one coordinate.
void read_drive(const TableReader& reader, const Units& units, SceneJoint& joint) {
  if (const TomlValue* value = reader.find("spring")) {
    const TableReader spring(reader.context(), *value, reader.path_of("spring"));
    spring.allow({"stiffness", "damping", "rest"});
    joint.spring.emplace();
    joint.spring->stiffness =
        spring.number_or("stiffness", kNotNegative, fmt::format("{}/{}", units.force, units.length), 0.0);
    joint.spring->damping =
        spring.number_or("damping", kNotNegative, fmt::format("{} s/{}", units.force, units.length), 0.0);
    joint.spring->rest = spring.number_or("rest", kAnyNumber, units.length, 0.0);
  }
  const TomlValue* friction = reader.find("friction");
  if (friction == nullptr || friction->table() == nullptr) {
    joint.friction = reader.number_or("friction", kNotNegative, units.force, 0.0);
  } else if (joint.type != JointType::revolute && joint.type != JointType::prismatic) {
    reader.fail("friction", "a number: friction by the load is of revolute and prismatic joints");
  } else {
    read_load_friction(TableReader(reader.context(), *friction, reader.path_of("friction")), joint);
  }
  read_efforts(reader, units.length, units.force, joint);
  joint.armature = reader.number_or("armature", kNotNegative, units.length == "m" ? "kg" : "kg m2", 0.0);
  if (reader.has("limits")) {
    const auto [low, high] = reader.pair_of_numbers("limits", kAnyNumber, units.length);
    if (!(low < high)) reader.fail("limits", "[low, high], low < high");
    if (joint.motion) reader.fail("limits", "no limits: the motion prescribes the coordinate");
    joint.limits = {low, high, reader.number_or("restitution", kUnitInterval, "", 0.0)};
  } else if (reader.has("restitution")) {
    reader.fail("restitution", "limits: it is theirs");
  }
}

/// The bounds where forces and torques are both free.
void read_two_frictions(const TableReader& reader, SceneJoint& joint) {
  const TomlValue* value = reader.find("friction");
  if (value == nullptr) return;
  if (value->table() == nullptr) {
    reader.fail("friction", "{force, torque}: this joint leaves offsets and an angle free");
  }
  const TableReader friction(reader.context(), *value, reader.path_of("friction"));
  friction.allow({"force", "torque"});
  joint.friction = friction.number_or("force", kNotNegative, "N", 0.0);
  joint.friction_torque = friction.number_or("torque", kNotNegative, "N m", 0.0);
}

void read_revolute(const TableReader& reader, SceneJoint& joint) {
  if (in_plane(reader)) {
    reader.allow(
        {"type", "between", "collide", "at", "at_parameter", "local", "motion", "absolute", "reference", "start",
         "start_rate", "spring", "friction", "force", "servo", "effort_limit", "armature", "limits", "restitution"},
        {"axis"});
  } else {
    reader.allow({"type",     "between", "collide",  "at",           "axis",     "local",      "frame_a",
                  "frame_b",  "motion",  "absolute", "reference",    "start",    "start_rate", "spring",
                  "friction", "force",   "servo",    "effort_limit", "armature", "limits",     "restitution"});
  }
  read_place(reader, {}, joint);
  read_motion(reader, "rad", joint);
  read_drive(reader, kAngle, joint);
  read_start(reader, 1, 1, joint);
}

void read_screw(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type",  "between", "collide",      "at",        "axis",   "local",      "frame_a", "frame_b",
                "pitch", "motion",  "absolute",     "reference", "start",  "start_rate", "spring",  "friction",
                "force", "servo",   "effort_limit", "armature",  "limits", "restitution"});
  joint.pitch = reader.number("pitch", kAnyNumber, "m a turn");
  if (joint.pitch == 0.0) reader.fail("pitch", "a number other than 0");
  read_place(reader, {}, joint);
  read_motion(reader, "rad", joint);
  read_drive(reader, kAngle, joint);
  read_start(reader, 1, 1, joint);
}

void read_prismatic(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type",    "between", "collide",      "at",        "at_parameter", "axis",       "local",  "frame_a",
                "frame_b", "motion",  "absolute",     "reference", "start",        "start_rate", "spring", "friction",
                "force",   "servo",   "effort_limit", "armature",  "limits",       "restitution"});
  read_place(reader, {.has_default = true}, joint);
  if (in_plane(reader)) joint.axis = reader.direction("axis");
  read_motion(reader, "m", joint);
  read_drive(reader, kLength, joint);
  read_start(reader, 1, 1, joint);
}

void read_spherical(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "collide", "at", "local", "frame_a", "frame_b", "friction", "spring", "armature",
                "start", "start_rate"});
  read_place(reader, {.n_axes = 0}, joint);
  read_start(reader, 4, 3, joint);
  if (!joint.start.empty() && Eigen::Map<const Vector4>(joint.start.data()).norm() == 0.0) {
    reader.fail("start", "a quaternion [w, x, y, z] of any length but zero");
  }
  joint.friction = reader.number_or("friction", kNotNegative, "N m", 0.0);
  if (const TomlValue* value = reader.find("spring")) {
    const TableReader spring(reader.context(), *value, reader.path_of("spring"));
    spring.allow({"damping"});
    joint.spring.emplace();
    joint.spring->damping = spring.number("damping", kNotNegative, "N m s/rad");
  }
  joint.armature = reader.number_or("armature", kNotNegative, "kg m2", 0.0);
}

/// Of cylindrical and planar joints.
void read_cylindrical(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "collide", "at", "axis", "local", "frame_a", "frame_b", "absolute", "friction",
                "start", "start_rate"});
  read_place(reader, {}, joint);
  read_absolute(reader, joint);
  const auto n = static_cast<std::size_t>(joint_traits(joint.type).n_coordinates);
  read_start(reader, n, n, joint);
  read_two_frictions(reader, joint);
}

void read_universal(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "collide", "at", "axis", "axis2", "local", "frame_a", "frame_b", "absolute",
                "friction", "start", "start_rate"});
  read_place(reader, {.n_axes = 2}, joint);
  read_absolute(reader, joint);
  read_start(reader, 2, 2, joint);
  joint.friction = reader.number_or("friction", kNotNegative, "N m", 0.0);
}

void read_weld(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "collide", "at", "at_parameter", "local", "frame_a", "frame_b"});
  read_place(reader, {.has_default = true, .n_axes = 0}, joint);
}

void read_distance(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "collide", "at_a", "at_b", "at_parameter", "length", "limits", "restitution",
                "spring", "friction", "force", "servo", "effort_limit", "armature"});
  joint.at_a = reader.vector_or("at_a", "m", Vector3::Zero());
  joint.at_b = reader.vector_or("at_b", "m", Vector3::Zero());
  joint.at_parameter = reader.parameters_on_beams();
  joint.length = reader.optional_number("length", kPositive, "m");
  if (!reader.has("limits")) {
    for (const char* key : {"spring", "friction", "force", "servo", "effort_limit", "armature"}) {
      if (reader.has(key)) reader.fail(key, "limits, too: else the distance is not free");
    }
  }
  read_drive(reader, kLength, joint);
  if (!joint.limits) return;
  if (joint.length) reader.fail("length", "no length: with limits the distance is free");
  if (joint.limits->low < 0.0) reader.fail("limits", "[low, high] of a distance, 0 <= low < high");
}

/// The normal of a plane of the first body, which `axis`, the value of `key`, is not along.
void read_normal(const TableReader& reader, std::string_view key, SceneJoint& joint) {
  constexpr double kAlong = 1e-6;  // [rad]
  joint.normal = reader.direction("normal");
  if (!(joint.axis->normalized().cross(joint.normal->normalized()).norm() > kAlong)) {
    reader.fail(key, "a direction that is not along the normal");
  }
}

void read_knife_edge(const TableReader& reader, SceneJoint& joint) {
  if (in_plane(reader)) {
    reader.allow({"type", "between", "collide", "at", "at_parameter", "direction"});
    read_at(reader, joint);
    joint.axis = reader.direction("direction");
    return;
  }
  reader.allow({"type", "between", "collide", "at", "local", "direction", "normal"});
  reader.require("at", "a point [m]");
  read_place(reader, {.n_axes = 0}, joint);
  joint.axis = reader.direction("direction");
  read_normal(reader, "direction", joint);
}

void read_rolling(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "collide", "at", "local", "axis", "normal", "radius"});
  read_place(reader, {.has_default = true}, joint);
  read_normal(reader, "axis", joint);
  joint.radius = reader.number("radius", kPositive, "m");
}

void read_gear(const TableReader& reader, SceneJoint& joint) {
  reader.allow({"type", "between", "joints", "ratio", "offset"});
  if (reader.has("between")) reader.fail("between", "no bodies: a gear is between joints");
  joint.gear.emplace();
  joint.gear->joints = reader.pair_of_names("joints", "[\"joint\", \"joint\"]");
  joint.gear->ratio = reader.number("ratio", kAnyNumber, "");
  if (joint.gear->ratio == 0.0) reader.fail("ratio", "a number other than 0");
  joint.gear->offset = reader.optional_number("offset", kAnyNumber, "");
}

struct JointReader {
  JointType type;
  void (*read)(const TableReader&, SceneJoint&);
  bool is_planar, is_spatial;  // the scenes that have it
};

constexpr std::array kJoints = {JointReader{JointType::revolute, read_revolute, true, true},
                                JointReader{JointType::prismatic, read_prismatic, true, true},
                                JointReader{JointType::spherical, read_spherical, false, true},
                                JointReader{JointType::cylindrical, read_cylindrical, false, true},
                                JointReader{JointType::universal, read_universal, false, true},
                                JointReader{JointType::planar, read_cylindrical, false, true},
                                JointReader{JointType::weld, read_weld, true, true},
                                JointReader{JointType::distance, read_distance, true, true},
                                JointReader{JointType::knife_edge, read_knife_edge, true, true},
                                JointReader{JointType::screw, read_screw, false, true},
                                JointReader{JointType::rolling, read_rolling, false, true},
                                JointReader{JointType::gear, read_gear, true, true}};

SceneJoint read_joint(const TableReader& reader, const std::string& name) {
  std::vector<std::string_view> types;
  types.reserve(kJoints.size());
  for (const JointReader& each : kJoints) types.push_back(joint_type_name(each.type));
  const std::string type = reader.choice("type", types, {});
  SceneJoint joint;
  joint.name = name;
  if (type != joint_type_name(JointType::gear)) joint.between = reader.pair_of_names("between", kBodies);
  const auto fits = [&](const JointReader& each) { return in_plane(reader) ? each.is_planar : each.is_spatial; };
  for (const JointReader& each : kJoints) {
    if (joint_type_name(each.type) != type) continue;
    joint.type = each.type;
    if (!fits(each)) {
      std::vector<std::string_view> fitting;
      for (const JointReader& other : kJoints) {
        if (fits(other)) fitting.push_back(joint_type_name(other.type));
      }
      const char* scenes = in_plane(reader) ? "planar" : "spatial";
      reader.fail("type", fmt::format("in {} scenes: {}", scenes, join_choices(fitting)));
    }
    each.read(reader, joint);
  }
  if (!joint.gear) joint.collide = reader.boolean_or("collide", true);
  return joint;
}

}  // namespace

void read_couplings(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("couplings");
  if (value == nullptr) return;
  if (value->array() == nullptr) scene.fail("couplings", "an array of tables: [[couplings]]");
  std::set<std::string> names;
  for (const SceneJoint& joint : context.scene.joints) names.insert(joint.name);
  for (std::size_t i = 0; i < value->array()->size(); ++i) {
    const TomlValue& element = (*value->array())[i];
    const std::string position = fmt::format("couplings[{}]", i);
    SceneCoupling coupling;
    coupling.name = TableReader(context, element, position).string("name", "a text");
    const SourcePlace place = context.document.place(find_value(*element.table(), "name")->mark);
    check_name(coupling.name, place, position + ".name");
    if (!names.insert(coupling.name).second) {
      throw InputError(place, position + ".name", quote_toml(coupling.name),
                       "a name of its own: another coupling or a joint has this one");
    }
    const TableReader reader(context, element, "couplings." + coupling.name);
    reader.allow({"name", "joints", "coefficients"});
    coupling.joints = reader.names("joints", "an array of names of joints, at least one");
    coupling.coefficients = reader.numbers("coefficients", kAnyNumber, "");
    if (coupling.coefficients.size() != coupling.joints.size()) {
      reader.fail("coefficients", fmt::format("one number a joint: {}", coupling.joints.size()));
    }
    for (std::size_t k = 0; k < coupling.coefficients.size(); ++k) {
      if (coupling.coefficients[k] == 0.0) {
        reader.fail_at((*reader.find("coefficients")->array())[k],
                       fmt::format("{}[{}]", reader.path_of("coefficients"), k), "a number other than 0");
      }
    }
    context.scene.couplings.push_back(std::move(coupling));
  }
}

void read_joints(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("joints");
  if (value == nullptr) return;
  const TableReader joints(context, *value, "joints");
  for (const TomlEntry& entry : joints.entries()) {
    check_name(entry.key, context.document.place(entry.mark), "joints");
    const TableReader joint(context, entry.value, joints.path_of(entry.key));
    context.scene.joints.push_back(read_joint(joint, entry.key));
  }
  // Gears last, behind the joints that they couple.
  std::vector<SceneJoint>& all = context.scene.joints;
  std::stable_partition(all.begin(), all.end(), [](const SceneJoint& joint) { return !joint.gear; });
}

}  // namespace stickslip
