// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>

#include "stickslip/base/assert.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/hdf5_error.h"
#include "stickslip/io/hdf5_file.h"

namespace stickslip {
namespace {

Hdf5Id transfer_properties(Hdf5Dataset::Checksums checksums) {
  if (checksums == Hdf5Dataset::Checksums::verified) return Hdf5Id();
  Hdf5Id properties(H5Pcreate(H5P_DATASET_XFER));
  H5Pset_edc_check(properties.get(), H5Z_DISABLE_EDC);
  return properties;
}

}  // namespace

void Hdf5Dataset::grow(std::int64_t rows) {
  if (rows > rows_) set_rows(rows);
}

void Hdf5Dataset::shrink(std::int64_t rows) {
  if (rows < rows_) set_rows(rows);
}

void Hdf5Dataset::set_rows(std::int64_t rows) {
  const hsize_t shape[4] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(items_),
                            static_cast<hsize_t>(components_ / columns_), static_cast<hsize_t>(columns_)};
  if (H5Dset_extent(id_.get(), shape) < 0) {
    throw WriteError(fmt::format("{}: {} cannot be written: {}", file_, path_, hdf5_error()));
  }
  rows_ = rows;
}

Hdf5Dataset::Rows Hdf5Dataset::whole_rows(std::int64_t first, std::size_t numbers) const {
  STICKSLIP_ASSERT(width() == 0 || numbers % static_cast<std::size_t>(width()) == 0);
  return {first, width() == 0 ? 0 : static_cast<std::int64_t>(numbers) / width(), 0, items_};
}

/// The rows and items of the dataset as a dataspace; invalid where they are not all there.
std::int64_t Hdf5Dataset::select(const Rows& rows) const {
  const std::int64_t space = H5Dget_space(id_.get());
  const hsize_t start[4] = {static_cast<hsize_t>(rows.first), static_cast<hsize_t>(rows.first_item), 0, 0};
  const hsize_t count[4] = {static_cast<hsize_t>(rows.n), static_cast<hsize_t>(rows.n_items),
                            static_cast<hsize_t>(components_ / columns_), static_cast<hsize_t>(columns_)};
  if (space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr) >= 0) return space;
  if (space >= 0) H5Sclose(space);
  return -1;
}

/// So many rows and items as they lie in memory, of the shape that they have in the file: where shapes differ, the
/// library goes number by number.
std::int64_t Hdf5Dataset::space_of(std::int64_t n, std::int64_t n_items) const {
  const hsize_t count[4] = {static_cast<hsize_t>(n), static_cast<hsize_t>(n_items),
                            static_cast<hsize_t>(components_ / columns_), static_cast<hsize_t>(columns_)};
  return H5Screate_simple(rank_, count, nullptr);
}

void Hdf5Dataset::write_rows(std::int64_t first, std::int64_t n, std::int64_t memory_type, const void* data) {
  if (n == 0) return;
  grow(first + n);
  const Hdf5Id file_space(select({first, n, 0, items_}));
  const Hdf5Id memory(space_of(n, items_));
  if (!file_space.valid() || H5Dwrite(id_.get(), memory_type, memory.get(), file_space.get(), H5P_DEFAULT, data) < 0) {
    throw WriteError(fmt::format("{}: {} cannot be written: {}", file_, path_, hdf5_error()));
  }
}

void Hdf5Dataset::read_rows(const Rows& rows, std::int64_t memory_type, void* data, Checksums checksums) const {
  if (rows.n == 0 || rows.n_items == 0 || components_ == 0) return;
  const bool is_there = rows.first >= 0 && rows.first + rows.n <= rows_;
  const Hdf5Id file_space(is_there ? select(rows) : -1);
  const Hdf5Id memory(space_of(rows.n, rows.n_items));
  const Hdf5Id transfer = transfer_properties(checksums);
  if (!file_space.valid() || H5Dread(id_.get(), memory_type, memory.get(), file_space.get(),
                                     transfer.valid() ? transfer.get() : H5P_DEFAULT, data) < 0) {
    const std::string why = is_there ? "damaged: " + hdf5_error() : fmt::format("has {} rows", rows_);
    throw InputError({file_}, path_, fmt::format("rows {} to {}", rows.first, rows.first + rows.n - 1), why);
  }
}

double Hdf5Dataset::most_unpacked(double stored) {
  // Deflate makes 1032 zeros of one byte, so that a small file could claim all memory. Numbers of problems shrink to a
  // thirtieth at best (patterns of matrices); vectors of zeros, as they come, are smaller than the least that is
  // allowed.
  constexpr double kRatio = 32.0;      // [-]
  constexpr double kLeast = 64 << 20;  // [bytes] eight million numbers, which any machine has room for
  return std::max(kLeast, kRatio * stored);
}

/// Refuses a dataset whose shape promises more than its bytes in the file can hold, which are no more than the file's.
void Hdf5Dataset::check_size(std::int64_t file_bytes) const {
  const Hdf5Id type(H5Dget_type(id_.get()));
  const Hdf5Id creation(H5Dget_create_plist(id_.get()));
  const auto stored = static_cast<double>(H5Dget_storage_size(id_.get()));
  const auto number_bytes = static_cast<double>(H5Tget_size(type.get()));
  const double most = H5Pget_nfilters(creation.get()) > 0 ? most_unpacked(stored) : stored;
  const bool plausible = number_bytes > 0.0 && stored <= static_cast<double>(file_bytes) && rows_ >= 0 && rank_ == 1 &&
                         static_cast<double>(rows_) * number_bytes <= most;
  if (!plausible) {
    throw InputError({file_}, path_, fmt::format("{} numbers", rows_), "more than the file holds");
  }
}

bool Hdf5Dataset::is_integer() const {
  const Hdf5Id type(H5Dget_type(id_.get()));
  return H5Tget_class(type.get()) == H5T_INTEGER;
}

bool Hdf5Dataset::is_single() const {
  const Hdf5Id type(H5Dget_type(id_.get()));
  return H5Tget_class(type.get()) == H5T_FLOAT && H5Tget_size(type.get()) == sizeof(float);
}

bool Hdf5Dataset::can_grow() const {
  const Hdf5Id space(H5Dget_space(id_.get()));
  hsize_t most[4] = {0, 0, 0, 0};
  return H5Sget_simple_extent_dims(space.get(), nullptr, most) == rank_ && most[0] == H5S_UNLIMITED;
}

std::int64_t Hdf5Dataset::stored_rows() const {
  const Hdf5Id type(H5Dget_type(id_.get()));
  const auto row_bytes = width() * static_cast<std::int64_t>(H5Tget_size(type.get()));
  if (row_bytes <= 0) return rows_;
  return std::min(rows_, static_cast<std::int64_t>(H5Dget_storage_size(id_.get())) / row_bytes);
}

std::int64_t Hdf5Dataset::sound_rows() const {
  const std::int64_t rows = stored_rows();
  const Hdf5Id creation(H5Dget_create_plist(id_.get()));
  hsize_t chunk[4] = {1, 1, 1, 1};
  if (rows == 0 || H5Pget_layout(creation.get()) != H5D_CHUNKED ||
      H5Pget_chunk(creation.get(), rank_, chunk) != rank_) {
    return rows;
  }
  const Hdf5Id file_space(select({rows - 1, 1, 0, items_}));
  const Hdf5Id memory(space_of(1, items_));
  const Hdf5Id type(H5Dget_type(id_.get()));  // as they are: the library clears a megabyte before it converts any
  std::vector<std::byte> row(static_cast<std::size_t>(width()) * H5Tget_size(type.get()));
  if (H5Dread(id_.get(), type.get(), memory.get(), file_space.get(), H5P_DEFAULT, row.data()) >= 0) return rows;
  const auto chunk_rows = static_cast<std::int64_t>(chunk[0]);
  return (rows - 1) / chunk_rows * chunk_rows;
}

std::vector<double> Hdf5File::read_numbers(const std::string& path) const {
  const Hdf5Dataset dataset = open_dataset(path);
  dataset.check_size(file_bytes());
  std::vector<double> numbers(static_cast<std::size_t>(dataset.rows()));
  dataset.read(0, numbers);
  return numbers;
}

std::vector<std::int64_t> Hdf5File::read_integers(const std::string& path) const {
  const Hdf5Dataset dataset = open_dataset(path);
  if (!dataset.is_integer()) fail_reading(path + ": integers are needed");
  dataset.check_size(file_bytes());
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(dataset.rows()));
  dataset.read(0, numbers);
  return numbers;
}

void Hdf5Dataset::write(std::int64_t first, std::span<const double> data) {
  write_rows(first, whole_rows(first, data.size()).n, H5T_NATIVE_DOUBLE, data.data());
}
void Hdf5Dataset::write(std::int64_t first, std::span<const std::int64_t> data) {
  write_rows(first, whole_rows(first, data.size()).n, H5T_NATIVE_INT64, data.data());
}
void Hdf5Dataset::write(std::int64_t first, std::span<const std::uint64_t> data) {
  write_rows(first, whole_rows(first, data.size()).n, H5T_NATIVE_UINT64, data.data());
}
void Hdf5Dataset::write(std::int64_t first, std::span<const std::byte> data) {
  write_rows(first, whole_rows(first, data.size()).n, H5T_NATIVE_UINT8, data.data());
}

void Hdf5Dataset::read(std::int64_t first, std::span<double> data, Checksums checksums) const {
  read_rows(whole_rows(first, data.size()), H5T_NATIVE_DOUBLE, data.data(), checksums);
}
void Hdf5Dataset::read(std::int64_t first, std::span<std::int64_t> data, Checksums checksums) const {
  read_rows(whole_rows(first, data.size()), H5T_NATIVE_INT64, data.data(), checksums);
}
void Hdf5Dataset::read(std::int64_t first, std::span<std::uint64_t> data) const {
  read_rows(whole_rows(first, data.size()), H5T_NATIVE_UINT64, data.data(), Checksums::verified);
}
void Hdf5Dataset::read(std::int64_t first, std::span<std::byte> data) const {
  read_rows(whole_rows(first, data.size()), H5T_NATIVE_UINT8, data.data(), Checksums::verified);
}
void Hdf5Dataset::read_item(std::int64_t item, std::int64_t first, std::span<double> data) const {
  STICKSLIP_ASSERT(components_ > 0 && item >= 0 && item < items_);
  const std::int64_t n = static_cast<std::int64_t>(data.size()) / components_;
  read_rows({first, n, item, 1}, H5T_NATIVE_DOUBLE, data.data(), Checksums::verified);
}

}  // namespace stickslip
