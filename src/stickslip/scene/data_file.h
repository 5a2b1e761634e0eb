// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/scene/table_reader.h"

namespace stickslip {

/// A file of numbers that a scene names: the points of a hull, the bodies of a fill.
struct DataFile {
  std::string name;  // as messages show it
  std::string bytes;
};

/// The largest size of such a file: a million rows of fourteen numbers with all digits. [bytes]
inline constexpr std::size_t kMaxDataBytes = std::size_t{320} << 20;

/// The most corners of a hull: each can be a point of contact. [-]
inline constexpr std::size_t kMaxHullCorners = 10'000;

/// The file whose name is the string of `key`, looked up beside the file that names it (an override: beside the scene).
/// Throws InputError at that key: no string, no ordinary file, not to be opened, too large.
DataFile read_data_file(const TableReader& reader, std::string_view key);

/// What parse(bytes, name) makes of the file that `key` names. Its errors have their place in the file, and this key.
template <class Parse>
auto parse_data_file(const TableReader& reader, std::string_view key, const Parse& parse) {
  const DataFile file = read_data_file(reader, key);
  try {
    return parse(file.bytes, file.name);
  } catch (const InputError& error) {
    const std::string within = error.key().empty() ? "" : ": " + error.key();
    throw InputError(error.place(), reader.path_of(key) + within, error.value(), error.allowed());
  }
}

/// The corners of the hull of the points in the file that `key` names. (3) [m] each
std::vector<Vector3> read_hull_file(const TableReader& reader, std::string_view key);

/// The polyline of the key `points` or in the file that the key `file` names, or the one stored with a result.
Polyline read_polyline(const TableReader& reader);

/// The mesh in the file that the key `file` names, or the one stored with a result.
Mesh read_mesh(const TableReader& reader);

/// The height-field that a table says by an expression or a file, or the one stored with a result. The
/// expression stands for the file's name, with "=" before it.
Mesh read_height_field(const TableReader& reader);

/// Replaces the files that hulls of a body's table name by the corners, so that they are read once for many bodies, and
/// the table can be written without the files. `path` is the table's.
void inline_hull_files(ReadContext& context, TomlValue& body, const std::string& path);

}  // namespace stickslip
