// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace stickslip {

/// A folder that is made if it does not exist, and removed again unless keep() is called. Throws InputError if `path`
/// is something else, WriteError if it cannot be made.
class NewFolder {
 public:
  explicit NewFolder(const std::filesystem::path& path);
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder();
  void keep() { is_new_ = false; }

 private:
  std::filesystem::path path_;
  bool is_new_ = false;
};

}  // namespace stickslip
