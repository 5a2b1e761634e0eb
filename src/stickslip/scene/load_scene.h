// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/scene/document.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// A scene's text made of a file in another format, and the files of numbers that it names beside those on the disk.
struct ConvertedScene {
  std::string text;
  std::map<std::string, std::string> files;  // bytes by name
  std::vector<ConvertedLines> lines = {};    // where the other file says what the text does
};
using SceneConverter = std::function<ConvertedScene(const std::filesystem::path&)>;

struct LoadOptions {
  SceneConverter convert = {};  // of files that begin with '<'; none: there is no other format
  /// "key.path=value" each, applied to what was read, types of scheme and solver first, the others in order: the value
  /// in TOML, or a number as people write it (.3), or, where it is neither, a string. contacts.NAME.key finds a contact
  /// by its name.
  std::vector<std::string> overrides;
  bool allow_include = true;                      // and other files that a scene names
  std::size_t max_bytes = std::size_t{8} << 20;   // [bytes] of one file or text
  std::int64_t max_fill_bodies = kMaxFillBodies;  // [-] of a scene with [[fill]]
  FindStoredShapes stored_shapes = {};            // of the scene of a result
};

/// Reads a scene file. Throws InputError with file, line, column, key, value and what is allowed: the first mistake
/// found.
Scene load_scene(const std::filesystem::path& path, const LoadOptions& options = {});

/// Reads a scene from text; file_name stands in messages, gives the default name, and includes are
/// looked up beside it. Throws InputError.
Scene parse_scene(std::string_view text, const std::string& file_name, const LoadOptions& options = {});

/// Reads the scene of a result `file`: a text of any length, the files within that the scene named.
Scene parse_stored_scene(const std::string& text, const std::string& file, FindStoredShapes shapes);

/// The two steps of this: the tables of a scene as written, with includes and overrides, which read_scene() reads.
Document load_document(const std::filesystem::path& path, const LoadOptions& options = {});
Document parse_document(std::string_view text, const std::string& file_name, const LoadOptions& options = {});
/// The name of a scene that says none: the file's without its ending.
std::string default_scene_name(const std::filesystem::path& path);

/// The names of a scene file's [parameters] that are numbers of their own, in the file's order: expressions over others
/// follow them. Throws InputError where the file is not even TOML.
std::vector<std::string> list_free_parameters(const std::filesystem::path& path, const LoadOptions& options = {});

}  // namespace stickslip
