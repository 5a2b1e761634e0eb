// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/base/nearest.h"
#include "stickslip/scene/read_scene.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

/// The name of one of `parts`, each of which has a name. Throws InputError where there is none.
template <class Part>
const Part& read_part(const TableReader& reader, std::string_view key, const std::vector<Part>& parts,
                      const std::string& what) {
  const std::string& name = reader.string(key, "the name of a " + what);
  const auto found = std::ranges::find_if(parts, [&](const Part& part) { return part.name == name; });
  if (found != parts.end()) return *found;
  std::vector<std::string_view> names;
  names.reserve(parts.size());
  for (const Part& part : parts) names.push_back(part.name);
  const std::string nearest = nearest_name(name, names);
  reader.fail(key, "the name of a " + what + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

bool has_one_coordinate(const SceneJoint& joint) {
  const bool is_free = joint.type != JointType::distance || joint.limits;
  return joint_traits(joint.type).n_coordinates == 1 && is_free;
}

SceneSensor read_sensor(const TableReader& reader, std::string name) {
  const Scene& scene = reader.context().scene;
  SceneSensor sensor;
  sensor.name = std::move(name);
  const std::string type = reader.choice("type", kSensorTypes, {});
  sensor.type = static_cast<SensorType>(std::ranges::find(kSensorTypes, type) - kSensorTypes.begin());
  const auto read_site = [&] { sensor.site = read_part(reader, "site", scene.sites, "site").name; };
  switch (sensor.type) {
    case SensorType::pose:
    case SensorType::imu:
      reader.allow({"name", "type", "site"});
      read_site();
      break;
    case SensorType::velocity: {
      reader.allow({"name", "type", "site", "frame"});
      read_site();
      constexpr std::array<std::string_view, 2> kFrames = {"world", "site"};
      sensor.in_site_frame = reader.has("frame") && reader.choice("frame", kFrames, {}) == "site";
      break;
    }
    case SensorType::joint: {
      reader.allow({"name", "type", "joint"});
      const SceneJoint& joint = read_part(reader, "joint", scene.joints, "joint");
      if (!has_one_coordinate(joint)) {
        reader.fail("joint", "a joint with one coordinate: revolute, prismatic, or distance with limits");
      }
      sensor.joint = joint.name;
      break;
    }
    case SensorType::contact:
      reader.allow({"name", "type", "body", "with"});
      sensor.body = read_part(reader, "body", scene.bodies, "body").name;
      if (reader.has("with")) sensor.with = read_part(reader, "with", scene.bodies, "body").name;
      if (sensor.with == sensor.body) reader.fail("with", "another body than '" + sensor.body + "'");
      break;
    case SensorType::range: {
      reader.allow({"name", "type", "site", "max"});
      if (scene.planar) {
        reader.fail("type", "a sensor of planar scenes: rays go along a site's z axis, out of the plane");
      }
      read_site();
      constexpr Range kDistances = {
          .least = 0.0, .without_least = true, .infinite = true, .text = "a number > 0, or inf"};
      sensor.most = reader.number_or("max", kDistances, "m", sensor.most);
      break;
    }
    case SensorType::wrench: {
      reader.allow({"name", "type", "joint", "site"});
      const SceneJoint& joint = read_part(reader, "joint", scene.joints, "joint");
      if (joint.type == JointType::gear) reader.fail("joint", "a joint between two bodies, no gear");
      sensor.joint = joint.name;
      read_site();
      break;
    }
  }
  return sensor;
}

}  // namespace

void read_sites(ReadContext& context, const TableReader& scene) {
  if (!scene.has("sites")) return;
  const TableReader sites(context, *scene.find("sites"), "sites");
  for (const TomlEntry& entry : sites.entries()) {
    check_name(entry.key, context.document.place(entry.mark), "sites");
    const TableReader reader(context, entry.value, sites.path_of(entry.key));
    reader.allow({"body", "position", "quaternion", "rotation", "angle"});
    SceneSite site;
    site.name = entry.key;
    const SceneBody& body = read_part(reader, "body", context.scene.bodies, "body");
    if (body.beam) reader.fail("body", "a body that is no beam");
    site.body = body.name;
    site.position = reader.vector_or("position", "m", Vector3::Zero());
    site.orientation = reader.orientation();
    context.scene.sites.push_back(std::move(site));
  }
}

void read_sensors(ReadContext& context, const TableReader& scene) {
  const TomlValue* value = scene.find("sensors");
  if (value == nullptr) return;
  if (value->array() == nullptr) scene.fail("sensors", "an array of tables: [[sensors]]");
  std::set<std::string> names;
  for (std::size_t i = 0; i < value->array()->size(); ++i) {
    const TomlValue& element = (*value->array())[i];
    const std::string position = fmt::format("sensors[{}]", i);
    const std::string name = TableReader(context, element, position).string("name", "a text");
    const SourcePlace place = context.document.place(find_value(*element.table(), "name")->mark);
    check_name(name, place, position + ".name");
    if (!names.insert(name).second) {
      throw InputError(place, position + ".name", quote_toml(name), "a name of its own: another sensor has this one");
    }
    context.scene.sensors.push_back(read_sensor(TableReader(context, element, "sensors." + name), name));
  }
}

}  // namespace stickslip
