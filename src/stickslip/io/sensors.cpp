// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/sensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "stickslip/io/output_columns.h"
#include "stickslip/math/rotation.h"

namespace stickslip {
namespace {

constexpr double kNotDefined = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<int, kSensorTypes.size()> kWidths = {7, 6, 6, 3, 6, 1, 6};  // [-] numbers of each type

void put(double* values, const Vector3& first, const Vector3& second) {
  Eigen::Map<Vector3> head(values);
  Eigen::Map<Vector3> tail(values + 3);
  head = first;
  tail = second;
}

std::vector<Column> make_sensor_columns(std::int64_t width) {
  return {
      {"/sensors/value", Hdf5Type::float64, {width}, "SI", "of sensor i those from offset[i] to offset[i + 1] - 1"}};
}

/// Makes the group and what does not change in the file, which is given back.
Hdf5File& begin_sensors(Hdf5File& file, const Sensors& sensors) {
  std::vector<std::string> names, types;
  for (const SensorOptions& sensor : sensors.options()) {
    names.push_back(sensor.name);
    types.emplace_back(sensor_type_name(sensor.type));
  }
  file.create_group("/sensors");
  file.write_fixed("/sensors/name", names);
  file.describe("/sensors/name", "1", "of the sensor with the same index");
  file.write_fixed("/sensors/type", types);
  file.describe("/sensors/type", "1", "of the sensor with the same index");
  file.write_fixed("/sensors/offset", Hdf5Type::int64, sensors.offsets());
  file.describe("/sensors/offset", "1", "of the sensor's first number in a row of value");
  return file;
}

}  // namespace

Sensors::Sensors(const System& system, std::vector<SensorOptions> options)
    : system_(system), options_(std::move(options)), offsets_{0} {
  for (const SensorOptions& sensor : options_) {
    offsets_.push_back(offsets_.back() + kWidths[static_cast<std::size_t>(sensor.type)]);
  }
  velocities_.assign(options_.size(), Vector3::Zero());
  const bool has_range = std::ranges::any_of(options_, [](const auto& s) { return s.type == SensorType::range; });
  if (!has_range) return;
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    for (const Shape& shape : system.bodies()[i].shapes) {
      if (shape.contact.visual || std::holds_alternative<PointShape>(shape.geometry)) continue;
      shapes_.push_back(
          {static_cast<int>(i), shape.position, shape.rotation, RayTarget(shape.geometry, system.dimension() == 2)});
    }
  }
}

void Sensors::begin_step(const State& state) {
  t_ = state.t;
  for (std::size_t i = 0; i < options_.size(); ++i) {
    if (options_[i].type != SensorType::imu) continue;
    velocities_[i] = calc_site_motion(system_, options_[i].site, state.t, state.q, state.u).v;
  }
}

void Sensors::read(const State& state, const StepReport& report, bool is_start, std::span<double> values) const {
  for (std::size_t i = 0; i < options_.size(); ++i) {
    const SensorOptions& sensor = options_[i];
    double* here = values.data() + offsets_[i];
    if (is_of_absent(sensor)) {
      std::fill_n(here, offsets_[i + 1] - offsets_[i], kNotDefined);
      continue;
    }
    switch (sensor.type) {
      case SensorType::pose:
        read_pose(sensor, state, here);
        break;
      case SensorType::velocity:
        read_velocity(sensor, state, here);
        break;
      case SensorType::imu:
        read_imu(i, state, report, is_start, here);
        break;
      case SensorType::joint:
        read_joint(sensor, state, report, here);
        break;
      case SensorType::contact:
        read_contact(sensor, state, report, is_start, here);
        break;
      case SensorType::range:
        read_range(sensor, state, here);
        break;
      case SensorType::wrench:
        read_wrench(sensor, state, report, here);
        break;
    }
  }
}

/// Whether the body that it is on takes no part; bodies of joints always do.
bool Sensors::is_of_absent(const SensorOptions& sensor) const {
  switch (sensor.type) {
    case SensorType::contact:
      return !system_.is_present(sensor.body);
    case SensorType::pose:
    case SensorType::velocity:
    case SensorType::imu:
    case SensorType::range:
      return !system_.is_present(sensor.site.body);
    case SensorType::joint:
    case SensorType::wrench:
      break;
  }
  return false;
}

void Sensors::read_pose(const SensorOptions& sensor, const State& state, double* values) const {
  Eigen::Map<Vector3> position(values);
  Eigen::Map<Vector4> quaternion(values + 3);
  position = calc_site_motion(system_, sensor.site, state.t, state.q, state.u).p;
  quaternion = calc_site_quaternion(system_, sensor.site, state.t, state.q);
}

void Sensors::read_velocity(const SensorOptions& sensor, const State& state, double* values) const {
  const BodyMotion at = calc_site_motion(system_, sensor.site, state.t, state.q, state.u);
  const Matrix3 axes = sensor.in_site_frame ? Matrix3(at.R.transpose()) : Matrix3(Matrix3::Identity());
  put(values, axes * at.v, axes * at.w);
}

void Sensors::read_imu(std::size_t index, const State& state, const StepReport& report, bool is_start,
                       double* values) const {
  const Site& site = options_[index].site;
  const BodyMotion at = calc_site_motion(system_, site, state.t, state.q, state.u);
  Vector3 acceleration = Vector3::Constant(kNotDefined);
  if (report.a.size() == system_.n_u() && report.a.allFinite()) {
    acceleration = calc_site_acceleration(system_, site, state.t, state.q, state.u, report.a).linear;
  } else if (!is_start) {
    acceleration = (at.v - velocities_[index]) / (state.t - t_);
  }
  put(values, at.R.transpose() * (acceleration - system_.gravity()), at.R.transpose() * at.w);
}

void Sensors::read_joint(const SensorOptions& sensor, const State& state, const StepReport& report,
                         double* values) const {
  const JointReport& joint = report.joints[sensor.joint];
  const JointOptions& options = system_.joints()[sensor.joint].options;
  double effort = options.force ? options.force->value(system_, state.t, state.q, state.u) : 0.0;
  for (const JointInput& input : state.inputs.joints()) {
    if (input.joint == sensor.joint) effort += input.effort;
  }
  if (system_.joints()[sensor.joint].has_servos()) effort = joint.effort;  // of the step
  values[0] = joint.coordinate;
  values[1] = joint.rate;
  values[2] = effort;
}

void Sensors::read_contact(const SensorOptions& sensor, const State& state, const StepReport& report, bool is_start,
                           double* values) const {
  if (is_start) {
    std::fill_n(values, 6, kNotDefined);
    return;
  }
  const Vector3 centre = system_.calc_pose(sensor.body, state.t, state.q).p_WB;
  Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
  for (const ContactReport& contact : report.contacts) {
    // What is open at the end may have acted before, where a scheme finds events or lets go within a step.
    const bool is_idle = contact.status == ContactStatus::open && !std::isgreater(std::abs(contact.percussion[0]), 0.0);
    if (is_idle || is_stop(system_, contact)) continue;
    const bool is_second = contact.body_b == sensor.body;
    if (!is_second && contact.body_a != sensor.body) continue;
    const int other = is_second ? contact.body_a : contact.body_b;
    if (sensor.with >= 0 && other != sensor.with) continue;
    const Vector3 on_second = world_force(contact, contact.percussion) / report.step;
    const Vector3 on_body = is_second ? on_second : Vector3(-on_second);
    force += on_body;
    torque += (contact.position - centre).cross(on_body);
    torque += (is_second ? 1.0 : -1.0) / report.step * contact.moment;
  }
  put(values, force, torque);
}

void Sensors::read_range(const SensorOptions& sensor, const State& state, double* values) const {
  const BodyMotion at = calc_site_motion(system_, sensor.site, state.t, state.q, state.u);
  double nearest = std::numeric_limits<double>::infinity();
  int posed = -1;
  Pose pose;
  for (const SeenShape& shape : shapes_) {
    if (shape.body == sensor.site.body || !system_.is_present(shape.body)) continue;
    if (shape.body != posed) pose = system_.calc_pose(shape.body, state.t, state.q);
    posed = shape.body;
    const Matrix3 R_WS = pose.R_WB * shape.rotation;
    const Vector3 p_WS = pose.p_WB + pose.R_WB * shape.position;
    const Ray ray = {R_WS.transpose() * (at.p - p_WS), R_WS.transpose() * at.R.col(2)};
    nearest = std::min(nearest, shape.target.calc_distance(ray));
  }
  values[0] = nearest <= sensor.most ? nearest : std::numeric_limits<double>::infinity();
}

void Sensors::read_wrench(const SensorOptions& sensor, const State& state, const StepReport& report,
                          double* values) const {
  const JointReport& joint = report.joints[sensor.joint];
  const BodyMotion at = calc_site_motion(system_, sensor.site, state.t, state.q, state.u);
  const Joint& of = system_.joints()[sensor.joint];
  const Pose second = system_.calc_pose(of.second, state.t, state.q);
  const Vector3 point = second.p_WB + second.R_WB * of.options.on_second.at;
  const Vector3 torque = joint.reaction_torque + (point - at.p).cross(joint.reaction_force);
  put(values, at.R.transpose() * joint.reaction_force, at.R.transpose() * torque);
}

SensorsTable::SensorsTable(Hdf5File& file, Sensors sensors, std::int64_t expected_rows)
    : sensors_(std::move(sensors)),
      table_(begin_sensors(file, sensors_), make_sensor_columns(sensors_.offsets().back()), expected_rows) {
}

void SensorsTable::record(const State& state, const StepReport& report, bool is_row) {
  if (is_row) {
    const std::size_t width = static_cast<std::size_t>(sensors_.offsets().back());
    sensors_.read(state, report, table_.rows() == 0, std::span(table_.reals(0), width));
    table_.end_row();
  }
  sensors_.begin_step(state);
}

void SensorsTable::copy_rows(const Hdf5File& from, std::int64_t rows, std::span<const RowSum> sums, const State& state,
                             const StopToken& stop) {
  table_.copy_rows(from, rows, sums, stop);
  sensors_.begin_step(state);
}

}  // namespace stickslip
