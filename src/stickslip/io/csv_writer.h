// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/io/new_file.h"
#include "stickslip/io/result_reader.h"
#include "stickslip/io/step_sink.h"
#include "stickslip/model/system.h"

namespace stickslip {

/// The most columns of a CSV: lines with more take megabytes. [-]
inline constexpr int kMostCsvColumns = 4096;

/// Writes the output rows as text, separated by commas, numbers with 17 digits: t, q1..., u1..., then per named
/// contact point gap, lambda_N, Lambda_N, P_N, lambda_F1..., Lambda_F1..., P_F1...
class CsvWriter final : public StepSink {
 public:
  /// The system must outlive this. Throws InputError where `path` cannot be such a file, or the system has too many
  /// columns for one; WriteError.
  CsvWriter(const std::filesystem::path& path, const System& system);

  void begin(const State& state, const StepReport& report) override;
  void begin(const Trajectory& before, const Checkpoint& checkpoint, const StopToken& stop) override;
  void publish() override;
  void record(const State& state, const StepReport& report, bool is_row) override;
  void flush() override;
  void checkpoint(const Checkpoint&, std::span<const LimitEntry>) override { flush(); }
  void finish(const RunEnd& end) override;

 private:
  std::vector<std::string> column_names() const;
  void copy_rows(const Trajectory& from, const Checkpoint& up_to, const StopToken& stop);
  void write_row();
  void check(const char* what);

  const System& system_;
  std::filesystem::path path_;
  std::optional<NewFile> file_name_;  // none: a device, written as it is
  std::ofstream out_;
  std::vector<double> row_;  // numbers of the row being written
};

}  // namespace stickslip
