// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/io/checkpoint.h"
#include "stickslip/io/hdf5_file.h"
#include "stickslip/io/step_row.h"
#include "stickslip/math/types.h"
#include "stickslip/stepping/limits.h"

namespace stickslip {

/// One body in a result's rows of q and u.
struct LayoutRow {
  std::string body;
  std::string type;
  int q_offset = 0, n_q = 0;
  int u_offset = 0, n_u = 0;
};

/// Reads a result file: finished, still being written, or left by a killed program. It never returns damaged data:
/// every chunk has a checksum. All functions throw InputError.
class Trajectory {
 public:
  explicit Trajectory(const std::filesystem::path& path);

  const Hdf5File& file() const { return file_; }
  std::string text(const std::string& attribute) const { return file_.read_text("/", attribute); }
  /// The scene as it was run.
  std::string scene() const;
  bool finished() const { return file_.read_integer("/", "finished") != 0; }

  /// Rows that all datasets have, and whose last chunk is whole in all of them. [-]
  std::int64_t rows() const { return rows_; }
  std::int64_t steps() const { return steps_; }
  /// Rows that were announced: more than rows() where the program was killed, or the file was damaged later. [-]
  std::int64_t announced_rows() const { return announced_rows_; }
  std::int64_t announced_steps() const { return announced_steps_; }

  /// Rows of a dataset of numbers, (n, items x components); one column where it has one dimension. Those up to a
  /// checkpoint count as sound where what came after it was torn.
  RowMatrix read(const std::string& dataset, std::int64_t first, std::int64_t n,
                 const Checkpoint* up_to = nullptr) const;
  RowMatrix read(const std::string& dataset) const { return read(dataset, 0, rows_); }
  /// A dataset with a row for each output instant; null where the file has none of that path.
  const Hdf5Dataset* find_rows(const std::string& path) const;
  /// All rows of one item of /bodies, /contacts or /joints ("bodies", "ball", "position"), (rows, components).
  RowMatrix read_item(const std::string& group, const std::string& name, const std::string& quantity) const;
  std::vector<StepRow> read_steps(std::int64_t first, std::int64_t n, const Checkpoint* up_to = nullptr) const;
  std::vector<LayoutRow> layout() const;
  /// The names of an axis: "bodies", "contacts" (points), "joints", "pairs"; none where the result has no such group.
  std::vector<std::string> names(const std::string& group) const;
  std::vector<LimitEntry> limits() const;
  std::optional<Checkpoint> checkpoint() const { return read_checkpoint(file_); }
  /// Reads every row of every dataset.
  void verify() const;

 private:
  void open_rows();
  void open_steps();

  Hdf5File file_;
  // Opened once: the library takes longer to find a dataset than to read a short one.
  std::map<std::string, Hdf5Dataset> row_datasets_;   // by path
  std::map<std::string, Hdf5Dataset> step_datasets_;  // by path
  std::int64_t rows_ = 0, announced_rows_ = 0;
  std::int64_t steps_ = 0, announced_steps_ = 0;
};

}  // namespace stickslip
