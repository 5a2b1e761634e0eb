// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace stickslip {

/// Says to other processes that a result file is being written, for as long as it lives; a process that is killed
/// says it no longer. It keeps nobody from reading.
class WriteLock {
 public:
  WriteLock() = default;
  explicit WriteLock(const std::filesystem::path& path);
  WriteLock(WriteLock&& other) noexcept;
  WriteLock& operator=(WriteLock&& other) noexcept;
  ~WriteLock();

  /// Whether another WriteLock on that file lives, in this process or another.
  static bool is_held(const std::filesystem::path& path);

 private:
  int descriptor_ = -1;
};

}  // namespace stickslip
