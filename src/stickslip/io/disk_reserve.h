// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

namespace stickslip {

/// Reserves disk space behind the end of an open file before it is written, so that a full disk is noticed while the
/// file is still whole. Unused space is freed at the end.
class DiskReserve {
 public:
  DiskReserve() = default;
  /// For the file of this descriptor, which stays the caller's.
  explicit DiskReserve(int descriptor);
  DiskReserve(DiskReserve&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  DiskReserve& operator=(DiskReserve&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~DiskReserve();

  /// Reserves `bytes` bytes from `first` on. Returns 0 or an errno.
  int claim(std::int64_t first, std::int64_t bytes);

 private:
  int descriptor_ = -1;
};

}  // namespace stickslip
