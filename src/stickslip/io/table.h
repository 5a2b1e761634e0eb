// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stickslip/base/stop_token.h"
#include "stickslip/io/checksum.h"
#include "stickslip/io/hdf5_file.h"

namespace stickslip {

/// One dataset of a Table, and the shape of its rows.
struct Column {
  std::string path;                   // of the dataset
  Hdf5Type type = Hdf5Type::float64;  // in the file; floating-point kinds are doubles here, the others 64-bit integers
  std::vector<std::int64_t> row;      // [-] shape of a row: {} a number, {items} or {items, components}
  std::string unit;                   // "m/s"; "1" where there is none
  std::string meaning;
  bool may_begin_late = false;  // zeros stand for the rows of a file without it (copy_rows)

  /// Numbers in a row. [-]
  std::int64_t width() const;
  /// The size of a row in the file. [bytes]
  std::int64_t row_bytes() const;
};

/// What so many rows of a Table of these columns take in the file, which has whole chunks. [bytes]
double estimate_table_bytes(std::span<const Column> columns, std::int64_t expected_rows, double rows);

/// The checksum, in a checkpoint, of all rows of a dataset before it; it also detects a chunk of zeros, which fits
/// Fletcher's. The rows from `first` on share a chunk with later rows. That chunk is written again with them, and may
/// be cut when the program is killed, so its own checksum does not protect the earlier rows.
struct RowSum {
  std::uint64_t path = 0;  // FNV-1a of the dataset's path
  std::int64_t rows = 0;   // [-] up to the checkpoint
  std::int64_t first = 0;  // [-] row
  std::uint64_t sum = 0;
  bool operator==(const RowSum&) const = default;
};

/// Datasets that grow together, a row at a time. Each is written in whole chunks (row by row is slow); flush() writes
/// the waiting rows. Chunks have checksums.
class Table {
 public:
  /// Makes the datasets in the file, which must outlive this, empty. expected_rows bounds the size of chunks, so that a
  /// short run makes a small file.
  Table(Hdf5File& file, std::vector<Column> columns, std::int64_t expected_rows);

  const std::vector<Column>& columns() const { return columns_; }
  /// Rows so far, including waiting ones.
  std::int64_t rows() const { return rows_; }

  /// The place of a column in the row that is being filled; every number of it must be set before end_row().
  double* reals(int column);           // (width)
  std::int64_t* integers(int column);  // (width)
  /// The row is complete. Throws WriteError.
  void end_row();
  void flush();

  /// Adds the checksum of the rows of each dataset for a checkpoint after the present row.
  void add_sums(std::vector<RowSum>& sums) const;
  /// Takes over the first rows of the same datasets of another file, of which these sums are known. Throws InputError
  /// where they are not there, or damaged. Asks `stop` for each chunk.
  void copy_rows(const Hdf5File& from, std::int64_t rows, std::span<const RowSum> sums, const StopToken& stop);

 private:
  struct Buffer {
    Hdf5Dataset dataset;
    std::int64_t chunk_rows = 1;
    std::int64_t rows_on_file = 0;
    std::vector<double> reals = {};           // (chunk rows, width) the chunk that is being filled, or empty
    std::vector<std::int64_t> integers = {};  // (chunk rows, width)
    Checksum sum = {};                        // of all chunks before it
  };
  Checksum sum_with(std::size_t column, std::int64_t rows) const;
  void write_column(std::size_t column);
  void copy_column(std::size_t column, const Hdf5Dataset* source, std::int64_t rows, std::span<const RowSum> sums,
                   const StopToken& stop);
  void reserve(bool whole_chunks_only);

  Hdf5File& file_;
  std::vector<Column> columns_;
  std::vector<Buffer> buffers_;
  std::int64_t rows_ = 0;
};

/// Reads rows first, first + 1, ... of a dataset of a result, of which `rows` count, into data: as Hdf5Dataset::read(),
/// but without the checksum of the chunk that later rows share.
template <class Number>
void read_rows(const Hdf5Dataset& dataset, std::int64_t first, std::int64_t rows, std::span<const RowSum> sums,
               std::span<Number> data);

/// Reads the first rows of a dataset and compares them with their checksums, the sum's, if there is one, included.
/// Throws InputError.
void verify_rows(const Hdf5Dataset& dataset, std::int64_t rows, std::span<const RowSum> sums);

}  // namespace stickslip
