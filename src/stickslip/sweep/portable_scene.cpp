// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/sweep/portable_scene.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "stickslip/io/checksum.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// Takes the files along that are named under the key `file`, which is where scenes name files.
class FileTaker {
 public:
  FileTaker(const Document& document, std::map<std::string, std::string>& files) : document_(document), files_(files) {}

  void visit(TomlValue& value) {
    if (TomlValue::Array* array = value.array()) {
      for (TomlValue& element : *array) visit(element);
    }
    TomlValue::Table* table = value.table();
    if (table == nullptr) return;
    for (TomlEntry& entry : *table) {
      if (entry.key == "file" && entry.value.string() != nullptr) {
        take(entry.value);
      } else {
        visit(entry.value);
      }
    }
  }

 private:
  /// By another name, with the same ending, which tells the format.
  void take(TomlValue& value) {
    const fs::path path = document_.folder(value.mark) / *value.string();
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return;  // whoever reads the scene says so
    std::ifstream in(path, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    if (!in) throw InputError(document_.place(value.mark), "file", quote_toml(*value.string()), "cannot be read");
    const std::string name = fmt::format("file-{}{}", files_.size(), path.extension().string());
    files_[name] = std::move(bytes);
    value.content = name;
  }

  const Document& document_;
  std::map<std::string, std::string>& files_;
};

}  // namespace

std::string write_document(const Document& document) {
  std::string text;
  for (const TomlEntry& entry : *document.root.table()) {
    text += quote_toml_key(entry.key) + " = " + write_toml_value(entry.value) + "\n";
  }
  return text;
}

std::uint64_t PortableScene::checksum() const {
  Checksum sum;
  for (const auto& [file, bytes] : files) {
    sum.add(file);
    sum.add(static_cast<std::uint64_t>(bytes.size()));
    sum.add(bytes);
  }
  return sum.value();
}

PortableScene make_portable(Document document, const std::string& name) {
  PortableScene portable;
  portable.name = name;
  FileTaker(document, portable.files).visit(document.root);
  portable.text = write_document(document);
  return portable;
}

}  // namespace stickslip
