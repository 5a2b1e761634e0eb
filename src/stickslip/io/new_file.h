// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string_view>

namespace stickslip {

/// A file that appears under its name only once it has begun well: written under a temporary name beside it, then
/// published. What stood under the name is there until then. Unpublished, it leaves nothing behind.
class NewFile {
 public:
  /// Throws InputError where `path` cannot name a new file: it is a folder or a device; WriteError where its folder
  /// does not exist.
  explicit NewFile(const std::filesystem::path& path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  const std::filesystem::path& path() const { return path_; }
  /// The name to write under before publish().
  const std::filesystem::path& temporary_path() const { return temporary_path_; }
  /// Gives the file its name. Throws WriteError.
  void publish();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_path_;
  bool published_ = false;
};

/// Makes a folder of its own, "NAME-" and six characters, in that for temporary files (TMPDIR). Throws WriteError.
std::filesystem::path make_temporary_folder(std::string_view name);

/// Writes a whole file, which has its name once it is whole. Throws InputError and WriteError.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace stickslip
