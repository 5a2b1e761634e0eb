// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <string_view>

namespace stickslip {

/// The file to which a name leads.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;  // 0: there is none

  static FileIdentity of(const std::filesystem::path& path);
  bool operator==(const FileIdentity&) const = default;
};

/// Whether the file has a name before publish(). Without one it is gone when the program is killed, and takes a
/// descriptor; file systems that have no files without a name give it one.
enum class BeforePublish { nameless, named };

/// A file that gets its name only after a good start: it is written beside it, then published. An older file of that
/// name stays until then. Without publish() it leaves nothing.
class NewFile {
 public:
  /// Throws InputError where `path` cannot name a new file: it is a folder or a device; WriteError where its folder
  /// does not exist or takes no file.
  explicit NewFile(const std::filesystem::path& path, BeforePublish before = BeforePublish::nameless);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  const std::filesystem::path& path() const { return path_; }
  /// The name to open it under before publish(), in this process; other programs need BeforePublish::named.
  const std::filesystem::path& temporary_path() const { return temporary_path_; }
  /// Gives the file its name. Throws WriteError, also where the name leads to another file than when this was made.
  void publish();
  /// Throws WriteError where the name does not lead to this file any more: it was removed, moved or replaced.
  void check_published() const;

 private:
  void make_nameless();
  void make_named();
  void link();

  std::filesystem::path path_;
  std::filesystem::path folder_;
  std::filesystem::path temporary_path_;
  FileIdentity before_;  // what the name led to at first
  FileIdentity own_;
  int descriptor_ = -1;  // of a nameless file
  bool published_ = false;
};

/// Makes a folder of its own, "NAME-" and six characters, in that for temporary files (TMPDIR). Throws WriteError.
std::filesystem::path make_temporary_folder(std::string_view name);

/// Writes a whole file, which has its name once it is whole; pipes and devices are written as they are. Throws
/// InputError and WriteError.
void write_text(const std::filesystem::path& path, std::string_view text);

/// Whether the path is neither a file nor a folder.
bool is_device(const std::filesystem::path& path);

/// Opens a file, or what is_device(), to be written; fails as the stream does. Never waits: throws WriteError where
/// nobody reads a pipe.
void open_to_write(const std::filesystem::path& path, std::ofstream& stream);

}  // namespace stickslip
