// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/io/in_place.h"
#include "stickslip/io/write_lock.h"
#include "stickslip/sweep/sweep.h"

namespace stickslip {

/// The table of a sweep (docs/sweep.md): an HDF5 file that has its full size from the start. A row is written by plain
/// writes into its places, its status last: whenever the program dies, the file is whole, rows that have a status are
/// too, and the others are run again. So the bytes do not depend on who wrote which row when.
class SweepTable {
 public:
  /// Makes the table, or goes on with that of the same plan and scene. Without a path it is in memory alone. Throws
  /// InputError where another file is there, unless `force`, or where another program writes it, and WriteError.
  SweepTable(const ParameterSweep& sweep, const std::optional<std::filesystem::path>& path, bool force);
  SweepTable(const SweepTable&) = delete;
  SweepTable& operator=(const SweepTable&) = delete;
  ~SweepTable();

  std::int64_t rows() const { return rows_; }
  /// Rows that have no status, in order.
  std::vector<std::int64_t> pending() const;
  /// Writes a row; may be called by several threads. Throws WriteError.
  void record(std::int64_t row, const SweepRow& result);

  std::vector<std::int64_t> status() const { return read_integers(status_field()); }
  std::vector<std::int64_t> steps() const { return read_integers(steps_field()); }
  std::vector<std::string> messages() const;
  /// (rows) or (rows, width), one row after the other.
  std::vector<double> parameter(std::size_t column) const;
  std::vector<double> quantity(std::size_t quantity) const;

  /// Rows as text: row, parameters, quantities, status, message. Throws InputError and WriteError.
  void write_csv(const std::filesystem::path& path) const;

 private:
  /// A dataset, and where it begins. [bytes]
  struct Field {
    InPlaceDataset dataset;
    std::int64_t place = 0;
  };
  void list_fields();
  void create(const std::optional<std::filesystem::path>& path);
  void fill(const std::filesystem::path& place);
  bool resume(const std::filesystem::path& path, std::string& why);
  void set_places(const std::vector<std::int64_t>& places);
  void write(const Field& field, std::int64_t first, std::int64_t n, const void* data) const;
  void read(const Field& field, std::int64_t first, std::int64_t n, void* data) const;
  std::vector<std::int64_t> read_integers(const Field& field) const;
  std::vector<double> read_reals(const Field& field) const;
  const Field& status_field() const { return fields_[0]; }
  const Field& steps_field() const { return fields_[1]; }
  const Field& message_field() const { return fields_[2]; }
  const Field& parameter_field(std::size_t column) const { return fields_[3 + column]; }
  const Field& quantity_field(std::size_t quantity) const {
    return fields_[3 + sweep_.plan().columns.size() + quantity];
  }

  const ParameterSweep& sweep_;
  std::int64_t rows_;
  std::string name_;  // for messages
  int descriptor_ = -1;
  WriteLock lock_;
  std::vector<Field> fields_;  // status, steps, message, then those of parameters and of quantities
};

}  // namespace stickslip
