// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stickslip/constraints/step_report.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/table.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// What is measured of some bodies and of the contacts in some region, as [[measures]] of a scene say.
struct MeasureOptions {
  /// A plane through `point`; bodies cross it along `normal`, or back.
  struct Plane {
    Vector3 point = Vector3::Zero();   // (3) [m]
    Vector3 normal = Vector3::Zero();  // (3) [-] any length but zero
    bool operator==(const Plane&) const = default;
  };
  std::string name;
  std::vector<char> has_body;                 // (n bodies) whether it is measured
  std::optional<std::array<Vector3, 2>> box;  // (3) [m] lower and upper corner; none: everywhere
  std::optional<Plane> plane;
  std::vector<char> starts_beyond;  // (n bodies) on which side of the plane its centre is at the start
};

/// One measure at one instant. NaN: not defined there.
struct Measure {
  double bodies = 0.0;          // [-] with their centre in the box
  double kinetic_energy = 0.0;  // [J] of these
  double coordination = 0.0;    // [-] how many bodies each of these touches, on average
  double force_mean = 0.0, force_max = 0.0, force_deviation = 0.0;  // [N] normal forces, means over the step
  Matrix3 fabric = Matrix3::Zero();                                 // (3, 3) [-] mean of n n^T
  Matrix3 stress = Matrix3::Zero();                                 // (3, 3) [Pa], planar [N/m]; tension positive
  double crossed = 0.0;       // [-] bodies that went through the plane less those that came back, since the start
  double crossed_mass = 0.0;  // [kg] theirs
};

/// Of a step's end; `has_forces` is false at the start, where no step has been made. Contacts as in the report: joint
/// stops do not count.
Measure calc_measure(const System& system, const MeasureOptions& options, const State& state, const StepReport& report,
                     bool has_forces);

/// /measures: one column a quantity, a number or a matrix for each measure.
class MeasuresTable {
 public:
  /// Makes the group and its datasets in the file, which must outlive this, as must the system.
  MeasuresTable(Hdf5File& file, const System& system, std::vector<MeasureOptions> options, std::int64_t expected_rows);

  /// The next row.
  void record(const State& state, const StepReport& report);
  void flush() { table_.flush(); }
  void add_sums(std::vector<RowSum>& sums) const { table_.add_sums(sums); }
  /// Takes over the first rows of the same datasets of another file. Throws InputError where they are not there.
  void copy_rows(const Hdf5File& from, std::int64_t rows, std::span<const RowSum> sums, const StopToken& stop);

 private:
  const System& system_;
  std::vector<MeasureOptions> options_;
  Table table_;
  // Of the row before, for flow.
  double t_before_ = 0.0;            // [s]
  std::vector<double> mass_before_;  // (n measures) [kg] that had crossed
};

}  // namespace stickslip
