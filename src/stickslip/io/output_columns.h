// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "stickslip/io/table.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/step_report.h"

namespace stickslip {

/// "/contacts/<pair>", or "/contacts/<pair>/<k>" where the pair has several points.
std::string contact_group(const System& system, int point);

/// What a result holds at each output instant: time, q, u, a, and every body, named contact point and joint.
class OutputColumns {
 public:
  /// The system must outlive this. real: float64 or float32 for all but the time.
  OutputColumns(const System& system, Hdf5Type real);

  const std::vector<Column>& columns() const { return columns_; }
  /// Fills the table's next row, of these columns. The table's end_row() is the caller's.
  void fill(Table& table, const State& state, const StepReport& report) const;

 private:
  void add(std::string path, Hdf5Type type, std::string unit, std::string meaning);
  void add(std::string path, Hdf5Type type, int width, std::string unit, std::string meaning);
  void add_body(const Body& body, Hdf5Type real);
  void add_contact(int point, Hdf5Type real);
  void add_joint(const Joint& joint, Hdf5Type real);
  int fill_body(Table& table, int column, int body, const State& state) const;
  int fill_contact(Table& table, int column, const ContactReport& contact) const;
  int fill_joint(Table& table, int column, const JointReport& joint) const;

  const System& system_;
  std::vector<Column> columns_;
};

}  // namespace stickslip
