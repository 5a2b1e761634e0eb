// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "stickslip/io/result_reader.h"

namespace stickslip {

/// The result of a run, column by column. A row is an output instant; row 0 is the initial state.
class RunData {
 public:
  /// Throws InputError where the file is no result.
  explicit RunData(const std::filesystem::path& result);

  const std::vector<double>& time() const { return time_; }  // (rows) [s]
  std::size_t rows() const { return time_.size(); }
  /// A column of a dataset of the result ("/q"), or of one item of it: "/bodies/ball/position",
  /// "/contacts/main/gap".
  std::vector<double> read(const std::string& path, int column = 0) const;
  /// The steps that were done, without the initial state's row.
  std::span<const StepRow> steps() const { return std::span(steps_).subspan(1); }
  /// Kinetic and potential energy at the start and at the end of each step. (steps + 1) [J]
  std::vector<double> calc_energy() const;
  std::int64_t max_iterations() const;
  double mean_iterations() const;  // NaN without a step

  /// The row of an instant, or rows() where there is none within a thousandth of a step.
  std::size_t row_at(double t) const;
  /// The value of a column at an instant; NaN where there is no such row.
  double at(const std::vector<double>& column, double t) const;
  /// The instant of the first row that satisfies a condition; NaN where none does.
  double first_time(const std::function<bool(std::size_t)>& condition) const;

 private:
  RowMatrix read_item(const std::string& path) const;

  Trajectory result_;
  std::vector<double> time_;
  std::vector<StepRow> steps_;
};

/// Rows in which `closed` differs from the row before.
std::vector<std::size_t> find_switches(const std::vector<bool>& closed);
/// Rows in which a contact's status is not open.
std::vector<bool> find_closed(const RunData& run, const std::string& contact);

double largest(const std::vector<double>& values);            // NaN of nothing
double largest_magnitude(const std::vector<double>& values);  // NaN of nothing
/// The largest rise from one value to the next.
double largest_rise(const std::vector<double>& values);
/// The value of a row; NaN where there is none.
double value_of_row(const std::vector<double>& column, std::size_t row);
std::vector<double> scaled(double factor, std::vector<double> values);

}  // namespace stickslip
