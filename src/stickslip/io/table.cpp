// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "stickslip/base/assert.h"
#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

/// What waits in memory at most. [bytes]
constexpr std::int64_t kMaxBufferBytes = std::int64_t{32} << 20;
/// Rows of a chunk at most: 8 kB of a scalar column, which a disk takes well. [-]
constexpr std::int64_t kMaxChunkRows = 1024;
/// and at least, so that systems of many bodies do not write row by row. [-]
constexpr std::int64_t kMinChunkRows = 8;
/// What the library's indices of chunks take on the disk at a time, at most: of each column, and beside. [bytes]
constexpr std::int64_t kColumnBookkeepingBytes = 4096;
constexpr std::int64_t kBookkeepingBytes = 65536;

bool is_real(Hdf5Type type) {
  return type == Hdf5Type::float64 || type == Hdf5Type::float32;
}

std::int64_t choose_chunk_rows(const std::vector<Column>& columns, std::int64_t expected_rows) {
  std::int64_t row_bytes = 0;
  for (const Column& c : columns) row_bytes += std::int64_t{8} * c.width;
  const std::int64_t fitting = kMaxBufferBytes / std::max<std::int64_t>(row_bytes, 1);
  const std::int64_t rows = std::clamp(fitting, kMinChunkRows, kMaxChunkRows);
  return std::clamp<std::int64_t>(expected_rows, 1, rows);
}

}  // namespace

Table::Table(Hdf5File& file, std::vector<Column> columns, std::int64_t expected_rows)
    : file_(file), columns_(std::move(columns)), chunk_rows_(choose_chunk_rows(columns_, expected_rows)) {
  for (const Column& c : columns_) {
    Buffer buffer = {file.create_dataset(c.path, {c.type, c.rank, c.width, 0, chunk_rows_}), {}, {}};
    file.write_attribute(c.path, "unit", c.unit);
    file.write_attribute(c.path, "meaning", c.meaning);
    const auto size = static_cast<std::size_t>(chunk_rows_ * c.width);
    is_real(c.type) ? buffer.reals.resize(size) : buffer.integers.resize(size);
    buffers_.push_back(std::move(buffer));
  }
}

double* Table::reals(int column) {
  STICKSLIP_ASSERT(is_real(columns_[column].type));
  return buffers_[column].reals.data() + rows_waiting_ * columns_[column].width;
}

std::int64_t* Table::integers(int column) {
  STICKSLIP_ASSERT(!is_real(columns_[column].type));
  return buffers_[column].integers.data() + rows_waiting_ * columns_[column].width;
}

void Table::end_row() {
  ++rows_waiting_;
  if (rows() % chunk_rows_ == 0) flush();
}

void Table::write_column(std::size_t column, std::int64_t n) {
  Buffer& buffer = buffers_[column];
  const auto count = static_cast<std::size_t>(n * columns_[column].width);
  buffer.dataset.grow(rows_on_file_ + n);
  if (is_real(columns_[column].type)) {
    buffer.dataset.write(rows_on_file_, std::span(buffer.reals).first(count));
  } else {
    buffer.dataset.write(rows_on_file_, std::span(buffer.integers).first(count));
  }
}

/// Two chunks of each column, the one that was begun and the next, and what the library notes about them.
std::int64_t Table::flush_bytes() const {
  std::int64_t bytes = kBookkeepingBytes;
  for (const Column& c : columns_) bytes += 2 * 8 * chunk_rows_ * c.width + kColumnBookkeepingBytes;
  return bytes;
}

void Table::flush() {
  if (rows_waiting_ == 0) return;
  file_.reserve(flush_bytes());
  for (std::size_t c = columns_.size(); c-- > 0;) write_column(c, rows_waiting_);
  rows_on_file_ += rows_waiting_;
  rows_waiting_ = 0;
}

void Table::copy_rows(const Hdf5File& from, std::int64_t rows) {
  STICKSLIP_ASSERT(this->rows() == 0);
  std::vector<Hdf5Dataset> sources;
  for (const Column& c : columns_) {
    sources.push_back(from.open_dataset(c.path));
    if (sources.back().width() != c.width) {
      throw InputError({from.name()}, c.path, fmt::format("{} numbers a row", sources.back().width()),
                       fmt::format("must be {}", c.width));
    }
  }
  for (std::int64_t first = 0; first < rows; first += chunk_rows_) {
    const std::int64_t n = std::min(chunk_rows_, rows - first);
    file_.reserve(flush_bytes());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto count = static_cast<std::size_t>(n * columns_[c].width);
      if (is_real(columns_[c].type)) {
        sources[c].read(first, std::span(buffers_[c].reals).first(count));
      } else {
        sources[c].read(first, std::span(buffers_[c].integers).first(count));
      }
      write_column(c, n);
    }
    rows_on_file_ += n;
  }
}

}  // namespace stickslip
