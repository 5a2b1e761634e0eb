// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/new_file.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "stickslip/base/input_error.h"
#include "stickslip/io/write_error.h"

namespace stickslip {

namespace fs = std::filesystem;

NewFile::NewFile(const fs::path& path) : path_(path) {
  std::error_code error;
  if (const fs::path target = fs::canonical(path, error); !error) path_ = target;  // through symbolic links
  if (path_.filename().empty() || fs::is_directory(path_, error)) {
    throw InputError({path.string()}, "", "", "is a folder: name a file in it");
  }
  if (fs::exists(path_, error) && !fs::is_regular_file(path_, error)) {
    throw InputError({path.string()}, "", "", "is not a file");
  }
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    throw WriteError(fmt::format("{}: the folder {} does not exist", path.string(), folder.string()));
  }
  temporary_path_ = folder / fmt::format(".{}.{}.tmp", path_.filename().string(), ::getpid());
}

NewFile::~NewFile() {
  std::error_code error;
  if (!published_) fs::remove(temporary_path_, error);
}

void NewFile::publish() {
  std::error_code error;
  fs::rename(temporary_path_, path_, error);
  if (error) throw WriteError(fmt::format("{}: {}", path_.string(), error.message()));
  published_ = true;
}

fs::path make_temporary_folder(std::string_view name) {
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  if (error) throw WriteError(fmt::format("TMPDIR, the folder for temporary files: {}", error.message()));
  const std::string filled_in(6, 'X');  // by mkdtemp
  std::string folder = (place / fmt::format("{}-{}", name, filled_in)).string();
  if (::mkdtemp(folder.data()) == nullptr) {
    throw WriteError(fmt::format("{}: cannot be made: {}; TMPDIR names the folder for temporary files", folder,
                                 std::generic_category().message(errno)));
  }
  return folder;
}

void write_text(const fs::path& path, std::string_view text) {
  NewFile file(path);
  std::ofstream stream(file.temporary_path(), std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw WriteError(fmt::format("{}: cannot be written", path.string()));
  file.publish();
}

}  // namespace stickslip
