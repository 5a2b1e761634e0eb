// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/load_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "stickslip/scene/document.h"
#include "stickslip/scene/read_scene.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxIncludeDepth = 16;  // [-] files that include one another in a chain
constexpr std::size_t kMaxFiles = 256;        // [-] files of one scene

std::string describe_size(std::size_t bytes) {
  constexpr std::size_t kMebi = std::size_t{1} << 20;
  return bytes % kMebi == 0 ? fmt::format("{} MiB", bytes / kMebi) : fmt::format("{} bytes", bytes);
}

/// Reads a document with all that it includes.
class DocumentLoader {
 public:
  explicit DocumentLoader(const LoadOptions& options) : options_(options) {}

  Document load(std::string_view text, const fs::path& path) {
    document_.root = read(text, path);
    document_.n_files = document_.texts.size();
    document_.reads_files = options_.allow_include;
    document_.max_fill_bodies = options_.max_fill_bodies;
    document_.stored_shapes = options_.stored_shapes;
    apply_overrides(document_, options_.overrides);
    return std::move(document_);
  }

  Document load_file(const fs::path& path) {
    const std::string text = read_file(path, SourcePlace{path.string(), 0, 0});
    const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (!options_.convert || first == std::string::npos || text[first] != '<') return load(text, path);
    is_converted_ = true;
    ConvertedScene scene = options_.convert(path);
    document_.files = std::move(scene.files);
    document_.converted = std::move(scene.lines);
    if (document_.converted.empty()) document_.converted.push_back({1, {path.string(), 0, 0}});
    return load(scene.text, path);
  }

 private:
  TomlValue read(std::string_view text, const fs::path& path) {
    const std::string name = path.string();
    if (text.size() > options_.max_bytes && !is_converted_) {
      throw InputError({name, 0, 0}, "", "",
                       fmt::format("a scene file has at most {}", describe_size(options_.max_bytes)));
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      throw InputError({name, 0, 0}, "", "", "the file is empty; a scene begins with stickslip = 1");
    }
    const int index = static_cast<int>(document_.texts.size());
    document_.texts.push_back(name);
    TomlValue own = parse_toml(text, index, name);
    chain_.push_back(path);
    TomlValue result = read_includes(own, path);
    chain_.pop_back();
    merge_documents(*result.table(), std::move(*own.table()));
    result.mark = {index, 1, 1};
    return result;
  }

  // What the files under `include` say together; takes the key out of `own`.
  TomlValue read_includes(TomlValue& own, const fs::path& path) {
    TomlValue result{TomlValue::Table{}, own.mark};
    TomlValue::Table& table = *own.table();
    const TomlValue* includes = find_value(table, "include");
    if (includes == nullptr) return result;
    const std::string allowed = "an array of file names: [\"a.toml\", ...]";
    if (!options_.allow_include) fail(*includes, "not allowed here");
    if (includes->array() == nullptr) fail(*includes, allowed);
    for (const TomlValue& include : *includes->array()) {
      if (include.string() == nullptr || include.string()->empty()) fail(include, allowed);
      const fs::path file = path.parent_path() / fs::path(*include.string());
      check_include(include, file);
      TomlValue part = read(read_file(file, document_.place(include.mark)), file);
      merge_documents(*result.table(), std::move(*part.table()));
    }
    std::erase_if(table, [](const TomlEntry& entry) { return entry.key == "include"; });
    return result;
  }

  void check_include(const TomlValue& include, const fs::path& file) const {
    std::error_code ignored;
    const auto same = [&](const fs::path& other) { return fs::equivalent(file, other, ignored); };
    const auto seen = std::find_if(chain_.begin(), chain_.end(), same);
    if (seen != chain_.end()) {
      std::string cycle;
      for (auto each = seen; each != chain_.end(); ++each) cycle += each->string() + " -> ";
      fail(include, "a file that does not include itself: " + cycle + file.string());
    }
    if (chain_.size() >= kMaxIncludeDepth) {
      fail(include, fmt::format("includes go at most {} files deep", kMaxIncludeDepth));
    }
    if (document_.texts.size() >= kMaxFiles) fail(include, fmt::format("a scene has at most {} files", kMaxFiles));
  }

  // The bytes of a file; `place` is what to blame where it cannot be read.
  std::string read_file(const fs::path& path, const SourcePlace& place) const {
    const bool is_included = place.line > 0;
    const auto refuse = [&](const std::string& why) {
      if (is_included) throw InputError(place, "include", quote_toml(path.string()), why);
      throw InputError(place, "", "", why);
    };
    std::error_code error;
    if (fs::is_directory(path, error)) refuse("a directory, not a scene file");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) refuse(std::string("cannot be opened: ") + std::strerror(errno));
    std::string text;
    std::array<char, 65536> buffer;
    while (text.size() <= options_.max_bytes) {
      const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get());
      text.append(buffer.data(), count);
      if (count == 0) break;
    }
    if (std::ferror(file.get()) != 0) refuse(std::string("cannot be read: ") + std::strerror(errno));
    return text;
  }

  [[noreturn]] void fail(const TomlValue& value, const std::string& allowed) const {
    throw InputError(document_.place(value.mark), "include", describe_value(value), allowed);
  }

  const LoadOptions& options_;
  Document document_;
  bool is_converted_ = false;    // of a model: others bound it
  std::vector<fs::path> chain_;  // files being read, each included by the one before
};

}  // namespace

std::string default_scene_name(const fs::path& path) {
  const std::string stem = path.stem().string();
  for (std::size_t i = 0; i < stem.size();) {
    const int length = utf8_sequence_length(std::string_view(stem).substr(i));
    if (length == 0) return "scene";
    i += static_cast<std::size_t>(length);
  }
  return stem.empty() || has_control_character(stem) ? "scene" : stem;
}

Document load_document(const fs::path& path, const LoadOptions& options) {
  return DocumentLoader(options).load_file(path);
}

Document parse_document(std::string_view text, const std::string& file_name, const LoadOptions& options) {
  return DocumentLoader(options).load(text, file_name);
}

Scene load_scene(const fs::path& path, const LoadOptions& options) {
  return read_scene(load_document(path, options), default_scene_name(path));
}

std::vector<std::string> list_free_parameters(const fs::path& path, const LoadOptions& options) {
  const Document document = load_document(path, options);
  std::vector<std::string> names;
  const TomlValue* parameters = find_value(*document.root.table(), "parameters");
  if (parameters == nullptr || parameters->table() == nullptr) return names;
  for (const TomlEntry& entry : *parameters->table()) {
    const auto& content = entry.value.content;
    if (std::holds_alternative<double>(content) || std::holds_alternative<std::int64_t>(content))
      names.push_back(entry.key);
  }
  return names;
}

Scene parse_scene(std::string_view text, const std::string& file_name, const LoadOptions& options) {
  return read_scene(parse_document(text, file_name, options), default_scene_name(file_name));
}

Scene parse_stored_scene(const std::string& text, const std::string& file, FindStoredShapes shapes) {
  LoadOptions options;
  options.allow_include = false;
  options.max_bytes = text.size();
  options.stored_shapes = std::move(shapes);
  return parse_scene(text, file + " (scene)", options);
}

}  // namespace stickslip
