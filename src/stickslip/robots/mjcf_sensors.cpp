// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/robots/mjcf_sensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "stickslip/robots/robot_attributes.h"

namespace stickslip {
namespace {

/// Elements of <sensor>, and the sensors of scenes that have what they read.
const std::unordered_map<std::string_view, const char*>& sensor_words() {
  static const std::unordered_map<std::string_view, const char*> kSensors = {
      {"framepos", "pose"},  {"framequat", "pose"},         {"velocimeter", "velocity"}, {"framelinvel", "velocity"},
      {"gyro", "imu"},       {"accelerometer", "imu"},      {"frameangvel", "velocity"}, {"jointpos", "joint"},
      {"jointvel", "joint"}, {"jointactuatorfrc", "joint"}, {"touch", "contact"},        {"rangefinder", "range"},
      {"force", "wrench"},   {"torque", "wrench"}};
  return kSensors;
}

class MjcfSensorReader {
 public:
  MjcfSensorReader(const MjcfNames& names, RobotModel& model, RobotWarnings& warnings)
      : names_(names), model_(model), warnings_(warnings) {}

  void read(const XmlElement& element) {
    const std::size_t number = n_sensors_++;
    if (!is_mjcf_sensor(element.name)) return;  // warned of
    RobotSensor sensor;
    sensor.name = element.has("name") ? require_text(element, "name") : fmt::format("sensor{}", number);
    if (!taken_.insert(sensor.name).second) {
      element.fail("name", fmt::format("\"{}\": another sensor has this name", sensor.name));
    }
    sensor.place = element.place();
    sensor.type = sensor_words().at(element.name);
    const bool is_of_frame = element.name.starts_with("frame");
    if (is_of_frame && !read_frame(element, sensor)) return;
    if (sensor.type == "joint") {
      sensor.joint = find_joint(element);
    } else if (!is_of_frame) {
      sensor.site = find(element, "site", names_.sites, "site");
    }
    sensor.in_site_frame = element.name == "velocimeter";
    if (element.name == "touch") {
      sensor.body = model_.sites[static_cast<std::size_t>(sensor.site)].body;
      sensor.site = -1;
      warnings_.add(element, "it has the force and torque of all contacts of the site's body");
    }
    if (sensor.type == "wrench") sensor.body = model_.sites[static_cast<std::size_t>(sensor.site)].body;
    const double cutoff = number_or(element, "cutoff", 0.0);
    if (sensor.type == "range") {
      sensor.most = cutoff;
    } else if (cutoff > 0.0) {
      warnings_.add(element, "cutoff", "it has no counterpart: left out");
    }
    model_.sensors.push_back(std::move(sensor));
  }

 private:
  static int find(const XmlElement& element, const char* key, const std::map<std::string, int>& among,
                  const char* what) {
    const std::string& name = require_text(element, key);
    const auto found = among.find(name);
    if (found == among.end()) element.fail(key, fmt::format("\"{}\": no such {}", name, what));
    return found->second;
  }

  const std::string& find_joint(const XmlElement& element) const {
    const int body = find(element, "joint", names_.joints, "joint");
    const std::string& name = element.find("joint")->value;
    const std::vector<RobotJoint>& joints = model_.bodies[static_cast<std::size_t>(body)].joints;
    const auto joint = std::ranges::find(joints, name, &RobotJoint::name);
    const bool has_one = joint != joints.end() && joint->type != RobotJointType::ball;
    if (!has_one) expect(element, "joint", "a hinge or a slide");
    return name;
  }

  /// A site where a sensor of a body is.
  int add_site(const RobotSensor& sensor, int body, const Pose& pose) {
    model_.sites.push_back({sensor.name, body, pose, sensor.place, false});
    return static_cast<int>(model_.sites.size()) - 1;
  }

  /// objtype and objname. False where it has no counterpart, which is warned of.
  bool read_frame(const XmlElement& element, RobotSensor& sensor) {
    if (element.has("refname")) {
      warnings_.add(element, "refname", "frames relative to others have no counterpart: the sensor is left out");
      return false;
    }
    const std::string& type = require_text(element, "objtype");
    if (type == "site") {
      sensor.site = find(element, "objname", names_.sites, "site");
    } else if (type == "xbody") {
      sensor.site = add_site(sensor, find(element, "objname", names_.bodies, "body"), {});
    } else if (type == "body") {
      const int body = find(element, "objname", names_.bodies, "body");
      if (element.name == "framequat") {
        warnings_.add(element, "objtype",
                      "axes of inertia have no counterpart: the sensor is left out; xbody has the body's frame");
        return false;
      }
      const Vector3& center = model_.bodies[static_cast<std::size_t>(body)].mass.center;
      sensor.site = add_site(sensor, body, {center, Matrix3::Identity()});
    } else if (type == "geom" || type == "camera") {
      warnings_.add(element, "objtype", "frames of geoms and cameras have no counterpart: the sensor is left out");
      return false;
    } else {
      expect(element, "objtype", "body, xbody, geom, site or camera");
    }
    return true;
  }

  const MjcfNames& names_;
  RobotModel& model_;
  RobotWarnings& warnings_;
  std::size_t n_sensors_ = 0;
  std::set<std::string> taken_;
};

}  // namespace

bool is_mjcf_sensor(std::string_view name) {
  return sensor_words().contains(name);
}

void read_mjcf_sensors(const XmlElement& root, const MjcfNames& names, RobotModel& model, RobotWarnings& warnings) {
  MjcfSensorReader reader(names, model, warnings);
  for (const XmlElement& section : root.children) {
    if (section.name != "sensor") continue;
    for (const XmlElement& each : section.children) reader.read(each);
  }
}

}  // namespace stickslip
