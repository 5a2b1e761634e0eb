// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "stickslip/base/assert.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/checksum.h"

namespace stickslip {
namespace {

/// A chunk takes no more than this, so that reading a few rows or bodies reads little else. [bytes]
constexpr std::int64_t kTableChunkBytes = 65536;
/// Rows of a chunk at most: 32 kB of a scalar column, so that the last chunk of a short run is short. [-]
constexpr std::int64_t kMaxChunkRows = 4096;
/// What the library's indices of chunks and the pages that stay half empty behind chunks take on the disk at a time, at
/// most: of each column, and beside. [bytes]
constexpr std::int64_t kColumnBookkeepingBytes = 4096;
constexpr std::int64_t kBookkeepingBytes = 65536;

bool is_real(Hdf5Type type) {
  return type == Hdf5Type::float64 || type == Hdf5Type::float32;
}

std::int64_t number_bytes(Hdf5Type type) {
  switch (type) {
    case Hdf5Type::float64:
    case Hdf5Type::int64:
    case Hdf5Type::uint64:
      return 8;
    case Hdf5Type::float32:
    case Hdf5Type::int32:
      return 4;
    case Hdf5Type::uint8:
      return 1;
  }
  return 8;
}

/// The number of equal parts, each at most `most` long, that n is divided into gives their length.
std::int64_t equal_part(std::int64_t n, std::int64_t most) {
  const std::int64_t parts = (n + most - 1) / most;
  return (n + parts - 1) / parts;
}

std::int64_t choose_chunk_rows(const Column& column, std::int64_t expected_rows) {
  const std::int64_t fitting = kTableChunkBytes / std::max<std::int64_t>(column.row_bytes(), 1);
  return equal_part(std::max<std::int64_t>(expected_rows, 1), std::clamp<std::int64_t>(fitting, 1, kMaxChunkRows));
}

/// Items of a chunk: all, where a row fits.
std::int64_t choose_chunk_items(const Column& column) {
  if (column.row.empty() || column.row_bytes() <= kTableChunkBytes) return 0;
  const std::int64_t items = column.row.front();
  return equal_part(items, std::max<std::int64_t>(kTableChunkBytes / (column.row_bytes() / items), 1));
}

/// As the file holds it: in single precision where the column is.
std::uint64_t stored_bits(double x, bool is_single) {
  if (std::isnan(x)) return std::numeric_limits<std::uint64_t>::max();
  return std::bit_cast<std::uint64_t>(is_single ? static_cast<double>(static_cast<float>(x)) : x);
}
std::uint64_t stored_bits(std::int64_t x, bool /*is_single*/) {
  return static_cast<std::uint64_t>(x);
}

template <class Number>
void add_to(Checksum& sum, std::span<const Number> numbers, bool is_single) {
  for (const Number x : numbers) sum.add(stored_bits(x, is_single));
}

}  // namespace

std::int64_t Column::width() const {
  std::int64_t numbers = 1;
  for (const std::int64_t n : row) numbers *= n;
  return numbers;
}

std::int64_t Column::row_bytes() const {
  return width() * number_bytes(type);
}

double estimate_table_bytes(std::span<const Column> columns, std::int64_t expected_rows, double rows) {
  double bytes = 0.0;
  for (const Column& column : columns) {
    const auto chunk_rows = static_cast<double>(choose_chunk_rows(column, expected_rows));
    bytes += std::ceil(rows / chunk_rows) * chunk_rows * static_cast<double>(column.row_bytes());
  }
  return bytes;
}

Table::Table(Hdf5File& file, std::vector<Column> columns, std::int64_t expected_rows)
    : file_(file), columns_(std::move(columns)) {
  for (const Column& c : columns_) {
    const std::int64_t chunk_rows = choose_chunk_rows(c, expected_rows);
    Buffer buffer{.dataset = file.create_dataset(c.path, {c.type, c.row, 0, chunk_rows, choose_chunk_items(c), true}),
                  .chunk_rows = chunk_rows};
    file.describe(c.path, c.unit, c.meaning);
    const auto size = static_cast<std::size_t>(chunk_rows * c.width());
    is_real(c.type) ? buffer.reals.resize(size) : buffer.integers.resize(size);
    buffers_.push_back(std::move(buffer));
  }
}

double* Table::reals(int column) {
  STICKSLIP_ASSERT(is_real(columns_[column].type));
  Buffer& buffer = buffers_[column];
  return buffer.reals.data() + rows_ % buffer.chunk_rows * columns_[column].width();
}

std::int64_t* Table::integers(int column) {
  STICKSLIP_ASSERT(!is_real(columns_[column].type));
  Buffer& buffer = buffers_[column];
  return buffer.integers.data() + rows_ % buffer.chunk_rows * columns_[column].width();
}

void Table::end_row() {
  ++rows_;
  const auto is_whole = [this](const Buffer& buffer) { return rows_ % buffer.chunk_rows == 0; };
  if (std::none_of(buffers_.begin(), buffers_.end(), is_whole)) return;
  reserve(true);
  for (std::size_t c = columns_.size(); c-- > 0;) {
    if (is_whole(buffers_[c])) write_column(c);
  }
}

/// Writes the rows of the chunk that is being filled which are not on the file yet.
void Table::write_column(std::size_t column) {
  Buffer& buffer = buffers_[column];
  const std::int64_t n = rows_ - buffer.rows_on_file;
  if (n == 0) return;
  const std::int64_t width = columns_[column].width();
  const auto begin = static_cast<std::size_t>(buffer.rows_on_file % buffer.chunk_rows * width);
  const auto count = static_cast<std::size_t>(n * width);
  buffer.dataset.grow(rows_);
  if (is_real(columns_[column].type)) {
    buffer.dataset.write(buffer.rows_on_file, std::span<const double>(buffer.reals).subspan(begin, count));
  } else {
    buffer.dataset.write(buffer.rows_on_file, std::span<const std::int64_t>(buffer.integers).subspan(begin, count));
  }
  buffer.rows_on_file = rows_;
  if (rows_ % buffer.chunk_rows == 0) buffer.sum = sum_with(column, buffer.chunk_rows);
}

/// The checksum of a column up to the first rows of the chunk that is being filled.
Checksum Table::sum_with(std::size_t column, std::int64_t rows) const {
  const Buffer& buffer = buffers_[column];
  const auto count = static_cast<std::size_t>(rows * columns_[column].width());
  const bool is_single = columns_[column].type == Hdf5Type::float32;
  Checksum sum = buffer.sum;
  if (is_real(columns_[column].type)) {
    add_to(sum, std::span<const double>(buffer.reals).first(count), is_single);
  } else {
    add_to(sum, std::span<const std::int64_t>(buffer.integers).first(count), is_single);
  }
  return sum;
}

/// Two chunks of each column that is about to be written, the one that was begun and the next, and what the library
/// notes about them.
void Table::reserve(bool whole_chunks_only) {
  std::int64_t bytes = kBookkeepingBytes;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Buffer& buffer = buffers_[c];
    if (whole_chunks_only && rows_ % buffer.chunk_rows != 0) continue;
    bytes += 2 * buffer.chunk_rows * columns_[c].row_bytes() + kColumnBookkeepingBytes;
  }
  file_.reserve(bytes);
}

void Table::flush() {
  const auto waits = [this](const Buffer& buffer) { return buffer.rows_on_file < rows_; };
  if (std::none_of(buffers_.begin(), buffers_.end(), waits)) return;
  reserve(false);
  for (std::size_t c = columns_.size(); c-- > 0;) write_column(c);
}

void Table::add_sums(std::vector<RowSum>& sums) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::int64_t n = rows_ % buffers_[c].chunk_rows;
    sums.push_back({checksum_of(columns_[c].path), rows_, rows_ - n, sum_with(c, n).value()});
  }
}

namespace {

const RowSum* find_sum(std::span<const RowSum> sums, const std::string& path) {
  const std::uint64_t id = checksum_of(path);
  const auto found = std::find_if(sums.begin(), sums.end(), [id](const RowSum& s) { return s.path == id; });
  return found == sums.end() ? nullptr : &*found;
}

}  // namespace

template <class Number>
void read_rows(const Hdf5Dataset& dataset, std::int64_t first, std::int64_t rows, std::span<const RowSum> sums,
               std::span<Number> data) {
  const auto width = static_cast<std::size_t>(dataset.width());
  const std::int64_t n = width == 0 ? 0 : static_cast<std::int64_t>(data.size() / width);
  const RowSum* sum = find_sum(sums, dataset.path());
  if (sum == nullptr || first + n <= sum->first || rows <= sum->first) return dataset.read(first, data);
  const std::int64_t whole = std::clamp<std::int64_t>(sum->first - first, 0, n);
  const std::size_t split = static_cast<std::size_t>(whole) * width;
  dataset.read(first, data.first(split));
  dataset.read(first + whole, data.subspan(split), Hdf5Dataset::Checksums::ignored);
}

template void read_rows(const Hdf5Dataset&, std::int64_t, std::int64_t, std::span<const RowSum>, std::span<double>);
template void read_rows(const Hdf5Dataset&, std::int64_t, std::int64_t, std::span<const RowSum>,
                        std::span<std::int64_t>);

namespace {

template <class Number>
Checksum sum_of_rows(const Hdf5Dataset& dataset, std::int64_t first, std::int64_t end, Checksum sum) {
  constexpr std::int64_t kNumbers = 1 << 17;  // [-] read at a time
  const std::int64_t block = std::max<std::int64_t>(kNumbers / std::max<std::int64_t>(dataset.width(), 1), 1);
  std::vector<Number> numbers;
  for (; first < end; first += block) {
    numbers.resize(static_cast<std::size_t>(std::min(block, end - first) * dataset.width()));
    dataset.read(first, std::span(numbers));
    add_to(sum, std::span<const Number>(numbers), dataset.is_single());
  }
  return sum;
}

}  // namespace

void verify_rows(const Hdf5Dataset& dataset, std::int64_t rows, std::span<const RowSum> sums) {
  const auto add_up = [&dataset](std::int64_t first, std::int64_t end, const Checksum& sum) {
    return dataset.is_integer() ? sum_of_rows<std::int64_t>(dataset, first, end, sum)
                                : sum_of_rows<double>(dataset, first, end, sum);
  };
  const RowSum* known = find_sum(sums, dataset.path());
  const std::int64_t counted = known == nullptr ? 0 : known->rows;
  if (counted > rows || (known != nullptr && add_up(0, counted, {}).value() != known->sum)) {
    throw InputError({dataset.file()}, dataset.path(), fmt::format("rows 0 to {}", counted - 1), "damaged");
  }
  add_up(counted, rows, {});
}

void Table::copy_rows(const Hdf5File& from, std::int64_t rows, std::span<const RowSum> sums, const StopToken& stop) {
  STICKSLIP_ASSERT(rows_ == 0);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].may_begin_late && !from.has(columns_[c].path)) {
      copy_column(c, nullptr, rows, sums, stop);
      continue;
    }
    const Hdf5Dataset source = from.open_dataset(columns_[c].path);
    if (source.width() != columns_[c].width()) {
      throw InputError({from.name()}, columns_[c].path, fmt::format("{} numbers a row", source.width()),
                       fmt::format("must be {}", columns_[c].width()));
    }
    copy_column(c, &source, rows, sums, stop);
  }
  rows_ = rows;
}

/// Chunk by chunk, adding up their checksum; the rows of the last one, if it is not whole, stay in the buffer. Zeros
/// where there is no source.
void Table::copy_column(std::size_t column, const Hdf5Dataset* source, std::int64_t rows, std::span<const RowSum> sums,
                        const StopToken& stop) {
  Buffer& buffer = buffers_[column];
  const std::int64_t width = columns_[column].width();
  for (std::int64_t first = 0; first < rows; first += buffer.chunk_rows) {
    stop.check();
    const std::int64_t n = std::min(buffer.chunk_rows, rows - first);
    const auto count = static_cast<std::size_t>(n * width);
    file_.reserve(kBookkeepingBytes + 2 * buffer.chunk_rows * columns_[column].row_bytes() + kColumnBookkeepingBytes);
    buffer.dataset.grow(first + n);
    if (is_real(columns_[column].type)) {
      const std::span<double> data = std::span(buffer.reals).first(count);
      std::ranges::fill(data, 0.0);
      if (source != nullptr) read_rows(*source, first, rows, sums, data);
      buffer.dataset.write(first, data);
    } else {
      const std::span<std::int64_t> data = std::span(buffer.integers).first(count);
      std::ranges::fill(data, 0);
      if (source != nullptr) read_rows(*source, first, rows, sums, data);
      buffer.dataset.write(first, data);
    }
    if (n == buffer.chunk_rows) buffer.sum = sum_with(column, n);
  }
  buffer.rows_on_file = rows;
  if (source == nullptr) return;
  const RowSum* sum = find_sum(sums, columns_[column].path);
  if (sum == nullptr || sum_with(column, rows % buffer.chunk_rows).value() != sum->sum) {
    throw InputError({source->file()}, source->path(), fmt::format("rows 0 to {}", rows - 1), "damaged");
  }
}

}  // namespace stickslip
