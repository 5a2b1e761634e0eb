// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/io/checkpoint.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/step_row.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// One body in a result's rows of q and u.
struct LayoutRow {
  std::string body;
  std::string type;
  int q_offset = 0, n_q = 0;
  int u_offset = 0, n_u = 0;
};

/// Reads a result file: finished, still being written, or left by a killed program. Everything throws InputError.
class Trajectory {
 public:
  explicit Trajectory(const std::filesystem::path& path);

  const Hdf5File& file() const { return file_; }
  std::string text(const std::string& attribute) const { return file_.read_text("/", attribute); }
  bool finished() const { return file_.read_integer("/", "finished") != 0; }

  /// Rows that all datasets have. [-]
  std::int64_t rows() const { return rows_; }
  std::int64_t steps() const { return steps_; }

  /// Rows of a dataset of numbers, (n, width); one column where it has one dimension.
  RowMatrix read(const std::string& dataset, std::int64_t first, std::int64_t n) const;
  RowMatrix read(const std::string& dataset) const { return read(dataset, 0, rows_); }
  std::vector<StepRow> read_steps(std::int64_t first, std::int64_t n) const;
  std::vector<LayoutRow> layout() const;
  /// The groups under /contacts that hold a contact point: "name" or "name/k". In order of name.
  std::vector<std::string> contact_points() const;
  std::optional<Checkpoint> checkpoint() const { return read_checkpoint(file_); }

 private:
  std::int64_t count_rows() const;
  bool has_column(const StepColumn& column) const;

  Hdf5File file_;
  std::int64_t rows_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace stickslip
