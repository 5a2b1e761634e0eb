// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sim/make_sensors.h"

#include <algorithm>

#include "stickslip/scene/make_site.h"

namespace stickslip {
namespace {

SensorOptions make_sensor(const SceneSensor& sensor, const Scene& scene, const System& system) {
  SensorOptions options;
  options.name = sensor.name;
  options.type = static_cast<SensorType>(std::ranges::find(kSensorTypes, sensor.type) - kSensorTypes.begin());
  options.in_site_frame = sensor.in_site_frame;
  options.most = sensor.most;
  if (!sensor.site.empty()) options.site = make_site(find_site(scene, sensor.site), system);
  if (!sensor.joint.empty()) options.joint = system.find_joint(sensor.joint);
  if (!sensor.body.empty()) options.body = system.find_body(sensor.body);
  if (!sensor.with.empty()) options.with = system.find_body(sensor.with);
  return options;
}

}  // namespace

std::vector<SensorOptions> make_sensors(const Scene& scene, const System& system) {
  std::vector<SensorOptions> sensors;
  for (const SceneSensor& sensor : scene.sensors) sensors.push_back(make_sensor(sensor, scene, system));
  return sensors;
}

}  // namespace stickslip
