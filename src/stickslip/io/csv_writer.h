// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "stickslip/io/new_file.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/model/system.h"
#include "stickslip/stepping/step_report.h"

namespace stickslip {

/// Writes the output rows as text, separated by commas, numbers with 17 digits: t, q1..., u1..., then per named
/// contact point gap, lambda_N, Lambda_N, P_N, lambda_F1..., Lambda_F1..., P_F1... Everything throws WriteError.
class CsvWriter {
 public:
  /// The system must outlive this. Throws InputError where `path` cannot be such a file.
  CsvWriter(const std::filesystem::path& path, const System& system);

  /// The first rows of a result of the same system.
  void copy_rows(const Trajectory& from, std::int64_t rows);
  void record(const State& state, const StepReport& report);
  void flush();
  void publish();
  void finish();

 private:
  void write_header();
  void write_row();
  void check(const char* what);

  const System& system_;
  std::filesystem::path path_;
  std::optional<NewFile> file_name_;  // none: a device, written as it is
  std::ofstream out_;
  std::vector<double> row_;  // numbers of the row being written
};

}  // namespace stickslip
