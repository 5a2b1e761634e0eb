// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace stickslip {

/// Tells other processes that a result file is being written, as long as this object lives; the lock of a killed
/// process is released. It does not prevent reading.
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
