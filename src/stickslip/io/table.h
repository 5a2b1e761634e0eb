// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stickslip/io/hdf5_file.h"

namespace stickslip {

/// One dataset of a Table: what is in a row of it.
struct Column {
  std::string path;                   // of the dataset
  Hdf5Type type = Hdf5Type::float64;  // in the file; floating-point kinds are doubles here, the others 64-bit integers
  int rank = 1;                       // 1: a number a row; 2: `width` numbers a row
  int width = 1;                      // [-] >= 0
  std::string unit;                   // "m/s"; "1" where there is none
  std::string meaning;
};

/// Datasets that grow together, a row at a time. Rows are kept here and go out in whole chunks of all datasets
/// (row by row is slow); flush() sends what there is.
class Table {
 public:
  /// Makes the datasets in the file, which must outlive this, empty. expected_rows bounds the size of chunks, so that a
  /// short run makes a small file.
  Table(Hdf5File& file, std::vector<Column> columns, std::int64_t expected_rows);

  const std::vector<Column>& columns() const { return columns_; }
  /// Rows so far, those that still wait here included.
  std::int64_t rows() const { return rows_on_file_ + rows_waiting_; }

  /// The place of a column in the row that is being filled; every number of it must be set before end_row().
  double* reals(int column);           // (width)
  std::int64_t* integers(int column);  // (width)
  /// The row is complete. Throws WriteError.
  void end_row();
  void flush();

  /// Takes over the first rows of the same datasets of another file. Throws InputError where they are not there.
  void copy_rows(const Hdf5File& from, std::int64_t rows);

 private:
  struct Buffer {
    Hdf5Dataset dataset;
    std::vector<double> reals;           // (chunk rows, width), or empty
    std::vector<std::int64_t> integers;  // (chunk rows, width), or empty
  };
  void write_column(std::size_t column, std::int64_t n);
  std::int64_t flush_bytes() const;

  Hdf5File& file_;
  std::vector<Column> columns_;
  std::vector<Buffer> buffers_;
  std::int64_t chunk_rows_ = 1;
  std::int64_t rows_on_file_ = 0;
  std::int64_t rows_waiting_ = 0;
};

}  // namespace stickslip
