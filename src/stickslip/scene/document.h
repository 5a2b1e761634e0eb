// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/geometry/stored_shapes.h"

namespace stickslip {

/// A place in one of the texts that a scene is read from.
struct Mark {
  int text = 0;    // index into Document::texts
  int line = 0;    // from 1; 0: the text as a whole
  int column = 0;  // from 1, in characters
};

struct TomlEntry;

/// A value of a TOML document that knows where it was written, in the order of the document.
struct TomlValue {
  struct Date {};  // dates and times: scenes have none
  using Array = std::vector<TomlValue>;
  using Table = std::vector<TomlEntry>;

  std::variant<bool, std::int64_t, double, std::string, Date, Array, Table> content;
  Mark mark;

  const Table* table() const { return std::get_if<Table>(&content); }
  Table* table() { return std::get_if<Table>(&content); }
  const Array* array() const { return std::get_if<Array>(&content); }
  Array* array() { return std::get_if<Array>(&content); }
  const std::string* string() const { return std::get_if<std::string>(&content); }
};

struct TomlEntry {
  std::string key;
  Mark mark;  // of the key
  TomlValue value;
};

const TomlValue* find_value(const TomlValue::Table& table, std::string_view key);
TomlValue* find_value(TomlValue::Table& table, std::string_view key);

/// "3", "\"abc\"", "an array of 3 values", ...: how messages show a value.
std::string describe_value(const TomlValue& value);

/// A value as TOML, on one line; numbers read back as the same.
std::string write_toml_value(const TomlValue& value);

/// Bodies of a scene with [[fill]] at most. [-]
inline constexpr std::int64_t kMaxFillBodies = 1'000'000;

/// The meshes and polylines of a result. Throws InputError.
using FindStoredShapes = std::function<const StoredShapes&()>;

/// What the lines of a text from this one on were made of.
struct ConvertedLines {
  int first = 1;
  SourcePlace place;
};

/// A scene's text or texts (includes, overrides) as one tree.
struct Document {
  std::vector<std::string> texts;  // names for messages: file names, "--set key=value"
  TomlValue root{TomlValue::Table{}, Mark{}};
  std::size_t n_files = 1;   // of the texts; those behind them are overrides
  bool reads_files = false;  // files of numbers that it names may be opened
  std::int64_t max_fill_bodies = kMaxFillBodies;
  FindStoredShapes stored_shapes = {};            // of the scene of a result; none: shapes are read from their files
  std::map<std::string, std::string> files = {};  // bytes of those that are not on the disk, by the name that is given

  std::vector<ConvertedLines> converted = {};  // of the first text, where it was made of another; by their lines

  SourcePlace place(const Mark& mark) const;
  /// Where files are looked up that are named at `mark`: beside the file that names them, or beside the scene.
  std::filesystem::path folder(const Mark& mark) const {
    const auto text = static_cast<std::size_t>(mark.text);
    return std::filesystem::path(texts[text < n_files ? text : 0]).parent_path();
  }
};

/// Reads TOML; places are in the text `text_index` of a document, whose name is `text_name`. Throws InputError
/// for what is not TOML, not UTF-8, or nested deeper than recursion should go.
TomlValue parse_toml(std::string_view text, int text_index, const std::string& text_name);

/// Levels of tables and arrays that parse_toml() takes; the scene format needs 6.
inline constexpr int kMaxTomlNesting = 32;

/// Lays `later` over `base`: tables key by key, named contacts name by name, laws one after the other,
/// all else replaced. A table whose `type` changes is replaced as a whole, since other types have other keys.
void merge_documents(TomlValue::Table& base, TomlValue::Table&& later);

/// Applies "key.path=value" each to a document: the types of scheme and solver first, whose options may stand before
/// them, the others in order. Throws InputError.
void apply_overrides(Document& document, const std::vector<std::string>& assignments);

/// The name of an entry of `contacts`: its `name`, by default "first-second" of its `between` with '-' for '/'; empty
/// where neither can be read.
std::string contact_name(const TomlValue& contact);

}  // namespace stickslip
