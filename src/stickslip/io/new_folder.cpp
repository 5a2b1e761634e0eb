// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/new_folder.h"

#include <fmt/format.h>

#include <system_error>

#include "stickslip/base/input_error.h"
#include "stickslip/io/write_error.h"

namespace stickslip {

namespace fs = std::filesystem;

NewFolder::NewFolder(const fs::path& path) : path_(path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error)) {
    throw InputError({path.string()}, "", "", "is not a folder");
  }
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, error)) {
    throw WriteError(fmt::format("{}: the folder {} does not exist", path.string(), parent.string()));
  }
  error.clear();
  is_new_ = fs::create_directory(path, error);
  if (error) throw WriteError(fmt::format("{}: {}", path.string(), error.message()));
}

NewFolder::~NewFolder() {
  std::error_code error;
  if (is_new_) fs::remove(path_, error);  // only where it is empty
}

}  // namespace stickslip
