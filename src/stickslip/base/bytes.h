// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stickslip/base/input_error.h"

namespace stickslip {

// Numbers as bytes and back: 8 bytes each, little-endian, without padding.

/// x as it stands in memory when its bytes are little-endian.
inline std::uint64_t to_little_endian(std::uint64_t x) {
  if constexpr (std::endian::native == std::endian::big) {
    std::uint64_t swapped = 0;
    for (int i = 0; i < 8; ++i) swapped |= ((x >> (8 * i)) & 0xff) << (8 * (7 - i));
    return swapped;
  }
  return x;
}

class ByteWriter {
 public:
  explicit ByteWriter(std::size_t size = 0) { bytes_.reserve(size); }
  void put(std::uint64_t x) {
    const std::uint64_t le = to_little_endian(x);
    const auto* first = reinterpret_cast<const std::byte*>(&le);
    bytes_.insert(bytes_.end(), first, first + sizeof le);
  }
  void put(std::int64_t x) { put(static_cast<std::uint64_t>(x)); }
  void put(double x) { put(std::bit_cast<std::uint64_t>(x)); }
  void put(std::span<const double> numbers) {
    if constexpr (std::endian::native == std::endian::little) {
      const auto bytes = std::as_bytes(numbers);
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    } else {
      for (const double x : numbers) put(x);
    }
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what a ByteWriter wrote; throws InputError where the bytes end too soon.
class ByteReader {
 public:
  /// `what` the bytes are: "a saved state".
  ByteReader(std::span<const std::byte> bytes, const char* what) : bytes_(bytes), what_(what) {}
  std::uint64_t get() {
    if (bytes_.size() < 8) fail();
    std::uint64_t le = 0;
    std::memcpy(&le, bytes_.data(), 8);
    bytes_ = bytes_.subspan(8);
    return to_little_endian(le);
  }
  std::int64_t get_integer() { return static_cast<std::int64_t>(get()); }
  double get_real() { return std::bit_cast<double>(get()); }
  /// The length of a list whose entries take this number of bytes each; it cannot exceed the remaining bytes.
  std::size_t get_length(std::size_t entry_bytes) {
    const std::uint64_t n = get();
    if (n > bytes_.size() / entry_bytes) fail();
    return static_cast<std::size_t>(n);
  }
  /// Another reader that begins after this number of bytes, which exist.
  ByteReader after(std::size_t bytes) const { return {bytes_.subspan(bytes), what_}; }
  std::size_t bytes_left() const { return bytes_.size(); }
  bool at_end() const { return bytes_.empty(); }
  [[noreturn]] void fail() const { throw InputError(std::string(what_) + " is damaged"); }

 private:
  std::span<const std::byte> bytes_;
  const char* what_;
};

}  // namespace stickslip
