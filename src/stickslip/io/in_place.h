// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace stickslip {

/// A dataset in one piece of an HDF5 file, which has its full size from the start: its rows are written by plain writes
/// into their places, without the library, and whatever dies meanwhile leaves a whole file. Little-endian.
struct InPlaceDataset {
  enum class Type { real, integer, text };
  std::string path;
  Type type = Type::real;    // of 64 bits; text: UTF-8, zeros behind
  std::int64_t width = 1;    // [-] numbers in a row, or bytes of a text
  bool has_columns = false;  // (rows, width), else (rows)
  std::int64_t row_bytes() const { return type == Type::text ? width : 8 * width; }
};

/// An attribute of the file.
struct InPlaceAttribute {
  std::string name;
  std::variant<std::int64_t, std::string> value;
};

/// Makes a file with these groups, attributes and datasets of so many rows: reals are NaN at first, all else 0. Its
/// bytes depend on these alone. Returns where the datasets begin in the file [bytes]. `name` stands in messages. Throws
/// WriteError.
std::vector<std::int64_t> create_in_place(const std::filesystem::path& path, const std::string& name,
                                          std::span<const std::string> groups,
                                          std::span<const InPlaceAttribute> attributes,
                                          std::span<const InPlaceDataset> datasets, std::int64_t rows);

/// Where such datasets begin. Throws InputError where they are not just so.
std::vector<std::int64_t> find_in_place(const std::filesystem::path& path, std::span<const InPlaceDataset> datasets,
                                        std::int64_t rows);

}  // namespace stickslip
