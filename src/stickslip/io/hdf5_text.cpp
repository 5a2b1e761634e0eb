// SPDX-License-Identifier: BSD-3-Clause
// Datasets of texts and of numbers that are written once.
#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>

#include "stickslip/base/assert.h"
#include "stickslip/base/input_error.h"
#include "stickslip/io/checksum.h"
#include "stickslip/io/hdf5_error.h"
#include "stickslip/io/hdf5_file.h"

namespace stickslip {
namespace {

/// Of what is written once. [bytes]
constexpr std::int64_t kChunkBytes = 65536;
/// The attribute of texts that are written once: FNV-1a of their fields.
constexpr const char* kChecksum = "checksum";

/// Text of up to so many bytes, in a field of fixed length: UTF-8, zeros behind it.
Hdf5Id field_type(std::size_t bytes) {
  Hdf5Id type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

/// Texts side by side, each padded to the same length.
std::vector<char> padded_texts(std::span<const std::string> texts, std::size_t bytes) {
  std::vector<char> cells(texts.size() * bytes, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    STICKSLIP_ASSERT(texts[i].size() <= bytes);
    std::ranges::copy(texts[i], cells.begin() + static_cast<std::ptrdiff_t>(i * bytes));
  }
  return cells;
}

/// Rows of a chunk of so many rows of so many bytes.
std::int64_t choose_chunk_rows(std::int64_t rows, std::int64_t row_bytes) {
  return std::clamp<std::int64_t>(kChunkBytes / std::max<std::int64_t>(row_bytes, 1), 1,
                                  std::max<std::int64_t>(rows, 1));
}

}  // namespace

void Hdf5File::create_texts(const std::string& path, std::size_t bytes) {
  constexpr std::int64_t kFewRows = 64;  // [-]
  Hdf5DatasetOptions options;
  options.chunk_rows = choose_chunk_rows(kFewRows, static_cast<std::int64_t>(bytes));
  options.checksum = true;
  const Hdf5Id type = field_type(bytes);
  make_dataset(path, type.get(), options, false);
}

void Hdf5File::write_texts(const std::string& path, std::int64_t first, std::span<const std::string> texts) {
  if (texts.empty()) return;
  const Hdf5Id dataset(H5Dopen2(id_.get(), path.c_str(), H5P_DEFAULT));
  const Hdf5Id type(dataset.valid() ? H5Dget_type(dataset.get()) : -1);
  if (!type.valid()) fail_writing(path + " cannot be written");
  hsize_t rows = 0;
  const Hdf5Id before(H5Dget_space(dataset.get()));
  H5Sget_simple_extent_dims(before.get(), &rows, nullptr);
  const hsize_t start = static_cast<hsize_t>(first);
  const hsize_t count = texts.size();
  const hsize_t end = std::max(rows, start + count);
  const Hdf5Id memory(H5Screate_simple(1, &count, nullptr));
  const std::vector<char> cells = padded_texts(texts, H5Tget_size(type.get()));
  if (end > rows && H5Dset_extent(dataset.get(), &end) < 0) fail_writing(path + " cannot be written");
  const Hdf5Id space(H5Dget_space(dataset.get()));
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr);
  if (H5Dwrite(dataset.get(), type.get(), memory.get(), space.get(), H5P_DEFAULT, cells.data()) < 0) {
    fail_writing(path + " cannot be written");
  }
}

void Hdf5File::write_fixed(const std::string& path, std::span<const std::string> texts) {
  std::size_t bytes = 1;
  for (const std::string& text : texts) bytes = std::max(bytes, text.size());
  Hdf5DatasetOptions options;
  options.rows = static_cast<std::int64_t>(texts.size());
  options.chunk_rows = choose_chunk_rows(options.rows, static_cast<std::int64_t>(bytes));
  options.checksum = true;
  const Hdf5Id type = field_type(bytes);
  const Hdf5Id dataset = make_dataset(path, type.get(), options, true);
  const std::vector<char> cells = padded_texts(texts, bytes);
  if (!texts.empty() && H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()) < 0) {
    fail_writing(path + " cannot be written");
  }
  // Chunks of zeros fit the library's checksum.
  write_attribute(path, kChecksum, static_cast<std::int64_t>(checksum_of({cells.data(), cells.size()})));
}

void Hdf5File::write_fixed(const std::string& path, Hdf5Type type, const std::vector<std::int64_t>& row,
                           std::span<const double> data) {
  std::int64_t width = 1;
  for (const std::int64_t n : row) width *= n;
  const std::int64_t rows = width == 0 ? 0 : static_cast<std::int64_t>(data.size()) / width;
  const Hdf5DatasetOptions options{
      .type = type, .row = row, .rows = rows, .chunk_rows = choose_chunk_rows(rows, 8 * width), .checksum = true};
  create_fixed(path, options).write(0, data);
}

void Hdf5File::write_fixed(const std::string& path, Hdf5Type type, std::span<const std::int64_t> data) {
  const auto rows = static_cast<std::int64_t>(data.size());
  create_fixed(path, {.type = type, .rows = rows, .chunk_rows = choose_chunk_rows(rows, 8), .checksum = true})
      .write(0, data);
}

std::int64_t Hdf5File::stored_bytes(const std::string& path) const {
  const Hdf5Id dataset = open_own_dataset(path);
  if (!dataset.valid()) fail_reading(path + ": missing");
  return static_cast<std::int64_t>(H5Dget_storage_size(dataset.get()));
}

bool Hdf5File::has_texts(const std::string& path) const {
  const Hdf5Id dataset = open_own_dataset(path);
  const Hdf5Id type(dataset.valid() ? H5Dget_type(dataset.get()) : -1);
  return type.valid() && H5Tget_class(type.get()) == H5T_STRING;
}

std::vector<std::string> Hdf5File::read_texts(const std::string& path, std::int64_t first) const {
  const Hdf5Id dataset = open_own_dataset(path);
  const Hdf5Id type(dataset.valid() ? H5Dget_type(dataset.get()) : -1);
  if (!type.valid() || H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) {
    fail_reading(path + ": texts of a fixed length are missing");
  }
  const Hdf5Id space(H5Dget_space(dataset.get()));
  hsize_t all = 0;
  const std::size_t bytes = H5Tget_size(type.get());
  if (H5Sget_simple_extent_ndims(space.get()) != 1 || H5Sget_simple_extent_dims(space.get(), &all, nullptr) < 0 ||
      bytes == 0 || all > H5Dget_storage_size(dataset.get()) / bytes) {
    fail_reading(path + ": not so many texts that the file can hold them");
  }
  const hsize_t start = std::min(static_cast<hsize_t>(std::max<std::int64_t>(first, 0)), all);
  const hsize_t count = all - start;
  std::vector<char> cells(count * bytes, '\0');
  const Hdf5Id memory(H5Screate_simple(1, &count, nullptr));
  if (count > 0) {
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr);
    if (H5Dread(dataset.get(), type.get(), memory.get(), space.get(), H5P_DEFAULT, cells.data()) < 0) {
      fail_reading(path + ": damaged: " + hdf5_error());
    }
  }
  if (start == 0 && has_attribute(path, kChecksum) &&
      read_integer(path, kChecksum) != static_cast<std::int64_t>(checksum_of({cells.data(), cells.size()}))) {
    fail_reading(path + ": damaged");
  }
  std::vector<std::string> texts;
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::string text(&cells[i * bytes], bytes);
    text.resize(std::min(text.find('\0'), text.size()));
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace stickslip
