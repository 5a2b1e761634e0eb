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
