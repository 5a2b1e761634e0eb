// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "stickslip/constraints/step_report.h"
#include "stickslip/geometry/ray_cast.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/table.h"
#include "stickslip/model/sensor_type.h"
#include "stickslip/model/site.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// What a sensor reads, as [[sensors]] of a scene say.
struct SensorOptions {
  std::string name;
  SensorType type = SensorType::pose;
  Site site;                                              // of all but joint and contact
  bool in_site_frame = false;                             // velocity: components along the site's axes
  int joint = -1;                                         // joint, wrench: index into System::joints()
  int body = -1;                                          // contact: on which body
  int with = -1;                                          // contact: of which other body, -1: of all
  double most = std::numeric_limits<double>::infinity();  // [m] range: what is further away is not seen
};

/// Reads the sensors of a system at the ends of steps.
class Sensors {
 public:
  /// The system must outlive this.
  Sensors(const System& system, std::vector<SensorOptions> options);

  const std::vector<SensorOptions>& options() const { return options_; }
  /// Where the numbers of sensor i begin among all of them, and in the end how many they are. (n + 1)
  const std::vector<std::int64_t>& offsets() const { return offsets_; }

  /// Where the next step starts: under schemes without accelerations an imu has what the velocity changes in a step.
  void begin_step(const State& state);
  /// At the end of the step, values (offsets().back()). NaN: not defined, as what needs a step at the start.
  void read(const State& state, const StepReport& report, bool is_start, std::span<double> values) const;

 private:
  struct SeenShape {
    int body = 0;
    Vector3 position = Vector3::Zero();      // (3) [m] body frame
    Matrix3 rotation = Matrix3::Identity();  // (3, 3) [-] shape to body
    RayTarget target;
  };

  bool is_of_absent(const SensorOptions& sensor) const;
  void read_pose(const SensorOptions& sensor, const State& state, double* values) const;
  void read_velocity(const SensorOptions& sensor, const State& state, double* values) const;
  void read_imu(std::size_t index, const State& state, const StepReport& report, bool is_start, double* values) const;
  void read_joint(const SensorOptions& sensor, const State& state, const StepReport& report, double* values) const;
  void read_contact(const SensorOptions& sensor, const State& state, const StepReport& report, bool is_start,
                    double* values) const;
  void read_range(const SensorOptions& sensor, const State& state, double* values) const;
  void read_wrench(const SensorOptions& sensor, const State& state, const StepReport& report, double* values) const;

  const System& system_;
  std::vector<SensorOptions> options_;
  std::vector<std::int64_t> offsets_;
  std::vector<SeenShape> shapes_;    // of systems with a range sensor: all that a ray can meet
  std::vector<Vector3> velocities_;  // (n sensors) (3) [m/s] of imus at the start of the step
  double t_ = 0.0;                   // [s] its time
};

/// /sensors: what each sensor reads at each output instant, side by side in the rows of `value`.
class SensorsTable {
 public:
  /// Makes the group and its datasets in the file, which must outlive this.
  SensorsTable(Hdf5File& file, Sensors sensors, std::int64_t expected_rows);

  /// Each step has to be told, with a row or not.
  void record(const State& state, const StepReport& report, bool is_row);
  void flush() { table_.flush(); }
  void add_sums(std::vector<RowSum>& sums) const { table_.add_sums(sums); }
  /// Takes over the first rows of the same datasets of another file, whose run is at `state`. Throws InputError where
  /// they are not there.
  void copy_rows(const Hdf5File& from, std::int64_t rows, std::span<const RowSum> sums, const State& state,
                 const StopToken& stop);

 private:
  Sensors sensors_;
  Table table_;
};

}  // namespace stickslip
