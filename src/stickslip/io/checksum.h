// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "stickslip/base/bytes.h"

namespace stickslip {

/// FNV-1a, 64 bits: detects data that were not written to their end, or were changed later.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte b : bytes) value_ = (value_ ^ static_cast<std::uint64_t>(b)) * kPrime;
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  /// A number as one unit, which is quicker than its bytes.
  void add(std::uint64_t x) {
    value_ = (value_ ^ x) * kPrime;
    value_ ^= value_ >> 32;  // so that high bits count, too
  }
  /// Many bytes, eight at a time as numbers.
  void add_words(std::span<const std::byte> bytes) {
    for (; bytes.size() >= sizeof(std::uint64_t); bytes = bytes.subspan(sizeof(std::uint64_t))) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), sizeof word);
      add(to_little_endian(word));
    }
    add(bytes);
  }
  std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3u;
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

inline std::uint64_t checksum_of(std::string_view text) {
  Checksum sum;
  sum.add(text);
  return sum.value();
}

}  // namespace stickslip
