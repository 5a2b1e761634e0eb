// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <hdf5.h>

#include "stickslip/base/assert.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/hdf5_error.h"
#include "stickslip/io/hdf5_file.h"

namespace stickslip {
namespace {

/// The rows first ... first + n - 1 of a dataset.
Hdf5Id select_rows(std::int64_t dataset, std::int64_t first, std::int64_t n, std::int64_t width) {
  Hdf5Id space(H5Dget_space(dataset));
  const hsize_t start[2] = {static_cast<hsize_t>(first), 0};
  const hsize_t count[2] = {static_cast<hsize_t>(n), static_cast<hsize_t>(width)};
  if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, count, nullptr) < 0) return Hdf5Id();
  return space;
}

Hdf5Id memory_space(int rank, std::int64_t n, std::int64_t width) {
  const hsize_t shape[2] = {static_cast<hsize_t>(n), static_cast<hsize_t>(width)};
  return Hdf5Id(H5Screate_simple(rank, shape, nullptr));
}

/// No filter of the library makes numbers smaller than this share: deflate's best. [-]
constexpr std::int64_t kBestCompression = 1032;

/// How many rows hold so many numbers.
std::int64_t row_count(std::size_t numbers, std::int64_t width) {
  STICKSLIP_ASSERT(width == 0 || numbers % static_cast<std::size_t>(width) == 0);
  return width == 0 ? 0 : static_cast<std::int64_t>(numbers) / width;
}

}  // namespace

void Hdf5Dataset::grow(std::int64_t rows) {
  if (rows <= rows_) return;
  const hsize_t shape[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(width_)};
  if (H5Dset_extent(id_.get(), shape) < 0) {
    throw WriteError(fmt::format("{}: {} cannot be written: {}", file_, path_, hdf5_error()));
  }
  rows_ = rows;
}

void Hdf5Dataset::write_rows(std::int64_t first, std::int64_t n, std::int64_t memory_type, const void* data) {
  if (n == 0) return;
  grow(first + n);
  const Hdf5Id file_space = select_rows(id_.get(), first, n, width_);
  const Hdf5Id memory = memory_space(rank_, n, width_);
  if (!file_space.valid() || H5Dwrite(id_.get(), memory_type, memory.get(), file_space.get(), H5P_DEFAULT, data) < 0) {
    throw WriteError(fmt::format("{}: {} cannot be written: {}", file_, path_, hdf5_error()));
  }
}

void Hdf5Dataset::read_rows(std::int64_t first, std::int64_t n, std::int64_t memory_type, void* data) const {
  if (n == 0) return;
  const Hdf5Id file_space = select_rows(id_.get(), first, n, width_);
  const Hdf5Id memory = memory_space(rank_, n, width_);
  if (first + n > rows_ || !file_space.valid() ||
      H5Dread(id_.get(), memory_type, memory.get(), file_space.get(), H5P_DEFAULT, data) < 0) {
    const std::string why = first + n > rows_ ? fmt::format("has {} rows", rows_) : hdf5_error();
    throw InputError({file_}, path_, fmt::format("rows {} to {}", first, first + n - 1), why);
  }
}

/// Refuses a dataset whose shape promises more than its bytes in the file can hold, which are no more than the file's.
void Hdf5Dataset::check_size(std::int64_t file_bytes) const {
  const Hdf5Id type(H5Dget_type(id_.get()));
  const Hdf5Id creation(H5Dget_create_plist(id_.get()));
  const auto stored = static_cast<std::int64_t>(H5Dget_storage_size(id_.get()));
  const auto number_bytes = static_cast<std::int64_t>(H5Tget_size(type.get()));
  const std::int64_t ratio = H5Pget_nfilters(creation.get()) > 0 ? kBestCompression : 1;
  // An external file would be outside of what was counted; fclib never makes one.
  const bool here = H5Pget_external_count(creation.get()) == 0 && H5Pget_layout(creation.get()) != H5D_VIRTUAL;
  const bool plausible = here && number_bytes > 0 && stored <= file_bytes && rows_ >= 0 && width_ == 1 &&
                         rows_ <= stored * ratio / number_bytes;
  if (!plausible) {
    throw InputError({file_}, path_, fmt::format("{} numbers", rows_), "more than the file holds");
  }
}

bool Hdf5Dataset::is_integer() const {
  const Hdf5Id type(H5Dget_type(id_.get()));
  return H5Tget_class(type.get()) == H5T_INTEGER;
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
  write_rows(first, row_count(data.size(), width_), H5T_NATIVE_DOUBLE, data.data());
}
void Hdf5Dataset::write(std::int64_t first, std::span<const std::int64_t> data) {
  write_rows(first, row_count(data.size(), width_), H5T_NATIVE_INT64, data.data());
}
void Hdf5Dataset::write(std::int64_t first, std::span<const std::uint64_t> data) {
  write_rows(first, row_count(data.size(), width_), H5T_NATIVE_UINT64, data.data());
}
void Hdf5Dataset::write(std::int64_t first, std::span<const std::byte> data) {
  write_rows(first, row_count(data.size(), width_), H5T_NATIVE_UINT8, data.data());
}

void Hdf5Dataset::read(std::int64_t first, std::span<double> data) const {
  read_rows(first, row_count(data.size(), width_), H5T_NATIVE_DOUBLE, data.data());
}
void Hdf5Dataset::read(std::int64_t first, std::span<std::int64_t> data) const {
  read_rows(first, row_count(data.size(), width_), H5T_NATIVE_INT64, data.data());
}
void Hdf5Dataset::read(std::int64_t first, std::span<std::uint64_t> data) const {
  read_rows(first, row_count(data.size(), width_), H5T_NATIVE_UINT64, data.data());
}
void Hdf5Dataset::read(std::int64_t first, std::span<std::byte> data) const {
  read_rows(first, row_count(data.size(), width_), H5T_NATIVE_UINT8, data.data());
}

}  // namespace stickslip
