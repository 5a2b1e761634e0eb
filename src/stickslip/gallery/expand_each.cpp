// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "stickslip/base/input_error.h"
#include "stickslip/gallery/study_reader.h"

namespace stickslip {
namespace {

/// An element as text: strings as they are, so that "1e-2" stays what it is.
std::string element_text(const TomlValue& element) {
  return element.string() != nullptr ? *element.string() : write_toml_value(element);
}

void replace_keys(std::string& text, const std::map<std::string, std::string>& given) {
  for (const auto& [key, value] : given) {
    const std::string mark = "{" + key + "}";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
      text.replace(at, mark.size(), value);
    }
  }
}

void replace_keys(TomlValue& value, const std::map<std::string, std::string>& given) {
  if (auto* text = std::get_if<std::string>(&value.content)) replace_keys(*text, given);
  if (value.array() != nullptr) {
    for (TomlValue& element : *value.array()) replace_keys(element, given);
  }
  if (value.table() != nullptr) {
    for (TomlEntry& entry : *value.table()) replace_keys(entry.value, given);
  }
}

}  // namespace

std::vector<EachEntry> expand_each(const Document& document, const TomlValue& entry, const std::string& path) {
  const auto refuse = [&](const TomlValue& value, const std::string& key, const std::string& allowed) {
    throw InputError(document.place(value.mark), key, describe_value(value), allowed);
  };
  if (entry.table() == nullptr) refuse(entry, path, "a table");
  const TomlValue* each = find_value(*entry.table(), "each");
  if (each == nullptr) return {{entry, {}}};
  const std::string each_path = path + ".each";
  constexpr const char* kAllowed = "a table of arrays of numbers or texts, all of the same length";
  if (each->table() == nullptr || each->table()->empty()) refuse(*each, each_path, kAllowed);
  std::size_t n = 0;
  for (const TomlEntry& column : *each->table()) {
    const TomlValue::Array* elements = column.value.array();
    const bool is_first = &column == each->table()->data();
    if (elements == nullptr || elements->empty() || (!is_first && elements->size() != n)) {
      refuse(column.value, each_path + "." + column.key, kAllowed);
    }
    n = elements->size();
  }
  std::vector<EachEntry> entries(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (const TomlEntry& column : *each->table()) {
      const TomlValue& element = (*column.value.array())[i];
      if (element.array() != nullptr || element.table() != nullptr) {
        refuse(element, each_path + "." + column.key, "a number or a text");
      }
      entries[i].given[column.key] = element_text(element);
    }
    entries[i].table = entry;
    std::erase_if(*entries[i].table.table(), [](const TomlEntry& e) { return e.key == "each"; });
    replace_keys(entries[i].table, entries[i].given);
  }
  return entries;
}

}  // namespace stickslip
